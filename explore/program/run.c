/* SPDX-License-Identifier: MIT */
/*
 * run -- weir_explore_run() and what the test may call.
 *
 * A search runs until it finds something; a second one, of two seconds, then
 * looks for the shortest execution that fails.
 */
#include "run.h"

#include <errno.h>
#include <getopt.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/single_threaded.h>
#include <unistd.h>

#include "clock.h"
#include "hash.h"
#include "image.h"
#include "kernel.h"
#include "modules.h"
#include "pick.h"
#include "program.h"
#include "report.h"
#include "search.h"
#include "shelf.h"
#include "site.h"
#include "sync.h"
#include "thread.h"
#include "trace.h"
#include "watch.h"

enum {
    DEFAULT_RUNS = 10000,
    DEFAULT_DEPTH = 3,
    DEFAULT_STEPS = 2000,
    SHORTEN_SECONDS = 2
};

static void (*the_test)(void *argument);
static void *the_argument;
static volatile bool is_stopped;

static void body(void)
{
    the_test(the_argument);
    execution->is_over = true;
}

void run_stop(void)
{
    is_stopped = true;
}

/* --- options ----------------------------------------------------------------- */

static bool make_sense(const weir_explore_options *o)
{
    return o->mode <= WEIR_EXPLORE_PCT && o->steps <= STEPS &&
           o->runs <= UINT32_MAX && o->pct_depth <= 16 &&
           (o->mode == WEIR_EXPLORE_EXHAUSTIVE ||
            (o->preemptions == 0 && !o->no_reduction)) &&
           (o->mode == WEIR_EXPLORE_PCT || o->pct_depth == 0) &&
           (o->mode != WEIR_EXPLORE_EXHAUSTIVE || o->runs == 0);
}

/* A smaller struct is an older one; a larger one must be empty behind. */
static int read_options(weir_explore_options *to,
                        const weir_explore_options *from)
{
    memset(to, 0, sizeof(*to));
    if (from != NULL) {
        const char *bytes = (const char *)from;

        for (size_t i = sizeof(*to); i < from->size; i++)
            if (bytes[i] != 0)
                return -E2BIG;
        memcpy(to, from, from->size < sizeof(*to) ? from->size : sizeof(*to));
        if (from->size < sizeof(from->size) || !make_sense(to))
            return -EINVAL;
    }
    to->size = sizeof(*to);
    to->runs = to->runs != 0 ? to->runs : DEFAULT_RUNS;
    to->seed = to->seed != 0 ? to->seed : 1;
    to->steps = to->steps != 0 ? to->steps : DEFAULT_STEPS;
    to->pct_depth = to->pct_depth != 0 ? to->pct_depth : DEFAULT_DEPTH;
    return 0;
}

static struct model_case make_case(const weir_explore_options *options)
{
    struct model_case test = {.name = "weir-explore",
                              .threads = {{"main", body},
                                          {"thread 1", NULL},
                                          {"thread 2", NULL},
                                          {"thread 3", NULL},
                                          {"thread 4", NULL},
                                          {"thread 5", NULL},
                                          {"thread 6", NULL}},
                              .preemption_bound = options->preemptions,
                              .steps = options->steps,
                              .spurious = options->spurious};

    if (options->mode != WEIR_EXPLORE_EXHAUSTIVE)
        test.random_runs = (unsigned)options->runs;
    if (options->mode == WEIR_EXPLORE_PCT)
        test.pct_depth = options->pct_depth;
    return test;
}

/* --- searching --------------------------------------------------------------- */

static void refuse_size(const char *what)
{
    program_refuse(what, 0);
}

/* What the state of a program has besides memory and threads' stacks. */
static uint64_t hash_objects(const struct weak_floor *floor, uint64_t seed)
{
    return hash_mix(clock_state(), thread_hash(seed)) + sync_hash(floor, seed);
}

static void prepare(void)
{
    static bool is_prepared;

    if (is_prepared)
        return;
    is_prepared = true;
    weak_on_limit = refuse_size;
    modules_find();
    __libc_single_threaded = 0; /* libstdc++ would use plain accesses */
    execution_prepare();
    execution->has_fences = true;
    execution->hash_more = hash_objects;
    search_prepare();
    trace_prepare();
}

/* The same schedule twice must be the same execution. */
static void check_repeatable(const struct model_case *test)
{
    struct search_options options = {.replay = "", .is_quiet = true};
    struct search_result result;
    struct step *first;
    unsigned steps;

    search_run(test, &options, &result);
    search_result_free(&result);
    steps = execution->steps;
    first = malloc((steps + 1) * sizeof(*first));
    if (first == NULL)
        abort();
    memcpy(first, execution->trace, steps * sizeof(*first));
    search_run(test, &options, &result);
    search_result_free(&result);
    for (unsigned i = 0; i < steps || i < execution->steps; i++) {
        const struct op *a = &first[i].op, *b = &execution->trace[i].op;

        if (i >= steps || i >= execution->steps || a->kind != b->kind ||
            a->word != b->word || a->site != b->site ||
            (a->kind != OP_SYNC && a->read != b->read))
            program_refuse("something that differs from run to run, such as "
                           "input or random numbers",
                           0);
    }
    free(first);
}

static void replace(struct search_result *old, struct search_result *new)
{
    if (new->finding != MODEL_NOTHING) {
        struct search_result empty = {0};

        free(old->replay);
        free(old->trace);
        old->finding = new->finding;
        memcpy(old->text, new->text, sizeof(old->text));
        old->replay = new->replay;
        old->trace = new->trace;
        old->steps = new->steps;
        *new = empty;
    }
    search_result_free(new);
}

static void shorten(const struct model_case *test,
                    const struct search_options *options,
                    struct search_result *result)
{
    struct model_case shorter = *test;
    struct search_options limited = *options;
    struct search_result other;

    if (result->steps <= 1 || options->replay != NULL)
        return;
    shorter.random_runs = 0;
    shorter.pct_depth = 0;
    shorter.shortest = true;
    limited.limit = result->steps - 1;
    limited.seconds = SHORTEN_SECONDS;
    limited.is_quiet = true;
    search_run(&shorter, &limited, &other);
    replace(result, &other);
}

/* The report names blocks of the heap, so the failing run must be the last; and
 * it has the callers of each site only if they were kept. */
static void run_again(const struct model_case *test,
                      const struct search_options *options,
                      struct search_result *found)
{
    struct search_options replay = *options;
    struct search_result other;

    if (options->replay != NULL)
        return;
    replay.replay = found->replay;
    replay.is_quiet = true;
    site_keep_callers(true);
    search_run(test, &replay, &other);
    site_keep_callers(false);
    if (other.finding == found->finding && other.steps == found->steps)
        replace(found, &other);
    else
        search_result_free(&other);
}

static void fill(weir_explore_result *result, const struct search_result *found)
{
    memset(result, 0, sizeof(*result));
    result->size = sizeof(*result);
    result->finding = (enum weir_explore_finding)found->finding;
    result->is_complete = found->is_complete &&
                          found->finding == MODEL_NOTHING &&
                          found->too_long == 0;
    result->executions = found->executions;
    result->pruned = found->pruned;
    result->states = found->states;
    result->depth = found->depth;
    result->threads = found->threads;
    result->seconds = found->seconds;
    result->outcomes = strdup(found->outcomes);
    result->replay = found->replay != NULL ? strdup(found->replay) : NULL;
}

/* Run the search, and then look for a shorter execution that fails. */
static void search(const struct model_case *what,
                   const weir_explore_options *options,
                   struct search_result *found)
{
    struct search_options how = {.seed = options->seed,
                                 .replay = options->replay,
                                 .no_reduction = options->no_reduction,
                                 .is_quiet = !options->shows_progress,
                                 .is_lenient = true,
                                 .seconds = options->seconds,
                                 .stop = &is_stopped,
                                 .progress = fdopen(dup(2), "w")};

    if (!options->shows_output)
        report_mute();
    kernel_take();
    watch_begin();
    image_take();
    shelf_take();
    if (options->replay == NULL)
        check_repeatable(what);
    site_keep_callers(options->replay != NULL);
    search_run(what, &how, found);
    site_keep_callers(false);
    if (found->finding != MODEL_NOTHING) {
        shorten(what, &how, found);
        run_again(what, &how, found);
    }
    watch_end();
    if (!options->shows_output)
        report_unmute();
    if (how.progress != NULL)
        fclose(how.progress);
}

int weir_explore_run(void (*test)(void *argument), void *argument,
                     const weir_explore_options *options,
                     weir_explore_result *result)
{
    weir_explore_options o;
    struct search_result found;
    struct model_case what;
    weir_explore_result all;
    size_t size = result->size;
    int error = read_options(&o, options);

    if (error != 0)
        return error;
    if (size < sizeof(size))
        return -EINVAL;
    if (is_exploring())
        return -EBUSY;
    prepare();
    the_test = test;
    the_argument = argument;
    is_stopped = false;
    what = make_case(&o);
    search(&what, &o, &found);
    fill(&all, &found);
    all.report = report_make(&what, &o, &found, &all);
    if (o.makes_page && found.finding != MODEL_NOTHING)
        all.page = report_make_page(&what, &found, all.report);
    image_restore();
    shelf_reset();
    search_result_free(&found);
    memcpy(result, &all, size < sizeof(all) ? size : sizeof(all));
    result->size = size;
    if (size < sizeof(all))
        free(all.page);
    return 0;
}

void weir_explore_result_fini(weir_explore_result *result)
{
    free(result->outcomes);
    free(result->replay);
    free(result->report);
    result->outcomes = result->replay = result->report = NULL;
    if (result->size >= sizeof(*result)) { /* else it has no such member */
        free(result->page);
        result->page = NULL;
    }
}

/* --- what a test may call ---------------------------------------------------- */

void weir_explore_outcome(const char *format, ...)
{
    va_list list;

    if (!is_exploring())
        return;
    va_start(list, format);
    vsnprintf(execution->outcome, sizeof(execution->outcome), format, list);
    va_end(list);
    for (char *at = execution->outcome; *at != '\0'; at++)
        if (*at == ' ')
            *at = '_'; /* blanks separate outcomes */
}

unsigned weir_explore_choose(unsigned count)
{
    return is_exploring() && count > 1 ? search_choose(count) : 0;
}

bool weir_explore_is_active(void)
{
    return is_exploring();
}
