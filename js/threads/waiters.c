/* SPDX-License-Identifier: MIT */
/*
 * waiters -- pending calls of Atomics.waitAsync.
 *
 * A wait is one block with two or three owners.  The first is the host, whose
 * list contains it until its promise is settled or JavaScript ends.  The second
 * is the table of weir/host/waiter.h, which passes it to the notifying thread,
 * which posts it to the loop, whose callback ends that reference.  The second
 * reference may also end early: the host takes the wait back, or a loop that
 * has ended refuses it, on any thread.  The third is the timer of a wait with a
 * timeout, until it was cancelled or has called.  A gate counts the owners, and
 * the last exit frees the block.
 *
 * While it is in the table, a wait keeps the loop from becoming idle and holds
 * the array, so that no other memory can get that address.
 *
 * Tested by  test/js/threads/atomics.c, test/js/threads/atomics-*.js
 */
#include "threads/waiters.h"

#include <errno.h>
#include <stddef.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/visible.h"
#include "weir/host/waiter.h"
#include "weir/timer.h"

struct wait {
    weir_waiter waiter;
    weir_task task;
    weir_gate owners; /* the host's list; the table, the notifier or the loop;
                       * the timer */
    weir_js *js;
    /* the rest: loop only */
    struct weir__js_link link;
    bool is_listed;
    weir_timer timer; /* 0: none */
    JSValue resolve, array;
};

/* The waits of a host: wait.link. */
static struct weir__js_link *waits_of(const weir_js *js)
{
    return js->states[WEIR__JS_WAITERS];
}

static struct wait *wait_of_waiter(weir_waiter *waiter)
{
    return (struct wait *)((char *)waiter - offsetof(struct wait, waiter));
}

static struct wait *wait_of_task(weir_task *task)
{
    return (struct wait *)((char *)task - offsetof(struct wait, task));
}

/* End the reference of the table, or of whoever got the wait from there.  Any
 * thread. */
static void leave_table(struct wait *wait)
{
    weir_js *js = wait->js;

    weir_gate_exit(&wait->owners);
    weir_loop_unref(js->loop);
    weir__js_let_go(js);
}

/* End the reference of the timer. */
static void leave_timer(struct wait *wait)
{
    weir_js *js = wait->js;

    weir_gate_exit(&wait->owners);
    weir__js_let_go(js);
}

/* A timer that cannot be cancelled for lack of memory still calls. */
static void stop_timer(struct wait *wait)
{
    if (wait->timer != 0 && weir_timer_cancel(wait->js->loop, wait->timer) == 0)
        leave_timer(wait);
    wait->timer = 0;
}

/* End the reference of the host: JavaScript is done with it. */
static void leave_list(struct wait *wait)
{
    JSContext *context = wait->js->context;

    weir__js_list_remove(&wait->link);
    wait->is_listed = false;
    stop_timer(wait);
    JS_FreeValue(context, wait->resolve);
    JS_FreeValue(context, wait->array);
    weir_gate_exit(&wait->owners);
}

static int init_waits(weir_js *js)
{
    weir__js_list_init(waits_of(js));
    return 0;
}

/* Remove this host's waits from the table. */
static void drop_waits(weir_js *js)
{
    while (!weir__js_list_is_empty(waits_of(js))) {
        struct wait *wait = (struct wait *)((char *)waits_of(js)->next -
                                            offsetof(struct wait, link));
        bool is_out = weir_waiter_remove(&wait->waiter) == 0;

        if (is_out)
            leave_table(wait);
        leave_list(wait);
    }
}

static void settle(struct wait *wait, const char *text)
{
    weir_js *js = wait->js;
    JSValue value, result;

    if (weir__js_enter(js) == 0) {
        value = JS_NewString(js->context, text);
        result = JS_IsException(value)
                     ? JS_EXCEPTION
                     : JS_Call(js->context, wait->resolve, JS_UNDEFINED, 1,
                               (JSValueConst *)&value);
        if (JS_IsException(result))
            weir__js_report(js);
        JS_FreeValue(js->context, result);
        JS_FreeValue(js->context, value);
        weir__js_leave(js);
    }
}

/* The loop runs the task that a notify posted. */
static void on_notified(weir_task *task, int status)
{
    struct wait *wait = wait_of_task(task);

    weir__js_note_receipt(wait);
    if (wait->is_listed) {
        if (status == 0)
            settle(wait, "ok");
        leave_list(wait);
    }
    leave_table(wait);
}

/* On the notifying thread. */
static void on_woken(weir_waiter *waiter)
{
    struct wait *wait = wait_of_waiter(waiter);

    wait->task.run = on_notified;
    weir__js_note_send(wait);
    if (weir_loop_post(wait->js->loop, &wait->task) != 0)
        leave_table(wait); /* the loop has ended; the host will, too */
}

static void on_timeout(void *arg, int status)
{
    struct wait *wait = arg;

    wait->timer = 0;
    /* If a notify came first, its task is already posted. */
    if (status == 0 && wait->is_listed &&
        weir_waiter_remove(&wait->waiter) == 0) {
        leave_table(wait);
        settle(wait, "timed-out");
        leave_list(wait);
    }
    leave_timer(wait);
}

/* ---- start ---- */

/* Ends the timer's reference if it fails. */
static int start_timer(struct wait *wait, int64_t timeout_ns)
{
    weir_js *js = wait->js;
    int err;

    if (!weir__js_hold(js)) {
        weir_gate_exit(&wait->owners);
        return WEIR_ECLOSED;
    }
    err = weir_timer_start(js->loop, &wait->timer, timeout_ns, WEIR_TIMER_ONCE,
                           on_timeout, wait);
    if (err != 0)
        leave_timer(wait);
    return err;
}

/* Create a wait with all owners inside.  NULL if there is no memory. */
static struct wait *new_wait(weir_js *js, bool has_timer)
{
    struct wait *wait = calloc(1, sizeof(*wait));

    if (wait == NULL)
        return NULL;
    wait->js = js;
    if (weir_gate_init(&wait->owners, free, wait, NULL) != 0 ||
        weir_gate_start(&wait->owners) != 0 ||
        weir_gate_enter(&wait->owners) != 0 ||
        weir_gate_enter(&wait->owners) != 0 ||
        (has_timer && weir_gate_enter(&wait->owners) != 0) ||
        weir_gate_drain(&wait->owners) != 0 || !weir__js_hold(js)) {
        free(wait);
        return NULL;
    }
    weir_loop_ref(js->loop);
    return wait;
}

int weir__js_wait_begin(weir_js *js, const struct weir__js_word *word,
                        JSValueConst resolve)
{
    bool has_timer = word->timeout_ns >= 0;
    struct wait *wait = new_wait(js, has_timer);
    int err;

    if (wait == NULL)
        return -ENOMEM;
    wait->resolve = JS_DupValue(js->context, resolve);
    wait->array = JS_DupValue(js->context, word->array);
    wait->is_listed = true;
    weir__js_list_add(waits_of(js), &wait->link);
    err = has_timer ? start_timer(wait, word->timeout_ns) : 0;
    if (err == 0)
        err = weir_waiter_add(&wait->waiter, word->address, word->size,
                              word->expected, on_woken);
    if (err != 0) {
        leave_list(wait);
        leave_table(wait);
    }
    return err;
}

const struct weir__js_builtin weir__js_waiters_builtin = {
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_waits,
    .drop = drop_waits,
};
