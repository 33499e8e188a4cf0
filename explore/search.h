/* SPDX-License-Identifier: MIT */
/*
 * search -- which run comes next.
 *
 * Shape     A run is a sequence of picks: at each step a thread, and within a
 *           step a value where there are several.  Exhaustive search goes
 *           through all of them depth first, by running the case again and
 *           again: the picks before the last open one are repeated, then the
 *           next alternative is taken.
 *
 * Reduction Three prunings, none of which loses a behaviour:
 *           sleep sets: if thread A was tried at a state, and then B is, A need
 *           not be tried right after B unless their steps depend on each other,
 *           because the run with A first was explored (Godefroid 1996);
 *           known states: a state is the fingerprint of memory, views, static
 *           data, heap, and of each thread's registers and stack: everything
 *           that the rest of the run depends on.  When it is reached again,
 *           only the threads that were in the sleep set the first time, and are
 *           not now, are tried.  Fingerprints have 64 bits: of n states, two
 *           are confused with a probability below n*n / 2^65, one in 300,000
 *           for ten million;
 *           late loads: see perform.h.
 *           With a preemption bound, sleep sets and late loads are off, because
 *           they would lose runs; the fingerprint then includes the preemptions
 *           that are left.
 * Spinning  A thread that spins reaches a known state, and the run is abandoned
 *           there, or where all threads are in the sleep set.  Then no run
 *           might show that it spins forever.  So a run that is abandoned in a
 *           cycle continues for a while, with the threads in turn, until it
 *           ends or all threads repeat a cycle.  Once there was a cycle, so does
 *           a run in which all threads are in the sleep set.  This happens at
 *           most once in each state.
 *
 * Sampling  Random walks, seeded; PCT: random priorities with d - 1 changes at
 *           random steps (Burckhardt et al. 2010).
 */
#ifndef WEIR_MODEL_SEARCH_H
#define WEIR_MODEL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "execution.h"

struct search_options {
    uint64_t seed;
    const char *replay;        /* picks to repeat; NULL: search */
    bool no_reduction;         /* every run, for checking the reduction */
    bool is_quiet;             /* no progress line */
    FILE *progress;            /* where its line goes; NULL: stderr */
    double seconds;            /* after which to stop; 0: never */
    const volatile bool *stop; /* ... or as soon as this is true; or NULL */
    unsigned limit;  /* look for runs of so few steps only; 0: for all */
    bool is_lenient; /* a random run that is too long is given up, and a
                            thread that spins lets the others go on */
};

struct search_result {
    enum model_finding finding;
    char text[400];
    char *replay;        /* malloc'd; NULL without a finding */
    unsigned steps;      /* of the failing run */
    struct step *trace;  /* malloc'd */
    uint64_t executions; /* runs that ended */
    uint64_t pruned;     /* runs that were given up as known */
    uint64_t states;
    unsigned threads;  /* of the execution with the most of them */
    uint64_t too_long; /* random runs that were given up (is_lenient) */
    bool is_complete;  /* nothing is left to be tried */
    unsigned depth;    /* of the longest run, in steps */
    double seconds;
    char outcomes[2000]; /* sorted, separated by blanks */
};

/* Once, before the image is taken. */
void search_prepare(void);

void search_run(const struct model_case *test,
                const struct search_options *options,
                struct search_result *result);
void search_result_free(struct search_result *result);

#endif /* WEIR_MODEL_SEARCH_H */
