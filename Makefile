# SPDX-License-Identifier: MIT
# weir: the main entry point.  It drives CMake (CMakePresets.json) through
# tools/build.  CC is read when build/ is created: run `make clean` before
# changing it.
PREFIX = /usr/local
# What `make test` builds besides release, and what only `make verify` builds.
# Two presets are built at a time, because the engine is a single file that
# keeps only one core busy.
PRESETS = asan tsan portable model
MORE_PRESETS = debug clang
BUILD = xargs -n 1 -P 2 sh -c \
    'tools/build "$$0" -DWEIR_WERROR=ON $(EVERY_TEST) || exit 255'

# What `make test` runs, the longest first, so that no core is idle at the end.
# Searches are bounded and programs that are long under a sanitizer are left out
# (WEIR_BRIEF), and stress cases take a quarter of a second each: `make verify` runs
# them in full.
LONGEST = \
    $(foreach preset,tsan asan,build/$(preset)/test/js/programs) \
    $(addprefix build/model/test/model/,promise/promisify loop/loop \
        promise/promise loop/timer) \
    test/net/peers/drain.py test/net/peers/hostile.py \
    test/api/sweep.sh test/api/install.sh
# Programs of test/net with threads; `make verify` runs all under TSan.
NET_THREADS = $(addprefix build/tsan/test/net/, \
    http/guest http/server monitor names otlp process stream tls/threads \
    websocket/upgrade)
TESTS = $(LONGEST) \
    build/model/test/model \
    $(foreach preset,tsan asan,build/$(preset)/test/stress) \
    $(foreach preset,tsan asan,build/$(preset)/test/js) build/test/js \
    $(foreach preset,tsan asan portable,build/$(preset)/test/unit) \
    build/test/unit \
    build/asan/test/net $(NET_THREADS) \
    $(foreach preset,tsan asan,build/$(preset)/test/jobs) test/jobs/crash.py \
    test/jobs/postgres.py test/jobs/moving.py test/jobs/world.py \
    test/jobs/links.py \
    $(addprefix test/net/peers/,browser.py client.py clients.py examples.py \
        javascript.py malformed.py takeover.py tls.sh websocket.py) \
    build/asan/test/api \
    test/api/abi.sh test/api/examples.sh test/api/guide.sh test/api/man.sh \
    test/api/javascript.sh test/api/program.sh test/api/stdio.sh \
    test/api/repl.py test/api/runner.py test/api/trace.py test/api/metrics.py \
    test/api/profile.py test/api/engine.sh test/api/watchdog.py test/api/live.py \
    test/api/jobs.py test/api/otlp.py test/api/declarations.py test/api/vectors.sh \
    test/api/check-pairs.sh test/api/check-layers.sh \
    test/api/explorer.sh test/api/run-tests.sh \
    $(addprefix test/explore/,command.sh compiled.sh javascript-command.sh \
        javascript.py javascript-reduction.py page.py programs.py \
        repeat.py) \
    test/api/aplus.sh test/api/aplus-js.sh test/api/promise_order.sh \
    test/api/npm.sh \
    test/api/bench.sh test/api/compare.sh test/api/document.sh \
    test/api/instructions.sh \
    tools/check-pairs tools/check-layers tools/check-exports tools/check-covers
BRIEF = WEIR_BRIEF=1 WEIR_SECONDS=0.25

# What `make verify` runs with the duration that the cases themselves set.
MORE_TESTS = \
    $(foreach preset,tsan asan portable,build/$(preset)/test/stress) \
    build/tsan/test/net \
    $(foreach preset,debug clang,build/$(preset)/test/unit) \
    build/debug/test/js build/debug/test/api test/api/misbehaving.py \
    $(foreach preset,tsan asan,build/$(preset)/test/js/programs)

# ... and without a limit on the programs and executions.
EXPLORERS = $(addprefix test/explore/,command.sh compiled.sh javascript.py \
    javascript-reduction.py programs.py repeat.py)

# Models with cases that take longer than `make test` allows.
LONG_MODELS = loop/ingress gate/gate loop/fd loop/loop loop/timer pool/board \
    pool/idle promise/promise promise/promisify sync/channel jobs/lease

# What else `make verify` runs, the longest first.
VERIFY_COMMANDS = \
    test/net/peers/drain.py \
    'tools/siege tsan' 'tools/siege asan' 'tools/sweep leaks' \
    'tools/sweep allocations' 'tools/sweep serving' \
    'tools/sweep limits-asan' 'tools/sweep limits' \
    'test/jobs/crash.py 700000 700 300' \
    'test/jobs/postgres.py 50000 150 300' 'test/jobs/world.py 20000 60' \
    'test/jobs/links.py 10000 60' \
    $(LONG_MODELS:%='build/model/test/model/% --long') \
    'tools/sweep terminate-asan' 'tools/sweep terminate' \
    'tools/sweep leaks-asan' 'test/fuzz/run 60' \
    'ROUNDS=50 test/api/examples.sh' \
    'test/npm/run build/weir' test/api/live.py \
    'WEIR_SPAWNS=10000 tools/run-js build/weir child-many' \
    bench/instructions

.PHONY: build run test bench verify install fmt clean help

build:  ## build the library and the examples, in build/
	@tools/build release
	@[ -x build/weir ] || echo "without JavaScript: make run fetches its engine"

run:  ## install what is missing, build, and run the service, in JavaScript
	@tools/setup run
	@tools/build release:run
	@if [ -x build/weir ]; then build/weir examples/atomic-state-machine.js; \
	else build/service; fi

test:  ## install what is missing, build, and run every test
	@tools/setup test
	@tools/build release -DWEIR_TESTS=ON -DWEIR_BENCH=ON \
	    -DWEIR_TESTS_BUILT='^test/(unit|js|api|aplus|sweep|virtual)/'
	@echo $(PRESETS) | $(BUILD)
	@$(BRIEF) tools/run-tests --keep build/tested $(TESTS)

bench:  ## write docs/BENCHMARKS.md; QUICK=1 or ONLY=gate only measures
	@tools/setup bench
	@tools/build release -DWEIR_BENCH=ON
	@bench/run $(if $(QUICK),--quick) $(if $(QUICK)$(ONLY),,--document) $(ONLY)

# The presets of `make test` build only what it runs.
verify: EVERY_TEST = -DWEIR_TESTS_BUILT= -DWEIR_ENGINE_UBSAN=ON
verify:  ## run the longest searches, stress tests, fuzzers and mutants
	@tools/setup verify
	@tools/build release -DWEIR_TESTS=ON -DWEIR_BENCH=ON
	@echo $(PRESETS) $(MORE_PRESETS) | $(BUILD)
	@tools/run-tests --deadline 7200 --remember --keep build/verify \
	    $(VERIFY_COMMANDS) $(EXPLORERS) $(MORE_TESTS)
	@tools/mutate

install: build  ## install into PREFIX (/usr/local), below DESTDIR
	@DESTDIR="$(DESTDIR)" cmake --install build --prefix "$(PREFIX)"

fmt:  ## run clang-format in place
	@tools/setup fmt
	@find bench cli examples explore include jobs js net src test \
	    \( -name '*.[ch]' -o -name '*.cpp' \) -exec clang-format -i {} +

clean:  ## remove build/
	@rm -rf build

help:  ## print this list
	@sed -n 's/^\([a-z]*\):.*## /\1\t/p' Makefile | expand -t 10
