/* SPDX-License-Identifier: MIT */
/*
 * timer -- setTimeout, setInterval, and Node's Timeout objects.
 *
 * A Timeout is one block behind a JavaScript object.  While it is armed it
 * holds its own object.  All armed timers together hold the host's struct.
 *
 * Delays are Node's: milliseconds, at least 1, at most 2^31 - 1.  Timers that
 * are started in one turn within GRAIN_NS count from a common moment, so timers
 * started together have equal deadlines and fire in the order of starting.
 * That moment is never before the call, so no timer fires early.
 *
 * The next time of an interval counts from the planned one, not from the actual
 * one.  It does not drift, and skips the times it has missed.
 *
 * Tested by  test/js/timers/timer-*.js, test/js/timers/timer.c
 */
#include "timers/timer.h"

#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/host.h"
#include "core/lib.h"
#include "weir/clock.h"
#include "weir/host/virtual.h"
#include "weir/timer.h"

enum { GRAIN_NS = 250000, MS_NS = 1000000 };

static const double longest_ms = 2147483647;

struct timeout {
    struct weir__js_link link; /* in timers.armed, while armed */
    weir_js *js;
    weir_timer id; /* the loop's, while armed */
    int64_t planned_ns;
    int64_t delay_ns;
    uint32_t number; /* for clearTimeout(number); 0: never requested */
    bool is_armed, is_ref, repeats, is_cleared;
    JSValue self; /* the object, while armed */
    JSValue function;
    JSValue context; /* captured (core/context.h) */
    int count;
    JSValue args[];
};

/* The timers of a host. */
struct timers {
    struct weir__js_link armed; /* timeout.link */
    size_t armed_count;
    JSValue numbers; /* number -> Timeout, from the first use on */
    uint32_t last_number;
    int64_t turn, base_ns; /* the moment from which delays count */
};

static struct timers *timers_of(const weir_js *js)
{
    return js->states[WEIR__JS_TIMEOUT];
}

/* The moment from which delays count. */
static int64_t base_ns(weir_js *js)
{
    struct timers *timers = timers_of(js);
    int64_t turn = weir_loop_now(js->loop), now = weir_clock_now();

    if (weir_virtual_date() >= 0)
        return now; /* it stands still during a turn */
    if (turn != timers->turn || now > timers->base_ns) {
        timers->turn = turn;
        timers->base_ns = now + GRAIN_NS;
    }
    return timers->base_ns;
}

/* Take one reference for all armed timers.  The gate is atomic, and this count
 * is not. */
static bool hold(weir_js *js)
{
    struct timers *timers = timers_of(js);

    if (timers->armed_count == 0 && !weir__js_hold(js))
        return false;
    timers->armed_count++;
    return true;
}

static void let_go(weir_js *js)
{
    if (--timers_of(js)->armed_count == 0)
        weir__js_let_go(js);
}

static void apply_ref(struct timeout *timeout)
{
    (void)!(timeout->is_ref ? weir_timer_ref
                            : weir_timer_unref)(timeout->js->loop, timeout->id);
}

static void on_timer(void *arg, int status);

/* Arm the timer for planned_ns.  Returns -1 with an exception. */
static int arm(struct timeout *timeout, JSValueConst self)
{
    weir_js *js = timeout->js;
    int err = WEIR_ECLOSED;

    if (hold(js)) {
        err = weir_timer_start_at(js->loop, &timeout->id, timeout->planned_ns,
                                  on_timer, timeout);
        if (err != 0)
            let_go(js);
    }
    if (err != 0) {
        weir__js_throw_status(js->context, err);
        return -1;
    }
    if (!timeout->is_ref)
        apply_ref(timeout);
    timeout->is_armed = true;
    timeout->self = JS_DupValue(js->context, self);
    weir__js_list_add(&timers_of(js)->armed, &timeout->link);
    return 0;
}

/* Disarm a timer that has fired or whose loop timer was cancelled.  Passes the
 * object to the caller. */
static JSValue disarm(struct timeout *timeout)
{
    JSValue self = timeout->self;

    weir__js_list_remove(&timeout->link);
    timeout->is_armed = false;
    timeout->self = JS_UNDEFINED;
    return self;
}

/* May free the timeout.  Returns false if there is no memory (cancelling needs
 * some while no thread runs the loop); the timer stays armed then. */
static bool cancel(struct timeout *timeout)
{
    weir_js *js = timeout->js;

    if (!timeout->is_armed)
        return true;
    if (weir_timer_cancel(js->loop, timeout->id) != 0)
        return false;
    let_go(js);
    JS_FreeValue(js->context, disarm(timeout));
    return true;
}

static void drop_values(JSRuntime *runtime, struct timeout *timeout)
{
    JS_FreeValueRT(runtime, timeout->function);
    JS_FreeValueRT(runtime, timeout->context);
    for (int i = 0; i < timeout->count; i++)
        JS_FreeValueRT(runtime, timeout->args[i]);
}

/* JavaScript ends while the loop still has the timer: on_timer frees it. */
static void abandon(struct timeout *timeout)
{
    weir_js *js = timeout->js;
    JSValue self = disarm(timeout);

    drop_values(js->runtime, timeout);
    JS_SetOpaque(self, NULL);
    JS_FreeValue(js->context, self);
}

static int init_timers(weir_js *js)
{
    struct timers *timers = timers_of(js);

    weir__js_list_init(&timers->armed);
    timers->numbers = JS_UNDEFINED;
    return 0;
}

static void drop_timers(weir_js *js)
{
    struct timers *timers = timers_of(js);

    while (!weir__js_list_is_empty(&timers->armed)) {
        struct timeout *timeout = (struct timeout *)timers->armed.next;

        if (!cancel(timeout))
            abandon(timeout);
    }
    JS_FreeValue(js->context, timers->numbers);
    timers->numbers = JS_UNDEFINED;
}

static void forget_number(struct timeout *timeout)
{
    weir_js *js = timeout->js;
    JSAtom number;

    if (timeout->number == 0)
        return;
    number = JS_NewAtomUInt32(js->context, timeout->number);
    JS_DeleteProperty(js->context, timers_of(js)->numbers, number, 0);
    JS_FreeAtom(js->context, number);
    timeout->number = 0;
}

/* A timer that cannot be cancelled has no effect when it fires. */
static void clear(struct timeout *timeout)
{
    timeout->is_cleared = true;
    forget_number(timeout);
    (void)cancel(timeout);
}

/* Skip the planned times that have already passed. */
static void plan_next(struct timeout *timeout)
{
    int64_t now = weir_clock_now();

    timeout->planned_ns += timeout->delay_ns;
    if (timeout->planned_ns < now)
        timeout->planned_ns +=
            (now - timeout->planned_ns + timeout->delay_ns - 1) /
            timeout->delay_ns * timeout->delay_ns;
}

static void call(struct timeout *timeout, JSValueConst self)
{
    weir_js *js = timeout->js;
    JSValue result =
        weir__js_context_call(js, timeout->context, timeout->function, self,
                              timeout->count, (JSValueConst *)timeout->args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    if (timeout->is_armed || timeout->is_cleared) /* refresh(), clear */
        return;
    if (!timeout->repeats) {
        forget_number(timeout);
        return;
    }
    plan_next(timeout);
    if (arm(timeout, self) < 0)
        weir__js_report(js);
}

static void on_timer(void *arg, int status)
{
    struct timeout *timeout = arg;
    weir_js *js = timeout->js;
    JSValue self;

    if (js->has_ended) {
        free(timeout);
    } else {
        self = disarm(timeout);
        if (status == 0 && !timeout->is_cleared && weir__js_enter(js) == 0) {
            call(timeout, self);
            weir__js_leave(js);
        }
        JS_FreeValue(js->context, self);
    }
    let_go(js);
}

void weir__js_timers_visit(weir_js *js, weir__js_armed_fn *fn, void *arg)
{
    const struct weir__js_link *armed = &timers_of(js)->armed;

    for (const struct weir__js_link *at = armed->next; at != armed;
         at = at->next) {
        const struct timeout *timeout = (const struct timeout *)at;

        fn(arg, &(struct weir__js_armed){.function = timeout->function,
                                         .planned_ns = timeout->planned_ns,
                                         .delay_ns = timeout->delay_ns,
                                         .repeats = timeout->repeats,
                                         .is_ref = timeout->is_ref});
    }
}

/* ---- JavaScript's side ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct timeout *timeout = weir__js_opaque(js, value, WEIR__JS_TIMEOUT);

    if (timeout == NULL)
        return;
    drop_values(runtime, timeout);
    free(timeout);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct timeout *timeout = weir__js_opaque(js, value, WEIR__JS_TIMEOUT);

    if (timeout == NULL)
        return;
    JS_MarkValue(runtime, timeout->function, fn);
    JS_MarkValue(runtime, timeout->context, fn);
    for (int i = 0; i < timeout->count; i++)
        JS_MarkValue(runtime, timeout->args[i], fn);
}

static const JSClassDef timeout_class = {
    .class_name = "Timeout", .finalizer = finalize, .gc_mark = mark};

static struct timeout *timeout_of(JSContext *context, JSValueConst value)
{
    return weir__js_opaque(weir__js_of(context), value, WEIR__JS_TIMEOUT);
}

/* What a method returns if it is called on another object: in Node it has no
 * effect on anything else. */
static JSValue on_another(JSContext *context, JSValueConst this_value,
                          JSValueConst result)
{
    return JS_IsObject(this_value)
               ? JS_DupValue(context, result)
               : JS_ThrowTypeError(context, "Illegal invocation");
}

static double sensible_ms(double ms)
{
    return ms >= 1 && ms <= longest_ms ? trunc(ms) : 1;
}

static JSValue new_timeout(weir_js *js, JSValueConst function, double ms,
                           int count, JSValueConst *args)
{
    JSContext *context = js->context;
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_TIMEOUT]);
    struct timeout *timeout;

    if (JS_IsException(self))
        return self;
    timeout = calloc(1, sizeof(*timeout) + (size_t)count * sizeof(JSValue));
    if (timeout == NULL) {
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    timeout->js = js;
    timeout->is_ref = true;
    timeout->delay_ns = (int64_t)sensible_ms(ms) * MS_NS;
    timeout->planned_ns = base_ns(js) + timeout->delay_ns;
    timeout->function = JS_DupValue(context, function);
    timeout->context = weir__js_context_capture(js);
    timeout->self = JS_UNDEFINED;
    for (; timeout->count < count; timeout->count++)
        timeout->args[timeout->count] =
            JS_DupValue(context, args[timeout->count]);
    JS_SetOpaque(self, timeout);
    return self;
}

enum { ONCE, REPEAT };

/* setTimeout(function, milliseconds, ...args), setInterval */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv, int magic)
{
    weir_js *js = weir__js_of(context);
    struct timeout *timeout;
    double ms;
    JSValue self;

    if (!JS_IsFunction(context, argv[0]))
        return weir__js_call_hook(js, WEIR__JS_HOOK_INVALID_CALLBACK, argv[0]);
    if (JS_ToFloat64(context, &ms, argv[1]) < 0)
        return JS_EXCEPTION;
    if (ms > longest_ms) { /* warn */
        self = weir__js_call_hook(js, WEIR__JS_HOOK_TIMER_OVERFLOW, argv[1]);
        if (JS_IsException(self))
            return self;
        JS_FreeValue(context, self);
    }
    self = new_timeout(js, argv[0], ms, argc > 2 ? argc - 2 : 0, argv + 2);
    if (JS_IsException(self))
        return self;
    timeout = weir__js_opaque(js, self, WEIR__JS_TIMEOUT);
    timeout->repeats = magic == REPEAT;
    if (arm(timeout, self) < 0) {
        JS_FreeValue(context, self);
        return JS_EXCEPTION;
    }
    return self;
}

static void clear_number(weir_js *js, JSValueConst value)
{
    JSAtom number = JS_ValueToAtom(js->context, value);
    JSValue found = JS_GetProperty(js->context, timers_of(js)->numbers, number);
    struct timeout *timeout = weir__js_opaque(js, found, WEIR__JS_TIMEOUT);

    if (timeout != NULL)
        clear(timeout);
    JS_FreeAtom(js->context, number);
    JS_FreeValue(js->context, found);
}

/* clear(timeout or number); any other value has no effect. */
static JSValue clear_any(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct timeout *timeout = weir__js_opaque(js, argv[0], WEIR__JS_TIMEOUT);

    if (timeout != NULL)
        clear(timeout);
    else if (JS_IsNumber(argv[0]) || JS_IsString(argv[0]))
        clear_number(js, argv[0]);
    return JS_UNDEFINED;
}

enum { REF, UNREF };

static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    struct timeout *timeout = timeout_of(context, this_value);

    if (timeout == NULL)
        return on_another(context, this_value, this_value);
    timeout->is_ref = magic == REF;
    if (timeout->is_armed)
        apply_ref(timeout);
    return JS_DupValue(context, this_value);
}

static JSValue has_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);

    return timeout == NULL ? on_another(context, this_value, JS_UNDEFINED)
                           : JS_NewBool(context, timeout->is_ref);
}

static JSValue refresh(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);

    if (timeout == NULL)
        return on_another(context, this_value, this_value);
    if (!timeout->is_cleared) {
        if (!cancel(timeout)) /* the caller holds the object */
            return JS_ThrowOutOfMemory(context);
        timeout->planned_ns = base_ns(timeout->js) + timeout->delay_ns;
        if (arm(timeout, this_value) < 0)
            return JS_EXCEPTION;
    }
    return JS_DupValue(context, this_value);
}

static JSValue close_timeout(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);

    if (timeout == NULL)
        return on_another(context, this_value, this_value);
    clear(timeout);
    return JS_DupValue(context, this_value);
}

static JSValue to_number(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);
    weir_js *js = weir__js_of(context);
    struct timers *timers = timers_of(js);

    if (timeout == NULL)
        return on_another(context, this_value, JS_UNDEFINED);
    if (timeout->number == 0) {
        uint32_t number = ++timers->last_number;

        if (JS_SetPropertyUint32(context, timers->numbers, number,
                                 JS_DupValue(context, this_value)) < 0)
            return JS_EXCEPTION;
        timeout->number = number;
    }
    return JS_NewUint32(context, timeout->number);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("setTimeout", 2, start, ONCE),
    JS_CFUNC_MAGIC_DEF("setInterval", 2, start, REPEAT),
    JS_CFUNC_DEF("clearTimeout", 1, clear_any),
    JS_CFUNC_DEF("clearInterval", 1, clear_any),
};

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_MAGIC_DEF("ref", 0, set_ref, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, set_ref, UNREF),
    JS_CFUNC_DEF("hasRef", 0, has_ref),
    JS_CFUNC_DEF("refresh", 0, refresh),
    JS_CFUNC_DEF("close", 0, close_timeout),
    JS_CFUNC_DEF("toNumber", 0, to_number),
};

/* The table of timers by number.  Exists already if js/lib failed after it. */
static int make_numbers(JSContext *context, struct timers *timers)
{
    JSValue numbers;

    if (!JS_IsUndefined(timers->numbers))
        return 0;
    numbers = JS_NewObjectProto(context, JS_NULL);
    if (JS_IsException(numbers))
        return -1;
    timers->numbers = numbers;
    return 0;
}

static int add_prototype(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue proto = JS_NewObject(context);

    if (make_numbers(context, timers_of(js)) < 0 || JS_IsException(proto) ||
        WEIR__JS_SET_FUNCTIONS(context, proto, methods) < 0 ||
        JS_DefinePropertyValueStr(context, native, "Timeout",
                                  JS_DupValue(context, proto), 0) < 0) {
        JS_FreeValue(context, proto);
        return -1;
    }
    JS_SetClassProto(context, js->classes[WEIR__JS_TIMEOUT], proto);
    return 0;
}

const struct weir__js_builtin weir__js_timeout_builtin = {
    WEIR__JS_LIBS("timers/timers"),
    WEIR__JS_NATIVES(natives),
    .add = add_prototype,
    .class_definition = &timeout_class,
    .state_bytes = sizeof(struct timers),
    .init = init_timers,
    .drop = drop_timers,
};
