/* SPDX-License-Identifier: MIT */
/*
 * weir/explore.h -- run a concurrent program under every schedule.
 *
 * libweir-explore runs C and C++ code that was compiled with -fsanitize=thread
 * and linked with this library instead of ThreadSanitizer's runtime.  The code
 * itself needs no change.  The explorer replaces its threads, atomic
 * operations, locks, sleeps, heap and clock, and runs it under every
 * interleaving of its operations, with every value that C11 lets an atomic load
 * return.
 *
 * A program with an ordinary main() is explored as it is:
 *
 *     weir-explore cc app.c test.c -o test && ./test
 *
 * A program that calls weir_explore_run() is not explored itself, but decides
 * what is:
 *
 *     static void test(void *argument) { ... starts threads, asserts ... }
 *
 *     weir_explore_result result = {.size = sizeof(result)};
 *     if (weir_explore_run(test, NULL, NULL, &result) != 0) ...
 *     if (result.finding != WEIR_EXPLORE_NOTHING) puts(result.report);
 *     weir_explore_result_fini(&result);
 *
 * Each execution begins with the static data that the program had when the
 * exploration began, and with an empty heap.
 *
 * What counts as an operation: every atomic access and fence; lock, unlock and
 * the like; waiting and waking; creating and joining a thread; yielding,
 * sleeping, and reading the clock.  Plain code between two operations of a
 * thread runs without interruption, which loses nothing, because plain accesses
 * that depend on the order of threads are data races, and races are found.
 *
 * The memory model is C11's.  A load may return any store that coherence and
 * the order of threads allow, and a store may take any place in modification
 * order that they allow.  Fences, release sequences (as in C++20: a later
 * relaxed store by the same thread does not continue one) and seq_cst are
 * those of C11, with the stronger seq_cst fences of C++20.
 * memory_order_consume is acquire.
 *
 * Load buffering is not covered: a load never returns the value of a store that
 * is executed later, although C11 allows that for relaxed operations.  The
 * single order of seq_cst operations always agrees with the order of threads;
 * C++20 is weaker where seq_cst and weaker operations on one location are mixed.
 * A weak compare_exchange fails spuriously only in code that gcc compiled,
 * because clang does not distinguish it from a strong one.
 *
 * The explorer does not see accesses in inline assembly and in libraries that
 * were compiled without -fsanitize=thread, including libc's own, such as those
 * of memcpy(); nor signals, nor what other processes do.
 *
 * It refuses, with an error that names the cause: more than seven threads,
 * atomic operations on 16 bytes or of different sizes on one word, fork(),
 * posix_spawn(), system() and popen(), sockets, pipes and other descriptors
 * that are not files, signals that are sent or waited for, pthread_cancel(),
 * futex operations other than wait and wake, and calls that block in the
 * kernel.  An execution of more operations than its limit, at most 4000, is a
 * livelock.
 *
 * A pointer to a thread_local variable must not be used by another thread.
 */
#ifndef WEIR_EXPLORE_H
#define WEIR_EXPLORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/export.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum weir_explore_finding {
    WEIR_EXPLORE_NOTHING,
    WEIR_EXPLORE_ASSERTION,      /* assert(), abort(), exit(1), misuse */
    WEIR_EXPLORE_DEADLOCK,       /* every remaining thread is blocked */
    WEIR_EXPLORE_LOST_WAKE,      /* the same, and a wake-up came too early */
    WEIR_EXPLORE_LIVELOCK,       /* an endless cycle, or too many operations */
    WEIR_EXPLORE_RACE,           /* on a plain access */
    WEIR_EXPLORE_USE_AFTER_FREE, /* or a second free() */
    WEIR_EXPLORE_LEAK,           /* nothing points to a block at the end */
    WEIR_EXPLORE_CRASH           /* a signal, or an access outside the blocks */
} weir_explore_finding;

typedef enum weir_explore_mode {
    WEIR_EXPLORE_EXHAUSTIVE, /* every execution, with sound reduction */
    WEIR_EXPLORE_RANDOM,     /* random walks */
    WEIR_EXPLORE_PCT         /* random priorities (Burckhardt et al. 2010) */
} weir_explore_mode;

typedef struct weir_explore_options {
    size_t size; /* sizeof(weir_explore_options) */
    weir_explore_mode mode;
    unsigned preemptions; /* EXHAUSTIVE: at most this many; 0: any number */
    bool no_reduction;    /* EXHAUSTIVE: even executions equivalent to others */
    uint64_t runs;        /* RANDOM, PCT: how many; 0: 10,000 */
    unsigned pct_depth;   /* PCT: how many orderings a bug takes; 0: 3 */
    uint64_t seed;        /* RANDOM, PCT; 0: 1 */
    unsigned steps;       /* the most operations of an execution; 0: 2000 */
    unsigned spurious;    /* spurious wake-ups, and spurious failures of a weak
                              compare-and-swap, of each thread */
    unsigned seconds;     /* after which to stop; 0: never */
    const char *replay;   /* run this schedule only; NULL: search */
    bool shows_progress;  /* a line on stderr every five seconds */
    bool shows_output;    /* let the program write to stdout and stderr */
    bool makes_page;      /* of a failing schedule: result.page */
} weir_explore_options;

typedef struct weir_explore_result {
    size_t size; /* sizeof(weir_explore_result) */
    weir_explore_finding finding;
    bool is_complete;    /* nothing was left out of what the options ask for */
    uint64_t executions; /* that ran to their end */
    uint64_t pruned;     /* that were abandoned as equivalent to others */
    uint64_t states;     /* distinct ones */
    unsigned depth;      /* operations of the longest execution */
    unsigned threads;    /* of the execution with the most of them */
    double seconds;
    char *outcomes; /* recorded outcomes, sorted, separated by spaces */
    char *replay;   /* of the failing execution; NULL if nothing was found */
    char *report;   /* what was found, how, and what was covered, for people */
    char *page;     /* the failing schedule as an HTML file; NULL: none was
                       found or asked for */
} weir_explore_result;

/**
 * Run a function under every schedule, or under some of them.  The function is
 * the main thread of each execution.  Its return ends the execution, like the
 * return of main().
 *
 * Thread   the main one, outside of an exploration; no other may be running
 * Owns     the result is the caller's: weir_explore_result_fini() releases it
 * Returns  0 if the exploration took place, whatever it found; -EINVAL (options
 *          that contradict each other or are too large), -E2BIG (an option
 *          that this library does not know), -EBUSY (called inside an
 *          exploration)
 */
WEIR_API WEIR_CHECKED int weir_explore_run(void (*test)(void *argument),
                                           void *argument,
                                           const weir_explore_options *options,
                                           weir_explore_result *result);

/**
 * Release the texts of a result.
 *
 * Thread   any
 */
WEIR_API void weir_explore_result_fini(weir_explore_result *result);

/**
 * Record an outcome of this execution, such as what a litmus test has read.
 * The last call counts.  It has no effect outside of an exploration.
 *
 * Thread   any
 */
WEIR_API void weir_explore_outcome(const char *format, ...)
    __attribute__((format(printf, 1, 2)));

/**
 * Choose a number below count.  An exhaustive search tries each of them.
 * Outside of an exploration the result is 0.
 *
 * Thread   any
 * Returns  the number
 */
WEIR_API unsigned weir_explore_choose(unsigned count);

/**
 * Test whether the caller is being explored.
 *
 * Thread   any
 */
WEIR_API bool weir_explore_is_active(void);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_EXPLORE_H */
