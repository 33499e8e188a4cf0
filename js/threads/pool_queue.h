/* SPDX-License-Identifier: MIT */
/*
 * pool_queue -- a pool of weir:pool, shared by its thread
 * (js/threads/pool_queue.c) and its workers (js/threads/pool_worker.c).
 */
#ifndef WEIR_JS_POOL_QUEUE_H
#define WEIR_JS_POOL_QUEUE_H

#include "messages/message.h"
#include "weir/host/board.h"

/* A task's number, which is reused, and its serial, which is not. 0 means
 * none. */
struct weir__js_task_id {
    uint32_t number;
    uint64_t serial;
};

struct weir__js_task {
    weir_notice notice;
    struct weir__js_task_id id;
    struct weir__js_message *args; /* NULL: taken out */
};

struct weir__js_slot {
    struct weir__js_mailbox *mailbox; /* const */
    bool is_taken;                    /* under the lock of all pools */
    struct weir__js_task_id
        running; /* the worker in this slot, then the pool's thread */
};

struct weir__js_pool {
    struct weir__js_link link;    /* under the lock of all pools */
    unsigned refs;                /* under that lock, too */
    uint32_t number;              /* const */
    uint32_t size;                /* const */
    weir_board *board;            /* const */
    struct weir__js_entry *table; /* this and the next: the pool's thread */
    uint32_t room, used, free_number;
    uint64_t last_serial;
    struct weir__js_slot slots[];
};

/* Take a slot.  Returns the pool with a reference, or NULL if the pool is gone
 * or the slot is taken. */
struct weir__js_pool *weir__js_pool_enter(uint32_t number, uint32_t slot);

/* Leave the slot, and release the reference. */
void weir__js_pool_leave(struct weir__js_pool *pool, uint32_t slot);

/* Release one of the task's two references. */
void weir__js_task_release(struct weir__js_task *task);

/* ---- for workers: js/threads/pool_worker.c ---- */

/* join(pool's number, slot, work) -> a handle, or undefined if the pool is gone
 * or the slot is taken.  The handle keeps the worker alive.  work is called
 * when there may be a task; spurious calls are possible. */
JSValue weir__js_pool_join(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

/* take(handle) -> [task's number, serial, args], or undefined if there is no
 * task, and the worker is idle then.  If the arguments cannot be deserialized
 * here, the error takes their place. */
JSValue weir__js_pool_take(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

#endif /* WEIR_JS_POOL_QUEUE_H */
