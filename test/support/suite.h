/* SPDX-License-Identifier: MIT */
/*
 * suite -- the framework that every test file uses.
 *
 *     #include "support/suite.h"
 *
 *     CASE(gate_enter_before_start_is_refused)
 *     {
 *         ...
 *         expect_status(weir_gate_enter(&gate), WEIR_ECLOSED);
 *     }
 *
 *     CASE_ABORTS(gate_exit_without_enter_aborts, "gate.c",
 *                 "weir_gate_exit without weir_gate_enter")
 *     {
 *         ...
 *         weir_gate_exit(&gate);
 *     }
 *
 * Each case registers itself with its program, so none can be forgotten.  Each
 * one runs in its own process (libcheck forks), with a deadline.  The program
 * prints TAP and returns 0 or 1; `program NAME` runs only that case.
 */
#ifndef WEIR_TEST_SUPPORT_SUITE_H
#define WEIR_TEST_SUPPORT_SUITE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"

enum { UNIT_DEADLINE_S = 60, STRESS_DEADLINE_S = 120 };

struct suite_case {
    const char *name;
    const char *file;
    int line;
    void (*run)(void);
    unsigned deadline_s;
    const char *aborts_in; /* NULL unless the case must abort: the file, ... */
    const char *aborts_with; /* ... and the text that it must print to stderr */
    struct suite_case *next;
};

void suite_add(struct suite_case *entry);

#define CASE(name) SUITE_CASE(name, UNIT_DEADLINE_S, NULL, NULL)
#define STRESS_CASE(name) SUITE_CASE(name, STRESS_DEADLINE_S, NULL, NULL)

/* For the few cases that are known to take longer. */
#define CASE_WITHIN(name, deadline_s) SUITE_CASE(name, deadline_s, NULL, NULL)

/* Must die of SIGABRT, after "weir: [path/]FILE:LINE: ...TEXT..." on stderr. */
#define CASE_ABORTS(name, file, text)                                          \
    SUITE_CASE(name, UNIT_DEADLINE_S, file, text)

#define SUITE_CASE(name, deadline_s, aborts_in, aborts_with)                   \
    static void name(void);                                                    \
    __attribute__((constructor)) static void add_##name(void)                  \
    {                                                                          \
        static struct suite_case entry = {#name,       __FILE__,   __LINE__,   \
                                          name,        deadline_s, aborts_in,  \
                                          aborts_with, NULL};                  \
        suite_add(&entry);                                                     \
    }                                                                          \
    static void name(void)

/*
 * Expectations, usable on every thread of a case.  The first that fails ends
 * the case.  One that holds costs a comparison.  libcheck's own assertions
 * acquire a mutex each time, which would order the threads and hide their races
 * from the sanitizer.
 */
#define expect(condition)                                                      \
    ((condition) ? (void)0 : expect_failed(__FILE__, __LINE__, #condition))

#define expect_int(actual, expected)                                           \
    expect_int_at(__FILE__, __LINE__, #actual, (intmax_t)(actual),             \
                  (intmax_t)(expected))

/* Compare weir statuses; a failure shows the errors by name. */
#define expect_status(actual, expected)                                        \
    expect_status_at(__FILE__, __LINE__, #actual, actual, expected)

#define expect_string(actual, expected)                                        \
    expect_string_at(__FILE__, __LINE__, #actual, actual, expected)

/* A text, or NULL, that each message of a failed expectation ends with: where a
 * case is that does the same thing many times. */
extern const char *expect_where;

/* End the case without a verdict, because the machine or the build cannot run
 * it. */
_Noreturn void skip_case(const char *reason);

_Noreturn void expect_failed(const char *file, int line, const char *what);
_Noreturn void expect_int_failed(const char *file, int line, const char *what,
                                 intmax_t actual, intmax_t expected);
void expect_status_at(const char *file, int line, const char *what, int actual,
                      int expected);
void expect_string_at(const char *file, int line, const char *what,
                      const char *actual, const char *expected);

static inline void expect_int_at(const char *file, int line, const char *what,
                                 intmax_t actual, intmax_t expected)
{
    if (actual != expected)
        expect_int_failed(file, line, what, actual, expected);
}

#endif /* WEIR_TEST_SUPPORT_SUITE_H */
