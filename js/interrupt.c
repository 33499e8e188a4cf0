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
#include <stdlib.h>
#include <string.h>

#include "lib.h"
#include "weir/clock.h"

enum { LIVE, TERMINATED };
enum { PATIENCE = 64 };

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
    weir_waiter_interrupt(&js->waiter); /* Atomics.wait */
}

/* The innermost frame that is the program's own and has a place. */
static const char *own_frame(const char *stack)
{
    const char *at = stack;

    while ((at = strstr(at, "    at ")) != NULL) {
        size_t length = strcspn(at, "\n");

        if (memmem(at, length, "(native)", 8) == NULL &&
            memmem(at, length, "(missing)", 9) == NULL &&
            memmem(at, length, "(node:", 6) == NULL)
            return at;
        at += length;
    }
    return NULL;
}

/* The engine is in the middle of something: an error that is made here has
 * that in its stack.  If it is just about to enter a function, there is
 * nothing in it; then the next look is one call later in the program's round,
 * so that it does not come at the same place for ever. */
static void look_around(weir_js *js)
{
    JSContext *context = js->context;
    JSValue error, stack;
    const char *text;

    error = JS_NewPlainError(context, "busy");
    stack = JS_GetPropertyStr(context, error, "stack");
    text = JS_ToCString(context, stack);
    if (text != NULL) {
        const char *frame = own_frame(text);

        if (frame == NULL && ++js->looks == PATIENCE)
            frame = text; /* "Error: busy", and what there is of a stack */
        if (frame != NULL)
            js->culprit = strndup(frame, strcspn(frame, "\n"));
        JS_FreeCString(context, text);
    }
    JS_FreeValue(context, stack);
    JS_FreeValue(context, error);
    js->wants_culprit = js->culprit == NULL;
    js->wants_shift = js->wants_culprit;
}

void weir_js_breach(weir_js *js)
{
    js->wants_culprit = js->culprit == NULL;
    js->looks = 0;
}

/* A function of the bootstrap; nobody cares what comes of it. */
static void call_hook(weir_js *js, const char *name, JSValueConst value)
{
    JSValue result = weir__js_complain(js, name, value);

    if (JS_IsException(result))
        JS_FreeValue(js->context, JS_GetException(js->context));
    JS_FreeValue(js->context, result);
}

void weir__js_tell_culprit(weir_js *js)
{
    JSValue place;

    if (js->wants_shift) {
        js->wants_shift = false;
        call_hook(js, "nothing", JS_UNDEFINED);
    }
    if (js->culprit == NULL)
        return;
    place = JS_NewString(js->context, js->culprit);
    free(js->culprit);
    js->culprit = NULL;
    call_hook(js, "breach", place);
    JS_FreeValue(js->context, place);
}

static int on_interrupt(JSRuntime *runtime, void *arg)
{
    weir_js *js = arg;

    weir__js_heap_settle(&js->heap, runtime);
    if (js->wants_culprit)
        look_around(js);
    if (weir__js_is_terminated(js))
        return 1;
    if (js->hooks.interrupted != NULL && js->hooks.interrupted()) {
        js->was_interrupted = true;
        return 1;
    }
    if (js->deadline_ns != 0 && weir_clock_now() >= js->deadline_ns)
        js->is_late = true;
    return js->is_late;
}

JSValue weir__js_end_entry(JSContext *context)
{
    JSValue error = JS_NewInternalError(context, "interrupted");

    JS_SetUncatchableError(context, error);
    return JS_Throw(context, error);
}

bool weir__js_may_go_on(JSContext *context)
{
    if (!on_interrupt(JS_GetRuntime(context), weir__js_of(context)))
        return true;
    weir__js_end_entry(context);
    return false;
}

void weir__js_watch_interrupts(weir_js *js)
{
    JS_SetInterruptHandler(js->runtime, on_interrupt, js);
}

void weir__js_begin_time(weir_js *js)
{
    int64_t limit_ns = js->options.time_limit_ns, now_ns = weir_clock_now();

    js->deadline_ns =
        limit_ns > INT64_MAX - now_ns ? INT64_MAX : now_ns + limit_ns;
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
