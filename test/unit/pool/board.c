/* SPDX-License-Identifier: MIT */
/*
 * board -- order, shares, stealing, cancelling, and who is woken; on one
 * thread, which plays the poster and each of the takers.
 */
#include "weir/host/board.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

enum { MANY = 300, HIGH = 0, MIDDLE = 1, LOW = 2 };

struct item {
    weir_notice notice;
    char name;
    bool is_dropped;
};

static weir_board *board;
static struct item items[MANY];
static char woken[32];

static void on_wake(void *arg, uint32_t taker)
{
    size_t used = strlen(woken);

    expect(arg == woken);
    snprintf(woken + used, sizeof(woken) - used, "%u ", taker);
}

static void on_drop(void *arg, weir_notice *notice)
{
    expect(arg == woken);
    ((struct item *)notice)->is_dropped = true;
}

static weir_board_options options_for(uint32_t takers)
{
    return (weir_board_options){.size = sizeof(weir_board_options),
                                .takers = takers,
                                .priorities = 3,
                                .wake = on_wake,
                                .drop = on_drop,
                                .arg = woken};
}

static void make(uint32_t takers)
{
    weir_board_options options = options_for(takers);

    expect_status(weir_board_new(&board, &options), 0);
}

static void add(int i, uint32_t priority, char name)
{
    items[i].name = name;
    expect_status(weir_board_add(board, &items[i].notice, priority), 0);
}

/* The name of what it gets, or '-'. */
static char take(uint32_t taker)
{
    weir_notice *notice = weir_board_take(board, taker);

    if (notice == NULL)
        return '-';
    (void)!weir_notice_release(notice);
    return ((struct item *)notice)->name;
}

static weir_board_counts counts(void)
{
    weir_board_counts now = {.size = sizeof(now)};

    expect_status(weir_board_count(board, &now), 0);
    return now;
}

static void takes(uint32_t taker, const char *names)
{
    char got[MANY + 1] = "";

    for (size_t i = 0; names[i] != '\0'; i++)
        got[i] = take(taker);
    expect_string(got, names);
}

/* ---- order ---- */

CASE(board_one_taker_takes_in_order_the_highest_first)
{
    make(1);
    add(0, LOW, 'x');
    add(1, MIDDLE, 'a');
    add(2, MIDDLE, 'b');
    takes(0, "a");
    add(3, HIGH, '1');
    add(4, MIDDLE, 'c');
    takes(0, "1bcx-");
    weir_board_free(board);
}

CASE(board_high_one_is_taken_before_the_rest_of_a_share)
{
    make(1);
    for (int i = 0; i < 10; i++)
        add(i, MIDDLE, (char)('a' + i));
    takes(0, "ab"); /* its share is more than that */
    add(10, HIGH, '1');
    takes(0, "1cdefghij-");
    weir_board_free(board);
}

CASE(board_every_16th_pick_begins_with_the_lowest)
{
    make(1);
    for (int i = 0; i < 40; i++)
        add(i, HIGH, 'h');
    for (int i = 40; i < 43; i++)
        add(i, MIDDLE, 'm');
    for (int i = 43; i < 46; i++)
        add(i, LOW, 'l');
    takes(0, "hhhhhhhhhhhhhhhl"
             "hhhhhhhhhhhhhhhl"
             "hhhhhhhhhhmmml-");
    weir_board_free(board);
}

CASE(board_of_two_priorities_has_no_third)
{
    weir_board_options options = options_for(1);

    options.priorities = 2;
    expect_status(weir_board_new(&board, &options), 0);
    expect_status(weir_board_add(board, &items[0].notice, LOW), -EINVAL);
    add(0, MIDDLE, 'm');
    add(1, HIGH, 'h');
    takes(0, "hm-");
    weir_board_free(board);
}

/* ---- stealing ---- */

CASE(board_share_of_a_taker_is_stolen_by_another)
{
    int seen[8] = {0};

    make(2);
    for (int i = 0; i < 8; i++)
        add(i, MIDDLE, (char)i);
    expect_int(take(0), 0); /* and more is its own now */
    for (int i = 1; i < 8; i++)
        seen[(int)take(1)]++;
    expect_int(take(1), '-');
    for (int i = 1; i < 8; i++)
        expect_int(seen[i], 1);
    expect(counts().steals > 0 && counts().steals < 7);
    expect_int(counts().taken, 8);
    expect_int(counts().queued, 0);
    weir_board_free(board);
}

CASE(board_next_taker_of_a_number_finds_the_share_of_the_last)
{
    make(2);
    for (int i = 0; i < 8; i++)
        add(i, MIDDLE, (char)('a' + i));
    takes(0, "a");
    weir_board_leave(board, 0);
    takes(0, "bcd");
    weir_board_free(board);
}

/* ---- waking ---- */

CASE(board_add_wakes_one_that_is_idle_and_only_once)
{
    make(3);
    add(0, MIDDLE, 'a');
    expect_string(woken, ""); /* nobody has found nothing yet */
    takes(1, "a-");
    takes(2, "-");
    add(1, MIDDLE, 'b');
    expect_string(woken, "1 ");
    add(2, MIDDLE, 'c');
    add(3, MIDDLE, 'd');
    expect_string(woken, "1 2 ");
    takes(1, "bcd-");
    add(4, MIDDLE, 'e');
    expect_string(woken, "1 2 1 ");
    weir_board_free(board);
}

CASE(board_leave_passes_a_wake_on)
{
    make(2);
    takes(0, "-");
    takes(1, "-");
    add(0, MIDDLE, 'a');
    expect_string(woken, "0 ");
    weir_board_leave(board, 0);
    expect_string(woken, "0 1 ");
    weir_board_leave(board, 1);
    weir_board_free(board);
}

CASE(board_one_that_has_left_is_not_woken)
{
    make(2);
    takes(0, "-");
    weir_board_leave(board, 0);
    add(0, MIDDLE, 'a');
    expect_string(woken, "");
    weir_board_free(board);
}

CASE(board_of_many_takers_wakes_each_of_them)
{
    char expected[2 * MANY] = "";

    make(WEIR_BOARD_TAKER_LIMIT);
    for (uint32_t i = 60; i < 70; i++)
        takes(i, "-");
    for (int i = 0; i < 11; i++) {
        woken[0] = '\0';
        add(i, MIDDLE, 'a');
        snprintf(expected, sizeof(expected), "%d ", 60 + i);
        expect_string(woken, i < 10 ? expected : "");
    }
    takes(255, "aaaaaaaaaaa-");
    weir_board_free(board);
}

CASE(board_one_that_comes_unasked_is_no_longer_idle)
{
    make(2);
    takes(1, "--");
    add(0, MIDDLE, 'a');
    expect_string(woken, "1 ");
    takes(1, "a-");
    takes(0, "-");
    takes(1, "-");
    add(1, MIDDLE, 'b');
    add(2, MIDDLE, 'c');
    expect_string(woken, "1 0 1 ");
    weir_board_free(board);
}

CASE_ABORTS(board_take_by_nobody_aborts, "board.c", "no such taker")
{
    make(1);
    takes(1, "-");
}

/* ---- cancelling ---- */

/* covers: weir_board_cancel -ENOENT */
CASE(board_cancelled_notice_is_met_and_not_taken)
{
    make(1);
    add(0, MIDDLE, 'a');
    add(1, MIDDLE, 'b');
    add(2, MIDDLE, 'c');
    expect_status(weir_board_cancel(board, &items[1].notice), 0);
    expect_status(weir_board_cancel(board, &items[1].notice), -ENOENT);
    expect_int(counts().queued, 2);
    expect(!weir_notice_release(&items[1].notice));
    expect(!items[1].is_dropped);
    takes(0, "ac-");
    expect(items[1].is_dropped);
    expect_status(weir_board_cancel(board, &items[2].notice), -ENOENT);
    expect(weir_notice_release(&items[2].notice));
    expect_int(counts().cancelled, 1);
    expect_int(counts().queued, 0);
    weir_board_free(board);
}

CASE(board_notice_that_the_poster_keeps_is_not_dropped)
{
    make(1);
    add(0, MIDDLE, 'a');
    expect_status(weir_board_cancel(board, &items[0].notice), 0);
    takes(0, "-");
    expect(!items[0].is_dropped);
    expect(weir_notice_release(&items[0].notice));
    weir_board_free(board);
}

static int freed; /* by the poster */

static int gone(void)
{
    int count = freed;

    for (int i = 0; i < MANY; i++)
        count += items[i].is_dropped;
    return count;
}

/* Nobody takes, and yet the dead go. */
CASE(board_dead_notices_are_no_more_than_the_living)
{
    make(1);
    for (int i = 0; i < MANY; i++)
        add(i, MIDDLE, (char)('a' + i % 26));
    for (int i = 0; i < MANY; i++) {
        if (i % 10 != 0)
            expect_status(weir_board_cancel(board, &items[i].notice), 0);
        freed += weir_notice_release(&items[i].notice);
    }
    expect_int(counts().queued, 30);
    expect(MANY - 30 - gone() <= 64);
    takes(0, "akueoyiscmwgqaku");
    expect_int(counts().queued, 14);
    weir_board_free(board);
    expect_int(gone(), MANY - 16);
}

/* 64 are worth a sweep.  With tiny capacities, 2 are, and one may be left. */
CASE(board_of_64_dead_notices_is_swept)
{
    enum { FEW = 64 };

    make(1);
    for (int i = 0; i < FEW; i++)
        add(i, MIDDLE, 'a');
    for (int i = 0; i < FEW; i++) {
        expect_status(weir_board_cancel(board, &items[i].notice), 0);
        freed += weir_notice_release(&items[i].notice);
    }
    expect(gone() >= FEW - 1);
    weir_board_free(board);
    expect_int(gone(), FEW);
}

CASE(board_sweep_wakes_who_could_have_missed_it)
{
    make(1);
    takes(0, "-");
    for (int i = 0; i < MANY; i++)
        add(i, MIDDLE, 'a');
    expect_string(woken, "0 ");
    for (int i = 1; i < MANY; i++)
        expect_status(weir_board_cancel(board, &items[i].notice), 0);
    expect_string(woken, "0 "); /* it is on its way already */
    takes(0, "a-");
    weir_board_free(board);
}

/* ---- figures, memory, mistakes ---- */

CASE(board_counts_how_long_notices_wait)
{
    make(2);
    expect_status(weir_clock_freeze(1000), 0);
    add(0, MIDDLE, 'a');
    expect_status(weir_clock_advance(5), 0);
    add(1, MIDDLE, 'b');
    expect_status(weir_clock_advance(7), 0);
    takes(0, "a");
    takes(1, "b");
    expect_int(counts().waited_ns, 12 + 7);
    expect_int(counts().longest_ns, 12);
    expect_int(counts().added, 2);
    weir_board_free(board);
}

CASE(board_free_releases_what_is_left_everywhere)
{
    make(2);
    for (int i = 0; i < 8; i++) {
        add(i, (uint32_t)i % 3, 'a');
        (void)!weir_notice_release(&items[i].notice);
    }
    (void)take(0);
    weir_board_free(board);
    expect_int(gone(), 7);
    weir_board_free(NULL);
}

/* covers: weir_board_new -EINVAL
 * covers: weir_board_add -EINVAL */
CASE(board_refuses_what_makes_no_sense)
{
    weir_board_options good = options_for(1), bad[6];

    for (int i = 0; i < 6; i++)
        bad[i] = good;
    bad[0].size = 0;
    bad[1].takers = 0;
    bad[2].takers = WEIR_BOARD_TAKER_LIMIT + 1;
    bad[3].priorities = WEIR_BOARD_PRIORITY_LIMIT + 1;
    bad[4].wake = NULL;
    bad[5].drop = NULL;
    for (int i = 0; i < 6; i++)
        expect_status(weir_board_new(&board, &bad[i]), -EINVAL);
    expect_status(weir_board_new(&board, NULL), -EINVAL);
    expect_status(weir_board_new(NULL, &good), -EINVAL);
    make(1);
    expect_status(weir_board_add(board, &items[0].notice, 3), -EINVAL);
    takes(0, "-");
    weir_board_free(board);
}

/* covers: weir_board_new -ENOMEM */
CASE(board_new_without_memory_leaves_nothing_behind)
{
    weir_board_options options = options_for(2);
    struct failing_allocator memory;
    uint64_t fail_at = 0;
    int err;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    do {
        memory.calls = 0;
        memory.fail_at = ++fail_at;
        err = weir_board_new(&board, &options);
        expect(err == 0 || (err == -ENOMEM && memory.live == 0));
    } while (err != 0);
    expect_int(fail_at, 1 + 1 + 3 * 3);
    weir_board_free(board);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
}

/* covers: weir_board_add -ENOMEM */
CASE(board_add_without_memory_changes_nothing)
{
    struct failing_allocator memory;
    int i = 0;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    make(1);
    memory.fail_at = memory.calls + 1;
    while (weir_board_add(board, &items[i].notice, MIDDLE) == 0)
        i++;
    expect_int(counts().queued, i);
    expect_status(weir_board_add(board, &items[i].notice, MIDDLE), 0);
    expect_int(counts().queued, i + 1);
    weir_board_free(board);
    expect_int(memory.live, 0);
}
