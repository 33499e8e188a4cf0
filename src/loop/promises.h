/* SPDX-License-Identifier: MIT */
/*
 * promises -- the state that a loop keeps for its promises.
 *
 * The loop calls the layer above through the hooks, which the first promise
 * installs.  A loop without promises has none and pays one comparison at a
 * checkpoint.
 *
 * Everything belongs to the loop's thread, except the table of ids, which any
 * thread may use under `lock`.  Once the loop is TERMINATED it has no thread;
 * then the state belongs to the thread that holds the loop's own lock.
 */
#ifndef WEIR_SRC_PROMISES_H
#define WEIR_SRC_PROMISES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/lock.h"
#include "base/recycler.h"

struct weir_loop;
struct weir_promise;
struct weir__promise_ids;

struct weir__promise_hooks {
    /* The queues of a checkpoint are empty, and wants_checkpoint is set. */
    void (*checkpoint)(struct weir_loop *loop);
    /* This turn's tasks have run, and `late` is not empty. */
    void (*after_tasks)(struct weir_loop *loop);
    /* weir_raise has left the handler of `current`. */
    void (*raised)(struct weir_loop *loop);
    /* The loop terminates: make one more pass over unsettled promises. */
    void (*reject)(struct weir_loop *loop);
    /* A shutdown waits for jobs: list them in `shown`. */
    void (*show_jobs)(struct weir_loop *loop);
    /* Called with true right before TERMINATED, and with false if that was
     * refused. */
    void (*end)(struct weir_loop *loop, bool is_over);
    /* The loop's memory is being freed. */
    void (*destroy)(struct weir_loop *loop);
};

/* A queue linked through `next`. */
struct weir__promise_list {
    struct weir_promise *first;
    struct weir_promise *last; /* valid if first is not NULL */
};

struct weir__promise_block;
struct weir__promise_single;

/* A request of promisify, in a ring of the loop's thread. */
struct weir__request {
    struct weir__request *prev, *next;
    const char *name;
    int64_t since_ns; /* real clock; 0: not known */
};

/* What other threads see of a job, for a report. */
struct weir__shown {
    atomic(const char *) name;
    atomic(int64_t) since_ns;
};

enum { WEIR__JOBS_SHOWN = 16 };

struct weir__promises {
    /* First, beside the loop's queues: read after each callback. */
    bool wants_checkpoint; /* noted or stranded is not empty */
    const struct weir__promise_hooks *hooks; /* NULL: never had a promise */
    struct weir__promise_block *blocks;      /* a ring; those with room first */
    struct weir_promise *spare;              /* a few free ones at hand */
    struct weir__promise_single *singles;    /* made by other threads */
    struct weir_promise *current;            /* its handler is running */
    struct weir_promise *telling;            /* on_rejection runs for it */
    struct weir__promise_list noted;         /* rejections to report ... */
    struct weir__promise_list late;          /* ... after this turn's tasks */
    struct weir__promise_list stranded;      /* no room in the microtasks */
    int64_t live;                            /* promises with memory in use */
    int64_t unsettled;
    /* Requests of promisify whose jobs are outstanding: they hold the loop, and
     * a shutdown waits for them.  Any thread may read their number. */
    atomic(uint64_t) outstanding;
    struct weir__request requests; /* the ring's head; oldest first */
    struct weir__recycler_cache request_cache;
    struct weir__shown shown[WEIR__JOBS_SHOWN]; /* some, by show_jobs ... */
    atomic(uint32_t) shown_count;               /* ... this many */
    uint32_t empty_blocks;
    uint32_t spares;   /* in `spare` */
    bool is_over;      /* TERMINATED, or about to be */
    bool is_visiting;  /* weir__promise_each: blocks keep their places */
    uint64_t stuck_at; /* 1 + loop->run when `reject` settled nothing */

    struct weir__lock lock; /* guards the two members below */
    struct weir__promise_ids *ids;
    uint64_t last_id;
};

#endif /* WEIR_SRC_PROMISES_H */
