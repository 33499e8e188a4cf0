/* SPDX-License-Identifier: MIT */
/*
 * post -- four threads call a function of JavaScript with a number each time;
 * from the first call to the last one that has run.  addon.c does the same on
 * Node.
 */
#include <string.h>

#include "engine.h"
#include "post.h"
#include "weir/js.h"

/* As in addon.js. */
static const char script[] =
    "let count = 0, sum = 0;"
    "globalThis.add = (number) => { count++; sum += number; };"
    "globalThis.counted = () => count;";

static struct {
    weir_loop *loop;
    weir_js *js;
    weir_js_value function;
} desk;

static void must(int err)
{
    if (err != 0)
        bench_fail(weir_error_text(err));
}

static void *produce(void *arg)
{
    for (int i = 0; i < POST_EACH; i++) {
        weir_js_value number = weir_js_number(i);

        must(weir_js_post(desk.js, &desk.function, &number, 1, NULL, NULL));
    }
    weir_loop_unref(desk.loop);
    return arg;
}

static void check(void)
{
    weir_js_value counted, count;

    must(weir_js_get(desk.js, NULL, "counted", &counted));
    must(weir_js_call(desk.js, &counted, NULL, 0, &count));
    if (count.number != (double)POST_EACH * POST_PRODUCERS)
        bench_fail("calls are missing");
}

void bench_js_post(const struct bench_workload *workload,
                   const struct bench_entry *entry)
{
    pthread_t producer[POST_PRODUCERS];
    uint64_t began_ns;

    must(weir_loop_new(&desk.loop, NULL));
    must(weir_js_new(&desk.js, desk.loop, NULL));
    must(weir_js_eval(desk.js, script, strlen(script), "post.js",
                      WEIR_JS_SOURCE_MODULE, NULL));
    must(weir_js_get(desk.js, NULL, "add", &desk.function));
    for (int i = 0; i < POST_PRODUCERS; i++)
        weir_loop_ref(desk.loop);
    began_ns = bench_now_ns();
    for (int i = 0; i < POST_PRODUCERS; i++)
        bench_start(&producer[i], BENCH_ANY_CPU, produce, NULL);
    must(weir_loop_run(desk.loop, WEIR_RUN_UNTIL_IDLE));
    bench_measured(0, (double)(bench_now_ns() - began_ns) / POST_EACH /
                          POST_PRODUCERS);
    for (int i = 0; i < POST_PRODUCERS; i++)
        pthread_join(producer[i], NULL);
    check();
    must(weir_js_free(desk.js));
    must(weir_loop_free(desk.loop));
}
