/* SPDX-License-Identifier: MIT */
/*
 * execution -- one run of a case, step by step.
 *
 * Each thread of the case is a coroutine that stops before each operation and
 * says what it is about to do.  A step performs the operation of one thread
 * and lets that thread continue to its next one.  The search (search.h) decides
 * which thread that is, and which of the possible values a load returns.
 */
#ifndef WEIR_MODEL_EXECUTION_H
#define WEIR_MODEL_EXECUTION_H

#include "coroutine.h"
#include "model.h"
#include "weak.h"

enum { ACTORS = MODEL_THREADS + 1, SETUP = MODEL_THREADS, STEPS = 4000 };

enum op_kind {
    OP_LOAD,
    OP_STORE,
    OP_RMW,
    OP_CAS, /* the last one that is on a word in memory only */
    OP_LIGHT,
    OP_HEAVY,
    OP_FENCE,
    OP_SYNC,
    OP_WAIT,
    OP_WAKE,
    OP_ALLOC,
    OP_FREE,
    OP_EXPIRE, /* a sleep ends by its deadline, or for no reason */
    OP_LOCAL   /* go on from the last operation (may_delay) */
};

/* An operation on an object that threads synchronise by, such as a mutex.  It
 * blocks while can() is false; a timed one then happens as well, and finds the
 * same.  Without can() it never blocks.  act() says in op.read what the call
 * returns. */
struct actor;
struct op;
struct verb {
    const char *name;
    const char *blocked; /* what a thread that cannot do it does; NULL: name */
    const char *object;  /* what the trace calls its word; NULL: by its name */
    bool (*can)(const struct actor *actor);
    void (*act)(struct actor *actor);
    bool (*is_lost)(const struct actor *actor); /* blocked: a lost wake-up */
    bool is_spurious; /* may also happen for no reason, actor->spurious times */
};

struct op {
    enum op_kind kind : 8;
    enum model_rmw rmw : 8;
    int order : 8, failure : 8;
    bool is_weak, is_all, is_timed;
    const struct verb *verb; /* SYNC */
    const void *also;        /* SYNC: a second object, or NULL */
    const struct model_site *site;
    const void *word; /* atomic, futex, or what is freed */
    size_t size;
    uint64_t operand, expected;

    /* What came of it. */
    uint64_t read, wrote;
    bool is_done;  /* CAS: swapped; WAIT: slept; EXPIRE: by its deadline */
    uint16_t from; /* which step wrote what was read, from 1; 0: none did */
    bool is_stale; /* read a message that was not the newest */
    uint8_t woken; /* WAKE: which threads */
    void *pointer; /* ALLOC */
};

enum actor_status { READY, ASLEEP, DONE };

struct actor {
    const char *name;
    struct coroutine co;
    enum actor_status status;
    bool is_delayed; /* performed, but not gone on yet */
    struct op op;    /* what it is about to do, or sleeps in */
    struct view view;
    struct view light; /* as it was at the last light fence */
    struct fences fences;
    unsigned spurious; /* how many are left */
    unsigned messages; /* of op.word's location, when it came to op */
};

struct step {
    uint8_t actor;
    uint16_t clock[ACTORS]; /* of its view, after the step */
    struct op op;
};

struct execution {
    const struct model_case *test;
    unsigned threads;
    struct actor actor[ACTORS];
    struct actor *self; /* who runs; NULL: the scheduler */
    bool has_fences;    /* the program may have fences */
    bool is_over;       /* the program has ended, threads or not */
    struct weak weak;
    unsigned failing_allocs; /* how many are left */
    unsigned limit;          /* steps */

    /* What else belongs to the state, and is not in memory; or NULL. */
    uint64_t (*hash_more)(const struct weak_floor *floor, uint64_t seed);

    enum model_finding finding;
    char text[400]; /* of the finding */
    char outcome[80];

    unsigned steps;
    struct step trace[STEPS];
};

extern struct execution *execution; /* one; on the heap (image.h) */

/* How a run ended. */
enum ending { ENDED, PRUNED, FOUND };

void execution_prepare(void);
enum ending execution_run(const struct model_case *test, unsigned limit);

/* Begins one more thread, in a step of another one, which it knows all of. */
void execution_begin(const char *name, void (*run)(void),
                     const struct view *view);

/* Fingerprint of the state between two steps. */
uint64_t execution_hash(void);

/* What thread `index` does if it is scheduled now. */
struct op execution_pending(unsigned index);

/* Whether the order of two steps of different threads can matter. */
bool execution_depends(const struct op *a, const struct op *b);

/* Ends the run with a finding.  Does not return inside a model thread. */
__attribute__((format(printf, 2, 3))) void
execution_fail(enum model_finding finding, const char *format, ...);

#endif /* WEIR_MODEL_EXECUTION_H */
