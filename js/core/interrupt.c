/* SPDX-License-Identifier: MIT */
/*
 * interrupt -- termination from any thread, and the time limit.
 *
 * The engine calls a handler every few thousand instructions, which decides
 * whether it continues.  An interrupted call ends with an error that JavaScript
 * cannot catch.
 *
 * Tested by  test/js/core/limits.c, test/js/core/microtask-budget*.js
 */
#include "core/interrupt.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/frames.h"
#include "core/lib.h"
#include "core/profile.h"
#include "weir/clock.h"
#include "weir/host/live.h"

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

/* The innermost frame of the program's own code that has a position. */
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

/* A context that no program has modified, or NULL if there is no memory. */
static JSContext *new_witness(weir_js *js)
{
    JSContext *witness = JS_NewContextRaw(js->runtime);

    if (witness == NULL)
        JS_FreeValue(js->context, JS_GetException(js->context));
    return witness;
}

/* "    at f (a.js:1:2)\n" for each frame, for free(); NULL if there is no
 * memory.  No JavaScript runs here: a program can replace its own `stack`,
 * prepareStackTrace and stackTraceLimit, and the engine does not expect that at
 * the points where it checks for interrupts (in the middle of a regular
 * expression). */
static char *frames_of_now(weir_js *js)
{
    JSContext *witness = new_witness(js);
    JSValue error, stack;
    const char *text;
    char *frames = NULL;

    if (witness == NULL)
        return NULL;
    error = JS_NewPlainError(witness, "busy");
    stack = JS_GetPropertyStr(witness, error, "stack");
    text = JS_IsString(stack) ? JS_ToCString(witness, stack) : NULL;
    if (text != NULL)
        frames = strdup(text);
    else
        JS_FreeValue(witness, JS_GetException(witness));
    JS_FreeCString(witness, text);
    JS_FreeValue(witness, stack);
    JS_FreeValue(witness, error);
    JS_FreeContext(witness);
    return frames;
}

/* Find out what is running: an error created here has the current calls in its
 * stack.  If the engine is just about to enter a function, the stack is empty.
 * The next look then comes one call later in the program's cycle, so that it
 * does not hit the same point forever. */
static void look_around(weir_js *js)
{
    bool has_run_out = js->heap.has_run_out;
    char *text;
    const char *frame;

    js->breach.is_wanted = false; /* the handler is called again meanwhile */
    text = frames_of_now(js);
    js->heap.has_run_out = has_run_out; /* the program did not run out here */
    frame = text != NULL ? own_frame(text) : NULL;
    if (frame == NULL && text != NULL && ++js->breach.looks == PATIENCE)
        frame = text; /* whatever stack there is */
    if (frame != NULL)
        js->breach.culprit = strndup(frame, strcspn(frame, "\n"));
    free(text);
    js->breach.is_wanted = js->breach.culprit == NULL;
    js->breach.wants_shift = js->breach.is_wanted;
}

void weir_js_breach(weir_js *js)
{
    js->breach.is_wanted = js->breach.culprit == NULL;
    js->breach.looks = 0;
}

/* Call a hook and ignore its result. */
static void notify_hook(weir_js *js, enum weir__js_hook hook,
                        JSValueConst value)
{
    JSValue result = weir__js_call_hook(js, hook, value);

    if (JS_IsException(result))
        JS_FreeValue(js->context, JS_GetException(js->context));
    JS_FreeValue(js->context, result);
}

void weir__js_tell_culprit(weir_js *js)
{
    JSValue place;

    if (js->breach.wants_shift) {
        js->breach.wants_shift = false;
        notify_hook(js, WEIR__JS_HOOK_NOTHING, JS_UNDEFINED);
    }
    if (js->breach.culprit == NULL)
        return;
    place = JS_NewString(js->context, js->breach.culprit);
    free(js->breach.culprit);
    js->breach.culprit = NULL;
    notify_hook(js, WEIR__JS_HOOK_BREACH, place);
    JS_FreeValue(js->context, place);
}

static int on_interrupt(JSRuntime *runtime, void *arg)
{
    weir_js *js = arg;

    weir__js_heap_settle(&js->heap, runtime);
    weir__js_heap_show(&js->heap, js->loop);
    weir_live_answer(js->loop);
    if (weir__js_is_terminated(js))
        return 1;
    if (js->breach.is_wanted)
        look_around(js);
    weir__js_frames_record(js);
    if (js->on_busy != NULL)
        js->on_busy(js);
    weir__js_profile_sample(js);
    if (js->on.interrupted != NULL && js->on.interrupted()) {
        js->was_interrupted = true;
        return 1;
    }
    if (js->deadline_ns != 0 && weir_clock_now() >= js->deadline_ns)
        js->is_late = true;
    return js->is_late ||
           (js->limit_ns != 0 && weir_clock_now() >= js->limit_ns);
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

void weir__js_limit_begin(weir_js *js, struct weir__js_limit *limit,
                          int64_t limit_ns)
{
    limit->outer_ns = js->limit_ns;
    limit->deadline_ns = weir_clock_now() + limit_ns;
    if (limit->outer_ns == 0 || limit->outer_ns > limit->deadline_ns)
        js->limit_ns = limit->deadline_ns;
}

/* The code was ended by this limit if it is over and nothing else ended it: an
 * outer limit that is over as well ends its own code at the next check. */
bool weir__js_limit_end(weir_js *js, const struct weir__js_limit *limit)
{
    bool is_over = weir_clock_now() >= limit->deadline_ns;

    js->limit_ns = limit->outer_ns;
    return is_over && !js->is_late && !js->was_interrupted &&
           !weir__js_is_terminated(js);
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
