# The commands of this checkout. CMake does the work; `make help` lists them.

JOBS   ?= $(shell nproc)
PREFIX ?= /usr/local
BUILD  ?= build

# Configured again as long as there is no runtime: its packages may have come since.
# Not by `sudo make install`, which would leave a build that its owner can't continue.
again := $(if $(wildcard build/librondo-js.so)$(filter install,$(MAKECMDGOALS)),,again)

.PHONY: again all demo test check memcheck conformance conformance-all programs oldglibc arm64 musl kernels elsewhere npm deb deb-check abidiff dist release bench bench-growth bench-work bench-compare install uninstall format lint clean help

all: build/build.ninja ## release build: build/libuv.so.1, build/libuv.a, build/rondo and its objects
	@cmake --build build -j $(JOBS)

build/build.ninja: CMakePresets.json $(again)
	@tools/setup --check build
	@cmake --preset release >/dev/null

demo: ## install what is missing, build, show a loop turning
	@tools/setup build runtime
	@$(MAKE) --no-print-directory all
	@tools/demo

test: ## install what is missing, run every test on both backends, also sanitized
	@tools/setup build test runtime
	@JOBS=$(JOBS) test/run

check: ## the tests that your change touches, on the release build, in about two minutes (BASE=main)
	@tools/setup build test runtime
	@JOBS=$(JOBS) test/run --touched $(BASE)

memcheck: ## the unit tests under valgrind
	@tools/setup build test
	@JOBS=$(JOBS) test/run --valgrind

conformance: ## libuv's own test suite against our library
	@tools/setup build conformance
	@$(MAKE) --no-print-directory all
	@test/conformance/run $(ARGS)

conformance-all: ## the same, then with the sanitizers and without io_uring
	@$(MAKE) --no-print-directory conformance
	@cmake --preset asan >/dev/null
	@cmake --build build-asan -j $(JOBS) --target uv
	@test/conformance/run --asan --baseline failures
	@test/conformance/run --seccomp --baseline failures

programs: ## real programs from Debian's packages on our library (SOAK=600: under load)
	@tools/setup build programs
	@$(MAKE) --no-print-directory all
	@test/programs/run $(ARGS)

oldglibc: ## unit tests, libuv's suite, official Nodes and the tools in a root of Debian 11 (ARGS=--only units)
	@tools/setup build test conformance runtime roots
	@$(MAKE) --no-print-directory all
	@cmake --build build -j $(JOBS) --target tests
	@JOBS=$(JOBS) test/roots/run $(ARGS)

arm64: ## all of it cross compiled, then unit tests, libuv's suite and official Nodes under qemu (ARGS=--only units)
	@tools/setup build test conformance arm64
	@JOBS=$(JOBS) test/arm64/run $(ARGS)

musl: ## all of it with musl: unit tests, and the commands on a program with a libuv built in
	@tools/setup build test conformance musl
	@JOBS=$(JOBS) test/musl/run $(ARGS)

kernels: ## the unit tests on Linux 5.10, 6.1, 6.12 and the newest, as Debian's User Mode Linux (ARGS=--release sid)
	@tools/setup build test
	@$(MAKE) --no-print-directory all
	@cmake --build build -j $(JOBS) --target tests
	@test/kernels/run $(ARGS)

elsewhere: ## the unit tests without /proc, /dev/shm, DNS, io_uring, root, with one processor (ARGS=--only noproc)
	@tools/setup build test
	@$(MAKE) --no-print-directory all
	@cmake --build build -j $(JOBS) --target tests
	@JOBS=$(JOBS) test/elsewhere/run $(ARGS)

npm: ## the npm packages of what is built: build/npm/*.tgz (ALL=1: also for arm64 and musl, where their compilers are)
	@tools/setup build runtime packages $(if $(ALL),arm64 musl)
	@$(MAKE) --no-print-directory all
	@others=; $(if $(ALL),for kind in arm64 musl; do JOBS=$(JOBS) test/$$kind/run --build-only && others="$$others build-$$kind"; done;) \
	  tools/npm-packages build build/npm $$others

deb: ## Debian packages of this checkout as committed, and lintian's word on them: build/deb (AGAIN=1: built twice, equal)
	@tools/setup build runtime deb
	@JOBS=$(JOBS) tools/deb-packages $(if $(AGAIN),--again)

deb-check: ## those packages in a clean root: installed, used by node, nvim and cmake, upgraded, removed
	@tools/setup deb
	@test/packages/run

abidiff: ## the binary interface beside libuv's, and beside our last release
	@tools/setup build release
	@$(MAKE) --no-print-directory all
	@test/abi/diff build

dist: ## what a release consists of, from the commit alone: build/dist (CHECK=1: made twice, in two folders, equal)
	@tools/setup build runtime packages
	@JOBS=$(JOBS) tools/dist $(if $(CHECK),--check)

release: ## checks everything that a release needs, an hour long, and names the commit to tag
	@tools/setup
	@JOBS=$(JOBS) tools/release

bench: ## the same benchmarks on Debian's libuv and on ours, Node and rondo, what a start and what recording cost
	@tools/setup build bench runtime
	@$(MAKE) --no-print-directory all
	@bench/run
	@bench/runtime/run
	@bench/start/run
	@bench/tune/run
	@bench/work/run || [ $$? = 77 ]
	@bench/record/run

bench-growth: ## how cost grows with timers, connections and requests, bytes for each, latency: tables and a picture (ARGS=--quick)
	@tools/setup build bench
	@$(MAKE) --no-print-directory all
	@bench/growth/run $(ARGS)

bench-work: ## what Node's users do all day, official Node 22 as it is and on both backends: README's table, in 15 minutes
	@tools/setup build bench
	@$(MAKE) --no-print-directory all
	@bench/work/run --readme $(ARGS)

bench-compare: ## instructions for each operation, beside a stored baseline or a revision (BASE=main): one percent shows
	@tools/setup build bench
	@$(MAKE) --no-print-directory all
	@bench/compare $(if $(BASE),--base $(BASE)) $(ARGS)

install: all ## library, headers, libuv.pc, CMake package, rondo, manual pages (PREFIX=/usr/local, DESTDIR=)
	@cmake --install build --prefix $(PREFIX)
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig

uninstall: ## remove what the last `make install` of this checkout installed (DESTDIR= as then)
	@[ -f $(BUILD)/install_manifest.txt ] || { echo "nothing was installed from here: no $(BUILD)/install_manifest.txt"; exit 1; }
	@while IFS= read -r file || [ -n "$$file" ]; do rm -f "$(DESTDIR)$$file"; dirname "$(DESTDIR)$$file"; done \
	  <$(BUILD)/install_manifest.txt | sort -ru | while IFS= read -r folder; do rmdir "$$folder" 2>/dev/null || true; done
	@rm $(BUILD)/install_manifest.txt
	@[ -n "$(DESTDIR)" ] || [ "$$(id -u)" != 0 ] || PATH="$$PATH:/usr/sbin:/sbin" ldconfig

format: ## clang-format over our sources
	@tools/setup lint
	@tools/lint --format

lint: ## clang-tidy, cppcheck, our conventions, what `make format` would change (FULL=1: deeper, 20 minutes)
	@tools/setup build runtime lint
	@$(MAKE) --no-print-directory all
	@JOBS=$(JOBS) tools/lint $(if $(FULL),--full)

clean: ## remove everything that was built
	@rm -rf build build-debug build-asan build-tsan build-arm64 build-musl

help: ## this list
	@sed -n 's/^\([a-z-]*\):.*## /\1|/p' Makefile | \
	  while IFS='|' read -r name text; do printf '  make %-16s %s\n' "$$name" "$$text"; done
