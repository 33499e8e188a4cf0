/* SPDX-License-Identifier: MIT */
/*
 * pool_queue -- the queue of weir:pool, on the pool's side.
 *
 * A pool has a board (a shared queue, weir/host/board.h).  Its poster is the
 * pool's thread, and its takers are the workers.  The comment in
 * src/pool/board.c explains how takers share and steal, and why no wake-up is
 * lost.  Here a notice (a task of the board) becomes a call of JavaScript.
 *
 *     the pool's thread                      a worker's (pool_worker.c)
 *     add: clone, notice, wake     ---->     serve: calls work()
 *     cancel                                 take: deserialize, run
 *     done, lost                   <----     the result, as a message
 *
 * Shared state
 *   table             and the members beside it, the pool's thread: number ->
 *                     task.  A number is reused after its task was cancelled in
 *                     time or was answered.  An answer also names the serial,
 *                     so that an answer, or the end of a worker, is never
 *                     attributed to another task.
 *   task.args         whoever has won the task: its taker, or cancel
 *   pools, refs, slot.is_taken
 *                     under one lock: whether a pool can be found, who frees
 *                     it, and who has a slot.  A slot has one worker at a
 *                     time, so that a deque has one owner, whatever a program
 *                     does.
 *   slot.running      the worker in that slot; `lost`, while it has the lock
 *                     and the slot is not taken
 *   slot.mailbox      a channel: any thread notifies it; the worker in that
 *                     slot is called
 * Reclaim   A task has two references (weir_notice_release): the table's, and
 *           the board's or its taker's.  The pool has a reference from its
 *           handle and from each worker.  Workers know it by its number: one
 *           that arrives after the pool is gone finds none.
 *
 * Tested by  test/js/threads/pool-*.mjs, test/js/threads/pool.c
 */
#include "threads/pool_queue.h"

#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/visible.h"
#include "messages/mailbox.h"
#include "weir/host/lock.h"

enum { FIRST_ROOM = 64, KEPT_ROOM = 1024 };
#define NO_NUMBER UINT32_MAX

struct weir__js_entry {
    struct weir__js_task *task; /* NULL: the number is free */
    uint32_t next_free;
};

static weir_lock lock = WEIR_LOCK_INIT;
static struct weir__js_link pools = {&pools, &pools}; /* under the lock */
static uint32_t last_number;                          /* the same */

/* ---- tasks and their numbers ---- */

static void free_task(struct weir__js_task *task)
{
    if (task->args != NULL)
        weir__js_message_free(task->args);
    free(task);
}

void weir__js_task_release(struct weir__js_task *task)
{
    if (weir_notice_release(&task->notice))
        free_task(task);
}

static void drop(void *arg, weir_notice *notice)
{
    free_task((struct weir__js_task *)notice);
}

static bool make_room(struct weir__js_pool *pool)
{
    uint32_t room = pool->room == 0 ? FIRST_ROOM : 2 * pool->room;
    struct weir__js_entry *table;

    if (room <= pool->room)
        return false;
    table = realloc(pool->table, room * sizeof(*table));
    if (table == NULL)
        return false;
    for (uint32_t i = pool->room; i < room; i++)
        table[i] = (struct weir__js_entry){
            .next_free = i + 1 < room ? i + 1 : NO_NUMBER};
    pool->free_number = pool->room;
    pool->table = table;
    pool->room = room;
    return true;
}

/* Give the task a number and post it on the board. */
static bool post(struct weir__js_pool *pool, struct weir__js_task *task,
                 uint32_t priority)
{
    struct weir__js_entry *entry;

    if (pool->free_number == NO_NUMBER && !make_room(pool))
        return false;
    task->id.number = pool->free_number;
    task->id.serial = pool->last_serial + 1;
    entry = &pool->table[task->id.number];
    weir__js_note_send(task);
    if (weir_board_add(pool->board, &task->notice, priority) != 0)
        return false;
    entry->task = task;
    pool->free_number = entry->next_free;
    pool->last_serial++;
    pool->used++;
    return true;
}

static struct weir__js_task *task_of(const struct weir__js_pool *pool,
                                     uint32_t number)
{
    return number < pool->room ? pool->table[number].task : NULL;
}

/* Free its number.  A table that has grown large is freed with its last
 * task. */
static void forget(struct weir__js_pool *pool, struct weir__js_task *task)
{
    uint32_t number = task->id.number;

    pool->table[number] =
        (struct weir__js_entry){.next_free = pool->free_number};
    pool->free_number = number;
    if (--pool->used == 0 && pool->room > KEPT_ROOM) {
        free(pool->table);
        pool->table = NULL;
        pool->room = 0;
        pool->free_number = NO_NUMBER;
    }
    weir__js_task_release(task);
}

/* Remove a task that was answered or never will be.  Returns false if it is no
 * longer there. */
static bool finish(struct weir__js_pool *pool, struct weir__js_task_id id)
{
    struct weir__js_task *task = task_of(pool, id.number);

    if (task == NULL || task->id.serial != id.serial)
        return false;
    forget(pool, task);
    return true;
}

/* ---- pools ---- */

static void wake(void *arg, uint32_t taker)
{
    struct weir__js_pool *pool = arg;

    weir__js_mailbox_knock(pool->slots[taker].mailbox);
}

static void free_pool(struct weir__js_pool *pool)
{
    for (uint32_t i = 0; i < pool->room; i++)
        if (pool->table[i].task != NULL)
            weir__js_task_release(pool->table[i].task);
    free(pool->table);
    weir_board_free(pool->board);
    for (uint32_t i = 0; i < pool->size; i++)
        if (pool->slots[i].mailbox != NULL)
            weir__js_mailbox_close(pool->slots[i].mailbox);
    free(pool);
}

/* Under the lock.  Returns whether that was the last reference. */
static bool drop_reference(struct weir__js_pool *pool)
{
    if (--pool->refs > 0)
        return false;
    weir__js_list_remove(&pool->link);
    return true;
}

static void unref_pool(struct weir__js_pool *pool)
{
    bool is_last;

    weir_lock_acquire(&lock);
    is_last = drop_reference(pool);
    weir_lock_release(&lock);
    if (is_last)
        free_pool(pool);
}

/* Under the lock. */
static struct weir__js_pool *find_pool(uint32_t number)
{
    for (struct weir__js_link *at = pools.next; at != &pools; at = at->next)
        if (((struct weir__js_pool *)at)->number == number)
            return (struct weir__js_pool *)at;
    return NULL;
}

struct weir__js_pool *weir__js_pool_enter(uint32_t number, uint32_t slot)
{
    struct weir__js_pool *pool;

    weir_lock_acquire(&lock);
    pool = find_pool(number);
    if (pool != NULL && (slot >= pool->size || pool->slots[slot].is_taken))
        pool = NULL;
    if (pool != NULL) {
        pool->slots[slot].is_taken = true;
        pool->refs++;
    }
    weir_lock_release(&lock);
    return pool;
}

void weir__js_pool_leave(struct weir__js_pool *pool, uint32_t slot)
{
    bool is_last;

    weir_lock_acquire(&lock);
    pool->slots[slot].is_taken = false;
    is_last = drop_reference(pool);
    weir_lock_release(&lock);
    if (is_last)
        free_pool(pool);
}

static void finalize_pool(JSRuntime *runtime, JSValueConst value)
{
    struct weir__js_pool *pool =
        weir__js_opaque(JS_GetRuntimeOpaque(runtime), value, WEIR__JS_POOL);

    if (pool != NULL)
        unref_pool(pool);
}

static const JSClassDef pool_class = {.class_name = "PoolHandle",
                                      .finalizer = finalize_pool};

static struct weir__js_pool *new_pool(uint32_t size, uint32_t priorities)
{
    struct weir__js_pool *pool =
        calloc(1, sizeof(*pool) + size * sizeof(*pool->slots));
    weir_board_options options = {.size = sizeof(options),
                                  .takers = size,
                                  .priorities = priorities,
                                  .wake = wake,
                                  .drop = drop,
                                  .arg = pool};
    int err;

    if (pool == NULL)
        return NULL;
    pool->size = size;
    pool->refs = 1;
    pool->free_number = NO_NUMBER;
    err = weir_board_new(&pool->board, &options);
    for (uint32_t i = 0; i < size && err == 0; i++)
        err = weir__js_mailbox_new(&pool->slots[i].mailbox);
    if (err != 0) {
        free_pool(pool);
        return NULL;
    }
    weir_lock_acquire(&lock);
    pool->number = ++last_number;
    weir__js_list_add(&pools, &pool->link);
    weir_lock_release(&lock);
    return pool;
}

/* ---- for the page of the monitor ---- */

static void set_row(char *row, size_t size, const struct weir__js_pool *pool)
{
    weir_board_counts now = {.size = sizeof(now)};
    weir_js_pool shown = {.number = pool->number, .workers = pool->size};

    (void)!weir_board_count(pool->board, &now);
    shown.queued = now.queued;
    shown.taken = now.taken;
    shown.stolen = now.steals;
    shown.waited_ns = now.waited_ns;
    shown.longest_ns = now.longest_ns;
    memcpy(row, &shown, sizeof(shown));
    memset(row + sizeof(shown), 0, size - sizeof(shown));
}

size_t weir_js_pools(weir_js_pool *rows, size_t capacity, size_t size)
{
    size_t count = 0;

    if (rows == NULL || size < sizeof(*rows))
        capacity = 0;
    weir_lock_acquire(&lock);
    for (struct weir__js_link *at = pools.next; at != &pools;
         at = at->next, count++)
        if (count < capacity)
            set_row((char *)rows + count * size, size,
                    (struct weir__js_pool *)at);
    weir_lock_release(&lock);
    return count;
}

/* make(size, priorities) -> [handle, number] */
static JSValue make(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_pool *pool;
    JSValue pair[2];
    uint32_t size, priorities;

    if (JS_ToUint32(context, &size, argv[0]) < 0 ||
        JS_ToUint32(context, &priorities, argv[1]) < 0)
        return JS_EXCEPTION;
    if (size == 0 || size > WEIR_BOARD_TAKER_LIMIT || priorities == 0 ||
        priorities > WEIR_BOARD_PRIORITY_LIMIT)
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

static struct weir__js_pool *pool_of(JSContext *context, JSValueConst value)
{
    struct weir__js_pool *pool =
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
    struct weir__js_pool *pool = pool_of(context, argv[0]);
    struct weir__js_task *task;
    uint32_t priority;

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
    weir__js_visit(context, "pool add");
    if (!post(pool, task, priority)) {
        free_task(task);
        return JS_ThrowOutOfMemory(context);
    }
    return JS_NewUint32(context, task->id.number);
}

/* cancel(handle, number) -> whether it was still queued */
static JSValue cancel(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_pool *pool = pool_of(context, argv[0]);
    struct weir__js_task *task;
    uint32_t number;

    if (pool == NULL || JS_ToUint32(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    weir__js_visit(context, "pool cancel");
    task = task_of(pool, number);
    if (task == NULL || weir_board_cancel(pool->board, &task->notice) != 0)
        return JS_FALSE;
    weir__js_message_free(task->args);
    task->args = NULL;
    forget(pool, task);
    return JS_TRUE;
}

/* done(handle, number, serial) -> whether that task was waiting for the answer
 * that has come */
static JSValue done(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_pool *pool = pool_of(context, argv[0]);
    struct weir__js_task_id id;
    int64_t serial;

    if (pool == NULL || JS_ToUint32(context, &id.number, argv[1]) < 0 ||
        JS_ToInt64(context, &serial, argv[2]) < 0)
        return JS_EXCEPTION;
    id.serial = (uint64_t)serial;
    return JS_NewBool(context, finish(pool, id));
}

/* lost(handle, worker) -> the number of the task that the worker had, which
 * will get no answer; or -1.  The worker's thread has ended. */
static JSValue lost(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_pool *pool = pool_of(context, argv[0]);
    struct weir__js_task_id running = {0, 0};
    uint32_t at;

    if (pool == NULL || JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    if (at >= pool->size)
        return JS_ThrowRangeError(context, "worker");
    weir_lock_acquire(&lock);
    if (!pool->slots[at].is_taken)
        running = pool->slots[at].running;
    weir_lock_release(&lock);
    return finish(pool, running) ? JS_NewUint32(context, running.number)
                                 : JS_NewInt32(context, -1);
}

/* counts(handle) -> [queued, steals, taken, ns in queues, longest] */
static JSValue counts(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct weir__js_pool *pool = pool_of(context, argv[0]);
    weir_board_counts now = {.size = sizeof(now)};
    JSValue values[5];

    if (pool == NULL)
        return JS_EXCEPTION;
    (void)!weir_board_count(pool->board, &now);
    values[0] = JS_NewInt64(context, (int64_t)now.queued);
    values[1] = JS_NewInt64(context, (int64_t)now.steals);
    values[2] = JS_NewInt64(context, (int64_t)now.taken);
    values[3] = JS_NewInt64(context, (int64_t)now.waited_ns);
    values[4] = JS_NewInt64(context, (int64_t)now.longest_ns);
    return JS_NewArrayFrom(context, 5, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("make", 2, make),
    JS_CFUNC_DEF("add", 4, add),
    JS_CFUNC_DEF("cancel", 2, cancel),
    JS_CFUNC_DEF("done", 3, done),
    JS_CFUNC_DEF("lost", 2, lost),
    JS_CFUNC_DEF("counts", 1, counts),
    JS_CFUNC_DEF("join", 3, weir__js_pool_join),
    JS_CFUNC_DEF("take", 1, weir__js_pool_take),
};

const struct weir__js_builtin weir__js_pool_builtin = {
    WEIR__JS_LIBS("threads/pool"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &pool_class,
};
