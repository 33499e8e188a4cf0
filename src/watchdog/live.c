/* SPDX-License-Identifier: MIT */
/*
 * live -- the watchdog's thread.
 *
 * Shape     The thread looks at all loops, tells what has happened, and sleeps:
 *           for an eighth of the limit while a loop is awake; until the next
 *           announcement if all loops that are awake are blocked, because the
 *           end of a block wakes it; and without a limit if all loops sleep.
 *
 *           Its time is its own.  If a sleep took longer than planned, the
 *           process did not run, or this thread did not get a core, and neither
 *           did the others: that time is lost, and no callback is blamed for it.
 *
 * Roles     start, stop   any thread, one at a time
 *           the rest      the watchdog's thread
 *
 * Shared state
 *   is_running    any thread: who starts it; one CAS decides
 *   is_stopping   written by stop, read by the thread; the parker orders it
 *   the rest      written by start before the thread begins
 *
 * Tested by  test/unit/watchdog/live.c
 */
#include "weir/live.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/fork.h"
#include "base/lock.h"
#include "base/procstate.h"
#include "watchdog/block.h"
#include "watchdog/watched.h"
#include "weir/host/sized.h"
#include "weir/host/thread.h"
#include "weir/host/recorder.h"

static const int64_t default_limit_ns = 1000000000;
static const int64_t shortest_ns = 1000000; /* between two looks */

struct watchdog {
    weir_live_options options;
    struct weir__limits limits;
    int64_t interval_ns;
    weir_thread thread;
    /* The thread only. */
    int64_t real_ns;                   /* of the last look */
    int64_t now_ns;                    /* the watchdog's own time */
    int64_t planned_ns;                /* the last sleep; negative: no limit */
    uint64_t blocks;                   /* of all watchdogs */
    struct weir__block *first, **last; /* to be told */
};

static struct watchdog dog;
static atomic(uint32_t) is_running;  /* any thread: who starts it */
static atomic(uint32_t) is_stopping; /* ordered by the parker */

/* ---- one look ---- */

/* Advance the watchdog's time by what has passed, but not by more than it has
 * planned to sleep and the time to another look. */
static void look_at_clock(void)
{
    int64_t real_ns = weir__clock_real();
    int64_t passed_ns = real_ns - dog.real_ns;
    int64_t most_ns =
        (dog.planned_ns < 0 ? 0 : dog.planned_ns) + dog.interval_ns;

    dog.now_ns += passed_ns < most_ns ? passed_ns : most_ns;
    dog.real_ns = real_ns;
}

static void queue(struct weir__block *block)
{
    block->next = NULL;
    *dog.last = block;
    dog.last = &block->next;
}

static void copy_text(char *to, size_t size, const char *from)
{
    snprintf(to, size, "%s", from != NULL ? from : "");
}

/* Copy both stacks of the thread.  What was copied belongs to this callback only
 * if it is still there: otherwise returns false, and there are no stacks, except
 * for congestion, where they are those of the last callback. */
static bool take_stacks(const struct weir__watched *watched,
                        struct weir__block *block)
{
    const struct weir__capture *capture = weir__watched_capture(watched);
    bool is_congestion = block->told.cause == WEIR_BLOCK_CONGESTION;
    struct weir__sight again;

    memcpy(block->script, capture->script, sizeof(block->script));
    memcpy(block->frame, capture->frame, sizeof(block->frame));
    block->frames = capture->frames;
    if (capture->is_collecting && !is_congestion)
        block->told.cause = WEIR_BLOCK_MEMORY;
    if (weir__pulse_look(watched->pulse, &again) && again.is_running &&
        again.beat == block->beat)
        return true;
    if (!is_congestion) {
        block->frames = 0;
        block->script[0] = '\0';
    }
    return false;
}

static int64_t later(int64_t one_ns, int64_t other_ns)
{
    return one_ns > other_ns ? one_ns : other_ns;
}

/* Describe the block while it lasts. */
static void begin_block(struct weir__watched *watched,
                        const struct weir__sight *sight, bool is_congestion)
{
    struct weir__block *block = weir__block_new();
    struct weir__pulse *pulse = watched->pulse;

    /* Before the stacks are taken: the callback may end meanwhile.  And even if
     * there is no memory: its end wakes the watchdog.  relaxed: a hint to the
     * loop */
    if (!is_congestion)
        (void)fetch_or_relaxed(watched->hints, WEIR__HINT_BLOCKED);
    if (block == NULL)
        return;
    block->beat = sight->beat;
    block->began_ns = is_congestion
                          ? watched->turn_ns
                          : later(sight->since_ns, watched->before_ns);
    copy_text(block->loop, sizeof(block->loop),
              watched->name != NULL ? watched->name : "loop");
    copy_text(block->name, sizeof(block->name), sight->name);
    (void)weir__pulse_subject(pulse, block->subject);
    block->told = (weir_block){
        .id = ++dog.blocks,
        .cause = is_congestion ? WEIR_BLOCK_CONGESTION : WEIR_BLOCK_HANG,
        .thread = load_relaxed(&pulse->thread), /* relaxed: for display */
        .kind = sight->kind,
        .callbacks =
            is_congestion ? sight->beat - watched->judge.first_beat + 1 : 1,
    };
    weir__procstate_print(block->told.thread, block->state,
                          sizeof(block->state));
    if (!take_stacks(watched, block) && !is_congestion)
        block->subject[0] = '\0';
    watched->block = block;
}

static void tell_stage(struct weir__watched *watched, weir_block_stage stage)
{
    struct weir__block *block = watched->block, *copy;

    if (block == NULL)
        return;
    block->told.stage = stage;
    block->told.duration_ns = dog.real_ns - block->began_ns;
    if (stage == WEIR_BLOCK_LASTS) {
        weir__procstate_print(block->told.thread, block->state,
                              sizeof(block->state));
        /* A thread that did not get a core has not answered in time. */
        if (block->script[0] == '\0' && block->frames == 0)
            (void)take_stacks(watched, block);
    }
    copy = weir__block_copy(block);
    if (copy != NULL) /* or there is no memory to tell it */
        queue(copy);
}

static void end_block(struct weir__watched *watched)
{
    struct weir__block *block = weir__watched_take_block(watched, dog.real_ns);

    if (block != NULL)
        queue(block);
}

/* Take the blocks of loops that are gone.  Under the lock. */
static void take_left(struct weir__watched_list *all)
{
    while (all->left != NULL) {
        struct weir__block *block = all->left;

        all->left = block->next;
        queue(block);
    }
}

/* Returns the time until the next look at this loop. */
static int64_t next_look(const struct weir__watched *watched)
{
    const struct weir__judge *judge = &watched->judge;
    int64_t left_ns;

    if (judge->state != WEIR__HANGS)
        return dog.interval_ns;
    left_ns = judge->next_ns - weir__judge_age(judge, dog.now_ns);
    if (watched->limit_ns > 0 && !watched->has_exceeded) {
        int64_t limit_ns =
            watched->limit_ns - weir__judge_age(judge, dog.now_ns);

        left_ns = limit_ns < left_ns ? limit_ns : left_ns;
    }
    return left_ns > dog.interval_ns ? left_ns : dog.interval_ns;
}

static void enforce(struct weir__watched *watched)
{
    const struct weir__judge *judge = &watched->judge;

    if (watched->limit_ns == 0 || watched->has_exceeded || !judge->has_beat ||
        dog.now_ns - judge->beat_ns < watched->limit_ns)
        return;
    watched->has_exceeded = true;
    watched->limit(watched->limit_arg);
}

static int64_t look_at(struct weir__watched *watched, int64_t last_ns)
{
    bool is_asleep = weir__pulse_is_asleep(watched->pulse);
    struct weir__sight sight = {0};

    /* A callback that changes meanwhile is not the one that blocks. */
    if (!is_asleep && !weir__pulse_look(watched->pulse, &sight))
        sight.is_running = false;
    if (!is_asleep && sight.beat != watched->before_beat) {
        watched->before_beat = sight.beat;
        watched->before_ns = last_ns;
        watched->has_exceeded = false;
    }
    if (!is_asleep && sight.turn != watched->turn) {
        watched->turn = sight.turn;
        watched->turn_ns = later(sight.since_ns, last_ns);
    }
    switch (weir__judge_look(&watched->judge, is_asleep ? NULL : &sight,
                             dog.now_ns, &dog.limits)) {
    case WEIR__NEWS_HANG:
        begin_block(watched, &sight, false);
        tell_stage(watched, WEIR_BLOCK_BEGAN);
        break;
    case WEIR__NEWS_CONGESTION:
        begin_block(watched, &sight, true);
        tell_stage(watched, WEIR_BLOCK_BEGAN);
        break;
    case WEIR__NEWS_LASTS:
        if (watched->block != NULL && watched->judge.state == WEIR__CONGESTED)
            watched->block->told.callbacks =
                sight.beat - watched->judge.first_beat + 1;
        tell_stage(watched, WEIR_BLOCK_LASTS);
        break;
    case WEIR__NEWS_ENDED:
        end_block(watched);
        break;
    case WEIR__NEWS_NONE:
        break;
    }
    if (is_asleep)
        return -1;
    enforce(watched);
    return next_look(watched);
}

/* Look at all loops.  Returns how long to sleep; negative: without limit. */
static int64_t look_at_all(void)
{
    struct weir__watched_list *all = weir__watched_all();
    int64_t last_ns = dog.real_ns, next_ns = -1;

    look_at_clock();
    if (dog.planned_ns < 0)
        last_ns = dog.real_ns; /* all loops slept */
    weir__lock_lock(&all->lock);
    take_left(all);
    for (struct weir__watched *watched = all->first; watched != NULL;
         watched = watched->next) {
        int64_t wait_ns = look_at(watched, last_ns);

        if (wait_ns >= 0 && (next_ns < 0 || wait_ns < next_ns))
            next_ns = wait_ns;
    }
    weir__lock_unlock(&all->lock);
    return next_ns;
}

/* ---- telling ---- */

static void print(void *arg, const weir_block *block)
{
    char text[WEIR__NATIVE_BYTES + WEIR__SCRIPT_BYTES + 512];

    weir_block_text(block, text, sizeof(text));
    fputs(text, stderr);
}

/* On the watchdog's own track: the ring of the thread that is blocked has only
 * one writer. */
static void record(const weir_block *block)
{
    static const char *const names[] = {
        [WEIR_BLOCK_BEGAN] = "blocked",
        [WEIR_BLOCK_LASTS] = "still blocked",
        [WEIR_BLOCK_ENDED] = "no longer blocked",
    };

    weir_recorder_end(
        0, &(weir_record){.type = WEIR_RECORD_BLOCK,
                          .kind = block->kind,
                          .name = names[block->stage],
                          .value = (uint64_t)block->duration_ns / 1000});
}

static void tell_all(void)
{
    struct weir__block *block = dog.first;

    dog.first = NULL;
    dog.last = &dog.first;
    while (block != NULL) {
        struct weir__block *next = block->next;

        record(&block->told);
        weir__block_tell(
            block, dog.options.on_block != NULL ? dog.options.on_block : print,
            dog.options.arg);
        weir__block_free(block);
        block = next;
    }
}

/* End the blocks that still last, because the next watchdog has its own time and
 * begins anew: so each block that was told has an end. */
static void end_all(void)
{
    struct weir__watched_list *all = weir__watched_all();

    weir__lock_lock(&all->lock);
    take_left(all);
    for (struct weir__watched *watched = all->first; watched != NULL;
         watched = watched->next) {
        end_block(watched);
        watched->judge = (struct weir__judge){0};
        watched->has_exceeded = false;
    }
    weir__lock_unlock(&all->lock);
}

static void watch(void *arg)
{
    dog.real_ns = weir__clock_real();
    dog.now_ns = 0;
    dog.planned_ns = 0;
    dog.last = &dog.first;
    while (!load_relaxed(&is_stopping)) { /* relaxed: the parker orders it */
        dog.planned_ns = look_at_all();
        tell_all();
        weir__watched_sleep(dog.planned_ns);
        if (dog.planned_ns >= 0) /* not in programs that end at once */
            weir__watched_prepare();
    }
    (void)look_at_all(); /* what has ended meanwhile */
    end_all();
    tell_all();
}

/* ---- start, stop ---- */

static int set_options(const weir_live_options *given)
{
    weir_live_options options;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (options.blocked_after_ns < 0 || options.congested_after_ns < 0)
        return -EINVAL;
    if (options.blocked_after_ns == 0)
        options.blocked_after_ns = default_limit_ns;
    if (options.congested_after_ns == 0)
        options.congested_after_ns = options.blocked_after_ns < INT64_MAX / 2
                                         ? 2 * options.blocked_after_ns
                                         : INT64_MAX;
    dog = (struct watchdog){.options = options, .blocks = dog.blocks};
    dog.limits = (struct weir__limits){options.blocked_after_ns,
                                       options.congested_after_ns};
    dog.interval_ns = options.blocked_after_ns / 8;
    if (dog.interval_ns < shortest_ns)
        dog.interval_ns = shortest_ns;
    return 0;
}

/* Whether the thread is one of this process, and not of its parent. */
static bool is_ours(void)
{
    return dog.thread.process_ == weir__fork_generation();
}

int weir_live_start(const weir_live_options *options)
{
    uint32_t no = 0;
    int err;

    /* relaxed: decides who starts it; start and stop are not concurrent */
    if (!cas_relaxed(&is_running, &no, 1) && is_ours())
        return -EALREADY;
    err = set_options(options);
    if (err == 0) {
        weir__watched_let_in();
        store_relaxed(&is_stopping, 0); /* relaxed: the thread starts later */
        err = weir_thread_start(&dog.thread, watch, NULL, 0);
    }
    if (err != 0)
        store_relaxed(&is_running, 0); /* relaxed: as above */
    return err;
}

void weir_live_stop(void)
{
    if (!load_relaxed(&is_running)) /* relaxed: as in start */
        return;
    store_relaxed(&is_stopping, 1); /* relaxed: the parker orders it */
    weir__watched_wake();
    weir_thread_join(&dog.thread);
    store_relaxed(&is_running, 0); /* relaxed: as in start */
}
