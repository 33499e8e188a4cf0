/* SPDX-License-Identifier: MIT */
/*
 * search -- see search.h.
 */
#include "search.h"

#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "policy.h"

enum { SHRINK_EXECUTIONS = 1000, PCT_DEPTH = 3, GROUP = 16 };

/* A node of the current path, for an exhaustive search. */
struct frame {
    struct node node;
    uint32_t done;                   /* alternatives that were tried */
    struct footprint print[THREADS]; /* ... and what their steps touched */
};

static struct exchange *exchange;
static search_run_fn *run_once;
static struct frame *frames; /* NODES of them */
static unsigned path;        /* how many */

static double seconds_now(void)
{
    struct timespec now;

    syscall(228 /* clock_gettime, past the wrapped one */, CLOCK_MONOTONIC,
            &now);
    return (double)now.tv_sec + (double)now.tv_nsec / 1e9;
}

void search_begin(struct exchange *shared, search_run_fn *run)
{
    exchange = shared;
    run_once = run;
    frames = mmap(NULL, NODES * sizeof(*frames), PROT_READ | PROT_WRITE,
                  MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (frames == MAP_FAILED)
        abort();
    madvise(frames, NODES * sizeof(*frames), MADV_DONTFORK);
}

/* Forgets how the last execution went. */
static void prepare(enum policy policy, uint64_t seed, unsigned steps)
{
    exchange->policy = policy;
    exchange->seed = seed;
    exchange->pct_depth = PCT_DEPTH;
    exchange->limit = steps;
    exchange->is_described = false;
    exchange->prescribed = 0;
    exchange->asleep_set = 0;
    exchange->most = -1;
    exchange->makes_at = 0;
}

static void execute(enum checkpoints checkpoints, bool is_last, int output)
{
    exchange->finding = FOUND_NOTHING;
    exchange->status = 0;
    exchange->is_ended = exchange->is_pruned = false;
    exchange->text[0] = exchange->reached[0] = exchange->sources[0] = '\0';
    exchange->nodes = exchange->operations = exchange->threads = 0;
    exchange->lines = exchange->blocked_count = 0;
    exchange->digest = UINT64_C(0xcbf29ce484222325);
    policy_begin(exchange);
    run_once(checkpoints, is_last, output);
}

static void prescribe(const uint8_t *picks, unsigned count)
{
    if (count > 0) /* without picks there is no array */
        memcpy(exchange->picks, picks, count);
    exchange->prescribed = count;
}

void search_replay(const uint8_t *picks, unsigned count, unsigned steps,
                   int output)
{
    prepare(POLICY_FIRST, 0, steps);
    prescribe(picks, count);
    exchange->is_described = true;
    execute(NO_CHECKPOINTS, false, output);
}

/* --- what an execution came to ---------------------------------------------------- */

static unsigned count_switches(void)
{
    unsigned count = 0;

    for (unsigned i = 1; i < exchange->operations && i < NODES; i++)
        count += exchange->order[i] != exchange->order[i - 1];
    return count;
}

static void keep(struct search_result *result)
{
    result->finding = exchange->finding;
    result->count = exchange->nodes;
    result->picks = realloc(result->picks, exchange->nodes + 1);
    if (result->picks == NULL)
        abort();
    for (unsigned i = 0; i < exchange->nodes; i++)
        result->picks[i] = exchange->node[i].pick;
    result->digest = exchange->digest;
    result->switches = count_switches();
    result->operations = exchange->operations;
}

/* Adds a name of reachable() to the sorted list, unless it is there. */
static void add_reached(struct search_result *result, const char *name,
                        size_t length)
{
    unsigned at = 0;
    int order = 1;

    for (; at < result->reached_count; at++) {
        order = strncmp(result->reached[at], name, length);
        if (order == 0 && result->reached[at][length] != '\0')
            order = 1;
        if (order >= 0)
            break;
    }
    if (at < result->reached_count && order == 0)
        return;
    result->reached = realloc(result->reached, (result->reached_count + 1) *
                                                   sizeof(*result->reached));
    if (result->reached == NULL)
        abort();
    memmove(result->reached + at + 1, result->reached + at,
            (result->reached_count - at) * sizeof(*result->reached));
    result->reached[at] = strndup(name, length);
    result->reached_count++;
}

static void count(struct search_result *result)
{
    for (const char *at = exchange->reached; *at != '\0';) {
        size_t length = strcspn(at, "\n");

        add_reached(result, at, length);
        at += length + (at[length] == '\n');
    }
    if (exchange->is_pruned)
        result->pruned++;
    else
        result->executions++;
    if (exchange->threads > result->threads)
        result->threads = exchange->threads;
    if (exchange->operations > result->depth)
        result->depth = exchange->operations;
}

static void show_progress(const struct search_options *options,
                          const struct search_result *result, double began,
                          const char *more)
{
    static double last;
    double now = seconds_now();

    if (options->is_quiet || now - last < 1)
        return;
    if (last != 0)
        fprintf(stderr, "%llu executions, %u operations at most, %.0f s%s\n",
                (unsigned long long)result->executions, result->depth,
                now - began, more);
    last = now;
}

/* Runs the last execution again, from its beginning; it must come to the same. */
static void repeat(struct search_result *result)
{
    enum finding finding = exchange->finding;
    uint64_t digest = exchange->digest;

    keep(result);
    prepare(POLICY_FIRST, 0, exchange->limit);
    prescribe(result->picks, result->count);
    execute(NO_CHECKPOINTS, false, -1);
    if (exchange->finding != finding || exchange->digest != digest)
        result->finding = DIFFERENT;
}

/* --- sampling ---------------------------------------------------------------------- */

static volatile sig_atomic_t is_stopped;

void search_stop(void)
{
    is_stopped = 1;
}

static bool is_over(const struct search_options *options,
                    const struct search_result *result, double began)
{
    return is_stopped || result->finding != FOUND_NOTHING ||
           (options->seconds > 0 && seconds_now() - began > options->seconds) ||
           (options->executions > 0 &&
            result->executions + result->pruned >= options->executions);
}

/* Samples come in groups.  The first one makes all picks; the others go on
 * differently from a random node of it.  So each is distributed as if it had made
 * all picks itself, but most of them do not begin at the beginning. */
struct group {
    unsigned left;  /* samples of it to come */
    uint64_t count; /* of groups that have begun */
    uint64_t nodes; /* of their first samples */
    unsigned length, longest;
};

static void begin_group(struct group *group)
{
    uint64_t average =
        group->count > 0 ? 1 + group->nodes / group->count : group->longest;

    group->length = group->longest;
    group->count++;
    exchange->pct_length = group->length;
    exchange->makes_at =
        1 + (unsigned)((exchange->seed * UINT64_C(0x9e3779b97f4a7c15) >> 32) %
                       average);
    execute(COMMON_NODES, false, -1);
    group->nodes += exchange->nodes;
    /* An execution that is shorter has no such node. */
    group->left = checkpoint_has_group() ? GROUP - 1 : 0;
}

/* The i-th sample. */
static void run_sample(const struct search_options *options, uint64_t i,
                       struct group *group)
{
    uint64_t number = group->count - (group->left > 0);

    prepare(number % 2 == 0 ? POLICY_PCT : POLICY_RANDOM, options->seed + i,
            options->steps);
    if (group->left == 0) {
        begin_group(group);
        return;
    }
    exchange->pct_length = group->length;
    group->left--;
    execute(GROUP_NODE, group->left == 0, -1);
}

static void sample(const struct search_options *options,
                   struct search_result *result, double began)
{
    struct group group = {.length = 20, .longest = 20};

    for (uint64_t i = 0; !is_over(options, result, began); i++) {
        run_sample(options, i, &group);
        count(result);
        if (exchange->nodes > group.longest &&
            exchange->finding != FOUND_LIVELOCK)
            group.longest = exchange->nodes;
        /* Priorities are not fair: two threads that spin in turn may keep the
         * others from going on. */
        if (exchange->finding == FOUND_LIVELOCK &&
            exchange->policy == POLICY_PCT)
            result->too_long++;
        else if (exchange->finding != FOUND_NOTHING)
            keep(result);
        else if ((i & (i - 1)) == 0) /* now and then */
            repeat(result);
        show_progress(options, result, began, "");
    }
}

/* --- exhaustive search --------------------------------------------------------------- */

/* The new part of the path, and what the last step at its node touched. */
static void extend_path(void)
{
    unsigned from = exchange->prescribed > 0 ? exchange->prescribed - 1 : 0;

    for (unsigned i = from; i < exchange->nodes; i++) {
        struct frame *frame = &frames[i];
        const struct node *node = &exchange->node[i];

        if (i >= exchange->prescribed) {
            frame->node = *node;
            frame->done = 0;
        }
        frame->node.pick = node->pick;
        if (!node->is_number)
            frame->print[node->pick] = node->print;
    }
    path = exchange->nodes;
}

/* Thread t sleeps at frame i since the nearest frame where it was tried. */
static struct footprint print_of(unsigned i, unsigned t)
{
    for (unsigned j = i + 1; j-- > 0;)
        if (!frames[j].node.is_number && (frames[j].done >> t & 1) != 0)
            return frames[j].print[t];
    return (struct footprint){0};
}

static void set_asleep(unsigned i, uint32_t set)
{
    exchange->asleep_set = set;
    for (unsigned t = 0; t < THREADS; t++)
        if ((set >> t & 1) != 0)
            exchange->asleep[t] = print_of(i, t);
}

/* The next alternative at frame i, or -1. */
static int next_pick(const struct frame *frame, unsigned cost, int most,
                     bool is_reduced)
{
    uint32_t left = frame->node.enabled & ~frame->done;

    if (frame->node.is_number)
        return frame->node.pick + 1u < frame->node.enabled
                   ? frame->node.pick + 1
                   : -1;
    if (is_reduced)
        left &= ~frame->node.asleep;
    for (unsigned t = 0; t < THREADS; t++)
        if ((left >> t & 1) != 0 &&
            (most < 0 || cost + policy_cost(&frame->node, t) <= (unsigned)most))
            return (int)t;
    return -1;
}

/* Whether no alternative is left after the one that is picked. */
static bool is_done_after(struct frame *frame, unsigned cost, int most,
                          bool is_reduced)
{
    struct frame after = *frame;

    if (!after.node.is_number)
        after.done |= UINT32_C(1) << after.node.pick;
    return next_pick(&after, cost, most, is_reduced) < 0;
}

/* Prescribes the next execution, and tells whether it is the last one with this
 * node.  False: there is none. */
static bool go_back(int most, bool is_reduced, unsigned steps, bool *is_last)
{
    unsigned cost = 0;

    for (unsigned i = 0; i < path; i++)
        cost += policy_cost(&frames[i].node, frames[i].node.pick);
    for (unsigned i = path; i-- > 0;) {
        struct frame *frame = &frames[i];
        int pick;

        cost -= policy_cost(&frame->node, frame->node.pick);
        if (!frame->node.is_number)
            frame->done |= UINT32_C(1) << frame->node.pick;
        pick = next_pick(frame, cost, most, is_reduced);
        if (pick < 0)
            continue;
        prepare(POLICY_FIRST, 0, steps);
        exchange->most = most;
        if (is_reduced && !frame->node.is_number)
            set_asleep(i, frame->node.asleep | frame->done);
        frame->node.pick = (uint8_t)pick;
        for (unsigned j = 0; j <= i; j++)
            exchange->picks[j] = frames[j].node.pick;
        exchange->prescribed = i + 1;
        *is_last = is_done_after(frame, cost, most, is_reduced);
        return true;
    }
    return false;
}

static void search_depth_first(const struct search_options *options, int most,
                               struct search_result *result, double began)
{
    bool is_reduced = !options->no_reduction && most < 0, is_last = false;

    path = 0;
    prepare(POLICY_FIRST, 0, options->steps);
    exchange->most = most;
    do {
        if (is_over(options, result, began))
            return;
        execute(OPEN_NODES, is_last, -1);
        count(result);
        extend_path();
        if (exchange->finding == FOUND_LIVELOCK)
            result->too_long++; /* the first threads may never end */
        else if (exchange->finding != FOUND_NOTHING)
            keep(result);
        show_progress(options, result, began, ", exhaustive");
    } while (go_back(most, is_reduced, options->steps, &is_last));
    result->is_complete = result->finding == FOUND_NOTHING;
}

/* --- shrinking ------------------------------------------------------------------------- */

static struct stretch *stretches; /* of the schedule that is being shrunk */
static unsigned stretch_count;

static void take_stretches(void)
{
    stretch_count = 0;
    for (unsigned i = 0; i < exchange->operations && i < NODES; i++) {
        if (stretch_count == 0 ||
            stretches[stretch_count - 1].thread != exchange->order[i])
            stretches[stretch_count++] =
                (struct stretch){exchange->order[i], 0};
        stretches[stretch_count - 1].steps++;
    }
}

/* Where the steps of a stretch that is left out go. */
enum place { BEFORE, AFTER, AT_THE_END, PLACES };

/* Orders the stretches without one, whose steps the thread makes in its stretch
 * before, in the one after, or when all others are over. */
static bool order_without(unsigned without, enum place place)
{
    unsigned target = without, count = 0;

    while (place != AT_THE_END) {
        if (place == BEFORE ? target-- == 0 : ++target == stretch_count)
            return false;
        if (stretches[target].thread == stretches[without].thread)
            break;
    }
    for (unsigned i = 0; i < stretch_count; i++) {
        if (i == without)
            continue;
        exchange->stretch[count] = stretches[i];
        if (i == target)
            exchange->stretch[count].steps =
                (uint16_t)(stretches[i].steps + stretches[without].steps);
        count++;
    }
    exchange->stretches = count;
    return true;
}

/* Whether the execution fails like before, with fewer switches or operations. */
static bool is_better(const struct search_result *result)
{
    return exchange->finding == result->finding &&
           (count_switches() < result->switches ||
            (count_switches() == result->switches &&
             exchange->operations < result->operations));
}

/* Tries to do without each switch, until none can be left out. */
static void shrink(const struct search_options *options,
                   struct search_result *result)
{
    unsigned left = SHRINK_EXECUTIONS; /* no time, so that it repeats */

    stretches = calloc(NODES, sizeof(*stretches));
    if (stretches == NULL)
        abort();
    search_replay(result->picks, result->count, options->steps, -1);
    take_stretches();
    for (unsigned i = 0; i < PLACES * stretch_count; i++) {
        if (left-- == 0) {
            free(stretches);
            return;
        }
        prepare(POLICY_STRETCH, 0, options->steps);
        if (!order_without(i / PLACES, (enum place)(i % PLACES)))
            continue;
        execute(COMMON_NODES, false, -1);
        if (!is_better(result))
            continue;
        keep(result);
        take_stretches();
        i = UINT_MAX; /* from the beginning */
    }
    result->is_shrunk = true;
    free(stretches);
}

void search_all(const struct search_options *options,
                struct search_result *result)
{
    double began = seconds_now();

    memset(result, 0, sizeof(*result));
    if (options->is_exhaustive)
        search_depth_first(options, options->preemptions, result, began);
    else
        sample(options, result, began);
    result->seconds = seconds_now() - began;
    if (result->finding != FOUND_NOTHING && result->finding < REFUSED)
        shrink(options, result);
    checkpoint_end();
}
