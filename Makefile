# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make test` need nothing but a Debian 12: they install the packages they use first.
.PHONY: help setup build demo test tsan fuzz tidy format bench install clean

help:
	@echo "make demo     build, evaluate an example trajectory, say where the picture is"
	@echo "make test     unit tests in release and under ASan+UBSan, formatting"
	@echo "make tsan     tests of what uses threads, under ThreadSanitizer"
	@echo "make fuzz     every fuzz target, SECONDS=60 each"
	@echo "make tidy     clang-tidy over all sources"
	@echo "make format   clang-format in place"
	@echo "make bench    benchmarks"
	@echo "make install  library, headers and program into PREFIX=/usr/local"
	@echo "make clean    remove build/ and demo/"

setup:
	@scripts/setup

build: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release

demo: setup
	@cmake --preset release >/dev/null
	@cmake --build --preset release --target calfvo_program make_trajectories
	@build/release/examples/make_trajectories demo
	@build/release/calfvo eval --ref demo/groundtruth.txt --est demo/estimate.txt --align origin --plot demo/report

test: setup
	@scripts/format --check
	@cmake --preset release >/dev/null && cmake --build --preset release && ctest --preset release -j2
	@cmake --preset asan >/dev/null && cmake --build --preset asan && ctest --preset asan -j2

THREADED = base_test backend_test model_test synth_test
tsan: setup
	@cmake --preset tsan >/dev/null && cmake --build --preset tsan --target $(THREADED)
	@ctest --preset tsan -j2 -L threads --no-tests=error

SECONDS ?= 60
fuzz: setup
	@scripts/fuzz $(SECONDS)

tidy: setup
	@cmake --preset dev >/dev/null
	@git ls-files '*.cc' | grep -v '^tests/consumer\|^fuzz/\|^bench/' | xargs -P2 -n4 clang-tidy -p build/dev --quiet --extra-arg=-Wno-unknown-warning-option

format: setup
	@scripts/format

bench:
	@scripts/bench

PREFIX ?= /usr/local
install: build
	@cmake --install build/release --prefix $(PREFIX)

clean:
	rm -rf build demo
