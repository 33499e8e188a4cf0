/* SPDX-License-Identifier: MIT */
/*
 * exchange -- the memory through which the search and an execution talk.
 *
 * Each execution runs in a forked process.  The search (search.h) writes its orders
 * into memory that all share, and reads there how the execution went.  A process
 * that waits in the middle of an execution (checkpoint.h) keeps a copy of how it
 * went so far.
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
    uint8_t first;  /* the pick of POLICY_FIRST, if none is asleep */
    uint8_t pick;
    struct footprint print; /* of the step that the thread then made */
};

enum { CHANGES = 16 };

/* What the policy has come to, at the last node.  It is shared, as picks are made
 * by the search (along known nodes) and by the execution. */
struct policy_state {
    uint64_t random;
    uint64_t priority[THREADS];  /* PCT */
    unsigned change_at[CHANGES]; /* nodes where a priority changes */
    unsigned in_turn, demoted;   /* picks of one thread in a row; that span */
    unsigned stretch, steps;     /* how far POLICY_STRETCH is */
    unsigned operations;         /* before the last node */
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

    struct policy_state state;
    int most;          /* preemptions; -1: any number */
    bool makes_first;  /* a checkpoint at the first node that is not known */
    bool makes_all;    /* ... at each free one */
    unsigned makes_at; /* ... at this one, from 1; 0: none */
    uint8_t pick;      /* at the checkpoint where the execution goes on */
    int process;       /* of the execution */

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
