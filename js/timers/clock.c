/* SPDX-License-Identifier: MIT */
/*
 * clock -- performance.now(), the milliseconds since the host was created,
 * timeOrigin, the time of its creation, and the figures of nodeTiming.
 *
 * Tested by  test/js/timers/performance-timeline.js,
 *            performance-origin.js, perf-utilization.js
 */
#include "timers/clock.h"

#include <time.h>

#include "core/builtin.h"
#include "weir/clock.h"
#include "weir/host/virtual.h"
#include "weir/metrics.h"

/* Times of weir_clock_now(). */
struct times {
    int64_t started_ns;                      /* the host was made */
    int64_t reached_ns[WEIR__JS_MILESTONES]; /* 0: not yet */
};

static struct times *times_of(const weir_js *js)
{
    return js->states[WEIR__JS_CLOCK];
}

void weir__js_clock_reach(weir_js *js, enum weir__js_milestone milestone)
{
    times_of(js)->reached_ns[milestone] = weir_clock_now();
}

static JSValue now(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    int64_t passed_ns =
        weir_clock_now() - times_of(weir__js_of(context))->started_ns;

    return JS_NewFloat64(context, (double)passed_ns / 1e6);
}

static JSValue origin(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int64_t passed_ns =
        weir_clock_now() - times_of(weir__js_of(context))->started_ns;
    int64_t date_ns = weir_virtual_date();
    struct timespec wall;

    if (date_ns < 0) {
        clock_gettime(CLOCK_REALTIME, &wall);
        date_ns = wall.tv_sec * INT64_C(1000000000) + wall.tv_nsec;
    }
    date_ns -= passed_ns;
    /* In two parts, as 2^53 ns are 104 days. */
    return JS_NewFloat64(context, (double)(date_ns / 1000000) +
                                      (double)(date_ns % 1000000) / 1e6);
}

/* Milliseconds since the host was made; -1: not reached. */
static JSValue milestone(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv, int magic)
{
    const struct times *times = times_of(weir__js_of(context));
    int64_t reached_ns = times->reached_ns[magic];

    return JS_NewFloat64(
        context,
        reached_ns == 0 ? -1 : (double)(reached_ns - times->started_ns) / 1e6);
}

/* How long the loop has slept, in milliseconds; 0 if it has no metrics. */
static JSValue idle(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_metrics metrics = {.size = sizeof(metrics)};

    if (weir_loop_metrics(weir__js_of(context)->loop, &metrics) != 0)
        metrics.asleep_ns = 0;
    return JS_NewFloat64(context, (double)metrics.asleep_ns / 1e6);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("now", 0, now),
    JS_CFUNC_DEF("origin", 0, origin),
    JS_CFUNC_DEF("idle", 0, idle),
    JS_CFUNC_MAGIC_DEF("booted", 0, milestone, WEIR__JS_BOOTED),
    JS_CFUNC_MAGIC_DEF("loopBegan", 0, milestone, WEIR__JS_LOOP_BEGAN),
    JS_CFUNC_MAGIC_DEF("loopEnded", 0, milestone, WEIR__JS_LOOP_ENDED),
};

#ifdef JS_HAS_DATE_FUNCTION
/* Milliseconds since 1970 in virtual time; otherwise negative. */
static int64_t date_now(void)
{
    int64_t date_ns = weir_virtual_date();

    return date_ns < 0 ? -1 : date_ns / 1000000;
}
#endif

static int note_start(weir_js *js)
{
    times_of(js)->started_ns = weir_clock_now();
#ifdef JS_HAS_DATE_FUNCTION
    JS_SetDateFunction(js->runtime, date_now);
#endif
    return 0;
}

const struct weir__js_builtin weir__js_clock_builtin = {
    WEIR__JS_LIBS("timers/clock"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct times),
    .init = note_start,
};
