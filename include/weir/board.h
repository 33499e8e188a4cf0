/* SPDX-License-Identifier: MIT */
/*
 * weir/board.h -- tasks of one thread, taken by others who steal from each
 * other.
 *
 * One thread, the poster, puts notices on a board.  A number of takers, each a
 * thread of its own, take them: the highest priority first, the oldest first.
 *
 *     the poster                                 taker i, again and again
 *     weir_board_add(board, &job->notice, 0);    notice = weir_board_take(board, i);
 *     weir_board_cancel(board, &job->notice);    NULL: wait for wake(arg, i)
 *
 * A taker that has nothing to do takes its share off the board into a queue of
 * its own; when the board is empty it steals from another's.  One that finds
 * nothing anywhere is idle: add, and whoever moves notices, calls wake for it.
 *
 * Order.  Each queue is first in, first out, so one taker takes the notices of
 * a priority in the order of their adds.  With several, a notice in the share
 * of a taker that is busy may be overtaken, by as many as the others take until
 * one of them steals it; none idles before it has.  A notice of a lower
 * priority is taken only when none of a higher one is found, on the board or in
 * anybody's share; but every 16th that a taker takes is looked for from the
 * lowest priority up, so none waits for ever.
 *
 * This is what weir:pool stands on in JavaScript.  For C there is weir/pool.h,
 * to which every thread may submit.
 */
#ifndef WEIR_BOARD_H
#define WEIR_BOARD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

enum { WEIR_BOARD_PRIORITIES = 3, WEIR_BOARD_TAKERS = 256 };

typedef struct weir_board weir_board;
typedef struct weir_notice weir_notice;

/* Open, so that it can be embedded; its members are private. */
struct weir_notice {
    weir_notice *next_; /* the poster's */
    int64_t added_ns_;  /* const while it is on the board */
    uint32_t priority_; /* the same */
    struct {
        uint32_t v_;
    } word_; /* any thread, board/P2 */
};

/* On the poster's thread or a taker's: this taker, who has found nothing, shall
 * look again.  It must not block, nor call the board.  It may come late, when
 * the taker has got up by itself, or left: then it may be ignored. */
typedef void weir_board_wake_fn(void *arg, uint32_t taker);

/* On any of these threads: nobody has the notice any more. */
typedef void weir_board_drop_fn(void *arg, weir_notice *notice);

typedef struct weir_board_options {
    size_t size;         /* sizeof(weir_board_options) */
    uint32_t takers;     /* 1 to WEIR_BOARD_TAKERS */
    uint32_t priorities; /* 1 to WEIR_BOARD_PRIORITIES; 0 is the highest */
    weir_board_wake_fn *wake;
    weir_board_drop_fn *drop;
    void *arg;
} weir_board_options;

/* Figures of one moment, each right by itself. */
typedef struct weir_board_counts {
    uint64_t added, cancelled, taken;
    uint64_t queued;     /* wait to be taken; none of them is cancelled */
    uint64_t steals;     /* notices that went from one taker to another */
    uint64_t waited_ns;  /* from add to take, in sum */
    uint64_t longest_ns; /* the longest of these */
} weir_board_counts;

/**
 * Make a board.
 *
 * Thread   any; the poster is whoever calls add
 * Owns     the caller frees *board with weir_board_free
 * Returns  0, -EINVAL (NULL, or an option that is missing or too large), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_board_new(weir_board **board,
                                         const weir_board_options *options);

/**
 * Free it.  What is still on it is released, and dropped unless the poster has
 * it too.
 *
 * Thread   any, when no other uses it any more
 */
WEIR_API void weir_board_free(weir_board *board);

/**
 * Put a notice on the board.
 *
 * Thread   the poster
 * Owns     the board has the notice until it is taken or met dead, and the
 *          poster has it: each of them releases it once
 * Returns  0, -EINVAL (there is no such priority), -ENOMEM
 * Orders   everything before the call is seen by whoever takes it
 */
WEIR_API WEIR_CHECKED int weir_board_add(weir_board *board, weir_notice *notice,
                                         uint32_t priority);

/**
 * Take a notice back that nobody has taken.  It is dead: nobody will take it,
 * and who meets it releases it for the board.
 *
 * Thread   the poster, who has not released it
 * Returns  0, -ENOENT (it was taken, or cancelled before)
 */
WEIR_API WEIR_CHECKED int weir_board_cancel(weir_board *board,
                                            weir_notice *notice);

/**
 * Give up one of the two holds on a notice.
 *
 * Thread   the poster; who has taken it
 * Returns  whether that was the last: then the caller frees it
 * Orders   what both did before is seen by the one who frees
 */
WEIR_API WEIR_CHECKED bool weir_notice_release(weir_notice *notice);

/**
 * Take the next notice.  NULL means that there is none, and that this taker is
 * idle: it will be woken, unless it calls again before.
 *
 * Thread   the taker; one at a time for each number
 * Owns     the caller has the board's hold, and releases it
 * Returns  a notice, or NULL
 * Orders   sees what came before its add
 */
WEIR_API weir_notice *weir_board_take(weir_board *board, uint32_t taker);

/**
 * End as a taker.  What it has not taken of its share is there for the others
 * to steal, and for the next one with this number.
 *
 * Thread   the taker, as its last call; the next one's first comes after it
 */
WEIR_API void weir_board_leave(weir_board *board, uint32_t taker);

/**
 * What has happened so far.
 *
 * Thread   any
 */
WEIR_API void weir_board_count(const weir_board *board,
                               weir_board_counts *counts);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_BOARD_H */
