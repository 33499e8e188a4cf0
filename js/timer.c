/* SPDX-License-Identifier: MIT */
/*
 * timer -- setTimeout, setInterval, and Node's Timeout objects.
 *
 * A Timeout is one block behind a JavaScript object.  While it is armed it
 * holds its own object; the loop's timer holds the host's struct.
 *
 * Delays are Node's: milliseconds, at least 1, at most 2^31 - 1.  They count
 * from a moment that all timers share which are started in one turn within
 * GRAIN_NS, so that what was started together is due together; that time is
 * never before the call, so no timer is early.  Timers that are due at the same
 * time make a moment, a queue: whichever of the loop's timers fires first, it
 * is the first one's.  (Their deadlines differ by what a look at the clock
 * takes, and not always upwards.)
 *
 * An interval's next time counts from the planned one: it does not drift, and
 * leaves out what it has missed.
 *
 * Tested by  test/js/timer-*.js
 */
#include <errno.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

#include "class.h"
#include "error.h"
#include "host.h"
#include "lib.h"
#include "native.h"
#include "weir/clock.h"
#include "weir/timer.h"

enum { GRAIN_NS = 250000, MS_NS = 1000000 };

static const double longest_ms = 2147483647;

/* Armed timers that are due at one time. */
struct weir__js_moment {
    weir_js *js;
    int64_t planned_ns;
    struct weir__js_link timeouts; /* timeout.turn, in order of starting */
};

/* One timer of the loop, and whose turn it stands for. */
struct slot {
    struct timeout *owner;
    weir_timer id;
};

struct timeout {
    struct weir__js_link link; /* in js->timers, while armed */
    struct weir__js_link turn; /* in the moment, while armed */
    struct weir__js_moment *moment;
    struct slot *slot;
    weir_js *js;
    int64_t planned_ns;
    int64_t delay_ns;
    uint32_t number; /* for clearTimeout(number); 0: nobody has asked */
    bool is_armed, is_ref, repeats, is_cleared;
    JSValue self; /* the object, while armed */
    JSValue function;
    int count;
    JSValue args[];
};

static void on_timer(void *arg, int status);

/* The moment that delays count from. */
static int64_t base_ns(weir_js *js)
{
    int64_t turn = weir_loop_now(js->loop), now = weir_clock_now();

    if (turn != js->timer_turn || now > js->timer_base_ns) {
        js->timer_turn = turn;
        js->timer_base_ns = now + GRAIN_NS;
    }
    return js->timer_base_ns;
}

static struct timeout *first_of(struct weir__js_moment *moment)
{
    return (struct timeout *)((char *)moment->timeouts.next -
                              offsetof(struct timeout, turn));
}

/* One of the last ones, or a new one; NULL: no memory. */
static struct weir__js_moment *moment_at(weir_js *js, int64_t planned_ns)
{
    struct weir__js_moment *moment;

    for (int i = 0; i < WEIR__JS_MOMENTS; i++)
        if (js->moments[i] != NULL && js->moments[i]->planned_ns == planned_ns)
            return js->moments[i];
    moment = malloc(sizeof(*moment));
    if (moment == NULL)
        return NULL;
    moment->js = js;
    moment->planned_ns = planned_ns;
    weir__js_list_init(&moment->timeouts);
    js->moments[js->moment++ % WEIR__JS_MOMENTS] = moment;
    return moment;
}

static void free_if_empty(struct weir__js_moment *moment)
{
    weir_js *js = moment->js;

    if (!weir__js_list_is_empty(&moment->timeouts))
        return;
    for (int i = 0; i < WEIR__JS_MOMENTS; i++)
        if (js->moments[i] == moment)
            js->moments[i] = NULL;
    free(moment);
}

static int start_slot(struct timeout *timeout)
{
    weir_js *js = timeout->js;
    int64_t wait_ns = timeout->planned_ns - weir_clock_now();
    struct slot *slot = malloc(sizeof(*slot));
    int err;

    if (slot == NULL)
        return -ENOMEM;
    slot->owner = timeout;
    err = weir_timer_start(js->loop, &slot->id, wait_ns > 0 ? wait_ns : 0,
                           WEIR_ONCE, on_timer, slot);
    if (err != 0)
        free(slot);
    else
        timeout->slot = slot;
    return err;
}

static void apply_ref(struct timeout *timeout)
{
    (void)!(timeout->is_ref ? weir_timer_ref : weir_timer_unref)(
        timeout->js->loop, timeout->slot->id);
}

/* -1: thrown.  Due at planned_ns. */
static int arm(struct timeout *timeout, JSValueConst self)
{
    weir_js *js = timeout->js;
    struct weir__js_moment *moment = moment_at(js, timeout->planned_ns);
    int err = moment == NULL      ? -ENOMEM
              : weir__js_hold(js) ? start_slot(timeout)
                                  : WEIR_ECLOSED;

    if (err != 0) {
        if (moment != NULL)
            free_if_empty(moment);
        if (err != WEIR_ECLOSED || !js->has_ended)
            weir__js_let_go(js);
        weir__js_throw_status(js->context, err);
        return -1;
    }
    if (!timeout->is_ref)
        apply_ref(timeout);
    timeout->is_armed = true;
    timeout->self = JS_DupValue(js->context, self);
    timeout->moment = moment;
    weir__js_list_add(&moment->timeouts, &timeout->turn);
    weir__js_list_add(&js->timers, &timeout->link);
    return 0;
}

/* It has fired, or the loop's timer is cancelled.  May free the timeout. */
static void disarm(struct timeout *timeout)
{
    JSValue self = timeout->self;

    free(timeout->slot);
    weir__js_list_remove(&timeout->link);
    weir__js_list_remove(&timeout->turn);
    free_if_empty(timeout->moment);
    timeout->is_armed = false;
    timeout->self = JS_UNDEFINED;
    JS_FreeValue(timeout->js->context, self);
}

static void cancel(struct timeout *timeout)
{
    weir_js *js = timeout->js;

    if (!timeout->is_armed)
        return;
    if (weir_timer_cancel(js->loop, timeout->slot->id) == 0)
        weir__js_let_go(js);
    disarm(timeout);
}

void weir__js_drop_timers(weir_js *js)
{
    while (!weir__js_list_is_empty(&js->timers))
        cancel((struct timeout *)js->timers.next);
}

static void forget_number(struct timeout *timeout)
{
    weir_js *js = timeout->js;
    JSAtom number;

    if (timeout->number == 0)
        return;
    number = JS_NewAtomUInt32(js->context, timeout->number);
    JS_DeleteProperty(js->context, js->timer_numbers, number, 0);
    JS_FreeAtom(js->context, number);
    timeout->number = 0;
}

static void clear(struct timeout *timeout)
{
    timeout->is_cleared = true;
    forget_number(timeout);
    cancel(timeout);
}

/* The planned times that have passed meanwhile are left out. */
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
    JSValue result = JS_Call(js->context, timeout->function, self,
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

/* Whose turn it is: the first of the moment.  The owner of the slot that has
 * fired gets the first one's slot for it. */
static struct timeout *take_turn(struct slot *slot)
{
    struct timeout *owner = slot->owner, *first = first_of(owner->moment);

    if (first != owner) {
        owner->slot = first->slot;
        owner->slot->owner = owner;
        first->slot = slot;
        slot->owner = first;
        if (first->is_ref != owner->is_ref)
            apply_ref(owner);
    }
    return first;
}

static void on_timer(void *arg, int status)
{
    struct timeout *timeout = take_turn(arg);
    weir_js *js = timeout->js;
    JSValue self;

    if (!js->has_ended) {
        self = JS_DupValue(js->context, timeout->self);
        disarm(timeout);
        if (status == 0 && weir__js_enter(js) == 0) {
            call(timeout, self);
            weir__js_leave(js);
        }
        JS_FreeValue(js->context, self);
    }
    weir__js_let_go(js);
}

/* ---- JavaScript's side ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct timeout *timeout = weir__js_opaque(js, value, WEIR__JS_TIMEOUT);

    if (timeout == NULL)
        return;
    JS_FreeValueRT(runtime, timeout->function);
    for (int i = 0; i < timeout->count; i++)
        JS_FreeValueRT(runtime, timeout->args[i]);
    free(timeout);
}

static void mark(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct timeout *timeout = weir__js_opaque(js, value, WEIR__JS_TIMEOUT);

    if (timeout == NULL)
        return;
    JS_MarkValue(runtime, timeout->function, fn);
    for (int i = 0; i < timeout->count; i++)
        JS_MarkValue(runtime, timeout->args[i], fn);
}

const JSClassDef weir__js_timeout_class = {
    .class_name = "Timeout", .finalizer = finalize, .gc_mark = mark};

static struct timeout *timeout_of(JSContext *context, JSValueConst value)
{
    struct timeout *timeout =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_TIMEOUT);

    if (timeout == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return timeout;
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

    (void)this_value;
    if (!JS_IsFunction(context, argv[0]))
        return weir__js_complain(js, "invalidCallback", argv[0]);
    if (JS_ToFloat64(context, &ms, argv[1]) < 0)
        return JS_EXCEPTION;
    if (ms > longest_ms)
        JS_FreeValue(context, weir__js_complain(js, "timerOverflow", argv[1]));
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

/* clear(timeout or number); anything else is nothing. */
static JSValue clear_any(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct timeout *timeout = weir__js_opaque(js, argv[0], WEIR__JS_TIMEOUT);
    JSValue found = JS_UNDEFINED;

    (void)this_value;
    (void)argc;
    if (timeout == NULL && (JS_IsNumber(argv[0]) || JS_IsString(argv[0]))) {
        JSAtom number = JS_ValueToAtom(context, argv[0]);

        found = JS_GetProperty(context, js->timer_numbers, number);
        JS_FreeAtom(context, number);
        timeout = weir__js_opaque(js, found, WEIR__JS_TIMEOUT);
    }
    if (timeout != NULL)
        clear(timeout);
    JS_FreeValue(context, found);
    return JS_UNDEFINED;
}

enum { REF, UNREF };

static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    struct timeout *timeout = timeout_of(context, this_value);

    (void)argc;
    (void)argv;
    if (timeout == NULL)
        return JS_EXCEPTION;
    timeout->is_ref = magic == REF;
    if (timeout->is_armed)
        apply_ref(timeout);
    return JS_DupValue(context, this_value);
}

static JSValue has_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);

    (void)argc;
    (void)argv;
    return timeout == NULL ? JS_EXCEPTION
                           : JS_NewBool(context, timeout->is_ref);
}

static JSValue refresh(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);

    (void)argc;
    (void)argv;
    if (timeout == NULL)
        return JS_EXCEPTION;
    if (!timeout->is_cleared) {
        cancel(timeout); /* the caller holds the object */
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

    (void)argc;
    (void)argv;
    if (timeout == NULL)
        return JS_EXCEPTION;
    clear(timeout);
    return JS_DupValue(context, this_value);
}

static JSValue to_number(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct timeout *timeout = timeout_of(context, this_value);
    weir_js *js = weir__js_of(context);

    (void)argc;
    (void)argv;
    if (timeout == NULL)
        return JS_EXCEPTION;
    if (timeout->number == 0) {
        uint32_t number = ++js->timer_number;

        if (JS_SetPropertyUint32(context, js->timer_numbers, number,
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

int weir__js_add_timer(JSContext *context, JSValueConst native)
{
    weir_js *js = weir__js_of(context);
    JSValue proto = JS_NewObject(context);

    js->timer_numbers = JS_NewObjectProto(context, JS_NULL);
    if (JS_IsException(proto) || JS_IsException(js->timer_numbers) ||
        WEIR__JS_SET_NATIVE(context, proto, methods) < 0 ||
        JS_DefinePropertyValueStr(context, native, "Timeout",
                                  JS_DupValue(context, proto), 0) < 0)
        return -1;
    JS_SetClassProto(context, js->classes[WEIR__JS_TIMEOUT], proto);
    if (WEIR__JS_SET_NATIVE(context, native, natives) < 0)
        return -1;
    return weir__js_add_immediate(context, native);
}
