# SPDX-License-Identifier: Apache-2.0
# `make demo` and `make test` run on a plain Debian 12: they first install the packages they need.
.PHONY: help setup setup-test build demo test test-interop test-viewer test-scale tsan fuzz train cuda aarch64 tidy docs format bench bench-peers install python-test wheel deb clean

help:
	@echo "make demo          build, render a synthetic clip, estimate its trajectory, evaluate, print the path of its page"
	@echo "make test          check the formatting; run the tests in release and under ASan and UBSan"
	@echo "make test-interop  compare with third-party programs (evo, pycolmap, Blender, …), from pip and apt"
	@echo "make test-viewer   check the viewer in Chromium"
	@echo "make test-scale    run archives and training under Slurm and GNU parallel, on this machine"
	@echo "make tsan          run the tests of threaded code under ThreadSanitizer"
	@echo "make fuzz          run each fuzz target for SECONDS=60"
	@echo "make train         build the trainer and run its tests (needs LibTorch)"
	@echo "make cuda          compile the CUDA sources of the library (needs nvcc, no GPU)"
	@echo "make aarch64       compile for 64-bit ARM and run unit tests in QEMU"
	@echo "make tidy          run clang-tidy on all sources, or those changed since SINCE=COMMIT"
	@echo "make docs          write the API reference into build/docs/html (Doxygen)"
	@echo "make format        run clang-format on all sources"
	@echo "make bench         run the benchmarks"
	@echo "make bench-peers   the network beside ONNX Runtime and OpenVINO, from PyPI (make bench runs it, too)"
	@echo "make install       install the library, headers and program into PREFIX=/usr/local"
	@echo "make python-test   build the Python package into build/python and run its tests, with mypy"
	@echo "make wheel         build/wheel/*.whl: the package with the library, FFmpeg and the model inside"
	@echo "make deb           build/packages/packages/*.deb: program, library, headers, Python; tried in a clean Debian (as root)"
	@echo "make clean         remove build/ and demo/"

setup:
	@scripts/setup

setup-test:
	@scripts/setup test

# The program and the library, without tests.
build: setup
	@cmake --preset install >/dev/null
	@cmake --build --preset install

# The seed is not used for training.
demo: setup
	@cmake --preset install >/dev/null
	@cmake --build --preset install --target calfvo_program viewer
	@build/install/calfvo synth street -o demo/video --overwrite --preset driving --frames 150 --seed 2
	@build/install/calfvo run demo/video/video.mp4 -o demo/result --overwrite --gt demo/video/groundtruth.txt
	@if [ -e demo/result/view.html ]; then printf '\nopen in a browser: %s\n' "$(CURDIR)/demo/result/view.html"; \
	else printf '\nthe viewer was not built, so there is no page; see the messages above\n'; fi

test: setup-test
	@scripts/format --check
	@cmake --preset release >/dev/null && cmake --build --preset release && ctest --preset release -j2
	@cmake --preset asan >/dev/null && cmake --build --preset asan && ctest --preset asan -j2 -LE slow

test-interop:
	@scripts/setup interop
	@cmake --preset release >/dev/null && cmake --build --preset release --target calfvo_program
	@scripts/interop build/release/calfvo

# Types, unit tests and tests in a browser.
test-viewer:
	@scripts/setup viewer
	@cmake --preset release >/dev/null && cmake --build --preset release --target calfvo_program viewer
	@scripts/test-viewer build/release

# Slurm on one node, GNU parallel, and training with two processes.
test-scale:
	@scripts/setup slurm train
	@cmake --preset release >/dev/null && cmake --build --preset release --target calfvo_program
	@cmake --preset train >/dev/null && cmake --build --preset train --target calfvo-train
	@scripts/test-scale build/release build/train

THREADED = base_test backend_test model_test render_test vo_test view_test
tsan: setup-test
	@cmake --preset tsan >/dev/null && cmake --build --preset tsan --target $(THREADED)
	@ctest --preset tsan -j2 -L threads --no-tests=error

SECONDS ?= 60
fuzz: setup-test
	@scripts/fuzz $(SECONDS)

# SINCE=COMMIT: only sources changed since, at most LIMIT.
tidy: setup-test
	@cmake --preset dev >/dev/null
	@scripts/tidy $(SINCE) $(LIMIT)

# Doxygen's warnings are errors.
docs: setup-test
	@mkdir -p build
	@doxygen docs/Doxyfile

format: setup-test
	@scripts/format

bench:
	@scripts/bench
	@bench/peers/run build/release

bench-peers:
	@bench/peers/run

train:
	@scripts/setup train
	@cmake --preset train >/dev/null && cmake --build --preset train --target train/all
	@ctest --test-dir build/train/train -LE gpu -j2 --no-tests=error --output-on-failure

# Compiles the CUDA sources of the library; runs nothing.
cuda: setup-test
	@cmake --preset cuda >/dev/null && cmake --build --preset cuda --target calfvo_backend calfvo_render_cuda calfvo_clip_cuda

# Library, program and the unit tests of these folders.
AARCH64_TESTS = core/base core/geometry core/image core/trajectory io/recording io/video nn/tensor nn/weights nn/architecture \
                nn/backend nn/model vo
aarch64:
	@scripts/setup aarch64
	@cmake --preset aarch64 >/dev/null
	@cmake --build --preset aarch64 --target calfvo_program $(AARCH64_TESTS:%=src/%/all)
	@for folder in $(AARCH64_TESTS); do \
	  ctest --test-dir build/aarch64/src/$$folder -LE slow -j2 --no-tests=error --output-on-failure || exit 1; done

PREFIX ?= /usr/local
install: build
	@cmake --install build/install --prefix $(PREFIX)

python-test: setup-test
	@scripts/setup python
	@cmake --preset release >/dev/null && cmake --build --preset release --target calfvo calfvo_program
	@scripts/python-test build/release

wheel:
	@scripts/setup python
	@scripts/make-wheel

deb:
	@scripts/setup deb
	@scripts/make-deb

clean:
	rm -rf build demo
