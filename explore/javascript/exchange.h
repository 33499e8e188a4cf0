/* SPDX-License-Identifier: MIT */
/*
 * exchange -- the memory through which the search and an execution talk.
 *
 * Each execution is a forked process.  The search (search.h) writes its orders
 * into memory that both share, and reads there how the execution went.
 */
#ifndef WEIR_EXPLORE_EXCHANGE_H
#define WEIR_EXPLORE_EXCHANGE_H

#include <stdbool.h>
#include <stdint.h>

enum { THREADS = 32, NODES = 20000, LINES = 4000, CELL = 160 };

enum policy {
    POLICY_FIRST,  /* go on with the thread that runs, else the first one */
    POLICY_RANDOM, /* any */
    POLICY_PCT,    /* the one with the highest of random priorities */
    POLICY_STRETCH /* as the stretches say, then as POLICY_FIRST */
};

enum finding {
    FOUND_NOTHING,
    FOUND_FAILURE, /* the program exits with a status that is not 0 */
    FOUND_DEADLOCK,
    FOUND_LOST_WAKE,
    FOUND_RACE,
    FOUND_LIVELOCK,
    FOUND_HANG,  /* JavaScript that runs on without an operation */
    FOUND_CRASH, /* of the host, by a signal */
    REFUSED,     /* the program uses what cannot be controlled */
    DIFFERENT    /* a pick cannot be made that was made before */
};

/* What a step touches.  Steps on different words can change places, and so can
 * two that only read. */
struct footprint {
    uint32_t block; /* 0: more than a word, so the order always matters */
    uint32_t offset;
    bool writes;
};

/* A place where the execution could go on in several ways. */
struct node {
    uint32_t enabled; /* threads; or how many numbers, of choose() */
    uint32_t late;    /* those of them that only their timers wake */
    uint32_t asleep;  /* sleep set */
    bool is_number;
    uint8_t before; /* which thread ran */
    uint8_t pick;
    struct footprint print; /* of the step that the thread then made */
};

/* So many steps of one thread, one after the other. */
struct stretch {
    uint8_t thread;
    uint16_t steps;
};

/* A step as people read it. */
struct line {
    uint8_t thread;
    uint16_t from; /* the step that wrote what it reads, or 0 */
    char what[CELL], where[CELL];
};

struct exchange {
    /* The search's orders. */
    enum policy policy;
    uint64_t seed;
    unsigned pct_depth, pct_length;
    bool is_described;
    unsigned limit;      /* nodes that are too many */
    unsigned prescribed; /* picks that must be made, at the first nodes */
    uint8_t picks[NODES];
    struct footprint asleep[THREADS]; /* sleep set at the last of them */
    uint32_t asleep_set;

    struct stretch stretch[NODES];
    unsigned stretches;

    /* How the execution went. */
    enum finding finding;
    int status;
    bool is_ended, is_pruned;
    char text[4 * CELL];
    unsigned nodes;
    struct node node[NODES];
    unsigned operations;  /* also where there was no choice */
    uint8_t order[NODES]; /* which thread made each of them */
    uint64_t digest;      /* of all operations, their elements and values */
    unsigned threads;
    char name[THREADS][24];
    unsigned lines;
    struct line line[LINES];
    unsigned blocked_count;
    char blocked[THREADS][3 * CELL];
    char reached[1000]; /* names, separated by newlines */
    char sources[2000]; /* what was read that may differ from run to run */
};

#endif /* WEIR_EXPLORE_EXCHANGE_H */
