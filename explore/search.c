/* SPDX-License-Identifier: MIT */
/*
 * search -- see search.h.
 */
#include "search.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "hash.h"
#include "known.h"
#include "pick.h"

enum {
    PICKS = 16000,
    MAX_CHANGES = 16,
    TURNS = 200, /* steps of a run that goes on to find a livelock */
    SPINS = 100  /* steps in a row, with others ready, that are a spin */
};

/* A point of the current run at which there was a choice. */
struct node {
    bool is_schedule;
    uint8_t pick;        /* alternative, or thread */
    uint16_t count;      /* alternatives */
    uint8_t open;        /* threads still to be tried */
    uint8_t sleep, done; /* threads asleep here; tried already */
};

static struct search {
    const struct model_case *test;
    const struct search_options *options;
    struct search_result *result;

    struct node stack[PICKS]; /* exhaustive: the run's choices so far */
    unsigned depth;           /* how many there are */
    unsigned at;              /* how many this run has come to */
    uint8_t sleep;            /* the sleep set at this point of the run */
    int last;                 /* the thread that made the last step */
    unsigned preemptions;     /* how many this run may still have */
    unsigned limit;           /* steps */
    struct known *known;
    uint64_t path[STEPS + 1]; /* fingerprints of the states of this run; those
                                 that it was led through are the last run's */

    uint8_t picks[PICKS]; /* all picks of this run, for the replay string */
    unsigned picked;
    uint64_t random;
    int priority[ACTORS];         /* PCT */
    int lowest;                   /* PCT: below all of them */
    unsigned change[MAX_CHANGES]; /* PCT: at which steps */
    unsigned changes;

    unsigned row; /* how many steps the last thread has made in a row */
    double started, shown;
    bool is_late;        /* options->seconds have passed */
    bool has_circle;     /* this run has come to a state again */
    bool spins;          /* ... or an earlier one of this search has */
    bool is_extended;    /* this run goes on where the search has nothing new */
    unsigned turns_left; /* ... for so many steps */
} * search;

/* --- small things -------------------------------------------------------- */

static double seconds(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

static unsigned random_below(unsigned bound)
{
    search->random = hash_mix(search->random, 1);
    return (unsigned)((search->random >> 32) * bound >> 32);
}

static unsigned lowest(unsigned set)
{
    return (unsigned)__builtin_ctz(set);
}

static bool is_single(uint8_t set)
{
    return (set & (set - 1)) == 0;
}

static unsigned random_of(uint8_t set)
{
    unsigned skip = random_below((unsigned)__builtin_popcount(set));

    while (skip-- > 0)
        set &= (uint8_t)(set - 1);
    return lowest(set);
}

static const char digits[] =
    "0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";

static char *replay_string(void)
{
    char *text = malloc(search->picked + 1u);

    if (text == NULL)
        abort();
    for (unsigned i = 0; i < search->picked; i++)
        text[i] = digits[search->picks[i] % 62];
    text[search->picked] = '\0';
    return text;
}

static unsigned replayed(unsigned otherwise)
{
    const char *text = search->options->replay;
    const char *digit;

    if (search->picked >= strlen(text))
        return otherwise;
    digit = strchr(digits, text[search->picked]);
    return digit != NULL ? (unsigned)(digit - digits) : otherwise;
}

static unsigned pick(unsigned value)
{
    if (search->picked == PICKS) {
        weak_limit("choices of one run (search.c)");
    }
    search->picks[search->picked++] = (uint8_t)value;
    return value;
}

static struct node *push(void)
{
    struct node *node = &search->stack[search->depth++];

    search->at = search->depth;
    *node = (struct node){0};
    return node;
}

/* --- the choices --------------------------------------------------------- */

unsigned search_choose(unsigned count)
{
    struct node *node;

    if (count == 1)
        return 0;
    if (search->options->replay != NULL) {
        unsigned value = replayed(0);

        return pick(value < count ? value : 0);
    }
    if (search->test->random_runs != 0)
        return pick(random_below(count));
    if (search->is_extended)
        return pick(0); /* what is newest */
    if (search->at < search->depth) {
        node = &search->stack[search->at++];
    } else {
        node = push();
        node->count = (uint16_t)count;
    }
    return pick(node->pick);
}

/* What a thread does next: mostly its operation itself, without a copy. */
static const struct op *look_at(unsigned index, struct op *copy)
{
    const struct actor *actor = &execution->actor[index];

    if (actor->status == READY && !actor->is_delayed)
        return &actor->op;
    *copy = execution_pending(index);
    return copy;
}

/* Those of `set` whose next step does not depend on that of `index`. */
static uint8_t independent(uint8_t set, unsigned index)
{
    struct op copies[2];
    const struct op *mine;

    if (set == 0)
        return 0;
    mine = look_at(index, &copies[0]);
    for (unsigned i = 0; i < execution->threads; i++)
        if ((set >> i & 1) != 0 &&
            execution_depends(mine, look_at(i, &copies[1])))
            set &= (uint8_t) ~(1u << i);
    return set;
}

static bool is_bounded(void)
{
    return search->test->preemption_bound != 0;
}

bool search_is_reduced(void)
{
    return !search->options->no_reduction && !is_bounded() &&
           search->test->random_runs == 0;
}

/* Leaving a thread that could go on is a preemption. */
static bool preempts(uint8_t enabled, unsigned index)
{
    return search->last >= 0 && (unsigned)search->last != index &&
           (enabled >> search->last & 1) != 0;
}

static uint8_t allowed(uint8_t enabled)
{
    if (is_bounded() && search->preemptions == 0 && search->last >= 0 &&
        (enabled >> search->last & 1) != 0)
        return (uint8_t)(1u << search->last);
    return enabled;
}

/* How late a state comes matters only when there is a limit to stay under. */
static unsigned steps_that_count(void)
{
    return search->test->shortest ? execution->steps : 0;
}

/* A state that this run has come to before is a circle.  If every thread that
 * could move did, and all of them read what was newest, nothing will ever
 * break it.  Otherwise it is only an unfair one, and there is no need to go
 * round again. */
static void find_livelock(uint64_t hash, uint8_t enabled)
{
    uint8_t moved = 0;

    for (unsigned i = execution->steps; i-- > 0;) {
        const struct step *step = &execution->trace[i];

        if (step->op.is_stale)
            return;
        moved |= (uint8_t)(1u << step->actor);
        if (search->path[i] == hash) {
            search->has_circle = true;
            if ((enabled & ~moved) == 0) {
                execution_fail(MODEL_LIVELOCK,
                               "the last %u steps go on forever",
                               execution->steps - i);
                return;
            }
        }
    }
}

/* From each state at most once. */
static void begin_extension(uint64_t hash)
{
    if (execution->finding != MODEL_NOTHING ||
        known_visit(search->known, hash_mix(hash, 3), 0, 0) == 0)
        return;
    search->is_extended = true;
    search->turns_left = TURNS;
}

/* Threads whose steps from this state have not been seen. */
static uint8_t unseen(uint8_t enabled)
{
    uint64_t hash;
    uint8_t missing;

    if (search->options->no_reduction)
        return UINT8_MAX;
    hash = execution_hash();
    if (is_bounded())
        hash = hash_mix(hash, search->preemptions * 16u +
                                  (unsigned)(search->last + 1));
    missing =
        known_visit(search->known, hash, search->sleep, steps_that_count());
    search->has_circle = false;
    if (missing == 0)
        find_livelock(hash, enabled);
    search->path[execution->steps] = hash;
    if (search->has_circle) {
        search->spins = true;
        begin_extension(hash);
    }
    return missing;
}

/* A run that is given up goes on for a while, and each thread has its turn. */
static int extend(uint8_t enabled)
{
    uint64_t hash;
    unsigned next;

    if (search->turns_left-- == 0)
        return -1;
    hash = execution_hash();
    find_livelock(hash, enabled);
    if (execution->finding != MODEL_NOTHING)
        return -1;
    search->path[execution->steps] = hash;
    next = (unsigned)(search->last + 1);
    while ((enabled >> next % ACTORS & 1) == 0)
        next++;
    return (int)(next % ACTORS);
}

/* The run has come to a state that it was not led to by earlier choices: what
 * may be tried there; empty if there is nothing new to see. */
static uint8_t open_threads(uint8_t enabled)
{
    uint8_t open = allowed(enabled) & (uint8_t)~search->sleep;

    if (open == 0 && search->spins)
        begin_extension(execution_hash());
    return open == 0 ? 0 : open & unseen(enabled);
}

static int schedule_next(uint8_t enabled)
{
    bool is_new = search->at == search->depth;
    uint8_t tried = search->sleep;
    int next;

    if (search->is_extended)
        return extend(enabled);
    if (is_single(enabled)) {
        if (is_new && open_threads(enabled) == 0)
            return search->is_extended ? extend(enabled) : -1;
        next = (int)lowest(enabled);
    } else if (is_new) {
        uint8_t open = open_threads(enabled);
        struct node *node;

        if (open == 0)
            return search->is_extended ? extend(enabled) : -1;
        next = search->last >= 0 && (open >> search->last & 1) != 0
                   ? search->last
                   : (int)lowest(open);
        node = push();
        node->is_schedule = true;
        node->sleep = search->sleep;
        node->pick = (uint8_t)next;
        node->open = open & (uint8_t) ~(1u << next);
    } else {
        struct node *node = &search->stack[search->at++];

        next = node->pick;
        tried = node->sleep | node->done;
    }
    if (search_is_reduced())
        search->sleep = independent(tried, (unsigned)next);
    return next;
}

static unsigned highest_priority(uint8_t enabled)
{
    unsigned best = lowest(enabled);

    for (unsigned i = 0; i < search->changes; i++)
        if (search->change[i] == execution->steps && search->last >= 0)
            search->priority[search->last] = (int)(MAX_CHANGES - i - 1);
    if (search->options->is_lenient && search->row >= SPINS)
        search->priority[search->last] = search->lowest--;
    for (unsigned i = best + 1; i < execution->threads; i++)
        if ((enabled >> i & 1) != 0 &&
            search->priority[i] > search->priority[best])
            best = i;
    return best;
}

int search_schedule(uint8_t enabled)
{
    int next;

    if (search->options->replay != NULL) {
        unsigned value =
            is_single(enabled) ? lowest(enabled) : replayed(lowest(enabled));
        uint64_t hash = execution_hash();

        find_livelock(hash, enabled);
        search->path[execution->steps] = hash;
        if (execution->finding != MODEL_NOTHING)
            return -1;
        next = (int)((enabled >> value & 1) != 0 ? value : lowest(enabled));
    } else if (search->test->pct_depth != 0) {
        next = (int)highest_priority(enabled);
    } else if (search->test->random_runs != 0) {
        next = (int)random_of(enabled);
    } else {
        next = schedule_next(enabled);
    }
    if (next < 0)
        return next;
    if (is_bounded() && preempts(enabled, (unsigned)next))
        search->preemptions -= search->preemptions > 0;
    search->row = next == search->last ? search->row + 1 : 0;
    search->last = next;
    if (!is_single(enabled))
        pick((unsigned)next);
    return next;
}

/* Takes the next alternative of the deepest choice that has one. */
static bool backtrack(void)
{
    while (search->depth > 0) {
        struct node *node = &search->stack[search->depth - 1];

        if (node->is_schedule && node->open != 0) {
            node->done |= (uint8_t)(1u << node->pick);
            node->pick = (uint8_t)lowest(node->open);
            node->open &= (uint8_t)(node->open - 1);
            return true;
        }
        if (!node->is_schedule && node->pick + 1u < node->count) {
            node->pick++;
            return true;
        }
        search->depth--;
    }
    return false;
}

/* --- results ------------------------------------------------------------- */

static bool has_outcome(const char *set, const char *outcome)
{
    size_t length = strlen(outcome);

    for (const char *at = set; (at = strstr(at, outcome)) != NULL; at++)
        if ((at == set || at[-1] == ' ') &&
            (at[length] == ' ' || at[length] == '\0'))
            return true;
    return false;
}

static void keep_outcome(struct search_result *result)
{
    const char *outcome = execution->outcome;
    size_t used = strlen(result->outcomes);

    if (outcome[0] == '\0' || has_outcome(result->outcomes, outcome))
        return;
    if (used + strlen(outcome) + 2 > sizeof(result->outcomes)) {
        weak_limit("outcomes (search.h)");
    }
    snprintf(result->outcomes + used, sizeof(result->outcomes) - used, "%s%s",
             used == 0 ? "" : " ", outcome);
}

static void keep_finding(struct search_result *result)
{
    free(result->replay);
    free(result->trace);
    result->finding = execution->finding;
    memcpy(result->text, execution->text, sizeof(result->text));
    result->replay = replay_string();
    result->steps = execution->steps;
    result->trace = malloc((execution->steps + 1) * sizeof(struct step));
    if (result->trace == NULL)
        abort();
    memcpy(result->trace, execution->trace,
           execution->steps * sizeof(struct step));
}

/* How much of the tree of choices has been tried, if all branches of a choice
 * are equally large: from 0 to 1. */
static double estimate(void)
{
    double sum = 0, share = 1;

    for (unsigned i = 0; i < search->depth; i++) {
        const struct node *node = &search->stack[i];
        int tried =
            node->is_schedule ? __builtin_popcount(node->done) : node->pick;
        int all = node->is_schedule ? tried + 1 + __builtin_popcount(node->open)
                                    : node->count;

        sum += share * tried / all;
        share /= all;
    }
    return sum;
}

static void show_progress(const struct search_result *result)
{
    FILE *out;
    double now;

    if ((result->executions + result->pruned) % 64 != 0)
        return;
    now = seconds();
    search->is_late = search->options->seconds > 0 &&
                      now - search->started >= search->options->seconds;
    if (search->options->is_quiet || now - search->shown < 5)
        return;
    search->shown = now;
    out =
        search->options->progress != NULL ? search->options->progress : stderr;
    if (search->test->random_runs == 0)
        fprintf(out, "about %.0f %%: ", 100 * estimate());
    fprintf(out,
            "%s: %llu executions, %llu pruned, %llu states, depth %u, %.0f s\n",
            search->test->name, (unsigned long long)result->executions,
            (unsigned long long)result->pruned,
            (unsigned long long)known_count(search->known), result->depth,
            now - search->started);
    fflush(out);
}

/* --- one run after another ------------------------------------------------ */

static void begin_run(void)
{
    const struct model_case *test = search->test;

    search->at = 0;
    search->picked = 0;
    search->sleep = 0;
    search->last = -1;
    search->preemptions = test->preemption_bound;
    search->changes = 0;
    search->is_extended = false;
    search->row = 0;
    search->lowest = -1;
    if (test->pct_depth != 0) {
        unsigned length = search->result->depth + 1;

        for (unsigned i = 0; i < ACTORS; i++)
            search->priority[i] = (int)(MAX_CHANGES + random_below(1u << 20));
        search->changes = test->pct_depth - 1;
        if (search->changes > MAX_CHANGES)
            search->changes = MAX_CHANGES;
        for (unsigned i = 0; i < search->changes; i++)
            search->change[i] = random_below(length);
    }
}

/* False: enough. */
static bool run_once(struct search_result *result)
{
    enum ending ending;

    begin_run();
    ending = execution_run(search->test, search->limit);
    if (execution->steps > result->depth)
        result->depth = execution->steps;
    if (execution->threads > result->threads)
        result->threads = execution->threads;
    show_progress(result);
    if (ending == PRUNED) {
        result->pruned++;
        return true;
    }
    /* Looking for something shorter than what was found: too long is no
     * finding then. */
    if (ending == FOUND && execution->finding == MODEL_LIVELOCK &&
        (result->finding != MODEL_NOTHING || search->options->limit != 0)) {
        result->pruned++;
        return true;
    }
    if (ending == FOUND && execution->finding == MODEL_LIVELOCK &&
        search->options->is_lenient && search->test->random_runs != 0) {
        result->too_long++;
        return true;
    }
    result->executions++;
    if (ending == ENDED) {
        keep_outcome(result);
        return true;
    }
    keep_finding(result);
    if (!search->test->shortest || execution->steps == 0)
        return false;
    search->limit = execution->steps - 1;
    return true;
}

static int compare_words(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

static void sort_outcomes(char *outcomes, size_t size)
{
    char *copy = strdup(outcomes), *words[200], *rest = NULL;
    size_t count = 0, used = 0;

    for (char *word = strtok_r(copy, " ", &rest); word != NULL && count < 200;
         word = strtok_r(NULL, " ", &rest))
        words[count++] = word;
    qsort(words, count, sizeof(words[0]), compare_words);
    outcomes[0] = '\0';
    for (size_t i = 0; i < count; i++)
        used += (size_t)snprintf(outcomes + used, size - used, "%s%s",
                                 i == 0 ? "" : " ", words[i]);
    free(copy);
}

void search_prepare(void)
{
    search = calloc(1, sizeof(*search));
    if (search == NULL)
        abort();
}

void search_run(const struct model_case *test,
                const struct search_options *options,
                struct search_result *result)
{
    unsigned runs = 0;

    *result = (struct search_result){0};
    search->test = test;
    search->options = options;
    search->result = result;
    search->depth = 0;
    search->limit = test->steps != 0 ? test->steps : 400;
    if (options->limit != 0)
        search->limit = options->limit;
    search->is_late = false;
    search->spins = false;
    search->known = known_new();
    search->random = hash_mix(options->seed, 2);
    search->started = search->shown = seconds();
    for (;;) {
        bool go_on = run_once(result);

        runs++;
        if (!go_on || options->replay != NULL)
            break;
        if (test->random_runs != 0 ? runs == test->random_runs : !backtrack()) {
            result->is_complete = true;
            break;
        }
        if (search->is_late || (options->stop != NULL && *options->stop))
            break;
    }
    result->states = known_count(search->known);
    result->seconds = seconds() - search->started;
    sort_outcomes(result->outcomes, sizeof(result->outcomes));
    known_free(search->known);
}

void search_result_free(struct search_result *result)
{
    free(result->replay);
    free(result->trace);
}
