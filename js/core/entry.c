/* SPDX-License-Identifier: MIT */
/*
 * entry -- what is done before JavaScript runs, and after it.
 *
 * Tested by  test/js/core/call.c, test/js/core/limits.c
 */
#include "core/entry.h"

#include "core/context.h"
#include "core/headroom.h"
#include "core/interrupt.h"
#include "core/job.h"

/* Promises remember it (live/pending.c). */
static void show_time(weir_js *js)
{
#ifdef JS_HAS_VISIT_PROMISES
    JS_SetPromiseTime(js->runtime,
                      weir__js_promise_time(weir_loop_now(js->loop)));
#endif
}

int weir__js_enter(weir_js *js)
{
    if (js->has_ended || weir__js_is_terminated(js))
        return WEIR_ECANCELED;
    js->begun++;
    if (js->depth++ == 0) {
        /* The loop may run on another thread now, or deeper in its stack. */
        JS_UpdateStackTop(js->runtime);
        weir__js_headroom_init(js);
        js->heap.has_run_out = false;
        js->is_late = false;
        js->deadline_ns = 0;
        show_time(js);
        if (js->options.time_limit_ns != 0)
            weir__js_begin_time(js);
        if (js->on.entered != NULL)
            js->on.entered(js);
    }
    return 0;
}

void weir__js_leave(weir_js *js)
{
    if (js->depth == 1) {
        if (weir__js_main_has_failed(js))
            js->on.main_failed(js);
        if (js->breach.wants_shift || js->breach.culprit != NULL)
            weir__js_tell_culprit(js);
    }
    if (--js->depth == 0) {
        if (!js->has_ended) {
            JS_FreeValue(js->context, weir__js_context_swap(js, JS_UNDEFINED));
            if (!JS_IsUndefined(js->thrown_in)) /* it was not reported */
                JS_FreeValue(js->context, weir__js_context_take_thrown(js));
        }
        weir__js_schedule(js);
        weir__js_heap_show(&js->heap, js->loop);
    }
}
