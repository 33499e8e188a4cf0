/* SPDX-License-Identifier: MIT */
/*
 * board -- each notice is taken or cancelled, once; nobody waits while there is
 * something to take; and each hold is given up before the memory goes.
 *
 * Shares are of two at most, rings begin with four slots, and a sweep comes
 * with the second dead notice (WEIR_SMALL).  A taker is a thread with that
 * number; the poster comes after them.
 */
#include "weir/host/board.h"

#include <errno.h>

#include "base/futex.h"
#include "model.h"
#include "pool/deque.h"

enum { NOTICES = 4, TAKERS = 2 };

struct item {
    weir_notice notice;
    int number;
    int payload; /* plain: written before the add, and by who cancels */
};

static weir_board *board;
static struct item *items[NOTICES]; /* the poster's; NULL: released */
static int added;                   /* the poster's */
static int to_do;                   /* const */
static atomic(int) done;            /* taken or cancelled */
static atomic(int) taken[NOTICES], cancelled[NOTICES]; /* how often */
static atomic(uint32_t) bed[TAKERS];                   /* 1: wake up */
static atomic(uint32_t) bell; /* 1: all is done but one */

/* ---- waiting ---- */

static void ring(void *word)
{
    atomic(uint32_t) *one = word;

    (void)!swap_release(one, 1);
    weir__futex_wake_one(one, WEIR__FUTEX_PRIVATE);
}

static void wait_for(void *word)
{
    atomic(uint32_t) *one = word;

    while (swap_acquire(one, 0) == 0)
        (void)!weir__futex_wait(one, 0, -1, WEIR__FUTEX_PRIVATE);
}

static bool is_over(void)
{
    return load_relaxed(&done) == to_do;
}

/* The last one sends everybody home. */
static void count_done(void)
{
    int now = fetch_add_relaxed(&done, 1) + 1;

    if (now == to_do - 1)
        ring(&bell);
    if (now == to_do)
        for (unsigned i = 0; i < TAKERS; i++)
            ring(&bed[i]);
}

/* ---- setups ---- */

static void wake(void *arg, uint32_t taker)
{
    ring(&bed[taker]);
}

static void drop(void *arg, weir_notice *notice)
{
    struct item *item = (struct item *)notice;

    model_assert(plain_load(&item->payload) == 2); /* as who cancels left it */
    model_free(item);
}

static void init_for(uint32_t takers, int count)
{
    weir_board_options options = {.size = sizeof(options),
                                  .takers = takers,
                                  .priorities = 1,
                                  .wake = wake,
                                  .drop = drop};

    model_assert(weir_board_new(&board, &options) == 0);
    to_do = count;
}

static void add(void)
{
    struct item *item = model_alloc(sizeof(*item));

    item->number = added;
    plain_store(&item->payload, 1);
    items[added++] = item;
    model_assert(weir_board_add(board, &item->notice, 0) == 0);
}

static void init_one_for_one(void)
{
    init_for(1, 1);
}

static void init_two_for_one(void)
{
    init_for(1, 2);
}

static void init_one_for_two(void)
{
    init_for(2, 1);
}

static void init_with(uint32_t takers, int count)
{
    init_for(takers, count);
    while (added < count)
        add();
}

static void init_with_four(void)
{
    init_with(2, 4);
}

static void init_with_one(void)
{
    init_with(1, 1);
}

static void init_with_three(void)
{
    init_with(1, 3);
}

/* Both takers wait. */
static void init_idle(void)
{
    init_for(2, 1);
    model_assert(weir_board_take(board, 0) == NULL);
    model_assert(weir_board_take(board, 1) == NULL);
}

/* ---- takers ---- */

static void run(weir_notice *notice)
{
    struct item *item = (struct item *)notice;

    model_assert(plain_load(&item->payload) == 1);
    model_assert(fetch_add_relaxed(&taken[item->number], 1) == 0);
    count_done();
    if (weir_notice_release(notice))
        model_free(item);
}

static void work(void)
{
    unsigned self = model_self();

    while (!is_over()) {
        weir_notice *notice;

        while ((notice = weir_board_take(board, self)) != NULL)
            run(notice);
        wait_for(&bed[self]);
    }
}

static void wait_and_work(void)
{
    wait_for(&bed[model_self()]);
    work();
}

/* The first that it takes is not done before all others are. */
static void work_long(void)
{
    weir_notice *notice = weir_board_take(board, model_self());

    if (notice == NULL) {
        wait_and_work();
        return;
    }
    wait_for(&bell);
    run(notice);
}

/* Comes again unasked: a wake may be on its way, and then comes late. */
static void come_twice_and_work(void)
{
    for (int i = 0; i < 2; i++) {
        weir_notice *notice = weir_board_take(board, model_self());

        if (notice != NULL)
            run(notice);
    }
    work();
}

/* What it was woken for is another's. */
static void leave(void)
{
    weir_board_leave(board, model_self());
}

/* ---- the poster ---- */

static void add_one(void)
{
    add();
}

static void add_two(void)
{
    add();
    add();
}

static void cancel(int i)
{
    struct item *item = items[i];
    int err = weir_board_cancel(board, &item->notice);

    model_assert(err == 0 || err == -ENOENT);
    if (err == 0) {
        plain_store(&item->payload, 2); /* it is the poster's alone */
        store_relaxed(&cancelled[i], 1);
        count_done();
    }
    items[i] = NULL;
    if (weir_notice_release(&item->notice))
        model_free(item);
}

static void cancel_it(void)
{
    cancel(0);
}

/* The second one sweeps. */
static void cancel_two(void)
{
    cancel(1);
    cancel(0);
}

/* ---- what must hold ---- */

static void each_was_done_once(void)
{
    weir_board_counts counts = {.size = sizeof(counts)};
    uint64_t sum = 0;

    model_assert(weir_board_count(board, &counts) == 0);
    for (int i = 0; i < added; i++) {
        model_assert(load_relaxed(&taken[i]) + load_relaxed(&cancelled[i]) ==
                     1);
        sum += (uint64_t)load_relaxed(&cancelled[i]);
    }
    model_assert(counts.added == (uint64_t)to_do && counts.queued == 0);
    model_assert(counts.cancelled == sum);
    model_assert(counts.taken == (uint64_t)to_do - sum);
    weir_board_free(board);
    board = NULL;
    for (int i = 0; i < added; i++)
        if (items[i] != NULL) {
            model_assert(weir_notice_release(&items[i]->notice));
            model_free(items[i]);
            items[i] = NULL;
        }
}

/* ---- what must go wrong ---- */

static struct weir__deque queue;
static atomic(uint64_t) idle;
static int item;

static void init_queue(void)
{
    model_assert(weir__deque_init(&queue) == 0);
}

static void push_and_wake(void)
{
    model_assert(weir__deque_push(&queue, &item));
    if (fetch_add_acq_rel(&idle, 0) != 0)
        ring(&bed[0]);
}

/* Looks twice, and says only then that it waits. */
static void look_twice_and_wait(void)
{
    void *found;

    for (int i = 0; i < 2; i++)
        if (weir__deque_steal(&queue, &found) == WEIR__LOOT_ONE)
            return;
    (void)!fetch_add_acq_rel(&idle, 1);
    wait_for(&bed[0]);
}

enum { QUEUED, TAKEN, CANCELLED };
static atomic(int) word;

static void look_and_take(void)
{
    if (load_acquire(&word) != QUEUED)
        return;
    store_release(&word, TAKEN);
    (void)!fetch_add_relaxed(&done, 1);
}

static void look_and_cancel(void)
{
    if (load_acquire(&word) != QUEUED)
        return;
    store_release(&word, CANCELLED);
    (void)!fetch_add_relaxed(&done, 1);
}

static void one_has_it(void)
{
    model_assert(load_relaxed(&done) == 1);
}

static const struct model_case cases[] = {
    {"add_wakes_a_taker_that_waits", .setup = init_one_for_one, .spurious = 1,
     .finish = each_was_done_once, .threads = {T(work), T(add_one)}},
    {"two_adds_and_a_taker_that_comes_and_goes", .setup = init_two_for_one,
     .finish = each_was_done_once, .threads = {T(work), T(add_two)}},
    {"taker_that_comes_unasked_misses_nothing", .setup = init_one_for_one,
     .finish = each_was_done_once,
     .threads = {T(come_twice_and_work), T(add_one)}},
    {"add_for_two_takers_is_taken_by_one", .setup = init_one_for_two,
     .finish = each_was_done_once, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(work), T(work), T(add_one)}},
    {"share_of_one_who_is_busy_is_stolen", .setup = init_with_four,
     .finish = each_was_done_once, .preemption_bound = 2, .brief_bound = 1,
     .threads = {T(work_long), T(work)}},
    {"cancel_and_take_have_one_winner", .setup = init_with_one,
     .finish = each_was_done_once, .may_delay = true,
     .threads = {T(work), T(cancel_it)}},
    {"sweep_leaves_the_living_to_takers", .setup = init_with_three,
     .finish = each_was_done_once, .preemption_bound = 3, .brief_bound = 2,
     .threads = {T(work), T(cancel_two)}},
    {"leave_passes_its_wake_on", .setup = init_idle,
     .finish = each_was_done_once,
     .threads = {T(leave), T(wait_and_work), T(add_one)}},
    {"idle_said_after_the_second_look_loses_a_wake", .setup = init_queue,
     .expect = MODEL_DEADLOCK,
     .threads = {T(look_twice_and_wait), T(push_and_wake)}},
    {"take_and_cancel_by_look_and_store_both_win", .finish = one_has_it,
     .expect = MODEL_ASSERTION,
     .threads = {T(look_and_take), T(look_and_cancel)}},
};

MODEL_CASES(cases)
