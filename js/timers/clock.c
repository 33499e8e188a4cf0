/* SPDX-License-Identifier: MIT */
/*
 * clock -- performance.now(), the milliseconds since the host was created, and
 * timeOrigin, the time of its creation.
 *
 * Tested by  test/js/timers/performance-timeline.js
 */
#include <time.h>

#include "core/builtin.h"
#include "weir/clock.h"
#include "weir/host/virtual.h"

/* When the host was made. */
static int64_t *started_ns(const weir_js *js)
{
    return js->states[WEIR__JS_CLOCK];
}

static JSValue now(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    int64_t passed_ns = weir_clock_now() - *started_ns(weir__js_of(context));

    return JS_NewFloat64(context, (double)passed_ns / 1e6);
}

static JSValue origin(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int64_t passed_ns = weir_clock_now() - *started_ns(weir__js_of(context));
    struct timespec wall;

    clock_gettime(CLOCK_REALTIME, &wall);
    return JS_NewFloat64(context, (double)wall.tv_sec * 1e3 +
                                      (double)(wall.tv_nsec - passed_ns) / 1e6);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("now", 0, now),
    JS_CFUNC_DEF("origin", 0, origin),
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
    *started_ns(js) = weir_clock_now();
#ifdef JS_HAS_DATE_FUNCTION
    JS_SetDateFunction(js->runtime, date_now);
#endif
    return 0;
}

const struct weir__js_builtin weir__js_clock_builtin = {
    WEIR__JS_LIBS("timers/clock"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(int64_t),
    .init = note_start,
};
