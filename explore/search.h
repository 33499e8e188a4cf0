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
 * Reduction Three prunings, all without loss:
 *           sleep sets: when thread A was tried at a state, and then B is, A
 *           need not be tried right after B unless their steps depend on each
 *           other: the run with A first has been seen (Godefroid 1996);
 *           known states: a state is the fingerprint of memory, views, static
 *           data, heap, and of each thread's registers and stack: all that the
 *           rest of the run depends on.  Coming to it again, only the threads
 *           that slept the first time and do not now are tried.  Fingerprints
 *           have 64 bits: of n states, two are confused with a probability
 *           below n*n / 2^65, one in 300,000 for ten million;
 *           late loads: see perform.h.
 *           With a preemption bound sleep sets and late loads are off, as they
 *           would lose runs; the fingerprint then includes the preemptions
 *           that are left.
 *
 * Sampling  Random walks, seeded; PCT: random priorities with d - 1 changes at
 *           random steps (Burckhardt et al. 2010).
 */
#ifndef WEIR_MODEL_SEARCH_H
#define WEIR_MODEL_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "execution.h"

struct search_options {
    uint64_t seed;
    const char *replay; /* picks to repeat; NULL: search */
    bool no_reduction;  /* every run, for checking the reduction */
    bool is_quiet;      /* no progress line */
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
    unsigned depth; /* of the longest run, in steps */
    double seconds;
    char outcomes[2000]; /* sorted, separated by blanks */
};

/* Once, before the image is taken. */
void search_prepare(void);

void search_run(const struct model_case *test,
                const struct search_options *options,
                struct search_result *result);
void search_result_free(struct search_result *result);

/* For the execution: which of `count` alternatives; which of the threads in
 * `enabled`, or -1 to give this run up. */
unsigned search_choose(unsigned count);
int search_schedule(uint8_t enabled);

/* Whether runs that are like others may be left out. */
bool search_is_reduced(void);

#endif /* WEIR_MODEL_SEARCH_H */
