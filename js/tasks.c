/* SPDX-License-Identifier: MIT */
/*
 * tasks -- the queues of weir:pool: what its workers have to do.
 *
 * Shape     For each worker a list for each priority.  A task goes to the worker
 *           with the fewest; a worker takes its own oldest of the highest
 *           priority, and if it has none, steals the oldest from whoever has
 *           most.  Every 16th pick begins with the lowest priority, so no task
 *           waits for ever.
 * Roles     add, cancel, lost     the pool's thread
 *           take                  its workers' threads
 * Why a lock  A task is a call into JavaScript, with its arguments cloned on
 *           the way; one lock for each pool is not what it waits for.  It also
 *           makes "is idle" and "there is nothing" one decision: a worker that
 *           finds nothing is idle in the same step, and whoever adds a task
 *           next sees that and wakes it.
 * Reclaim   The pool has a reference, and each thread while it calls.  A pool
 *           is known by its number: threads look it up, and find none when it
 *           is gone.
 *
 * Tested by  test/js/pool-*.js
 */
#include <pthread.h>
#include <stdlib.h>

#include "class.h"
#include "lib.h"
#include "message.h"
#include "native.h"
#include "weir/clock.h"

enum { PRIORITIES = 3, PATIENCE = 16, MOST_WORKERS = 256 };

struct task {
    struct weir__js_link link;
    double id;
    int64_t added_ns;
    struct weir__js_message *args;
};

struct slot {
    struct weir__js_link tasks[PRIORITIES]; /* 0: the highest */
    size_t count;
    unsigned picks;
    double running; /* the task's number; 0: none */
    bool is_idle;   /* it has found nothing, and waits to be woken */
};

struct pool {
    struct weir__js_link link; /* under pools_lock */
    unsigned refs;             /* under pools_lock */
    uint32_t number;           /* const */
    uint32_t size;             /* const */
    pthread_mutex_t lock;      /* of what follows */
    uint64_t steals, taken, queued_ns, longest_ns;
    struct slot slots[];
};

static pthread_mutex_t pools_lock = PTHREAD_MUTEX_INITIALIZER;
static struct weir__js_link pools = {&pools, &pools};
static uint32_t last_number;

/* ---- pools ---- */

static void free_task(struct task *task)
{
    weir__js_message_free(task->args);
    free(task);
}

static void free_pool(struct pool *pool)
{
    for (uint32_t i = 0; i < pool->size; i++)
        for (int priority = 0; priority < PRIORITIES; priority++) {
            struct weir__js_link *list = &pool->slots[i].tasks[priority];

            while (!weir__js_list_is_empty(list)) {
                struct task *task = (struct task *)list->next;

                weir__js_list_remove(&task->link);
                free_task(task);
            }
        }
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

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    struct pool *pool =
        weir__js_opaque(JS_GetRuntimeOpaque(runtime), value, WEIR__JS_POOL);

    if (pool != NULL)
        unref(pool);
}

const JSClassDef weir__js_pool_class = {.class_name = "PoolHandle",
                                        .finalizer = finalize};

/* make(size) -> [handle, number] */
static JSValue make(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct pool *pool;
    JSValue pair[2];
    uint32_t size;

    (void)this_value;
    (void)argc;
    if (JS_ToUint32(context, &size, argv[0]) < 0)
        return JS_EXCEPTION;
    if (size == 0 || size > MOST_WORKERS)
        return JS_ThrowRangeError(context, "size");
    pair[0] = JS_NewObjectClass(context, js->classes[WEIR__JS_POOL]);
    pool = calloc(1, sizeof(*pool) + size * sizeof(*pool->slots));
    if (JS_IsException(pair[0]) || pool == NULL) {
        JS_FreeValue(context, pair[0]);
        free(pool);
        return JS_ThrowOutOfMemory(context);
    }
    JS_SetOpaque(pair[0], pool);
    pthread_mutex_init(&pool->lock, NULL);
    pool->size = size;
    pool->refs = 1;
    for (uint32_t i = 0; i < size; i++)
        for (int priority = 0; priority < PRIORITIES; priority++)
            weir__js_list_init(&pool->slots[i].tasks[priority]);
    pthread_mutex_lock(&pools_lock);
    pool->number = ++last_number;
    weir__js_list_add(&pools, &pool->link);
    pthread_mutex_unlock(&pools_lock);
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

/* Under the lock: an idle worker is the best; else the one with the fewest. */
static uint32_t choose(const struct pool *pool)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < pool->size; i++) {
        if (pool->slots[i].is_idle)
            return i;
        if (pool->slots[i].count < pool->slots[best].count)
            best = i;
    }
    return best;
}

/* add(handle, number, args, transfer, priority) -> the worker to wake, or -1 */
static JSValue add(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    struct task *task;
    uint32_t priority, at;
    bool was_idle;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &priority, argv[4]) < 0)
        return JS_EXCEPTION;
    if (priority >= PRIORITIES)
        return JS_ThrowRangeError(context, "priority");
    task = malloc(sizeof(*task));
    if (task == NULL)
        return JS_ThrowOutOfMemory(context);
    JS_ToFloat64(context, &task->id, argv[1]);
    task->args = weir__js_message_write(context, argv[2], argv[3], NULL);
    if (task->args == NULL) {
        free(task);
        return JS_EXCEPTION;
    }
    task->added_ns = weir_clock_now();
    pthread_mutex_lock(&pool->lock);
    at = choose(pool);
    weir__js_list_add(&pool->slots[at].tasks[priority], &task->link);
    pool->slots[at].count++;
    was_idle = pool->slots[at].is_idle;
    pool->slots[at].is_idle = false;
    pthread_mutex_unlock(&pool->lock);
    return JS_NewInt32(context, was_idle ? (int32_t)at : -1);
}

/* Under the lock. */
static struct task *find_task(struct pool *pool, double id, struct slot **slot)
{
    for (uint32_t i = 0; i < pool->size; i++)
        for (int priority = 0; priority < PRIORITIES; priority++) {
            struct weir__js_link *list = &pool->slots[i].tasks[priority];

            for (struct weir__js_link *at = list->next; at != list;
                 at = at->next)
                if (((struct task *)at)->id == id) {
                    *slot = &pool->slots[i];
                    return (struct task *)at;
                }
        }
    return NULL;
}

/* cancel(handle, number) -> whether it was still queued */
static JSValue cancel(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    struct task *task;
    struct slot *slot;
    double id;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToFloat64(context, &id, argv[1]) < 0)
        return JS_EXCEPTION;
    pthread_mutex_lock(&pool->lock);
    task = find_task(pool, id, &slot);
    if (task != NULL) {
        weir__js_list_remove(&task->link);
        slot->count--;
    }
    pthread_mutex_unlock(&pool->lock);
    if (task != NULL)
        free_task(task);
    return JS_NewBool(context, task != NULL);
}

/* lost(handle, worker) -> the number of the task that it had, or 0.  Its thread
 * has ended. */
static JSValue lost(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    uint32_t at;
    double running;

    (void)this_value;
    (void)argc;
    if (pool == NULL || JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    if (at >= pool->size)
        return JS_ThrowRangeError(context, "worker");
    pthread_mutex_lock(&pool->lock);
    running = pool->slots[at].running;
    pool->slots[at].running = 0;
    pool->slots[at].is_idle = false;
    pthread_mutex_unlock(&pool->lock);
    return JS_NewFloat64(context, running);
}

/* counts(handle) -> [steals, taken, ns in queues, longest] */
static JSValue counts(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct pool *pool = pool_of(context, argv[0]);
    JSValue values[4];

    (void)this_value;
    (void)argc;
    if (pool == NULL)
        return JS_EXCEPTION;
    pthread_mutex_lock(&pool->lock);
    values[0] = JS_NewInt64(context, (int64_t)pool->steals);
    values[1] = JS_NewInt64(context, (int64_t)pool->taken);
    values[2] = JS_NewInt64(context, (int64_t)pool->queued_ns);
    values[3] = JS_NewInt64(context, (int64_t)pool->longest_ns);
    pthread_mutex_unlock(&pool->lock);
    return JS_NewArrayFrom(context, 4, values);
}

/* ---- the workers' threads ---- */

/* Under the lock: the oldest of the highest priority that it has. */
static struct task *pick(struct slot *slot, bool from_the_lowest)
{
    for (int i = 0; i < PRIORITIES && slot->count > 0; i++) {
        struct weir__js_link *list =
            &slot->tasks[from_the_lowest ? PRIORITIES - 1 - i : i];
        struct weir__js_link *first = list->next;

        if (first == list)
            continue;
        weir__js_list_remove(first);
        slot->count--;
        return (struct task *)first;
    }
    return NULL;
}

/* Under the lock: from whoever has most. */
static struct task *steal(struct pool *pool, bool from_the_lowest)
{
    struct slot *richest = &pool->slots[0];

    for (uint32_t i = 1; i < pool->size; i++)
        if (pool->slots[i].count > richest->count)
            richest = &pool->slots[i];
    return pick(richest, from_the_lowest);
}

static struct task *take_task(struct pool *pool, struct slot *slot)
{
    struct task *task;
    bool from_the_lowest;
    int64_t waited_ns;

    pthread_mutex_lock(&pool->lock);
    from_the_lowest = (slot->picks + 1) % PATIENCE == 0;
    task = pick(slot, from_the_lowest);
    if (task == NULL) {
        task = steal(pool, from_the_lowest);
        pool->steals += task != NULL;
    }
    slot->is_idle = task == NULL;
    slot->running = task != NULL ? task->id : 0;
    if (task != NULL) {
        waited_ns = weir_clock_now() - task->added_ns;
        slot->picks++;
        pool->taken++;
        pool->queued_ns += (uint64_t)waited_ns;
        if ((uint64_t)waited_ns > pool->longest_ns)
            pool->longest_ns = (uint64_t)waited_ns;
    }
    pthread_mutex_unlock(&pool->lock);
    return task;
}

/* take(pool's number, worker) -> [task's number, args], or undefined: nothing is
 * there, and the worker is idle.  Arguments that cannot be put together here
 * are a number alone and the error. */
static JSValue take(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct pool *pool;
    struct task *task = NULL;
    JSValue values[3] = {JS_UNDEFINED, JS_UNDEFINED, JS_UNDEFINED};
    uint32_t number, at;

    (void)this_value;
    (void)argc;
    if (JS_ToUint32(context, &number, argv[0]) < 0 ||
        JS_ToUint32(context, &at, argv[1]) < 0)
        return JS_EXCEPTION;
    pool = find(number);
    if (pool != NULL && at < pool->size)
        task = take_task(pool, &pool->slots[at]);
    if (pool != NULL)
        unref(pool);
    if (task == NULL)
        return JS_UNDEFINED;
    values[0] = JS_NewFloat64(context, task->id);
    values[1] = weir__js_message_read(context, task->args, NULL);
    if (JS_IsException(values[1])) {
        values[1] = JS_UNDEFINED;
        values[2] = JS_GetException(context);
    }
    free_task(task);
    return JS_NewArrayFrom(context, 3, values);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("make", 1, make),     JS_CFUNC_DEF("add", 5, add),
    JS_CFUNC_DEF("cancel", 2, cancel), JS_CFUNC_DEF("lost", 2, lost),
    JS_CFUNC_DEF("counts", 1, counts), JS_CFUNC_DEF("take", 2, take),
};

int weir__js_add_tasks(JSContext *context, JSValueConst native)
{
    return WEIR__JS_SET_NATIVE(context, native, natives);
}
