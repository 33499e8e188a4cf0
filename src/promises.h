/* SPDX-License-Identifier: MIT */
/*
 * promises -- what a loop keeps for its promises.
 *
 * The loop calls up through the hooks, which the first promise hands down; a
 * loop without promises has none and pays one compare at a checkpoint.
 *
 * All of it is the loop's thread's, but for the registry, which is any
 * thread's under `lock`.  Once the loop is TERMINATED there is no such thread:
 * then it belongs to whoever holds the loop's own lock.
 */
#ifndef WEIR_SRC_PROMISES_H
#define WEIR_SRC_PROMISES_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "lock.h"

struct weir_loop;
struct weir_promise;
struct weir__registry;

struct weir__promise_hooks {
    /* The queues of a checkpoint are empty, and wants_checkpoint. */
    void (*checkpoint)(struct weir_loop *loop);
    /* This turn's tasks have run, and `late` is not empty. */
    void (*after_tasks)(struct weir_loop *loop);
    /* weir_raise has left the handler of `current`. */
    void (*raised)(struct weir_loop *loop);
    /* The loop is winding: one more pass over what is not settled. */
    void (*wind)(struct weir_loop *loop);
    /* A shutdown waits for jobs: `shown` says for which. */
    void (*show_jobs)(struct weir_loop *loop);
    /* Right before TERMINATED; and back, if that was refused. */
    void (*end)(struct weir_loop *loop, bool is_over);
    /* The loop's memory goes. */
    void (*destroy)(struct weir_loop *loop);
};

/* A queue through `next`. */
struct weir__promise_list {
    struct weir_promise *first;
    struct weir_promise *last; /* if first is not NULL */
};

struct weir__promise_block;
struct weir__promise_single;
struct weir__book;

/* A job that promisify has out, in a list of the loop's thread. */
struct weir__out {
    struct weir__out *prev, *next;
    const char *name;
    int64_t since_ns; /* of the real clock; 0: not known */
};

/* What others see of one, for a report. */
struct weir__shown {
    atomic(const char *) name;
    atomic(int64_t) since_ns;
};

enum { WEIR__JOBS_SHOWN = 16 };

struct weir__promises {
    /* First, beside the loop's queues: looked at after each callback. */
    bool wants_checkpoint; /* noted or stranded are not empty */
    bool may_wind;         /* the timers are cancelled */
    const struct weir__promise_hooks *hooks; /* NULL: never had a promise */
    struct weir__promise_block *blocks;      /* a ring; those with room first */
    struct weir_promise *spare;              /* free ones at hand, few */
    struct weir__promise_single *singles;    /* made by other threads */
    struct weir_promise *current;            /* its handler runs */
    struct weir_promise *telling;            /* on_rejection is told of it */
    struct weir__promise_list noted;         /* rejections, to be told ... */
    struct weir__promise_list late;          /* ... after this turn's tasks */
    struct weir__promise_list stranded;      /* no room in the microtasks */
    int64_t live;                            /* promises whose memory is out */
    int64_t unsettled;
    /* Jobs of promisify that are under way: they hold the loop, and a shutdown
     * waits for them.  Others may look, for a report. */
    atomic(uint64_t) errands;
    struct weir__out *out;          /* those of them that are no slips */
    struct weir__book *book;        /* that slips are taken from */
    struct weir__book *oldest_book; /* of those with slips that are out ... */
    struct weir__book *newest_book; /* ... through `next` */
    struct weir__book *spare_books; /* all of whose slips are back */
    struct weir__shown shown[WEIR__JOBS_SHOWN]; /* some, by show_jobs ... */
    atomic(uint32_t) shown_count;               /* ... so many */
    uint32_t spare_count;
    uint32_t empty_blocks;
    uint32_t spares;   /* in `spare` */
    bool is_closed;    /* no new promises: `wind` has begun */
    bool is_over;      /* TERMINATED, or about to be */
    bool is_visiting;  /* weir__promise_each: blocks keep their places */
    uint64_t stuck_at; /* 1 + loop->run when `wind` could settle nothing */

    struct weir__lock lock; /* the two below are any thread's under it */
    struct weir__registry *registry;
    uint64_t last_id;
};

#endif /* WEIR_SRC_PROMISES_H */
