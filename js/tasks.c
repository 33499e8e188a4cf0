/* SPDX-License-Identifier: MIT */
/*
 * tasks -- what the workers of weir:pool have to do, and how they get it.
 *
 * A pool has a board (weir/board.h), whose poster is the pool's thread and whose
 * takers are its workers.  src/board.c says how they share and steal, and why no
 * wake is lost; here a notice becomes a call of JavaScript.
 *
 *     the pool's thread                      a worker's thread
 *     add: clone, notice, wake     ---->     serve: calls work()
 *     cancel                                 take: put together, run
 *     done, lost                   <----     the result, as a message
 *
 * Who touches what
 *   table, free_id    the pool's thread: number -> task.  A number is used again
 *                     when its task was cancelled in time or has been answered,
 *                     so an answer is never taken for another's.
 *   task.args         who has won the task: its taker, or cancel
 *   slot.running      the worker in that seat; `lost`, when the seat is empty
 *   slot.is_taken     under the lock: one seat for each slot, so that a deque
 *                     has one owner, whatever a program does
 *   slot.mailbox      any thread knocks; who sits there is told
 * Reclaim   A task has two holds (weir_notice_release): the table's, and the
 *           board's or its taker's.  The pool has a reference from its handle
 *           and from each seat; a worker's seat goes with its host, on its
 *           thread, and leaves the board.  A pool is known by its number: a
 *           worker that comes to sit finds none when it is gone.
 *
 * Tested by  test/js/pool-*.mjs, test/js/pool.c
 */
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

#include "class.h"
#include "error.h"
#include "lib.h"
#include "mailbox.h"
#include "native.h"
#include "weir/board.h"
#include "weir/loop.h"

enum { FIRST_ROOM = 64 };
#define NO_TASK UINT32_MAX

struct task {
    weir_notice notice;
    uint32_t id;
    struct weir__js_message *args; /* NULL: was taken out */
};

struct entry {
    struct task *task; /* NULL: the number is free */
    uint32_t next_free;
};

struct slot {
    struct weir__js_mailbox *mailbox; /* const */
    bool is_taken;                    /* under the pool's lock */
    uint32_t running;
};

struct pool {
    struct weir__js_link link; /* under pools_lock */
    unsigned refs;             /* under pools_lock */
    uint32_t number;           /* const */
    uint32_t size;             /* const */
    weir_board *board;         /* const */
    struct entry *table;
    uint32_t room, free_id;
    pthread_mutex_t lock;
    struct slot slots[];
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__js_link pools = {&pools, &pools};
static uint32_t last_number;

/* ---- tasks and their numbers ---- */

static void free_task(struct task *task)
{
    if (task->args != NULL)
        weir__js_message_free(task->args);
    free(task);
}

static void release(struct task *task)
{
    if (weir_notice_release(&task->notice))
        free_task(task);
}

static void drop(void *arg, weir_notice *notice)
{
    (void)arg;
    free_task((struct task *)notice);
}

static bool make_room(struct pool *pool)
{
    uint32_t room = pool->room == 0 ? FIRST_ROOM : 2 * pool->room;
    struct entry *table;

    if (room <= pool->room)
        return false;
    table = realloc(pool->table, room * sizeof(*table));
    if (table == NULL)
        return false;
    for (uint32_t i = pool->room; i < room; i++)
        table[i] = (struct entry){.next_free = i + 1 < room ? i + 1 : NO_TASK};
    pool->free_id = pool->room;
    pool->table = table;
    pool->room = room;
    return true;
}

/* Give it a number, and put it on the board. */
static bool post(struct pool *pool, struct task *task, uint32_t priority)
{
    struct entry *entry;

    if (pool->free_id == NO_TASK && !make_room(pool))
        return false;
    task->id = pool->free_id;
    entry = &pool->table[task->id];
    if (weir_board_add(pool->board, &task->notice, priority) != 0)
        return false;
    entry->task = task;
    pool->free_id = entry->next_free;
    return true;
}

static struct task *task_of(const struct pool *pool, uint32_t id)
{
    return id < pool->room ? pool->table[id].task : NULL;
}

/* Its number is free. */
static void forget(struct pool *pool, struct task *task, uint32_t id)
{
    pool->table[id] = (struct entry){.next_free = pool->free_id};
    pool->free_id = id;
    release(task);
}

/* ---- pools ---- */

static void wake(void *arg, uint32_t taker)
{
    struct pool *pool = arg;

    weir__js_mailbox_knock(pool->slots[taker].mailbox);
}

static void free_pool(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->room; i++)
        if (pool->table[i].task != NULL)
            release(pool->table[i].task);
    free(pool->table);
    weir_board_free(pool->board);
    for (uint32_t i = 0; i < pool->size; i++)
        if (pool->slots[i].mailbox != NULL)
            weir__js_mailbox_close(pool->slots[i].mailbox);
    pthread_mutex_destroy(&pool->lock);
    free(pool);
}

static void unref(struct pool *pool)
{
    bool is_last;

    pthread_mutex_lock(&pools_lock);
    is_last = --pool->refs == 0;
    if (is_last)
        weir__js_list_remove(&pool->link);
    pthread_mutex_unlock(&pools_lock);
    if (is_last)
        free_pool(pool);
}

static struct pool *find(uint32_t number)
{
    struct pool *found = NULL;

    pthread_mutex_lock(&pools_lock);
    for (struct weir__js_link *at = pools.next; at != &pools; at = at->next)
        if (((struct pool *)at)->number == number)
            found = (struct pool *)at;
    if (found != NULL)
        found->refs++;
    pthread_mutex_unlock(&pools_lock);
    return found;
}

static void finalize_pool(JSRuntime *runtime, JSValueConst value)
{
    struct pool *pool =
        weir__js_opaque(JS_GetRuntimeOpaque(runtime), value, WEIR__JS_POOL);

    if (pool != NULL)
        unref(pool);
}

const JSClassDef weir__js_pool_class = {.class_name = "PoolHandle",
                                        .finalizer = finalize_pool};

static struct pool *new_pool(uint32_t size, uint32_t priorities)
{
    struct pool *pool = calloc(1, sizeof(*pool) + size * sizeof(*pool->slots));
    weir_board_options options = {.size = sizeof(options),
                                  .takers = size,
                                  .priorities = priorities,
                                  .wake = wake,
                                  .drop = drop,
                                  .arg = pool};
    int err;

    if (pool == NULL)
        return NULL;
    pthread_mutex_init(&pool->lock, NULL);
    pool->size = size;
    pool->refs = 1;
    pool->free_id = NO_TASK;
    err = weir_board_new(&pool->board, &options);
    for (uint32_t i = 0; i < size && err == 0; i++) {
        pool->slots[i].running = NO_TASK;
        err = weir__js_mailbox_new(&pool->slots[i].mailbox);
    }
    if (err != 0) {
        free_pool(pool);
        return NULL;
    }
    pthread_mutex_lock(&pools_lock);
    pool->number = ++last_number;
    weir__js_list_add(&pools, &pool->link);
    pthread_mutex_unlock(&pools_lock);
    return pool;
}

/* make(size, priorities) -> [handle, number] */
static JSValue make(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct pool *pool;
    JSValue pair[2];
    uint32_t size, priorities;

    (void)this_value;
    (void)argc;
    if (JS_ToUint32(context, &size, argv[0]) < 0 ||
        JS_ToUint32(context, &priorities, argv[1]) < 0)
        return JS_EXCEPTION;
    if (size == 0 || size > WEIR_BOARD_TAKERS || priorities == 0 ||
        priorities > WEIR_BOARD_PRIORITIES)
        return JS_ThrowRangeError(context, "size or priorities");
    pair[0] = JS_NewObjectClass(context, js->classes[WEIR__JS_POOL]);
    if (JS_IsException(pair[0]))
        return pair[0];
    pool = new_pool(size, priorities);
    if (pool == NULL) {
        JS_FreeValue(context, pair[0]);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(pair[0], pool);
    pair[1] = JS_NewUint32(context, pool->number);
    return JS_NewArrayFrom(context, 2, pair);
}

static struct pool *pool_of(JSContext *context, JSValueConst value)
{
    struct pool *pool =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_POOL);

    if (pool == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return pool;
}

/* ---- the pool's thread ---- */

/* add(handle, args, transfer, priority) -> the task's number */
static JSValue add(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    struct task *task;
    uint32_t priority;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &priority, argv[3]) < 0)
        return JS_EXCEPTION;
    task = malloc(sizeof(*task));
    if (task == NULL)
        return JS_ThrowOutOfMemory(context);
    task->args = weir__js_message_write(context, argv[1], argv[2], NULL);
    if (task->args == NULL) {
        free(task);
        return JS_EXCEPTION;
    }
    if (!post(pool, task, priority)) {
        free_task(task);
        return JS_ThrowOutOfMemory(context);
    }
    return JS_NewUint32(context, task->id);
}

/* cancel(handle, number) -> whether it was still queued */
static JSValue cancel(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    struct task *task;
    uint32_t id;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &id, argv[1]) < 0)
        return JS_EXCEPTION;
    task = task_of(pool, id);
    if (task == NULL || weir_board_cancel(pool->board, &task->notice) != 0)
        return JS_FALSE;
    weir__js_message_free(task->args);
    task->args = NULL;
    forget(pool, task, id);
    return JS_TRUE;
}

/* done(handle, number): its worker has answered, or is lost. */
static JSValue done(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    struct task *task;
    uint32_t id;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &id, argv[1]) < 0)
        return JS_EXCEPTION;
    task = task_of(pool, id);
    if (task != NULL)
        forget(pool, task, id);
    return JS_UNDEFINED;
}

/* lost(handle, worker) -> the number of the task that it had, or -1.  Its thread
 * has ended. */
static JSValue lost(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    uint32_t at, running = NO_TASK;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    if (at >= pool->size)
        return JS_ThrowRangeError(context, "worker");
    pthread_mutex_lock(&pool->lock);
    if (!pool->slots[at].is_taken) {
        running = pool->slots[at].running;
        pool->slots[at].running = NO_TASK;
    }
    pthread_mutex_unlock(&pool->lock);
    return running == NO_TASK ? JS_NewInt32(context, -1)
                              : JS_NewUint32(context, running);
}

/* counts(handle) -> [queued, steals, taken, ns in queues, longest] */
static JSValue counts(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    weir_board_counts now;
    JSValue values[5];

    (void)this_value;
    (void)argc;
    if (pool == NULL)
        return JS_EXCEPTION;
    weir_board_count(pool->board, &now);
    values[0] = JS_NewInt64(context, (int64_t)now.queued);
    values[1] = JS_NewInt64(context, (int64_t)now.steals);
    values[2] = JS_NewInt64(context, (int64_t)now.taken);
    values[3] = JS_NewInt64(context, (int64_t)now.waited_ns);
    values[4] = JS_NewInt64(context, (int64_t)now.longest_ns);
    return JS_NewArrayFrom(context, 5, values);
}

/* ---- the workers' threads ---- */

/* A worker's place at the board. */
struct seat {
    struct pool *pool;
    struct slot *slot;
    uint32_t at;
    weir_js *js;
    JSValue work;
};

static void finalize_seat(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct seat *seat = weir__js_opaque(js, value, WEIR__JS_SEAT);

    if (seat == NULL)
        return;
    weir__js_mailbox_detach(seat->slot->mailbox);
    weir_board_leave(seat->pool->board, seat->at);
    pthread_mutex_lock(&seat->pool->lock);
    seat->slot->is_taken = false;
    pthread_mutex_unlock(&seat->pool->lock);
    weir_loop_unref(js->loop);
    JS_FreeValueRT(runtime, seat->work);
    unref(seat->pool);
    free(seat);
}

static void mark_seat(JSRuntime *runtime, JSValueConst value, JS_MarkFunc *fn)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct seat *seat = weir__js_opaque(js, value, WEIR__JS_SEAT);

    if (seat != NULL)
        JS_MarkValue(runtime, seat->work, fn);
}

const JSClassDef weir__js_seat_class = {
    .class_name = "PoolSeat", .finalizer = finalize_seat, .gc_mark = mark_seat};

/* It was woken. */
static void serve(void *arg)
{
    struct seat *seat = arg;
    weir_js *js = seat->js;
    JSContext *context = js->context;
    JSValue work, result;

    if (weir__js_enter(js) != 0)
        return;
    work = JS_DupValue(context, seat->work);
    result = JS_Call(context, work, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, work);
    weir__js_leave(js);
}

static bool take_slot(struct pool *pool, uint32_t at)
{
    bool is_free = false;

    if (at >= pool->size)
        return false;
    pthread_mutex_lock(&pool->lock);
    is_free = !pool->slots[at].is_taken;
    pool->slots[at].is_taken = true;
    pthread_mutex_unlock(&pool->lock);
    return is_free;
}

/* sit(pool's number, worker, work) -> a seat, or undefined: the pool is gone, or
 * somebody sits there.  While there is the seat, the worker lives, and work is
 * called when it shall look; it may be called once too often. */
static JSValue sit(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct seat *seat;
    struct pool *pool;
    JSValue object;
    uint32_t number, at;

    (void)this_value;
    (void)argc;
    if (JS_ToUint32(context, &number, argv[0]) < 0 ||
        JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_SEAT]);
    seat = malloc(sizeof(*seat));
    if (JS_IsException(object) || seat == NULL) {
        JS_FreeValue(context, object);
        free(seat);
        return JS_ThrowOutOfMemory(context);
    }
    pool = find(number);
    if (pool == NULL || !take_slot(pool, at)) {
        if (pool != NULL)
            unref(pool);
        JS_FreeValue(context, object);
        free(seat);
        return JS_UNDEFINED;
    }
    *seat = (struct seat){pool, &pool->slots[at], at, js,
                          JS_DupValue(context, argv[2])};
    JS_SetOpaque(object, seat);
    weir_loop_ref(js->loop);
    weir__js_mailbox_attach(seat->slot->mailbox, js, serve, seat);
    return object;
}

/* take(seat) -> [task's number, args], or undefined: nothing is there, and the
 * worker is idle.  Arguments that cannot be put together here are a number
 * alone and the error. */
static JSValue take(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct seat *seat =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_SEAT);
    JSValue values[3] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED};
    struct task *task;

    (void)this_value;
    (void)argc;
    if (seat == NULL)
        return JS_UNDEFINED;
    task = (struct task *)weir_board_take(seat->pool->board, seat->at);
    seat->slot->running = task != NULL ? task->id : NO_TASK;
    if (task == NULL)
        return JS_UNDEFINED;
    values[0] = JS_NewUint32(context, task->id);
    values[1] = weir__js_message_read(context, task->args, NULL);
    if (JS_IsException(values[1])) {
        values[1] = JS_UNDEFINED;
        values[2] = JS_GetException(context);
    }
    weir__js_message_free(task->args);
    task->args = NULL;
    release(task);
    return JS_NewArrayFrom(context, 3, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("make", 2, make),     JS_CFUNC_DEF("add", 4, add),
    JS_CFUNC_DEF("cancel", 2, cancel), JS_CFUNC_DEF("done", 2, done),
    JS_CFUNC_DEF("lost", 2, lost),     JS_CFUNC_DEF("counts", 1, counts),
    JS_CFUNC_DEF("sit", 3, sit),       JS_CFUNC_DEF("take", 1, take),
};

int weir__js_add_tasks(JSContext *context, JSValueConst native)
{
    return WEIR__JS_SET_NATIVE(context, native, natives);
}
