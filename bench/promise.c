/* SPDX-License-Identifier: MIT */
/*
 * promise -- what one costs, from its making to its handler.
 *
 * promise/round   1,000 times: make a promise, `then` with a handler, resolve
 *                 it; then the handlers run.  The time of one
 * promise/chain   a chain of 1,000 `then`s is made and its first promise
 *                 resolved; the handlers run, each settling the next.  The time
 *                 of one hop, its making included
 *
 * All references are given back, all memory is used again: what is measured
 * goes on forever.
 *
 * The peer is V8: the same in JavaScript, by the `node` that is installed.  It
 * collects its garbage meanwhile, as it must.
 */
#include <stdio.h>
#include <stdlib.h>

#include "bench.h"
#include "weir/promise.h"

enum { BATCH = 1000, TURNS = 400, WARM_UP = 40 };

static weir_loop *loop;
static uint64_t handled;
static uint64_t begin_ns, spent_ns;
static int turns;

static weir_result handle(void *arg, const weir_value *value)
{
    handled++;
    return weir_give(weir_value_of(NULL, NULL));
}

static void must(int err)
{
    if (err != 0)
        bench_fail(weir_error_text(err));
}

/* ---- weir ---- */

static void make_round(void)
{
    for (int i = 0; i < BATCH; i++) {
        weir_promise *promise, *derived;

        must(weir_promise_new(&promise, loop));
        must(weir_promise_then(promise, handle, NULL, NULL, &derived));
        must(weir_promise_resolve(promise, weir_value_of(NULL, NULL)));
        weir_promise_unref(promise);
        weir_promise_unref(derived);
    }
}

static void make_chain(void)
{
    weir_promise *first, *promise, *derived;

    must(weir_promise_new(&first, loop));
    promise = weir_promise_ref(first);
    for (int i = 0; i < BATCH; i++) {
        must(weir_promise_then(promise, handle, NULL, NULL, &derived));
        weir_promise_unref(promise);
        promise = derived;
    }
    weir_promise_unref(promise);
    must(weir_promise_resolve(first, weir_value_of(NULL, NULL)));
    weir_promise_unref(first);
}

/* One turn: its microtasks have run when the next one begins. */
static void take_turn(void *make, int status)
{
    uint64_t now_ns = bench_now_ns();

    if (turns > WARM_UP)
        spent_ns += now_ns - begin_ns;
    if (turns++ == TURNS + WARM_UP)
        return;
    must(weir_loop_submit(loop, take_turn, make));
    begin_ns = bench_now_ns();
    (*(void (**)(void))make)();
}

static void time_weir(const struct bench_workload *workload,
                      const struct bench_entry *entry)
{
    weir_loop_options options = {.size = sizeof(options),
                                 .microtask_budget = WEIR_LOOP_NO_BUDGET};
    void (*make)(void) = *(void (*const *)(void))workload->arg;

    must(weir_loop_new(&loop, &options));
    must(weir_loop_submit(loop, take_turn, &make));
    must(weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE));
    if (handled != (uint64_t)BATCH * (TURNS + WARM_UP))
        bench_fail("handlers were not called");
    bench_measured(0, (double)spent_ns / TURNS / BATCH);
    must(weir_loop_free(loop));
}

/* ---- V8 ---- */

static const char round_js[] =
    "for (let i = 0; i < 1000; i++) {"
    "  let f; const p = new Promise(r => { f = r; }); p.then(handle); f(); }";
static const char chain_js[] =
    "let f; let p = new Promise(r => { f = r; });"
    "for (let i = 0; i < 1000; i++) p = p.then(handle);"
    "f();";

/* A turn is over when its microtasks have run: at the next immediate. */
static const char frame_js[] =
    "let handled = 0, turns = 0, spent = 0n, begin;"
    "const handle = () => { handled++; };"
    "const make = () => { %s };"
    "const turn = () => {"
    "  const now = process.hrtime.bigint();"
    "  if (turns > 200) spent += now - begin;"
    "  if (turns++ === 600) {"
    "    console.log(Number(spent) / 400 / 1000); return; }"
    "  setImmediate(turn);"
    "  begin = process.hrtime.bigint();"
    "  make(); };"
    "turn();";

static void time_v8(const struct bench_workload *workload,
                    const struct bench_entry *entry)
{
    char script[1024], command[1200];
    double ns;
    FILE *pipe;

    snprintf(script, sizeof(script), frame_js, (const char *)entry->arg);
    snprintf(command, sizeof(command), "exec node -e '%s' 2>/dev/null", script);
    if (system("command -v node >/dev/null 2>&1") != 0)
        bench_absent();
    pipe = popen(command, "r");
    if (pipe == NULL || fscanf(pipe, "%lf", &ns) != 1)
        bench_fail("node did not say how long it took");
    pclose(pipe);
    bench_measured(0, ns);
}

/* ---- the tables ---- */

#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static const char *const v8 = "V8 (node)";

static const struct bench_entry rounds[] = {
    {.impl = "weir", .job = time_weir},
    {.impl = "V8", .job = time_v8, .arg = round_js, .peer = &v8},
};

static const struct bench_entry chains[] = {
    {.impl = "weir", .job = time_weir},
    {.impl = "V8", .job = time_v8, .arg = chain_js, .peer = &v8},
};

static const struct bench_metric metrics[] = {{"mean", "ns", 1}};

#define WORKLOAD(its_name, what, function, contestants)                        \
    {                                                                          \
        .name = "promise/" its_name, .operation = what, .threads = 1,          \
        .cpu = {1}, .arg = &(void (*const)(void)){function}, .job_s = 0.2,     \
        .metrics = metrics, .metric_count = COUNT(metrics),                    \
        .entries = contestants, .entry_count = COUNT(contestants)              \
    }

static const struct bench_workload workloads[] = {
    WORKLOAD("round", "make a promise, then, resolve, and its handler",
             make_round, rounds),
    WORKLOAD("chain", "one hop of a chain of 1,000", make_chain, chains),
};

int main(int argc, char **argv)
{
    return bench_main(argc, argv, "promise", workloads, COUNT(workloads));
}
