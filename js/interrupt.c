/* SPDX-License-Identifier: MIT */
/*
 * interrupt -- terminate, from any thread; and the time limit.
 *
 * The engine asks every few thousand instructions whether it shall go on.  An
 * interrupted call ends with an error that JavaScript cannot catch.
 *
 * Tested by  test/js/limits.c
 */
#include "interrupt.h"

#include <errno.h>

#include "weir/clock.h"

enum { LIVE, TERMINATED };

int weir__js_life_init(weir_js *js)
{
    return weir_state_init(&js->life, LIVE, NULL);
}

bool weir__js_is_terminated(const weir_js *js)
{
    return weir_state_load(&js->life) == TERMINATED;
}

void weir_js_terminate(weir_js *js)
{
    weir_state_store(&js->life, TERMINATED);
}

static int on_interrupt(JSRuntime *runtime, void *arg)
{
    weir_js *js = arg;

    (void)runtime;
    if (weir__js_is_terminated(js))
        return 1;
    if (js->deadline_ns != 0 && weir_clock_now() >= js->deadline_ns)
        js->is_late = true;
    return js->is_late;
}

void weir__js_watch_interrupts(weir_js *js)
{
    JS_SetInterruptHandler(js->runtime, on_interrupt, js);
}

void weir__js_begin_time(weir_js *js)
{
    int64_t limit_ns = js->options.time_limit_ns;
    int64_t now_ns = limit_ns != 0 ? weir_clock_now() : 0;

    js->is_late = false;
    js->deadline_ns = limit_ns == 0                   ? 0
                      : limit_ns > INT64_MAX - now_ns ? INT64_MAX
                                                      : now_ns + limit_ns;
}

int weir_js_set_time_limit(weir_js *js, int64_t limit_ns)
{
    if (js == NULL || limit_ns < 0)
        return -EINVAL;
    if (!weir__js_is_here(js))
        return -EPERM;
    js->options.time_limit_ns = limit_ns;
    return 0;
}
