# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make test` need nothing but a Debian 12: they install the packages they use first.
.PHONY: help setup setup-test build demo test tsan fuzz train tidy format bench install clean

help:
	@echo "make demo     build, invent a video, estimate its camera's path, evaluate, say where the picture is"
	@echo "make test     unit tests in release and under ASan+UBSan, formatting"
	@echo "make tsan     tests of what uses threads, under ThreadSanitizer"
	@echo "make fuzz     every fuzz target, SECONDS=60 each"
	@echo "make train    the trainer, and its tests (needs LibTorch)"
	@echo "make tidy     clang-tidy over all sources"
	@echo "make format   clang-format in place"
	@echo "make bench    benchmarks"
	@echo "make install  library, headers and program into PREFIX=/usr/local"
	@echo "make clean    remove build/ and demo/"

setup:
	@scripts/setup

setup-test:
	@scripts/setup test

# Without tests: what users need.
build: setup
	@cmake --preset install >/dev/null
	@cmake --build --preset install

# A video that no network has seen.
demo: setup
	@cmake --preset install >/dev/null
	@cmake --build --preset install --target calfvo_program
	@build/install/calfvo synth street -o demo/video --overwrite --preset driving --frames 150 --seed 2
	@build/install/calfvo run demo/video/video.mp4 -o demo/result --overwrite --gt demo/video/groundtruth.txt

test: setup-test
	@scripts/format --check
	@cmake --preset release >/dev/null && cmake --build --preset release && ctest --preset release -j2
	@cmake --preset asan >/dev/null && cmake --build --preset asan && ctest --preset asan -j2

THREADED = base_test backend_test estimator_test model_test odometry_test synth_test
tsan: setup-test
	@cmake --preset tsan >/dev/null && cmake --build --preset tsan --target $(THREADED)
	@ctest --preset tsan -j2 -L threads --no-tests=error

SECONDS ?= 60
fuzz: setup-test
	@scripts/fuzz $(SECONDS)

tidy: setup-test
	@cmake --preset dev >/dev/null
	@git ls-files '*.cc' | grep -v '^tests/consumer\|^fuzz/\|^bench/' | xargs -P2 -n4 clang-tidy -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option

format: setup-test
	@scripts/format

bench:
	@scripts/bench

train:
	@scripts/setup train
	@cmake --preset train >/dev/null && cmake --build --preset train --target train/all
	@ctest --test-dir build/train/train -LE gpu -j2 --no-tests=error --output-on-failure

PREFIX ?= /usr/local
install: build
	@cmake --install build/install --prefix $(PREFIX)

clean:
	rm -rf build demo
