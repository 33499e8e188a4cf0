/* SPDX-License-Identifier: MIT */
/*
 * delay -- histograms for JavaScript, and the timer of monitorEventLoopDelay.
 *
 * A handle is an object with a histogram behind it.  While it is started, a
 * timer that does not hold the loop records the time between its calls: its
 * period, and the delay of the loop.  The handle stops its timer when it is
 * freed.  A timer that could not be cancelled then owns the handle's block, and
 * frees it when it is called next.
 *
 * Tested by  test/js/timers/perf-histogram*.js, perf-delay.js
 */
#include <errno.h>
#include <math.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/error.h"
#include "timers/histogram.h"
#include "weir/timer.h"

struct delay {
    weir_js *js;
    struct weir__js_histogram histogram;
    weir_timer id;
    bool is_started, is_orphan;
};

static void on_timer(void *arg, int status)
{
    struct delay *delay = arg;
    weir_js *js = delay->js;

    if (status == 0 && !delay->is_orphan) {
        weir__js_histogram_record_delta(&delay->histogram);
        return;
    }
    if (status == 0 && weir_timer_cancel(js->loop, delay->id) != 0)
        return;
    delay->is_started = false;
    if (delay->is_orphan)
        free(delay);
    weir__js_let_go(js);
}

/* Returns false if the timer is still there. */
static bool stop_timer(struct delay *delay)
{
    if (delay->is_started) {
        if (weir_timer_cancel(delay->js->loop, delay->id) != 0)
            return false;
        delay->is_started = false;
        weir__js_let_go(delay->js);
    }
    return true;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct delay *delay = weir__js_opaque(js, value, WEIR__JS_DELAY);

    if (delay == NULL)
        return;
    weir__js_histogram_fini(&delay->histogram, runtime);
    if (stop_timer(delay))
        free(delay);
    else
        delay->is_orphan = true;
}

static const JSClassDef delay_class = {.class_name = "HistogramHandle",
                                       .finalizer = finalize};

/* js/lib passes only handles. */
static struct delay *delay_of(JSContext *context, JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_DELAY);
}

static struct weir__js_histogram *histogram_of(JSContext *context,
                                               JSValueConst value)
{
    return &delay_of(context, value)->histogram;
}

static JSValue throw_range(JSContext *context, int err)
{
    return err == -EINVAL
               ? JS_ThrowRangeError(context, "lowest is too large for figures")
               : JS_EXCEPTION;
}

/* create(lowest, highest, figures) */
static JSValue create(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct delay *delay;
    int64_t lowest, highest;
    int32_t figures;
    JSValue self;
    int err;

    if (JS_ToInt64Ext(context, &lowest, argv[0]) < 0 ||
        JS_ToInt64Ext(context, &highest, argv[1]) < 0 ||
        JS_ToInt32(context, &figures, argv[2]) < 0)
        return JS_EXCEPTION;
    self = JS_NewObjectClass(context, js->classes[WEIR__JS_DELAY]);
    if (JS_IsException(self))
        return self;
    delay = calloc(1, sizeof(*delay));
    if (delay == NULL) {
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    delay->js = js;
    err = weir__js_histogram_init(&delay->histogram, context, lowest, highest,
                                  figures);
    if (err != 0) {
        free(delay);
        JS_FreeValue(context, self);
        return throw_range(context, err);
    }
    JS_SetOpaque(self, delay);
    return self;
}

/* start(handle, milliseconds) */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    struct delay *delay = delay_of(context, argv[0]);
    weir_js *js = delay->js;
    double ms;
    int err = WEIR_ECLOSED;

    if (JS_ToFloat64(context, &ms, argv[1]) < 0)
        return JS_EXCEPTION;
    if (delay->is_started) /* stop failed: the loop ends */
        return JS_UNDEFINED;
    delay->histogram.previous_ns = 0;
    if (weir__js_hold(js)) {
        err = weir_timer_start(js->loop, &delay->id,
                               (int64_t)fmin(ms * 1e6, 9e18),
                               WEIR_TIMER_FIXED_DELAY, on_timer, delay);
        if (err != 0)
            weir__js_let_go(js);
    }
    if (err != 0)
        return weir__js_throw_status(context, err);
    (void)!weir_timer_unref(js->loop, delay->id);
    delay->is_started = true;
    return JS_UNDEFINED;
}

static JSValue stop(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    (void)stop_timer(delay_of(context, argv[0])); /* false: the loop ends */
    return JS_UNDEFINED;
}

/* record(handle, value) */
static JSValue record(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int64_t value;

    if (JS_ToInt64Ext(context, &value, argv[1]) < 0)
        return JS_EXCEPTION;
    weir__js_histogram_record(histogram_of(context, argv[0]), value);
    return JS_UNDEFINED;
}

static JSValue record_delta(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    weir__js_histogram_record_delta(histogram_of(context, argv[0]));
    return JS_UNDEFINED;
}

/* add(handle, other) */
static JSValue add(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    weir__js_histogram_add(histogram_of(context, argv[0]),
                           histogram_of(context, argv[1]));
    return JS_UNDEFINED;
}

static JSValue reset(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir__js_histogram_reset(histogram_of(context, argv[0]));
    return JS_UNDEFINED;
}

/* A bigint, if `big` is true. */
static JSValue new_integer(JSContext *context, int64_t value, JSValueConst big)
{
    return JS_ToBool(context, big) ? JS_NewBigInt64(context, value)
                                   : JS_NewInt64(context, value);
}

enum { COUNT, MIN, MAX, EXCEEDS };

/* count(handle, big), ... */
static JSValue integer(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    const struct weir__js_histogram *h = histogram_of(context, argv[0]);
    int64_t value = magic == COUNT ? h->recorded
                    : magic == MIN ? weir__js_histogram_min(h)
                    : magic == MAX ? weir__js_histogram_max(h)
                                   : (int64_t)h->exceeds;

    return new_integer(context, value, argv[1]);
}

static JSValue mean(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    return JS_NewFloat64(
        context, weir__js_histogram_mean(histogram_of(context, argv[0])));
}

static JSValue deviation(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    return JS_NewFloat64(
        context, weir__js_histogram_deviation(histogram_of(context, argv[0])));
}

/* percentile(handle, percent, big) */
static JSValue percentile(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    double percent;

    if (JS_ToFloat64(context, &percent, argv[1]) < 0)
        return JS_EXCEPTION;
    return new_integer(
        context,
        weir__js_histogram_percentile(histogram_of(context, argv[0]), percent),
        argv[2]);
}

/* percentiles(handle, big): [percent, value, percent, value ...] */
static JSValue percentiles(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    JSValue list = JS_NewArray(context);
    struct weir__js_percentiles walk;
    uint32_t length = 0;
    int status = JS_IsException(list) ? -1 : 0;

    weir__js_percentiles_init(&walk, histogram_of(context, argv[0]));
    while (status >= 0 && weir__js_percentiles_next(&walk)) {
        status = JS_SetPropertyUint32(context, list, length++,
                                      JS_NewFloat64(context, walk.percent));
        if (status >= 0)
            status =
                JS_SetPropertyUint32(context, list, length++,
                                     new_integer(context, walk.value, argv[1]));
    }
    if (status >= 0)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("create", 3, create),
    JS_CFUNC_DEF("start", 2, start),
    JS_CFUNC_DEF("stop", 1, stop),
    JS_CFUNC_DEF("record", 2, record),
    JS_CFUNC_DEF("recordDelta", 1, record_delta),
    JS_CFUNC_DEF("add", 2, add),
    JS_CFUNC_DEF("reset", 1, reset),
    JS_CFUNC_MAGIC_DEF("count", 2, integer, COUNT),
    JS_CFUNC_MAGIC_DEF("min", 2, integer, MIN),
    JS_CFUNC_MAGIC_DEF("max", 2, integer, MAX),
    JS_CFUNC_MAGIC_DEF("exceeds", 2, integer, EXCEEDS),
    JS_CFUNC_DEF("mean", 1, mean),
    JS_CFUNC_DEF("stddev", 1, deviation),
    JS_CFUNC_DEF("percentile", 3, percentile),
    JS_CFUNC_DEF("percentiles", 2, percentiles),
};

const struct weir__js_builtin weir__js_delay_builtin = {
    WEIR__JS_LIBS("timers/histogram"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &delay_class,
};
