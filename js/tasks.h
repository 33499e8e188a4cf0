/* SPDX-License-Identifier: MIT */
/*
 * tasks -- a pool of weir:pool, as its thread (js/tasks.c) and its workers
 * (js/seat.c) share it.
 */
#ifndef WEIR_JS_TASKS_H
#define WEIR_JS_TASKS_H

#include <pthread.h>

#include "message.h"
#include "weir/board.h"

/* A task's number, which is used again, and its serial, which is not; 0 is
 * none. */
struct weir__js_task_id {
    uint32_t number;
    uint64_t serial;
};

struct weir__js_task {
    weir_notice notice;
    struct weir__js_task_id id;
    struct weir__js_message *args; /* NULL: was taken out */
};

struct weir__js_slot {
    struct weir__js_mailbox *mailbox; /* const */
    bool is_taken;                    /* under the pool's lock */
    struct weir__js_task_id
        running; /* who sits there, then the pool's thread */
};

struct weir__js_pool {
    struct weir__js_link link;    /* under a lock of all pools */
    unsigned refs;                /* the same */
    uint32_t number;              /* const */
    uint32_t size;                /* const */
    weir_board *board;            /* const */
    struct weir__js_entry *table; /* these: the pool's thread */
    uint32_t room, used, free_number;
    uint64_t last_serial;
    pthread_mutex_t lock; /* of slots[].is_taken */
    struct weir__js_slot slots[];
};

/* With a reference; NULL: it is gone. */
struct weir__js_pool *weir__js_pool_find(uint32_t number);
void weir__js_pool_unref(struct weir__js_pool *pool);

/* One of its two holds is given up. */
void weir__js_task_release(struct weir__js_task *task);

/* ---- for workers: js/seat.c ---- */

/* sit(pool's number, worker, work) -> a seat, or undefined: the pool is gone, or
 * somebody sits there.  While there is the seat, the worker lives, and work is
 * called when it shall look; it may be called once too often. */
JSValue weir__js_pool_sit(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv);

/* take(seat) -> [task's number, serial, args], or undefined: nothing is there,
 * and the worker is idle.  Instead of arguments that cannot be put together here
 * there is the error. */
JSValue weir__js_pool_take(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv);

#endif /* WEIR_JS_TASKS_H */
