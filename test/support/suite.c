/* SPDX-License-Identifier: MIT */
/*
 * suite -- main() for a test program, on top of libcheck.
 */
#include "suite.h"

#include <check.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

/* Exit status of a case that must abort, when it does not. */
enum { SKIPPED = 0, DID_NOT_ABORT = 1 };

static struct suite_case *first;
static struct suite_case **last = &first;
static const struct suite_case *current; /* set in the case's process */

void suite_add(struct suite_case *entry)
{
    *last = entry;
    last = &entry->next;
}

const char *expect_where;

static const char *where(void)
{
    return expect_where != NULL ? expect_where : "";
}

void expect_failed(const char *file, int line, const char *what)
{
    _ck_assert_failed(file, line, "expectation failed", "expected %s%s", what,
                      where());
}

void expect_int_failed(const char *file, int line, const char *what,
                       intmax_t actual, intmax_t expected)
{
    _ck_assert_failed(file, line, "expectation failed",
                      "%s is %jd, expected %jd%s", what, actual, expected,
                      where());
}

void expect_status_at(const char *file, int line, const char *what, int actual,
                      int expected)
{
    if (actual != expected)
        _ck_assert_failed(
            file, line, "expectation failed", "%s is %s, expected %s%s", what,
            weir_error_name(actual), weir_error_name(expected), where());
}

void expect_string_at(const char *file, int line, const char *what,
                      const char *actual, const char *expected)
{
    if (strcmp(actual, expected) != 0)
        _ck_assert_failed(file, line, "expectation failed",
                          "%s is \"%s\", expected \"%s\"%s", what, actual,
                          expected, where());
}

void skip_case(const char *reason)
{
    fprintf(stderr, "# skipped: %s: %s\n", current->name, reason);
    exit(SKIPPED);
}

/* Make sure that a signal that kills the program, at its deadline for example,
 * kills its cases as well. */
static void die_with_parent(void)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
}

/* Run the case in another process.  Returns its wait status and, in `said`,
 * what it wrote to stderr. */
static int run_captured(char *said, size_t size)
{
    int ends[2], status;
    size_t length = 0;
    ssize_t got;
    pid_t child;

    expect(pipe(ends) == 0);
    child = fork();
    expect(child >= 0);
    if (child == 0) {
        die_with_parent();
        expect(dup2(ends[1], STDERR_FILENO) == STDERR_FILENO);
        close(ends[0]);
        close(ends[1]);
        current->run();
        _exit(DID_NOT_ABORT);
    }
    close(ends[1]);
    while ((got = read(ends[0], said + length, size - 1 - length)) > 0)
        length += (size_t)got;
    said[length] = '\0';
    close(ends[0]);
    expect(waitpid(child, &status, 0) == child);
    return status;
}

static bool ends_with(const char *string, const char *end)
{
    size_t length = strlen(string), end_length = strlen(end);

    return length >= end_length &&
           strcmp(string + length - end_length, end) == 0;
}

/* Whether `said` has a line "weir: PATH:LINE: TEXT" as expected. */
static bool names_the_place(const char *said)
{
    const char *message = strstr(said, "weir: ");
    char path[256], text[256];
    int line;

    return message != NULL &&
           sscanf(message, "weir: %255[^:]:%d: %255[^\n]", path, &line, text) ==
               3 &&
           line > 0 && ends_with(path, current->aborts_in) &&
           strstr(text, current->aborts_with) != NULL;
}

static void run_aborting(void)
{
    char said[4096];
    int status = run_captured(said, sizeof(said));

    if (WIFEXITED(status) && WEXITSTATUS(status) == SKIPPED) {
        fputs(said, stderr);
        return;
    }
    if (!WIFSIGNALED(status) || WTERMSIG(status) != SIGABRT)
        _ck_assert_failed(current->file, current->line, "did not abort",
                          "wait status %#x; stderr: %s", (unsigned)status,
                          said);
    if (!names_the_place(said))
        _ck_assert_failed(current->file, current->line, "wrong last words",
                          "expected \"%s\" from %s; stderr: %s",
                          current->aborts_with, current->aborts_in, said);
}

static void run_case(int index)
{
    die_with_parent();
    current = first;
    while (index-- > 0)
        current = current->next;
    if (current->aborts_with != NULL)
        run_aborting();
    else
        current->run();
}

static int count_cases(void)
{
    int count = 0;

    for (const struct suite_case *c = first; c != NULL; c = c->next)
        count++;
    return count;
}

/* Add the cases called `only`, or all of them.  Returns their number.  libcheck
 * borrows `tests`, one for each case. */
static int add_cases(Suite *suite, TTest *tests, const char *program,
                     const char *only)
{
    int added = 0, index = 0;

    for (const struct suite_case *c = first; c != NULL; c = c->next, index++) {
        TCase *group;

        if (only != NULL && strcmp(only, c->name) != 0)
            continue;
        tests[index] = (TTest){c->name, run_case, c->file, c->line};
        group = tcase_create(program);
        tcase_set_timeout(group, c->deadline_s);
        _tcase_add_test(group, &tests[index], 0, 0, index, index + 1);
        suite_add_tcase(suite, group);
        added++;
    }
    return added;
}

int main(int argc, char **argv)
{
    const char *slash = strrchr(argv[0], '/');
    const char *program = slash != NULL ? slash + 1 : argv[0];
    const char *only = argc > 1 ? argv[1] : NULL;
    TTest *tests = calloc((size_t)count_cases(), sizeof(*tests));
    Suite *suite = suite_create(program);
    SRunner *runner = srunner_create(suite);
    int status;

    if (tests == NULL || add_cases(suite, tests, program, only) == 0) {
        fprintf(stderr, "%s: no such case: %s\n", program,
                only != NULL ? only : "there are none");
        status = 2;
    } else {
        srunner_set_fork_status(runner, CK_FORK);
        srunner_set_tap(runner, "-");
        srunner_run_all(runner, CK_SILENT);
        status = srunner_ntests_failed(runner) == 0 ? 0 : 1;
    }
    srunner_free(runner);
    free(tests);
    return status;
}
