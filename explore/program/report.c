/* SPDX-License-Identifier: MIT */
/*
 * report -- see report.h.
 */
#include "report.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "modules.h"
#include "page/page.h"
#include "program.h"
#include "site.h"
#include "sync.h"
#include "trace.h"

enum { CELL = 240 };

static const char *const finding_names[] = {
    [MODEL_NOTHING] = "nothing",
    [MODEL_ASSERTION] = "assertion failed",
    [MODEL_DEADLOCK] = "deadlock",
    [MODEL_LOST_WAKE] = "lost wake-up",
    [MODEL_LIVELOCK] = "livelock",
    [MODEL_RACE] = "data race",
    [MODEL_USE_AFTER_FREE] = "use after free",
    [MODEL_LEAK] = "leak",
    [MODEL_CRASH] = "crash",
};

/* --- what the program writes ------------------------------------------------ */

static int saved[2] = {-1, -1};

void report_mute(void)
{
    int null = open("/dev/null", O_WRONLY | O_CLOEXEC);

    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        saved[i] = dup(i + 1);
        dup2(null, i + 1);
    }
    close(null);
}

void report_unmute(void)
{
    fflush(NULL);
    for (int i = 0; i < 2; i++) {
        if (saved[i] < 0)
            continue;
        dup2(saved[i], i + 1);
        close(saved[i]);
        saved[i] = -1;
    }
}

void report_refusal(const char *what, const char *where)
{
    report_unmute();
    dprintf(2,
            "weir-explore: the program uses what cannot be explored: %s%s%s\n",
            what, where[0] != '\0' ? " at " : "", where);
    execution = NULL; /* leave for good, without the program's handlers */
    _exit(3);
}

/* --- the failing execution ---------------------------------------------------
 */

/* A pointer of the program has a name that does not change from run to run. */
static void format_value(char *text, size_t size, uint64_t value)
{
    if (value < 0x10000)
        snprintf(text, size, "%" PRIu64, value);
    else if (!site_find_name(text, size, (const void *)(uintptr_t)value))
        snprintf(text, size, "%#" PRIx64, value);
}

static void name_words(const struct step *steps, unsigned count)
{
    char name[CELL];

    trace_reset();
    for (unsigned i = 0; i < count; i++) {
        const struct op *op = &steps[i].op;

        if (op->word == NULL || trace_has(op->word))
            continue;
        site_name(name, sizeof(name), op->word);
        for (unsigned t = 0; t < ACTORS; t++)
            if (op->word == &execution->actor[t])
                snprintf(name, sizeof(name), t == 0 ? "main" : "thread %u", t);
        model_show(op->word, strdup(name), format_value);
    }
}

static void describe(char *text, size_t size, const struct model_case *test,
                     const struct step *step)
{
    char what[CELL], where[CELL];
    const struct op *op = &step->op;
    bool reads =
        op->kind == OP_LOAD || op->kind == OP_RMW || op->kind == OP_CAS;

    trace_describe(what, sizeof(what), op, test);
    site_print(where, sizeof(where), op->site);
    if (reads && op->from != 0)
        snprintf(text, size, "%s (from %u)  %s", what, op->from, where);
    else
        snprintf(text, size, "%s  %s", what, where);
}

static void print_schedule(FILE *out, const struct model_case *test,
                           const struct step *steps, unsigned count)
{
    int width[MODEL_THREADS];
    unsigned threads = 1;
    char cell[3 * CELL];

    for (unsigned t = 0; t < MODEL_THREADS; t++)
        width[t] = (int)strlen(test->threads[t].name);
    for (unsigned i = 0; i < count; i++) {
        describe(cell, sizeof(cell), test, &steps[i]);
        if ((int)strlen(cell) > width[steps[i].actor])
            width[steps[i].actor] = (int)strlen(cell);
        if (steps[i].actor >= threads)
            threads = steps[i].actor + 1u;
    }
    fprintf(out, "    ");
    for (unsigned t = 0; t < threads; t++)
        fprintf(out, "  %-*s", t + 1 < threads ? width[t] : 0,
                test->threads[t].name);
    fprintf(out, "\n");
    for (unsigned i = 0; i < count; i++) {
        fprintf(out, "%3u ", i + 1);
        for (unsigned t = 0; t < steps[i].actor; t++)
            fprintf(out, "  %*s", width[t], "");
        describe(cell, sizeof(cell), test, &steps[i]);
        fprintf(out, "  %s\n", cell);
    }
}

/* What the thread waits for, and which thread has it.  False: it has ended, or nobody is
 * blocked for good. */
static bool describe_blocked(char *text, size_t size, unsigned thread,
                             const struct model_case *test)
{
    const struct actor *actor = &execution->actor[thread];
    const struct op *op = &actor->op;
    const struct sync *sync;
    char name[CELL], where[CELL];
    bool has_owner;

    if (actor->status == DONE || (execution->finding != MODEL_DEADLOCK &&
                                  execution->finding != MODEL_LOST_WAKE))
        return false;
    site_name(name, sizeof(name), op->word);
    site_print(where, sizeof(where), op->site);
    for (unsigned t = 0; t < ACTORS; t++)
        if (op->word == &execution->actor[t])
            snprintf(name, sizeof(name), "%s", test->threads[t].name);
    sync = op->kind == OP_SYNC ? sync_get(op->word) : NULL;
    has_owner = sync != NULL && sync->owner >= 0;
    snprintf(text, size, "%s is blocked: %s %s  %s%s%s%s",
             test->threads[thread].name,
             op->kind != OP_SYNC         ? "futex wait"
             : op->verb->blocked != NULL ? op->verb->blocked
                                         : op->verb->name,
             name, where, has_owner ? ", which " : "",
             has_owner ? test->threads[sync->owner].name : "",
             has_owner ? " has" : "");
    return true;
}

/* --- what was covered -------------------------------------------------------- */

static void print_schedules(FILE *out, const weir_explore_options *options,
                            const weir_explore_result *result)
{
    if (options->replay != NULL)
        fprintf(out, "covered: the one schedule that was given\n");
    else if (options->mode == WEIR_EXPLORE_RANDOM)
        fprintf(out,
                "covered: %" PRIu64 " random schedules of seed %" PRIu64
                "; the others were not tried\n",
                result->executions, options->seed);
    else if (options->mode == WEIR_EXPLORE_PCT)
        fprintf(out,
                "covered: %" PRIu64 " schedules of seed %" PRIu64
                " with random priorities (PCT, depth %u); the others were not "
                "tried\n",
                result->executions, options->seed, options->pct_depth);
    else if (result->finding != WEIR_EXPLORE_NOTHING)
        fprintf(out, "not covered: what comes after the first finding\n");
    else if (!result->is_complete)
        fprintf(out, "not covered: the search was stopped before its end\n");
    else if (options->preemptions != 0)
        fprintf(out,
                "covered: every schedule with at most %u preemptions, and "
                "every value that\nC11 lets a load return there; schedules "
                "with more were not tried\n",
                options->preemptions);
    else
        fprintf(out, "covered: every schedule, and every value that C11 lets a "
                     "load return\n");
}

static void print_coverage(FILE *out, const weir_explore_options *options,
                           const weir_explore_result *result,
                           const struct search_result *found)
{
    fprintf(out,
            "%" PRIu64 " executions, %" PRIu64 " more pruned, %" PRIu64
            " states, %u threads, at most %u operations, %.2f s\n",
            result->executions, result->pruned, result->states, result->threads,
            result->depth, result->seconds);
    print_schedules(out, options, result);
    if (found->too_long != 0)
        fprintf(out,
                "not covered: %" PRIu64
                " executions that had no end after %u operations\n",
                found->too_long, options->steps);
    for (unsigned i = 0; modules_unseen(i) != NULL; i++)
        fprintf(out,
                "not covered: what %s accesses, which was not compiled for the "
                "explorer\n",
                modules_unseen(i));
    fprintf(out,
            "up to %u spurious wake-up%s or failure%s of a weak "
            "compare-and-swap for each thread;\nload buffering is never "
            "explored\n",
            options->spurious, options->spurious == 1 ? "" : "s",
            options->spurious == 1 ? "" : "s");
}

char *report_make(const struct model_case *test,
                  const weir_explore_options *options,
                  const struct search_result *found,
                  const weir_explore_result *result)
{
    char *text = NULL, line[3 * CELL];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        abort();
    if (found->finding != MODEL_NOTHING) {
        name_words(found->trace, found->steps);
        fprintf(out, "%s: %s\n", finding_names[found->finding], found->text);
        print_schedule(out, test, found->trace, found->steps);
        for (unsigned i = 0; i < execution->threads; i++)
            if (describe_blocked(line, sizeof(line), i, test))
                fprintf(out, "%s\n", line);
        fprintf(out, "replay: --replay=%s\n",
                found->replay[0] != '\0' ? found->replay : "0");
    } else {
        fprintf(out, "nothing found\n");
    }
    if (result->outcomes[0] != '\0')
        fprintf(out, "outcomes: %s\n", result->outcomes);
    print_coverage(out, options, result, found);
    fclose(out);
    return text;
}

/* --- the page ---------------------------------------------------------------- */

/* The last step of `thread` that the step `index` knows of, if the step of its
 * own thread before did not know of it; or 0. */
static uint16_t find_new(const struct step *steps, unsigned index,
                         unsigned thread)
{
    unsigned known = steps[index].clock[thread], before = 0;

    for (unsigned i = index; i-- > 0;)
        if (steps[i].actor == steps[index].actor) {
            before = steps[i].clock[thread];
            break;
        }
    for (unsigned i = index; i-- > 0 && known > before;)
        if (steps[i].actor == thread && steps[i].clock[thread] <= known)
            return (uint16_t)(steps[i].clock[thread] > before ? i + 1 : 0);
    return 0;
}

static size_t find_after(const struct step *steps, unsigned index,
                         uint16_t *after)
{
    size_t count = 0;

    for (unsigned t = 0; t < ACTORS; t++) {
        uint16_t other =
            t == steps[index].actor ? 0 : find_new(steps, index, t);

        if (other != 0)
            after[count++] = other;
    }
    return count;
}

static void add_steps(struct page *page, const struct model_case *test,
                      const struct search_result *found)
{
    for (unsigned i = 0; i < found->steps; i++) {
        const struct op *op = &found->trace[i].op;
        char what[CELL], where[CELL];
        uint16_t after[ACTORS];
        size_t count = find_after(found->trace, i, after);
        bool reads =
            op->kind == OP_LOAD || op->kind == OP_RMW || op->kind == OP_CAS;

        trace_describe(what, sizeof(what), op, test);
        site_print(where, sizeof(where), op->site);
        page_step(page, found->trace[i].actor, what, where,
                  reads ? op->from : 0, after, count);
    }
}

char *report_make_page(const struct model_case *test,
                       const struct search_result *found, const char *report)
{
    struct page page;
    char *text = NULL, line[3 * CELL];
    size_t size = 0;
    FILE *out = open_memstream(&text, &size);

    if (out == NULL)
        abort();
    name_words(found->trace, found->steps);
    page_begin(&page, out, finding_names[found->finding], found->text);
    for (unsigned i = 0; i < execution->threads; i++)
        page_lane(&page, test->threads[i].name);
    add_steps(&page, test, found);
    for (unsigned i = 0; i < execution->threads; i++)
        if (describe_blocked(line, sizeof(line), i, test))
            page_blocked(&page, line);
    page_end(&page, strstr(report, "replay: "));
    fclose(out);
    return text;
}
