/* SPDX-License-Identifier: MIT */
/*
 * report_page -- the rows of a page, and what is printed of them.
 */
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "loop/report.h"
#include "support/suite.h"

enum { ROOM = 4 };

static weir_holder rows[ROOM];

static weir_holder running(const char *name, int64_t age_ns)
{
    return (weir_holder){.kind = WEIR_KIND_JOB,
                         .is_running = true,
                         .name = name,
                         .count = 1,
                         .age_ns = age_ns};
}

static weir_holder waiting(weir_kind kind, const char *name, int64_t age_ns)
{
    return (weir_holder){
        .kind = kind, .name = name, .count = 1, .age_ns = age_ns};
}

/* ---- rows ---- */

CASE(report_page_has_what_runs_longest_first)
{
    struct weir__page page = weir__page_of(rows, ROOM, sizeof(weir_holder));

    weir__page_add(&page, running("b", 20));
    weir__page_add(&page, running("d", -1));
    weir__page_add(&page, running("a", 30));
    weir__page_add(&page, running("c", 20));
    expect_int(weir__page_end(&page), 4);
    expect_string(rows[0].name, "a");
    expect_string(rows[1].name, "b");
    expect_string(rows[2].name, "c");
    expect_string(rows[3].name, "d");
}

/* The last row stands for those that do not fit. */
CASE(report_page_keeps_what_runs_longest)
{
    struct weir__page page = weir__page_of(rows, 3, sizeof(weir_holder));

    rows[3].name = "untouched";
    for (int64_t age_ns = 1; age_ns <= 5; age_ns++)
        weir__page_add(&page, running("job", age_ns));
    expect_int(weir__page_end(&page), 5);
    expect_int(rows[0].age_ns, 5);
    expect_int(rows[1].age_ns, 4);
    expect_int(rows[2].kind, WEIR_KIND_OTHER);
    expect_int(rows[2].count, 3);
    expect_int(rows[2].age_ns, -1);
    expect_string(rows[3].name, "untouched");
}

CASE(report_page_with_one_row_has_the_longest)
{
    struct weir__page page = weir__page_of(rows, 1, sizeof(weir_holder));

    weir__page_add(&page, running("short", 1));
    weir__page_add(&page, running("long", 2));
    expect_int(weir__page_end(&page), 2);
    expect_string(rows[0].name, "long");
}

CASE(report_page_that_is_just_full_counts_no_others)
{
    struct weir__page page = weir__page_of(rows, 2, sizeof(weir_holder));

    weir__page_add(&page, running("job", 1));
    weir__page_add(&page, waiting(WEIR_KIND_TIMER, "t", -1));
    expect_int(weir__page_end(&page), 2);
    expect_int(rows[0].kind, WEIR_KIND_JOB);
    expect_int(rows[1].kind, WEIR_KIND_TIMER);
}

CASE(report_page_group_has_the_age_of_its_oldest)
{
    struct weir__page page = weir__page_of(rows, ROOM, sizeof(weir_holder));

    weir__page_add(&page, waiting(WEIR_KIND_JOB, "j", 5));
    weir__page_add(&page, waiting(WEIR_KIND_JOB, "j", 7));
    weir__page_add(&page, waiting(WEIR_KIND_JOB, "j", 6));
    expect_int(weir__page_end(&page), 1);
    expect_int(rows[0].age_ns, 7);
    expect_int(rows[0].count, 3);
}

/* Within a rank, the order is that of their coming. */
CASE(report_page_has_what_a_drain_waits_for_first)
{
    struct weir__page page = weir__page_of(rows, ROOM, sizeof(weir_holder));

    weir__page_add(&page, waiting(WEIR_KIND_TIMER, "t", -1));
    weir__page_add(&page, waiting(WEIR_KIND_TASK, NULL, -1));
    weir__page_add(&page, waiting(WEIR_KIND_REQUEST, NULL, -1));
    weir__page_add(&page, waiting(WEIR_KIND_TIMER, "u", -1));
    expect_int(weir__page_end(&page), 4);
    expect_int(rows[0].kind, WEIR_KIND_REQUEST);
    expect_int(rows[1].kind, WEIR_KIND_TASK);
    expect_string(rows[2].name, "t");
    expect_string(rows[3].name, "u");
}

CASE(report_page_tells_origins_and_names_apart)
{
    struct weir__page page = weir__page_of(rows, ROOM, sizeof(weir_holder));
    weir_holder holder = waiting(WEIR_KIND_TASK, "a", -1);
    static const char here, there;

    holder.from = &here;
    weir__page_add(&page, holder);
    weir__page_add(&page, holder);
    holder.from = &there;
    weir__page_add(&page, holder);
    holder.name = NULL;
    weir__page_add(&page, holder);
    expect_int(weir__page_end(&page), 3);
    expect_int(rows[0].count, 2);
    expect(rows[0].from == &here);
    expect_int(rows[1].count, 1);
    expect(rows[1].from == &there);
    expect(rows[2].name == NULL);
}

/* ---- names of kinds ---- */

CASE(report_kinds_have_names_up_to_the_last)
{
    for (int kind = 0; kind <= WEIR_KIND_MAIN; kind++)
        expect(strcmp(weir_kind_name((weir_kind)kind), "unknown") != 0);
    expect_string(weir_kind_name((weir_kind)(WEIR_KIND_MAIN + 1)), "unknown");
}

/* ---- printing ---- */

/* What weir__report_print() writes to stderr. */
static const char *printed(const weir_holder *holders, size_t count)
{
    static char text[2048];
    FILE *file = tmpfile();
    int kept = dup(STDERR_FILENO);
    size_t length;

    expect(file != NULL && kept >= 0);
    expect(dup2(fileno(file), STDERR_FILENO) == STDERR_FILENO);
    weir__report_print("it", holders, count);
    expect(dup2(kept, STDERR_FILENO) == STDERR_FILENO);
    rewind(file);
    length = fread(text, 1, sizeof(text) - 1, file);
    text[length] = '\0';
    expect(fclose(file) == 0 && close(kept) == 0);
    return text;
}

CASE(report_of_nothing_is_one_line)
{
    weir_holder beyond = running("beyond", 1);

    expect_string(printed(&beyond, 0),
                  "weir: it is forced to end, with 0 unfinished\n");
}

CASE(report_prints_each_row_with_what_is_known_of_it)
{
    weir_holder holders[5] = {
        {.kind = WEIR_KIND_JOB,
         .name = "sleeper",
         .count = 1,
         .age_ns = 1234567,
         .thread = 77},
        {.kind = WEIR_KIND_HOOK, .count = 1, .age_ns = 0},
        {.kind = WEIR_KIND_TIMER, .count = 100, .age_ns = -1},
        {.kind = WEIR_KIND_OTHER, .count = 99, .age_ns = -1},
        {.kind = WEIR_KIND_FD, .name = "beyond", .count = 1000},
    };

    expect_string(printed(holders, 4),
                  "weir: it is forced to end, with 201 unfinished:\n"
                  "    job sleeper, for 1 ms, on thread 77\n"
                  "    hook, for 0 ms\n"
                  "    timer, 100 of them\n"
                  "    and 99 more\n");
}

CASE(report_prints_where_something_was_submitted_if_it_is_known)
{
    weir_holder holder = waiting(WEIR_KIND_TASK, NULL, -1);
    const char *text;

    holder.from = (const char *)(uintptr_t)printed + 1;
    text = printed(&holder, 1);
#if WEIR__ORIGINS
    expect(strstr(text, "\n    task, submitted at ") != NULL);
    expect(strstr(text, "+0x") != NULL);
#else
    expect(strstr(text, "\n    task\n") != NULL);
#endif
}
