/* SPDX-License-Identifier: MIT */
/*
 * weir/live.h -- find out what blocks a loop, and where.
 *
 * A watchdog looks at every loop of the process from its own thread.  When a
 * callback has run for too long, it says which one, while it still runs: its
 * kind and name, what it works on, the stacks of its thread, and whether the
 * thread computes or waits in a system call.
 *
 *     static void on_block(void *arg, const weir_block *block)
 *     {
 *         char text[8192];
 *
 *         weir_block_text(block, text, sizeof(text));
 *         fputs(text, stderr);
 *     }
 *
 *     weir_live_options options = {.size = sizeof(options),
 *                                  .blocked_after_ns = 200000000,
 *                                  .on_block = on_block};
 *     weir_live_start(&options);
 *     ...
 *     weir_live_stop();
 *
 * A block is announced when it reaches the limit, again after 2, 4, 8, ...
 * times the limit, and when it has ended.  There are three causes:
 *
 *     hang         one callback runs for too long
 *     congestion   a turn takes too long, though each callback is short, so
 *                  that everything that arrives waits
 *     memory       one callback runs for too long, because the memory of its
 *                  language is being collected
 *
 * While all loops sleep, so does the watchdog.  Time during which the process
 * did not run at all (SIGSTOP, a suspended machine) does not count.
 *
 * Names of callbacks are stored by address.  While the watchdog runs, they must
 * not be freed.
 */
#ifndef WEIR_LIVE_H
#define WEIR_LIVE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"
#include "weir/task.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_block_cause {
    WEIR_BLOCK_HANG = 0,
    WEIR_BLOCK_CONGESTION,
    WEIR_BLOCK_MEMORY,
} weir_block_cause;

typedef enum weir_block_stage {
    WEIR_BLOCK_BEGAN = 0, /* it has reached the limit */
    WEIR_BLOCK_LASTS,     /* it has lasted 2, 4, 8, ... times as long */
    WEIR_BLOCK_ENDED,     /* or the watchdog stops; duration_ns is final */
} weir_block_stage;

/* What blocks a loop, as it was found when the block began.  Valid during the
 * callback; no text is NULL.  Later versions may append members. */
typedef struct weir_block {
    uint64_t id; /* the same for all stages of a block, and for no other one of
                    this process */
    weir_block_stage stage;
    weir_block_cause cause;
    const char *loop;    /* its name, or "loop" */
    uint64_t thread;     /* the kernel's ID of its thread */
    weir_kind kind;      /* of the callback; of congestion: of the last one */
    const char *name;    /* of the callback, or "" */
    const char *subject; /* what it works on: weir_live_set_subject, or "" */
    int64_t duration_ns; /* so far */
    uint64_t callbacks;  /* that have run: 1, or more if it is congestion */
    const char *state;   /* of its thread: "running", "asleep in read" */
    const char *script;  /* the stack of a scripting language, a line for each
                             frame: "    at f (a.js:1:2)\n", or "" */
    const char *native;  /* the C stack, "    f (a.c:12)\n", or "" */
} weir_block;

typedef void weir_block_fn(void *arg, const weir_block *block);

/* Every member except size may be left 0. */
typedef struct weir_live_options {
    size_t size;                /* sizeof(weir_live_options) */
    int64_t blocked_after_ns;   /* limit of a callback; 0: 1 s */
    int64_t congested_after_ns; /* limit of a turn; 0: twice the other limit */
    /* Called on the watchdog's thread.  It may take its time, but while it
     * does, nobody looks.  NULL: print on stderr. */
    weir_block_fn *on_block;
    void *arg;
} weir_live_options;

/**
 * Start the watchdog of this process, which reports what blocks a loop.  It has
 * its own thread, and uses a real-time signal (SIGRTMAX - 1) for the stacks in
 * C; if the program uses that signal, there are no such stacks.
 *
 * Thread   any
 * Returns  0, -EINVAL (a negative limit, or no valid size), -E2BIG (an option
 *          that this library does not know), -EALREADY (it runs), -EAGAIN (no
 *          thread), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_live_start(const weir_live_options *options);

/**
 * Stop the watchdog and wait for its thread, which reports the end of each block
 * whose beginning it has reported: one that still lasts ends with its duration so
 * far.  Then on_block is not called any more.  The watchdog can be started
 * again.  Without effect if it does not run.
 *
 * Thread   any, but not in on_block; one at a time
 */
WEIR_API void weir_live_stop(void);

/**
 * Say what the running callback of the calling thread's loop works on, such as
 * "GET /news".  The text is copied; at most 128 bytes are kept.  An empty text
 * means nothing in particular.  It holds until the next call: clear it before
 * the callback returns.
 *
 * Thread   loop; elsewhere it has no effect
 */
WEIR_API void weir_live_set_subject(const char *text, size_t size);

/* What a loop is doing now.  Valid during the callback; no text is NULL.  Later
 * versions may append members. */
typedef struct weir_live_loop {
    const weir_loop *loop; /* for weir_loop_metrics, weir_loop_report and other
                               functions that any thread may call */
    const char *name;      /* its name, or "loop" */
    uint64_t thread;       /* the kernel's ID of the last thread that ran it; 0:
                               none has */
    bool is_asleep;        /* it waits for work, or no thread runs it */
    bool is_calling;       /* a callback is running */
    weir_kind kind;        /* of that callback */
    const char *callback;  /* its name, or "" */
    const char *subject;   /* what it works on: weir_live_set_subject, or "" */
    uint64_t callbacks;    /* begun so far: if two looks find the same number,
                               the callback is still the same one */
    uint64_t turns;        /* begun so far */
    uint64_t memory_bytes; /* that its language uses, such as the JavaScript of
                              its host, about; 0: it has none */
} weir_live_loop;

typedef void weir_live_loop_fn(void *arg, const weir_live_loop *loop);

/**
 * Call fn for each loop of the process, the newest first.  No loop is freed
 * meanwhile, and none is stopped: a loop that wants to be created or freed
 * waits until the call returns, one that runs does not.  So fn must not wait,
 * nor create or free loops.  It works whether or not the watchdog runs; with a
 * watchdog it may have to wait while the watchdog takes the stacks of a thread,
 * which takes up to 0.15 s.
 *
 * Thread   any; fn is called on it
 * Returns  0, -EINVAL (fn is NULL)
 */
WEIR_API WEIR_CHECKED int weir_live_each(weir_live_loop_fn *fn, void *arg);

/**
 * Return the name of a cause: "hang", "congestion" or "memory".
 *
 * Thread   any
 */
WEIR_API const char *weir_block_cause_name(weir_block_cause cause);

/**
 * Describe a block of a loop: in one line while it lasts, with its stacks when
 * it has ended.  The text ends with a newline and a NUL, and is cut to fit.
 *
 * Thread   any
 * Returns  the length of the whole text
 */
WEIR_API size_t weir_block_text(const weir_block *block, char *text,
                                size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_LIVE_H */
