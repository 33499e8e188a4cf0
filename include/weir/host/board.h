/* SPDX-License-Identifier: MIT */
/*
 * weir/host/board.h -- tasks of one thread, shared by work stealing.
 *
 * One thread, the poster, puts notices (tasks) on a board (a shared queue).  A
 * number of takers, each on its own thread, take them: the highest priority
 * first, and the oldest first within a priority.
 *
 *     weir_board_add(board, &job->notice, 0);    the poster
 *     weir_board_cancel(board, &job->notice);    the poster
 *     notice = weir_board_take(board, i);        taker i, again and again;
 *                                                NULL: wait for wake(arg, i)
 *
 * A taker that has nothing to do moves its share from the board into its own
 * queue.  When the board is empty, it steals from the queue of another taker.
 * A taker that finds nothing anywhere is idle.  weir_board_add, and every other
 * call that moves notices, calls wake for idle takers.
 *
 * Order.  Each queue is first in, first out, so a single taker takes the
 * notices of one priority in the order in which they were added.  With several
 * takers, a notice in the share of a busy taker may be overtaken by those that
 * the others take until one of them steals it; none of the others becomes idle
 * before that.  A notice is taken only when none of a higher priority is found
 * on the board or in any share.  To prevent starvation, every 16th notice that
 * a taker takes is searched for from the lowest priority up.
 *
 * The board is the basis of weir:pool in JavaScript.  C programs should use
 * weir/pool.h, to which every thread may submit.
 */
#ifndef WEIR_HOST_BOARD_H
#define WEIR_HOST_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_BOARD_PRIORITY_LIMIT = 3, WEIR_BOARD_TAKER_LIMIT = 256 };

typedef struct weir_board weir_board;
typedef struct weir_notice weir_notice;

/* The struct is open so that it can be embedded; its members are private. */
struct weir_notice {
    weir_notice *next_; /* the poster's */
    int64_t added_ns_;  /* const while the notice is on the board */
    uint32_t priority_; /* const while the notice is on the board */
    struct {
        uint32_t v_;
    } word_; /* any thread, board/P2 */
};

/* Wake an idle taker, so that it calls weir_board_take again.  Called on the
 * thread of the poster or of a taker.  It must not block, and must not call the
 * board.  A wake-up may be late, when the taker has already resumed by itself
 * or has left; it may be ignored then. */
typedef void weir_board_wake_fn(void *arg, uint32_t taker);

/* Free a notice whose last reference the board has released.  Called on the
 * thread of the poster or of a taker. */
typedef void weir_board_drop_fn(void *arg, weir_notice *notice);

typedef struct weir_board_options {
    size_t size;         /* sizeof(weir_board_options) */
    uint32_t takers;     /* 1 to WEIR_BOARD_TAKER_LIMIT */
    uint32_t priorities; /* 1 to WEIR_BOARD_PRIORITY_LIMIT; 0 is the highest */
    weir_board_wake_fn *wake;
    weir_board_drop_fn *drop;
    void *arg;
} weir_board_options;

/* A snapshot of the counters; each is correct by itself. */
typedef struct weir_board_counts {
    size_t size; /* sizeof(weir_board_counts); set it before the call */
    uint64_t added, cancelled, taken;
    uint64_t queued;     /* waiting to be taken, without cancelled ones */
    uint64_t steals;     /* notices that moved from one taker to another */
    uint64_t waited_ns;  /* total time from add to take */
    uint64_t longest_ns; /* longest time from add to take */
} weir_board_counts;

/**
 * Create a board, on which one thread puts notices that several others take.
 *
 * Thread   any; the poster is the thread that calls weir_board_add
 * Owns     the caller frees *board with weir_board_free
 * Returns  0, -EINVAL (NULL, or an option is missing or too large), -E2BIG (an
 *          option that this library does not know), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_board_new(weir_board **board,
                                         const weir_board_options *options);

/**
 * Free a board.  The board releases its reference to each notice that is still
 * on it, and drops the notices that the poster does not reference either.
 *
 * Thread   any, when no other thread uses the board any more
 */
WEIR_API void weir_board_free(weir_board *board);

/**
 * Put a notice on a board.
 *
 * Thread   the poster
 * Owns     the board holds a reference to the notice until the notice is taken
 *          or found to be cancelled, and the poster holds another: each
 *          reference is released once
 * Returns  0, -EINVAL (unknown priority), -ENOMEM
 * Orders   everything before the call is seen by the taker of the notice
 */
WEIR_API WEIR_CHECKED int weir_board_add(weir_board *board, weir_notice *notice,
                                         uint32_t priority);

/**
 * Cancel a notice that has not been taken.  No taker will get it, and the
 * thread that finds it releases the board's reference.
 *
 * Thread   the poster, while it holds its reference
 * Returns  0, -ENOENT (the notice was taken, or cancelled before)
 */
WEIR_API WEIR_CHECKED int weir_board_cancel(weir_board *board,
                                            weir_notice *notice);

/**
 * Release a reference to a notice: the poster's own, or the board's, which
 * weir_board_take has passed to the taker.
 *
 * Thread   the poster, or the taker that has taken the notice
 * Returns  true if this was the last reference; the caller must then free the
 *          notice
 * Orders   the caller that gets true sees everything that the other one did
 *          before its release
 */
WEIR_API WEIR_CHECKED bool weir_notice_release(weir_notice *notice);

/**
 * Take the next notice from a board.  NULL means that there is none, and that
 * this taker is now idle: it will be woken, unless it calls again before that.
 *
 * Thread   the taker; one thread at a time for each number
 * Owns     the caller gets the board's reference to the notice and releases it
 * Returns  a notice, or NULL
 * Orders   sees what came before the notice was added
 */
WEIR_API weir_notice *weir_board_take(weir_board *board, uint32_t taker);

/**
 * Stop being a taker of a board.  The notices left in its share can be stolen
 * by the other takers, and taken by the next taker with this number.
 *
 * Thread   the taker, as its last call; the first call of the next taker with
 *          this number comes after it
 */
WEIR_API void weir_board_leave(weir_board *board, uint32_t taker);

/**
 * Read the counters of a board.
 *
 * Thread   any
 * Returns  0, -EINVAL (NULL, or counts has no valid size)
 */
WEIR_API WEIR_CHECKED int weir_board_count(const weir_board *board,
                                           weir_board_counts *counts);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_HOST_BOARD_H */
