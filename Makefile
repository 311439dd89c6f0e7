# Everything a developer does, from a fresh Debian 12 or 13 with git and make. `make help` lists the targets.
.DEFAULT_GOAL := help
.PHONY: help setup demo build test check generated faults python wheel docs bench bench-python simulate reproduce selfcheck format lint asan tsan fuzz check-all arm64 cross release clean setup-build setup-test setup-bench setup-lint setup-fuzz setup-release setup-check

JOBS ?= $(shell nproc)
# A first build compiles many sources at once (cmake/unity.cmake). A folder that compiles each source by itself stays so:
# nothing is compiled again.
CONFIGURE = cmake --preset release $(if $(wildcard build/CMakeCache.txt),,-DCREDENCE_UNITY=ON)

help:
	@echo "make setup   install what building and testing need"
	@echo "make demo    set up, build, and run the command on the data set in data/"
	@echo "make build   set up and build build/credence"
	@echo "make test    set up, build, and run all tests"
	@echo "make check   before a commit: format, rooms, words, the tests that are not slow, Python with the newest scikit-learn"
	@echo "make generated  make every generated file anew: options, messages, Python's arguments, tables and outputs of pages"
	@echo "make faults  kill commands at 100 random moments each, and see that nothing is lost"
	@echo "make python  build the Python package, install it into fresh environments, and run its tests"
	@echo "make wheel   build wheelhouse/credence-*.whl, which runs on other machines"
	@echo "make docs    build the documentation as a site, into build/site"
	@echo "make bench   set up, build, and compare the speed with LIBSVM, scikit-learn and others"
	@echo "make bench-python  the Python package beside scikit-learn, MAPIE, crepes, online-cp and nonconformist"
	@echo "make simulate  how often intervals and regions hold: the tables of docs/selection.md and docs/rvm.md"
	@echo "make selfcheck  hold what bounds and p-values promise against simulation, in full (docs/guarantees.md)"
	@echo "make reproduce DATA=DIR   the tables of papers, from the data sets in DIR (docs/reproduce.md)"
	@echo "make format  rewrite the sources in the project's format"
	@echo "make lint    check the format and run clang-tidy"
	@echo "make asan    run all tests with the address and undefined-behaviour sanitizers"
	@echo "make tsan    run all tests with the thread sanitizer"
	@echo "make fuzz [SECONDS=60] [TARGETS=...]  every reader on mutated input (CONTRIBUTING.md)"
	@echo "make arm64   build for Linux on arm64 and run the command, tests and the wheel by an emulator"
	@echo "make cross   compile and link the command and the Python module for macOS and Windows; nothing is run"
	@echo "make check-all  sources one by one, sanitizers, lint, fuzzers, faults, guarantees and a release, about three hours; PARTS=\"asan-1 lint\""
	@echo "make release  source and binary tarballs, wheel, checksums and changes, into dist-release/, tried on a clean root"
	@echo "make clean   remove all build folders"
	@echo "Set-up installs missing Debian packages; JOBS=N sets the number of parallel jobs (now $(JOBS))."

setup:
	@scripts/setup.sh build page test
setup-build:
	@scripts/setup.sh build page
setup-test:
	@scripts/setup.sh build page test
setup-bench:
	@scripts/setup.sh build page test bench
setup-fuzz:
	@scripts/setup.sh build page fuzz
setup-lint:
	@scripts/setup.sh build page test lint
setup-release:
	@scripts/setup.sh build page test release
setup-check:
	@scripts/setup.sh build page test lint fuzz release

demo: setup-build
	@echo "make demo: builds the command (2 min 34 s with its set-up, as measured on two cores of an AMD EPYC; once), then runs it on data/breast_cancer.csv (seconds)"
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) --target credence_cli
	@build/credence demo

build: setup-build
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS)

test: setup-test
	@scripts/python.sh environments & scripts/test.sh release $(JOBS) && wait $$! && scripts/python.sh

check: setup-test
	@scripts/check.sh $(JOBS)

generated: setup-test
	@scripts/generated.sh $(JOBS)

faults: setup-test
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=ON
	@cmake --build --preset release -j $(JOBS) --target credence_cli test_cli
	@CREDENCE_FAULT_MOMENTS=100 build/test_cli --gtest_filter='Kills.*:Faults.*:SmallDisk.*:Checkpoints.*'

python: setup-test
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=ON
	@cmake --build --preset release -j $(JOBS) --target credence_cli
	@scripts/python.sh

wheel: setup-test
	@scripts/wheel.sh

docs:
	@scripts/docs/build.sh

asan: setup-test
	@scripts/test.sh asan $(JOBS)

tsan: setup-test
	@scripts/test.sh tsan $(JOBS)

# Which parts of check-all to run; empty: all of them.
PARTS ?=
check-all: setup-check
	@scripts/check_all.sh $(PARTS)

arm64:
	@scripts/setup.sh build page test arm64
	@scripts/arm64.sh

cross: setup-test
	@scripts/cross_check.sh

release: setup-release
	@scripts/release.sh
	@scripts/wheel_again.sh
	@scripts/release_test.sh

# The release command writes models and results as seeds; the targets are built by clang in build-fuzz.
SECONDS ?= 60
TARGETS ?=
fuzz: setup-fuzz
	@test -f build/CMakeCache.txt || $(CONFIGURE) -DCREDENCE_BUILD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) --target credence_cli
	@cmake --preset fuzz -DCMAKE_CXX_COMPILER=$(firstword $(shell command -v clang++-16) clang++)
	@cmake --build --preset fuzz -j $(JOBS) --target $(if $(TARGETS),$(TARGETS:%=fuzz_%),fuzzers)
	@python3 fuzz/corpus.py --build build-fuzz --command build/credence
	@python3 fuzz/run.py --build build-fuzz --seconds $(SECONDS) --jobs $(JOBS) $(TARGETS)

# BENCH=--quick and other options of the program: build/credence_bench --help.
BENCH ?=
bench: setup-bench
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=ON -DCREDENCE_BUILD_BENCHMARKS=ON
	@cmake --build --preset release -j $(JOBS)
	@benchmarks/run.sh $(BENCH)

bench-python: setup-test
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=ON
	@cmake --build --preset release -j $(JOBS) --target credence_cli
	@benchmarks/python/run.sh

simulate: setup-bench
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=ON -DCREDENCE_BUILD_BENCHMARKS=ON
	@cmake --build --preset release -j $(JOBS) --target credence_simulations regression_coverage credence_regions_coverage credence_trust_coverage
	@build/credence_simulations
	@build/regression_coverage
	@build/credence_regions_coverage

selfcheck: setup-build
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS) --target credence_cli
	@build/credence selfcheck

DATA ?=
reproduce: setup-build
	@test -n "$(DATA)" || { echo "say where the data sets are: make reproduce DATA=DIR (docs/reproduce.md)"; exit 2; }
	@$(CONFIGURE) -DCREDENCE_BUILD_TESTS=OFF
	@cmake --build --preset release -j $(JOBS)
	@build/credence reproduce nonconformity --data "$(DATA)"
	@build/credence reproduce tcm-nn --data "$(DATA)"
	@build/credence reproduce in-sample --data "$(DATA)"
	@build/credence reproduce kernel-validity --data "$(DATA)"

format: setup-lint
	@scripts/format.sh

lint: setup-lint
	@scripts/lint.sh $(JOBS)

clean:
	rm -rf build build-debug build-asan build-tsan build-fuzz build-lint build-alone build-arm64 build-cross build-python dist dist-release wheelhouse .venv-docs
