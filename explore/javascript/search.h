/* SPDX-License-Identifier: MIT */
/*
 * search -- which schedules of a JavaScript program are run.
 *
 * Shape     The process that searches has a host that has not begun the program.
 *           Executions run in forks of it, so that each begins in the same state,
 *           or in one that another execution was in (checkpoint.h).
 *           An execution is a sequence of picks: at each node (exchange.h) a
 *           thread, or a number.
 *
 * Sampling  PCT and random walks in turn, each with the next seed.
 *
 * Exhaustive  Depth first: the picks before the last open node are repeated, and
 *           its next alternative is taken.  Sleep sets (Godefroid 1996) leave
 *           out executions that differ from others only in the order of
 *           independent steps: steps on different elements of shared memory, or
 *           that only read.  All other steps depend on each other.  With a
 *           preemption bound, sleep sets are off, as they would lose executions.
 *           Choosing a timer while others can run counts as a preemption.
 *
 * Shrinking The failing schedule is a list of stretches, each a number of steps
 *           of one thread.  A stretch is joined with the one before it or after
 *           it of the same thread.  If the program still fails, with fewer
 *           switches, that is the new schedule.  Shrinking ends when no stretch
 *           can be joined, or after a thousand executions.
 */
#ifndef WEIR_EXPLORE_JAVASCRIPT_SEARCH_H
#define WEIR_EXPLORE_JAVASCRIPT_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "checkpoint.h"
#include "exchange.h"

struct search_options {
    bool is_exhaustive;
    int preemptions; /* -1: any number */
    bool no_reduction;
    double seconds;      /* after which to stop; 0: never */
    uint64_t executions; /* ... or after so many; 0: any number */
    uint64_t seed;
    unsigned steps; /* nodes that are too many */
    bool is_quiet;
};

struct search_result {
    enum finding finding;
    uint8_t *picks; /* of the failing execution */
    unsigned count;
    uint64_t digest;   /* of the same */
    unsigned switches; /* in it, from thread to thread */
    unsigned operations;
    bool is_shrunk; /* none of its switches can be left out */
    uint64_t executions, pruned, too_long;
    unsigned threads, depth; /* at most */
    bool is_complete;
    double seconds;
    char **reached; /* the names of reachable(), sorted */
    unsigned reached_count;
};

/* Runs the program once, as the exchange says (checkpoint.h).  The output goes
 * to the descriptor; -1: nowhere. */
typedef void search_run_fn(enum checkpoints checkpoints, bool is_last,
                           int output);

void search_begin(struct exchange *exchange, search_run_fn *run);
void search_all(const struct search_options *options,
                struct search_result *result);

/* Ends search_all() after the current execution.  From a signal handler. */
void search_stop(void);

/* Runs the picks once, with descriptions. */
void search_replay(const uint8_t *picks, unsigned count, unsigned steps,
                   int output);

#endif /* WEIR_EXPLORE_JAVASCRIPT_SEARCH_H */
