/* SPDX-License-Identifier: MIT */
/*
 * model -- what a model test is made of.
 *
 * A case is a few threads and what must hold.  The explorer runs them under
 * every interleaving, and lets each load return every value that C11 allows.
 *
 *     static atomic(int) flag;
 *     static int data;
 *
 *     static void writer(void)
 *     {
 *         plain_store(&data, 1);
 *         store_release(&flag, 1);
 *     }
 *     static void reader(void)
 *     {
 *         if (load_acquire(&flag))
 *             model_assert(plain_load(&data) == 1);
 *     }
 *     static const struct model_case cases[] = {
 *         {"message_passing_hands_over_the_data",
 *          .threads = {T(writer), T(reader)}},
 *     };
 *     MODEL_CASES(cases)
 *
 * Each execution begins with the static data that the program starts with:
 * there is nothing to reset.  Plain data that threads share is accessed with
 * plain_load and plain_store, so that races on it are found.  A test must be
 * deterministic except for what the explorer chooses.
 */
#ifndef WEIR_MODEL_MODEL_H
#define WEIR_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/atomic.h"

enum { MODEL_THREADS = 7 };

enum model_finding {
    MODEL_NOTHING,
    MODEL_ASSERTION,      /* model_assert, or a CHECK of the library */
    MODEL_DEADLOCK,       /* every remaining thread sleeps */
    MODEL_LOST_WAKE,      /* the same, with work left or the word changed */
    MODEL_LIVELOCK,       /* a circle with no way out, or too many steps */
    MODEL_RACE,           /* on memory accessed with plain_load, plain_store */
    MODEL_USE_AFTER_FREE, /* of the explorer's allocator */
    MODEL_LEAK,           /* the same; what static data points to is not */
    MODEL_CRASH           /* a signal */
};

struct model_thread {
    const char *name;
    void (*run)(void);
};
#define T(function)                                                            \
    {                                                                          \
#function, function                                                    \
    }

struct model_case {
    const char *name;
    void (*setup)(void); /* before the threads, alone */
    struct model_thread threads[MODEL_THREADS];
    void (*finish)(void); /* after the threads, alone */

    /* What must come out: this finding.  Or, for a case that records outcomes
     * with model_outcome(), exactly this set of them, separated by blanks. */
    enum model_finding expect;
    const char *outcomes;

    bool (*work_left)(void);   /* makes a deadlock a lost wake-up */
    unsigned preemption_bound; /* 0: none, all interleavings */
    unsigned random_runs;      /* instead of a search: this many, seeded */
    unsigned pct_depth;        /* with random_runs: PCT of this depth */
    unsigned brief_bound;      /* instead of preemption_bound, and ... */
    unsigned brief_runs;       /* instead of a search, PCT of depth 3, if
                                  WEIR_BRIEF is in the environment, as in
                                  `make test` */
    unsigned spurious;         /* for each thread: wake-ups and failures of a
                                  weak CAS for no reason */
    unsigned failing_allocs;   /* how many allocations may fail */
    bool may_delay;            /* a thread may stop between an operation and
                                  the plain code after it; finds plain accesses
                                  to freed memory, and costs time */
    bool is_long;              /* minutes: only with --long, or by name */
    bool shortest;             /* look for the shortest failing run */
    unsigned steps;            /* how many are too many; 0 means 400 */
};

/* Fails the run, with file and line. */
#define model_assert(condition)                                                \
    ((condition) ? (void)0                                                     \
                 : model_assertion_failed(__FILE__, __LINE__, #condition))
_Noreturn void model_assertion_failed(const char *file, int line,
                                      const char *text);

/* The number of the calling thread: its index in the case. */
unsigned model_self(void);

/* Records an outcome of the execution, for `outcomes`.  In finish(). */
__attribute__((format(printf, 1, 2))) void model_outcome(const char *format,
                                                         ...);

/* How the trace shows a word: its name, and its value as text. */
typedef void model_format_fn(char *text, size_t size, uint64_t value);
void model_show(const void *word, const char *name, model_format_fn *format);

/* The explorer's allocator: the library's memory hooks end here too. */
void *model_alloc(size_t size);
void model_free(void *pointer);

int model_main(int argc, char **argv, const struct model_case *cases,
               size_t count);
#define MODEL_CASES(cases)                                                     \
    int main(int argc, char **argv)                                            \
    {                                                                          \
        return model_main(argc, argv, cases,                                   \
                          sizeof(cases) / sizeof((cases)[0]));                 \
    }

#endif /* WEIR_MODEL_MODEL_H */
