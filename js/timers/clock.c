/* SPDX-License-Identifier: MIT */
/*
 * clock -- performance.now(), the milliseconds since the host was created, and
 * timeOrigin, the time of its creation.
 *
 * Tested by  test/js/timers/performance-timeline.js
 */
#include "weir/clock.h"

#include <time.h>

#include "core/lib.h"
#include "core/native.h"

static JSValue now(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    int64_t passed_ns = weir_clock_now() - weir__js_of(context)->started_ns;

    (void)this_value;
    (void)argc;
    (void)argv;
    return JS_NewFloat64(context, (double)passed_ns / 1e6);
}

static JSValue origin(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int64_t passed_ns = weir_clock_now() - weir__js_of(context)->started_ns;
    struct timespec wall;

    (void)this_value;
    (void)argc;
    (void)argv;
    clock_gettime(CLOCK_REALTIME, &wall);
    return JS_NewFloat64(context, (double)wall.tv_sec * 1e3 +
                                      (double)(wall.tv_nsec - passed_ns) / 1e6);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("now", 0, now),
    JS_CFUNC_DEF("origin", 0, origin),
};

int weir__js_add_clock(JSContext *context, JSValueConst native)
{
    return WEIR__JS_SET_NATIVE(context, native, natives);
}
