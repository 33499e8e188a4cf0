/* SPDX-License-Identifier: MIT */
#include "net/support/raw_case.h"

#include <stdio.h>
#include <string.h>

#include "support/suite.h"

static void complain(const struct raw_case *row, const char *problem,
                     const struct transcript *got)
{
    fprintf(stderr, "# %s: %s; the transcript is\n%s", row->what, problem,
            got->text);
}

static bool is_expected(const struct raw_case *row,
                        const struct transcript *got)
{
    const char *problem = NULL;

    if (got->status != row->status)
        problem = "the status differs";
    else if (got->messages != row->messages)
        problem = "the number of messages differs";
    else if (got->is_inside != row->is_inside)
        problem = "the end differs";
    else if (row->has != NULL && strstr(got->text, row->has) == NULL)
        problem = row->has;
    if (problem != NULL)
        complain(row, problem, got);
    return problem == NULL;
}

static bool is_same(const struct raw_case *row, const struct transcript *whole,
                    const struct transcript *cut)
{
    if (strcmp(whole->text, cut->text) == 0)
        return true;
    complain(row, "this is the whole", whole);
    complain(row, "and this is cut", cut);
    return false;
}

static bool check(enum transcript_kind kind, const struct raw_case *row)
{
    struct transcript whole = {.ends = row->ends};
    struct transcript cut = {.ends = row->ends};
    bool is_good;

    transcript_make(&whole, kind, row->bytes, row->size, NULL, 0);
    is_good = is_expected(row, &whole);
    for (size_t at = 1; at < row->size && is_good; at++) {
        transcript_make(&cut, kind, row->bytes, row->size, &at, 1);
        is_good = is_same(row, &whole, &cut);
    }
    transcript_make_bytewise(&cut, kind, row->bytes, row->size);
    is_good = is_good && is_same(row, &whole, &cut);
    transcript_free(&whole);
    transcript_free(&cut);
    return is_good;
}

void raw_cases_check(enum transcript_kind kind, const struct raw_case *cases,
                     size_t count)
{
    int failed = 0;

    for (size_t n = 0; n < count; n++)
        failed += !check(kind, &cases[n]);
    expect_int(failed, 0);
}
