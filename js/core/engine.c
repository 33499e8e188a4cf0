/* SPDX-License-Identifier: MIT */
/*
 * engine -- create a host with its engine, and end it.
 *
 * Tested by  test/js/core/host.c
 */
#include "core/engine.h"

#include <errno.h>
#include <stdlib.h>

#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/job.h"
#include "core/lib.h"
#include "core/pending_call.h"
#include "core/profile.h"
#include "core/script.h"
#include "core/value.h"
#include "weir/host/sized.h"

enum {
    STACK_SIZE = 1024 * 1024,
    WORKER_STACK_SIZE = 4 * 1024 * 1024, /* as in Node */
    MOST_SPARE = 1024 * 1024,
    SPIN_NS = 100000, /* before Atomics.wait sleeps: about one wake-up */
    FIRST_GC =
        4 * 1024 * 1024, /* afterwards, whenever the heap has grown by half */
};

/* A limit is a budget for the host and all its workers.  A worker shares its
 * parent's budget and may also have its own limit. */
static int open_heap(weir_js *js, const weir_js *parent)
{
    size_t limit = js->options.memory_limit_bytes;
    weir_budget *budget = NULL;
    int err;

    if (parent != NULL)
        return weir__js_heap_open(&js->heap, parent->heap.budget,
                                  parent->worker_spare_bytes, limit);
    if (limit != 0 && weir_budget_new(&budget, limit) != 0)
        return -ENOMEM;
    err = weir__js_heap_open(&js->heap, budget, 0, 0);
    weir_budget_unref(budget);
    return err;
}

/* Takes the value. */
static void set_spare_error(weir_js *js, JSValue error)
{
#ifdef JS_HAS_OUT_OF_MEMORY_ERROR
    JS_SetOutOfMemoryError(js->runtime, error);
#endif
    JS_FreeValue(js->context, js->spare_error);
    js->spare_error = error;
}

static int make_spare_error(weir_js *js)
{
    JSValue error = JS_NewInternalError(js->context, "out of memory");

    if (JS_IsException(error))
        return -ENOMEM;
    set_spare_error(js, error);
    return 0;
}

static int start_engine(weir_js *js)
{
    int err;

    js->runtime = weir__js_heap_new_runtime(&js->heap);
    if (js->runtime == NULL)
        return -ENOMEM;
    JS_SetRuntimeOpaque(js->runtime, js);
#ifndef NDEBUG
    JS_SetDumpFlags(js->runtime, JS_ABORT_ON_LEAKS);
#endif
    JS_SetGCThreshold(js->runtime, FIRST_GC);
    JS_SetMaxStackSize(js->runtime, js->own_stack_bytes);
    weir__js_watch_interrupts(js);
    weir__js_watch_rejections(js);
    js->context = JS_NewContext(js->runtime);
    if (js->context == NULL)
        return -ENOMEM;
    err = make_spare_error(js);
    if (err == 0)
        err = weir__js_builtins_init(js);
    if (err == 0)
        err = weir__js_boot(js);
    weir__js_heap_anchor(&js->heap, js->runtime);
    js->heap.life = &js->life;
    weir__js_show_stack(js, true);
    return err;
}

/* Release everything, referrers first.  The engine checks that nothing is
 * left. */
static void end_engine(weir_js *js)
{
    js->has_ended = true;
    if (js->runtime == NULL) {
        weir__js_heap_close(&js->heap);
        return;
    }
    weir__js_show_stack(js, false);
    weir__js_builtins_drop(js);
    weir__js_drop_pending_calls(js);
    weir__js_drop_works(js);
    weir__js_profile_drop(js);
    weir__js_drop_handles(js);
    weir__js_drop_rejections(js);
    weir__js_heap_keep(&js->heap);
    if (js->context != NULL) {
        JS_FreeValue(js->context, js->main);
        JS_FreeValue(js->context, js->thrown_in);
        set_spare_error(js, JS_UNDEFINED);
        weir__js_drop_libs(js);
        JS_FreeContext(js->context);
    }
    weir__js_heap_weigh_anchor(&js->heap, js->runtime);
    JS_FreeRuntime(js->runtime);
    weir__js_heap_let_go(&js->heap);
    weir__js_heap_close(&js->heap);
    weir__js_heap_show(&js->heap, js->loop);
    weir__js_clear_error(js);
    free(js->breach.culprit);
    js->breach.culprit = NULL;
}

/* The options also apply to workers, and to their workers.  Those leave some of
 * the budget to the first parent, so that it can still handle the news that
 * they have used up the rest. */
static void set_limits(weir_js *js, const weir_js *parent)
{
    size_t stack = js->options.stack_size_bytes;
    size_t spare = js->options.memory_limit_bytes / 8;

    js->own_stack_bytes = js->stack_bytes = stack != 0 ? stack : STACK_SIZE;
    if (parent != NULL) {
        js->worker_stack_bytes = parent->worker_stack_bytes;
        js->worker_spare_bytes = parent->worker_spare_bytes;
        return;
    }
    js->worker_stack_bytes = stack != 0 ? stack : WORKER_STACK_SIZE;
    js->worker_spare_bytes = spare < MOST_SPARE ? spare : MOST_SPARE;
}

static void clear_values(weir_js *js)
{
    js->libs = js->main = js->thrown_in = js->spare_error = JS_UNDEFINED;
    for (int i = 0; i < WEIR__JS_HOOK_COUNT; i++)
        js->hooks[i] = JS_UNDEFINED;
    weir__js_list_init(&js->handles);
    weir__js_list_init(&js->pending_calls);
    weir__js_list_init(&js->works);
    weir__js_list_init(&js->rejections.unhandled);
    weir__js_list_init(&js->rejections.handled);
}

/* Free the struct after the last reference: of the host itself, of a callback,
 * or of a thread whose post was refused. */
static void on_nobody_left(void *arg)
{
    free(arg);
}

static int begin_life(weir_js *js)
{
    int err = weir__js_life_init(js);

    if (err == 0)
        err = weir_gate_init(&js->references, on_nobody_left, js, NULL);
    return err != 0 ? err : weir_gate_start(&js->references);
}

int weir_js_new(weir_js **out, weir_loop *loop, const weir_js_options *options)
{
    return weir__js_new(out, loop, options, NULL);
}

int weir__js_new(weir_js **out, weir_loop *loop, const weir_js_options *given,
                 const weir_js *parent)
{
    weir_js_options options;
    weir_js *js;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (out == NULL || loop == NULL || options.time_limit_ns < 0)
        return -EINVAL;
    if (weir_loop_state(loop) == WEIR_LOOP_TERMINATED)
        return WEIR_ECLOSED;
    js = weir__js_builtins_new_host();
    if (js == NULL)
        return -ENOMEM;
    js->loop = loop;
    js->is_child = parent != NULL;
    js->options = options;
    set_limits(js, parent);
    clear_values(js);
    weir_waiter_init(&js->waiter, SPIN_NS);
    weir__js_clear_error(js);
    err = weir__js_is_here(js) ? begin_life(js) : -EPERM;
    if (err == 0)
        err = open_heap(js, parent);
    if (err == 0)
        err = start_engine(js);
    if (err != 0) {
        end_engine(js);
        free(js);
        return err;
    }
    *out = js;
    return 0;
}

int weir_js_free(weir_js *js)
{
    if (js == NULL)
        return 0;
    if (!weir__js_is_here(js))
        return -EPERM;
    if (js->depth > 0)
        return WEIR_EREENTRANT;
    end_engine(js);
    return weir_gate_drain(&js->references);
}
