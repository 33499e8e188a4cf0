/* SPDX-License-Identifier: MIT */
/*
 * watched -- the loops that the watchdog looks at.
 *
 *     weir__watched_enter(&loop->watched, &loop->running, ...)    new
 *     outer = weir__watched_begin(&loop->watched);                 run
 *     weir__watched_prepare_sleep(&loop->watched);
 *     weir__watched_end(outer);
 *     weir__watched_leave(&loop->watched);                         free
 */
#ifndef WEIR_SRC_WATCHED_H
#define WEIR_SRC_WATCHED_H

#include "base/lock.h"
#include "watchdog/capture.h"
#include "watchdog/judge.h"
#include "watchdog/pulse.h"
#include "weir/host/live.h"

/* Set by the watcher in a loop's hints: the loop must tell when the callback
 * ends (weir__watched_ended), and clear it. */
enum { WEIR__HINT_BLOCKED = 2 };

typedef atomic(uint32_t) weir__hints;

struct weir__block; /* block.h */

struct weir__watched {
    struct weir__pulse *pulse; /* const */
    weir__hints *hints;        /* const; any thread */
    const char *name;          /* const; may be NULL */
    uint32_t process;          /* const: weir__fork_generation */
    /* The loop's thread, and its signal handler. */
    weir_script_fn *volatile script;
    void *volatile script_arg;
    /* The rest: under the lock of all. */
    struct weir__watched *next, **link;
    int64_t limit_ns; /* 0: none */
    weir_limit_fn *limit;
    void *limit_arg;
    bool has_exceeded; /* the limit, in this block */
    struct weir__judge judge;
    int64_t before_ns;         /* the real time of the look before a callback
                                   was first seen */
    uint64_t before_beat;      /* that callback */
    uint64_t turn;             /* the last one that was seen */
    int64_t turn_ns;           /* the real time at which it began, or of the
                                   look before it was first seen */
    struct weir__block *block; /* NULL: none */
};

/* All of them, under the lock. */
struct weir__watched_list {
    struct weir__lock lock;
    struct weir__watched *first;
    struct weir__block *left; /* of loops that are gone, to be told */
};

/* ---- loops ---- */

/* Add a loop, which has no thread yet.  Returns 0, -ENOMEM.  Thread: any, as for
 * leave. */
int weir__watched_enter(struct weir__watched *watched,
                        struct weir__pulse *pulse, weir__hints *hints,
                        const char *name);
void weir__watched_leave(struct weir__watched *watched);

/* The calling thread runs the loop from now on, and stops running it, after the
 * loop has gone to sleep.  begin returns what end needs: the loop around this
 * one. */
struct weir__watched *weir__watched_begin(struct weir__watched *watched);
void weir__watched_end(struct weir__watched *outer);

/* Tell that the callback which WEIR__HINT_BLOCKED was for has ended. */
void weir__watched_ended(struct weir__watched *watched);

/* Answer a question of the watcher at a point where the script is exact. */
void weir__watched_answer(struct weir__watched *watched);

/* Wake the watcher. */
void weir__watched_wake(void);

/* Show that the loop goes to sleep, and that it wakes up.  Thread: the loop's. */
static inline void weir__watched_prepare_sleep(struct weir__watched *watched)
{
    weir__pulse_prepare_sleep(watched->pulse);
}

static inline void weir__watched_finish_sleep(struct weir__watched *watched)
{
    if (weir__pulse_finish_sleep(watched->pulse))
        weir__watched_wake();
}

/* ---- the watcher ---- */

/* The lock holds while the watcher looks. */
struct weir__watched_list *weir__watched_all(void);

/* End the block of a loop, and return it; NULL if there is none.  now_ns is the
 * real time, for a loop that did not say when it ended.  Under the lock. */
struct weir__block *weir__watched_take_block(struct weir__watched *watched,
                                             int64_t now_ns);

/* Take both stacks of the thread that runs the loop; NULL if it did not
 * answer.  Thread: the watcher. */
const struct weir__capture *
weir__watched_capture(const struct weir__watched *watched);

/* Sleep until a loop wakes the watcher, or so long.  A negative time means no
 * limit. */
void weir__watched_sleep(int64_t timeout_ns);

/* Let the threads that run loops from now on be interrupted.  Thread: any. */
void weir__watched_let_in(void);

/* Prepare the stacks in C, which takes a third of a millisecond.  Repeated calls
 * have no effect. */
void weir__watched_prepare(void);

#endif /* WEIR_SRC_WATCHED_H */
