/* SPDX-License-Identifier: MIT */
/*
 * worker -- new Worker(): a thread with a loop and a host.
 *
 * The parent owns the struct.  The thread uses it until it closes its end of the
 * control channel.  The parent sees that after all messages, joins the thread,
 * and emits "exit".  So the struct is freed when no thread uses it.
 *
 *     parent's thread             worker's thread
 *     new: channel, thread   -->  loop, host, program
 *     port     <------ messages ------>  parentPort
 *     control  <------ online, error, news
 *              <------ closed            exit_code is set before
 *
 * Shared state
 *   control             a channel (weir/channel.h): the worker's thread sends,
 *                       the parent's receives
 *   js, is_terminated   under the lock.  A terminate that comes before the host
 *                       exists finds NULL and sets the flag; the thread sets js
 *                       under the same lock and checks the flag.  The thread
 *                       clears js before it frees the host.  Only this thread
 *                       sets js, so it reads js without the lock.
 *   exit_code           the worker's thread; the parent's, after the join
 *   last_id             under its own lock, by any host's thread
 *
 * Tested by  test/js/threads/worker-*.js, test/js/threads/worker.c;
 *            test/model/base/lock.c explores publish against terminate
 */
#include <errno.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/engine.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/lib.h"
#include "core/permission.h"
#include "core/visible.h"
#include "messages/mailbox.h"
#include "program/program.h"
#include "weir/host/live.h"
#include "weir/host/lock.h"
#include "weir/host/thread.h"
#include "weir/host/virtual.h"
#include "weir/metrics.h"

enum {
    TERMINATED_CODE = 1,
    MICROTASK_BUDGET = 100000,    /* the program's default */
    SPIN_NS = 20000,              /* messages often come in bursts */
    OWN_STACK_SIZE = 1024 * 1024, /* for C, beside JavaScript's */
    /* For chains of modules (core/headroom.c); only touched pages use memory. */
    HEADROOM_SIZE = 16 * 1024 * 1024,
};

struct weir__js_worker {
    struct weir__js_link link; /* parent's thread: in its workers.all */
    weir_js *parent;           /* const; parent's thread, like all of these: */
    JSValue object;            /* its handle; held until "exit" was emitted */
    JSValue on_event;
    bool is_ref, has_ended;
    struct weir__js_mailbox *control;
    struct weir__js_message *next; /* taken from control; NULL: none */
    weir_thread thread;
    /* const after the thread was started */
    int id;
    char name[24];            /* of the loop */
    int64_t blocked_limit_ns; /* 0: none */
    weir_js_program program;
    char *text;
    size_t text_length; /* code may contain NULs */
    size_t charged;     /* for the text, to the parent's budget */
    const char *argv[1];
    size_t memory_limit_bytes, stack_size_bytes;
    bool has_metrics; /* of its loop, as the parent's */
    weir_pool *pool;  /* the first parent's, or NULL: */
    weir_pool *(*get_pool)(void *arg);
    void *pool_arg;
    /* the worker's thread, until it has ended */
    struct weir__js_message *start; /* NULL: already read */
    struct weir__js_mailbox *far_control, *far_port;
    /* to be sent; NULL: they were */
    struct weir__js_message *online, *memory, *blocked;
    int exit_code;
    weir_lock lock;
    weir_js *js;        /* under the lock */
    bool is_terminated; /* under the lock */
    bool was_blocked;   /* under the lock: terminated by the watchdog */
    weir_task stop;     /* the loop's, after terminate */
};

struct workers {
    struct weir__js_link all;    /* of this host: worker.link */
    struct weir__js_worker *own; /* that the host runs in, or NULL */
};

static struct workers *workers_of(const weir_js *js)
{
    return js->states[WEIR__JS_WORKER];
}

static int new_id(void)
{
    static weir_lock lock = WEIR_LOCK_INIT;
    static int last_id; /* under the lock */
    int id;

    weir_lock_acquire(&lock);
    id = ++last_id;
    weir_lock_release(&lock);
    return id;
}

/* ---- the worker's thread ---- */

/* Send one of the messages that the parent has allocated, so that this cannot
 * fail for lack of memory. */
static void tell(struct weir__js_worker *worker,
                 struct weir__js_message **message)
{
    if (*message != NULL)
        weir__js_mailbox_send(worker->far_control, *message);
    *message = NULL;
}

static void on_uncaught(void *arg, weir_js *js, const weir_js_error *error)
{
    /* tell_parent has reported it */
}

/* Send an uncaught error to the parent. */
static void tell_parent(weir_js *js, JSValueConst thrown)
{
    struct weir__js_worker *worker = workers_of(js)->own;
    struct weir__js_message *message = NULL;
    JSValue value;

    if (!js->heap.has_run_out) {
        value = weir__js_call_hook(js, WEIR__JS_HOOK_PACK_ERROR, thrown);
        if (!JS_IsException(value))
            message =
                weir__js_message_write(js->context, value, JS_UNDEFINED, NULL);
        JS_FreeValue(js->context, value);
        if (message == NULL)
            JS_FreeValue(js->context, JS_GetException(js->context));
    }
    if (message != NULL) {
        message->kind = WEIR__MESSAGE_ERROR;
        weir__js_mailbox_send(worker->far_control, message);
    } else if (!weir__js_is_terminated(js)) { /* else nobody needs a reason */
        tell(worker, &worker->memory);
    }
}

/* Publish the host for terminate, or NULL for none.  Returns whether terminate
 * was called before. */
static bool publish(struct weir__js_worker *worker, weir_js *js)
{
    bool is_terminated;

    weir_lock_acquire(&worker->lock);
    worker->js = js;
    is_terminated = worker->is_terminated;
    weir_lock_release(&worker->lock);
    return is_terminated;
}

static int run_program(struct weir__js_worker *worker, weir_js *js)
{
    int code = TERMINATED_CODE, err = 0;

    workers_of(js)->own = worker;
    weir__js_program(js)->text_length = worker->text_length;
    js->on.described = tell_parent;
    weir__js_join_time(js);
    weir_virtual_release();
    if (!publish(worker, js)) {
        tell(worker, &worker->online);
        err = weir_js_run(js, &worker->program, &code);
    }
    if ((publish(worker, NULL) && !weir__js_program(js)->has_exited) ||
        err != 0)
        code = TERMINATED_CODE;
    weir_virtual_hold();
    weir__js_leave_time(js);
    return code;
}

static weir_pool *get_pool(void *arg)
{
    struct weir__js_worker *worker = arg;

    return worker->get_pool != NULL ? worker->get_pool(worker->pool_arg) : NULL;
}

static void terminate(struct weir__js_worker *worker);

/* On the watchdog's thread: a callback has run for too long. */
static void on_limit(void *arg)
{
    struct weir__js_worker *worker = arg;

    weir_lock_acquire(&worker->lock);
    worker->was_blocked = !worker->is_terminated && worker->js != NULL;
    weir_lock_release(&worker->lock);
    terminate(worker);
}

static bool was_blocked(struct weir__js_worker *worker)
{
    bool was;

    weir_lock_acquire(&worker->lock);
    was = worker->was_blocked;
    weir_lock_release(&worker->lock);
    return was;
}

static int run_host(struct weir__js_worker *worker, weir_loop *loop)
{
    weir_js_options options = {.size = sizeof(options),
                               .memory_limit_bytes = worker->memory_limit_bytes,
                               .stack_size_bytes = worker->stack_size_bytes,
                               .allow_blocking = true,
                               .pool = worker->pool,
                               .get_pool = get_pool,
                               .arg = worker,
                               .on_uncaught = on_uncaught};
    weir_js *js;
    int code = TERMINATED_CODE;

    if (weir__js_new(&js, loop, &options, worker->parent) != 0) {
        tell(worker, &worker->memory);
        return code;
    }
    (void)!weir_live_set_limit(loop, worker->blocked_limit_ns, on_limit,
                               worker);
    code = run_program(worker, js);
    (void)!weir_live_set_limit(loop, 0, NULL, NULL);
    if (was_blocked(worker))
        tell(worker, &worker->blocked);
    weir_js_free(js);
    return code;
}

/* The thread's own host; only this thread sets it. */
static void on_breach(void *arg, weir_loop *loop)
{
    struct weir__js_worker *worker = arg;

    if (worker->js != NULL)
        weir_js_breach(worker->js);
}

static void run_thread(void *arg)
{
    struct weir__js_worker *worker = arg;
    weir_loop_options options = {.size = sizeof(options),
                                 .name = worker->name,
                                 .metrics = worker->has_metrics,
                                 .microtask_budget = MICROTASK_BUDGET,
                                 .spin_ns = SPIN_NS,
                                 .arg = worker,
                                 .on_breach = on_breach};
    weir_loop *loop;

    snprintf(worker->name, sizeof(worker->name), "worker %d", worker->id);
    worker->exit_code = TERMINATED_CODE;
    if (weir_loop_new(&loop, &options) == 0) {
        worker->exit_code = run_host(worker, loop);
        weir_loop_free(loop);
    } else {
        tell(worker, &worker->memory);
    }
    weir__js_message_free(worker->start);
    if (worker->far_port != NULL)
        weir__js_mailbox_close(worker->far_port);
    weir__js_mailbox_close(worker->far_control); /* the last use of it */
    weir_virtual_release();
}

/* ---- the parent's thread ---- */

/* Runs on the worker's thread, inside its loop, so the host exists. */
static void stop(weir_task *task, int status)
{
    struct weir__js_worker *worker =
        (struct weir__js_worker *)((char *)task -
                                   offsetof(struct weir__js_worker, stop));

    if (status == 0)
        weir__js_stop(worker->js, TERMINATED_CODE);
}

static void terminate(struct weir__js_worker *worker)
{
    weir_lock_acquire(&worker->lock);
    if (!worker->is_terminated && worker->js != NULL) {
        weir_js_terminate(worker->js);
        /* Wake a sleeping loop.  If it refuses the task, it is ending. */
        worker->stop.run = stop;
        (void)!weir_loop_post(worker->js->loop, &worker->stop);
    }
    worker->is_terminated = true;
    weir_lock_release(&worker->lock);
}

static void set_ref(struct weir__js_worker *worker, bool is_ref)
{
    if (is_ref == worker->is_ref || worker->has_ended)
        return;
    worker->is_ref = is_ref;
    if (is_ref)
        weir_loop_ref(worker->parent->loop);
    else
        weir_loop_unref(worker->parent->loop);
}

/* Join the thread, which has ended or is about to. */
static void end(struct weir__js_worker *worker)
{
    weir_thread_join(&worker->thread);
    set_ref(worker, false);
    worker->has_ended = true;
    weir__js_list_remove(&worker->link);
    weir__js_message_free(worker->next);
    worker->next = NULL;
    weir__js_mailbox_close(worker->control);
}

static void drop_values(struct weir__js_worker *worker)
{
    JSContext *context = worker->parent->context;
    JSValue object = worker->object;

    JS_FreeValue(context, worker->on_event);
    worker->object = worker->on_event = JS_UNDEFINED;
    JS_FreeValue(context, object); /* may free the struct */
}

static int init_workers(weir_js *js)
{
    weir__js_list_init(&workers_of(js)->all);
    return 0;
}

/* Terminate and join all workers. */
static void drop_workers(weir_js *js)
{
    struct weir__js_link *all = &workers_of(js)->all, *at = all->next;

    for (; at != all; at = at->next)
        terminate((struct weir__js_worker *)at);
    while (!weir__js_list_is_empty(all)) {
        struct weir__js_worker *worker = (struct weir__js_worker *)all->next;

        end(worker);
        drop_values(worker);
    }
}

static void free_worker(struct weir__js_worker *worker)
{
    weir_budget_refund(worker->parent->heap.budget, worker->charged);
    weir__js_message_free(worker->online);
    weir__js_message_free(worker->memory);
    weir__js_message_free(worker->blocked);
    free(worker->text);
    free(worker);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct weir__js_worker *worker =
        weir__js_opaque(JS_GetRuntimeOpaque(runtime), value, WEIR__JS_WORKER);

    if (worker != NULL)
        free_worker(worker);
}

static const JSClassDef worker_class = {.class_name = "WorkerHandle",
                                        .finalizer = finalize};

/* As in js/lib/threads/worker_threads.js: numbers, which need no memory. */
enum event { DRAIN, ONLINE, ERROR, UNREADABLE, MEMORY, EXIT, NEWS, BLOCKED };

/* Takes the value.  Returns whether the answer was true or an exception. */
static bool emit(struct weir__js_worker *worker, enum event event,
                 JSValue value)
{
    weir_js *js = worker->parent;
    JSContext *context = js->context;
    JSValue result;
    bool is_true;

    if (weir__js_enter(js) != 0) {
        JS_FreeValue(context, value);
        return false;
    }
    result = JS_Call(context, worker->on_event, JS_UNDEFINED, 2,
                     (JSValueConst[]){JS_NewInt32(context, event), value});
    is_true = JS_IsException(result) || JS_ToBool(context, result) == 1;
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, value);
    weir__js_leave(js);
    return is_true;
}

/* The value that a worker has sent; or the reason why it cannot be read. */
static void emit_value(struct weir__js_worker *worker, enum event event,
                       struct weir__js_message *message)
{
    JSContext *context = worker->parent->context;
    JSValue value = weir__js_message_read(context, message, NULL);

    if (JS_IsException(value))
        emit(worker, UNREADABLE, JS_GetException(context));
    else
        emit(worker, event, value);
}

static void emit_message(struct weir__js_worker *worker,
                         struct weir__js_message *message)
{
    weir_js *js = worker->parent;

    if (weir__js_enter(js) == 0) {
        if (message->kind == WEIR__MESSAGE_ERROR)
            emit_value(worker, ERROR, message);
        else if (message->kind == WEIR__MESSAGE_NEWS)
            emit_value(worker, NEWS, message);
        else
            emit(worker,
                 message->kind == WEIR__MESSAGE_ONLINE    ? ONLINE
                 : message->kind == WEIR__MESSAGE_BLOCKED ? BLOCKED
                                                          : MEMORY,
                 JS_UNDEFINED);
        weir__js_leave(js);
    }
    weir__js_message_free(message);
}

static void emit_next(struct weir__js_worker *worker)
{
    struct weir__js_message *message = worker->next;

    worker->next = NULL;
    if (weir__js_mailbox_waiting(worker->control, 1) > 0)
        weir__js_mailbox_knock(worker->control);
    emit_message(worker, message);
}

/* Serve the control channel: each event is its own callback.  A message that
 * was sent before the event and is not delivered yet comes first, in its own
 * callback, too.  So look for an event first, and for messages then: what the
 * worker sends in between belongs to a later event.  News does not wait for
 * messages: the program must not hear from a server that signals would not
 * stop. */
static void serve(void *arg)
{
    struct weir__js_worker *worker = arg;
    weir_js *js = worker->parent;
    bool has_ended = weir__js_mailbox_has_ended(worker->control);

    if (worker->next == NULL)
        worker->next = weir__js_mailbox_take(worker->control);
    if (worker->next == NULL && !has_ended)
        return;
    if ((worker->next == NULL || worker->next->kind != WEIR__MESSAGE_NEWS) &&
        emit(worker, DRAIN, JS_UNDEFINED)) {
        weir__js_mailbox_knock(worker->control);
        return;
    }
    if (worker->next != NULL) {
        emit_next(worker);
        return;
    }
    end(worker);
    emit(worker, EXIT, JS_NewInt32(js->context, worker->exit_code));
    drop_values(worker);
}

/* ---- creation ---- */

/* Virtual time stands still while the thread has no loop that takes part:
 * before its program begins, and until its end was told. */
static int start_thread(struct weir__js_worker *worker)
{
    weir_metrics metrics = {.size = sizeof(metrics)};
    int err;

    worker->has_metrics =
        weir_loop_metrics(worker->parent->loop, &metrics) == 0;
    weir_virtual_hold();
    err = weir_thread_start(&worker->thread, run_thread, worker,
                            worker->stack_size_bytes + OWN_STACK_SIZE +
                                HEADROOM_SIZE);
    if (err != 0)
        weir_virtual_release();
    return err;
}

static int make_messages(struct weir__js_worker *worker)
{
    worker->online = weir__js_message_new(WEIR__MESSAGE_ONLINE, NULL, 0, 0, 0);
    worker->memory = weir__js_message_new(WEIR__MESSAGE_MEMORY, NULL, 0, 0, 0);
    worker->blocked =
        weir__js_message_new(WEIR__MESSAGE_BLOCKED, NULL, 0, 0, 0);
    return worker->online == NULL || worker->memory == NULL ||
                   worker->blocked == NULL
               ? -ENOMEM
               : 0;
}

/* Create both channels; *port is the near end for messages. */
static int make_channels(struct weir__js_worker *worker,
                         struct weir__js_mailbox **port)
{
    struct weir__js_mailbox *pair[2];

    if (weir__js_mailbox_pair(pair) != 0)
        return -ENOMEM;
    worker->control = pair[0];
    worker->far_control = pair[1];
    if (weir__js_mailbox_pair(pair) != 0) {
        weir__js_mailbox_close(worker->control);
        weir__js_mailbox_close(worker->far_control);
        return -ENOMEM;
    }
    *port = pair[0];
    worker->far_port = pair[1];
    return 0;
}

/* Copy the file's name, or the code itself, which may be long. */
static int copy_text(JSContext *context, struct weir__js_worker *worker,
                     JSValueConst value)
{
    struct weir__js_heap *heap = &worker->parent->heap;
    size_t length;
    const char *text = JS_ToCStringLen(context, &length, value);

    if (text == NULL)
        return -1;
    if (weir__js_heap_charge(heap, length + 1)) {
        worker->charged = length + 1;
        worker->text = malloc(length + 1);
        worker->text_length = length;
    }
    if (worker->text != NULL)
        memcpy(worker->text, text, length + 1);
    JS_FreeCString(context, text);
    if (worker->text != NULL)
        return 0;
    JS_ThrowOutOfMemory(context);
    return -1;
}

/* Read the text, and the numbers among the options. */
static int read_options(JSContext *context, struct weir__js_worker *worker,
                        JSValueConst *argv)
{
    double heap, stack, blocked_ms;

    if (copy_text(context, worker, argv[2]) < 0 ||
        JS_ToFloat64(context, &heap, argv[4]) < 0 ||
        JS_ToFloat64(context, &stack, argv[5]) < 0 ||
        JS_ToFloat64(context, &blocked_ms, argv[7]) < 0)
        return -1;
    worker->blocked_limit_ns = blocked_ms > 0 ? (int64_t)(blocked_ms * 1e6) : 0;
    worker->memory_limit_bytes = heap > 0 ? (size_t)(heap * 1024 * 1024) : 0;
    worker->stack_size_bytes = stack > 0 ? (size_t)(stack * 1024 * 1024)
                                         : worker->parent->worker_stack_bytes;
    worker->program = (weir_js_program){.size = sizeof(worker->program),
                                        .kind = JS_ToBool(context, argv[1]) == 1
                                                    ? WEIR_JS_PROGRAM_EVAL
                                                    : WEIR_JS_PROGRAM_FILE,
                                        .text = worker->text,
                                        .argc = 1,
                                        .argv = worker->argv};
    worker->argv[0] = worker->program.kind == WEIR_JS_PROGRAM_EVAL
                          ? "[worker eval]"
                          : worker->text;
    return 0;
}

/* Start the thread; returns its port, or an exception. */
static JSValue launch(weir_js *js, struct weir__js_worker *worker)
{
    struct weir__js_mailbox *near;
    JSValue port;
    int err = make_messages(worker);

    if (err == 0)
        err = make_channels(worker, &near);
    if (err != 0)
        return JS_ThrowOutOfMemory(js->context);
    port = weir__js_port_attach(js, near);
    /* Attach before the thread exists; otherwise its messages could overtake
     * its "online". */
    weir__js_mailbox_attach(worker->control, js, serve, worker);
    if (JS_IsException(port))
        weir__js_mailbox_close(near);
    else
        err = start_thread(worker);
    if (!JS_IsException(port) && err == 0)
        return port;
    weir__js_mailbox_close(worker->control);
    weir__js_mailbox_close(worker->far_control);
    weir__js_mailbox_close(worker->far_port);
    JS_FreeValue(js->context, port);
    return err != 0 ? weir__js_throw_status(js->context, err) : JS_EXCEPTION;
}

/* All threads of a program share its pool. */
static void share_pool(const weir_js *js, struct weir__js_worker *worker)
{
    const struct weir__js_worker *own = workers_of(js)->own;

    worker->pool = js->options.pool;
    worker->get_pool = own != NULL ? own->get_pool : js->options.get_pool;
    worker->pool_arg = own != NULL ? own->pool_arg : js->options.arg;
}

/* newWorker(onEvent, isEval, text, start, heap in MB, stack in MB, transfer,
 * ms that it may be blocked) -> [handle, port, thread's number] */
static JSValue new_worker(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_worker *worker;
    JSValue object, result[3];

    if (!weir__js_check_may(context, WEIR__JS_MAY_WORK))
        return JS_EXCEPTION;
    worker = calloc(1, sizeof(*worker));
    if (worker == NULL)
        return JS_ThrowOutOfMemory(context);
    worker->parent = js;
    share_pool(js, worker);
    worker->object = worker->on_event = JS_UNDEFINED;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_WORKER]);
    if (JS_IsException(object)) {
        free_worker(worker);
        return object;
    }
    JS_SetOpaque(object, worker); /* its finalizer frees the struct */
    if (read_options(context, worker, argv) < 0 ||
        (worker->start =
             weir__js_message_write(context, argv[3], argv[6], NULL)) == NULL) {
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    worker->id = new_id();
    result[1] = launch(js, worker);
    if (JS_IsException(result[1])) {
        weir__js_message_free(worker->start);
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    weir__js_list_add(&workers_of(js)->all, &worker->link);
    worker->object = JS_DupValue(context, object);
    worker->on_event = JS_DupValue(context, argv[0]);
    set_ref(worker, true);
    result[0] = object;
    result[2] = JS_NewInt32(context, worker->id);
    return JS_NewArrayFrom(context, 3, result);
}

enum { TERMINATE, REF, UNREF };

/* terminate(handle), ref(handle), unref(handle) */
static JSValue act(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct weir__js_worker *worker =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_WORKER);

    if (worker == NULL || worker->has_ended)
        return JS_UNDEFINED;
    if (magic == TERMINATE) {
        weir__js_visit(context, "terminate");
        terminate(worker);
    } else {
        set_ref(worker, magic == REF);
    }
    return JS_UNDEFINED;
}

/* stackSize(): the default for workers, in MB */
static JSValue stack_size(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    double bytes = (double)weir__js_of(context)->worker_stack_bytes;

    return JS_NewNumber(context, bytes / (1024 * 1024));
}

/* ---- inside a worker ---- */

/* tell(value, transfer): send news to the parent */
static JSValue tell_news(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_worker *worker = workers_of(weir__js_of(context))->own;
    struct weir__js_message *message =
        weir__js_message_write(context, argv[0], argv[1], NULL);

    if (message == NULL)
        return JS_EXCEPTION;
    message->kind = WEIR__MESSAGE_NEWS;
    weir__js_mailbox_send(worker->far_control, message);
    return JS_UNDEFINED;
}

/* start() -> [what newWorker was given, parentPort, number], once; undefined in
 * the main thread */
static JSValue start_value(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_worker *worker = workers_of(js)->own;
    struct weir__js_message *message;
    JSValue values[3];

    if (worker == NULL || worker->start == NULL)
        return JS_UNDEFINED;
    message = worker->start;
    worker->start = NULL;
    values[0] = weir__js_message_read(context, message, NULL);
    weir__js_message_free(message);
    if (JS_IsException(values[0]))
        return values[0];
    values[1] = weir__js_port_attach(js, worker->far_port);
    if (JS_IsException(values[1])) {
        JS_FreeValue(context, values[0]);
        return values[1];
    }
    worker->far_port = NULL;
    values[2] = JS_NewInt32(context, worker->id);
    return JS_NewArrayFrom(context, 3, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("newWorker", 8, new_worker),
    JS_CFUNC_MAGIC_DEF("terminate", 1, act, TERMINATE),
    JS_CFUNC_MAGIC_DEF("ref", 1, act, REF),
    JS_CFUNC_MAGIC_DEF("unref", 1, act, UNREF),
    JS_CFUNC_DEF("stackSize", 0, stack_size),
    JS_CFUNC_DEF("start", 0, start_value),
    JS_CFUNC_DEF("tell", 2, tell_news),
};

const struct weir__js_builtin weir__js_worker_builtin = {
    WEIR__JS_LIBS("threads/thread"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &worker_class,
    .state_bytes = sizeof(struct workers),
    .init = init_workers,
    .drop = drop_workers,
};
