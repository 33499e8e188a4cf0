/* SPDX-License-Identifier: MIT */
/*
 * judge -- which series of looks are a block, and which are not.
 */
#include "watchdog/judge.h"

#include "support/suite.h"

static const struct weir__limits limits = {.callback_ns = 100, .turn_ns = 200};

static struct weir__sight seen(uint64_t turn, uint64_t beat)
{
    return (struct weir__sight){.turn = turn, .beat = beat, .is_running = true};
}

static enum weir__news look(struct weir__judge *judge, int64_t now_ns,
                            uint64_t turn, uint64_t beat)
{
    struct weir__sight sight = seen(turn, beat);

    return weir__judge_look(judge, &sight, now_ns, &limits);
}

CASE(judge_blames_a_callback_that_is_seen_for_the_limit)
{
    struct weir__judge judge = {0};

    expect(look(&judge, 0, 1, 1) == WEIR__NEWS_NONE);
    expect(look(&judge, 99, 1, 1) == WEIR__NEWS_NONE);
    expect(look(&judge, 100, 1, 1) == WEIR__NEWS_HANG);
}

CASE(judge_tells_again_at_twice_the_time_and_at_four_times)
{
    struct weir__judge judge = {0};

    look(&judge, 0, 1, 1);
    expect(look(&judge, 100, 1, 1) == WEIR__NEWS_HANG);
    expect(look(&judge, 199, 1, 1) == WEIR__NEWS_NONE);
    expect(look(&judge, 200, 1, 1) == WEIR__NEWS_LASTS);
    expect(look(&judge, 399, 1, 1) == WEIR__NEWS_NONE);
    expect(look(&judge, 400, 1, 1) == WEIR__NEWS_LASTS);
    expect(weir__judge_age(&judge, 400) == 400);
    expect(look(&judge, 5000, 1, 1) == WEIR__NEWS_LASTS); /* once for many */
    expect(look(&judge, 5001, 1, 1) == WEIR__NEWS_NONE);
}

CASE(judge_ends_a_hang_with_the_next_callback)
{
    struct weir__judge judge = {0};

    look(&judge, 0, 1, 1);
    expect(look(&judge, 100, 1, 1) == WEIR__NEWS_HANG);
    expect(look(&judge, 110, 1, 2) == WEIR__NEWS_ENDED);
    expect(look(&judge, 120, 1, 2) == WEIR__NEWS_NONE);
    expect(look(&judge, 210, 1, 2) == WEIR__NEWS_HANG);
}

CASE(judge_ends_a_hang_when_the_loop_sleeps)
{
    struct weir__judge judge = {0};

    look(&judge, 0, 1, 1);
    expect(look(&judge, 100, 1, 1) == WEIR__NEWS_HANG);
    expect(weir__judge_look(&judge, NULL, 110, &limits) == WEIR__NEWS_ENDED);
    expect(weir__judge_look(&judge, NULL, 500, &limits) == WEIR__NEWS_NONE);
    expect(look(&judge, 510, 1, 1) == WEIR__NEWS_NONE);
}

CASE(judge_ends_a_hang_between_two_callbacks)
{
    struct weir__judge judge = {0};
    struct weir__sight between = {.turn = 1, .beat = 1};

    look(&judge, 0, 1, 1);
    expect(look(&judge, 100, 1, 1) == WEIR__NEWS_HANG);
    expect(weir__judge_look(&judge, &between, 110, &limits) ==
           WEIR__NEWS_ENDED);
}

CASE(judge_does_not_blame_short_callbacks_of_short_turns)
{
    struct weir__judge judge = {0};

    for (uint64_t i = 1; i < 1000; i++)
        expect(look(&judge, (int64_t)(50 * i), i, i) == WEIR__NEWS_NONE);
}

CASE(judge_calls_many_short_callbacks_in_a_turn_congestion)
{
    struct weir__judge judge = {0};

    for (uint64_t i = 1; i < 5; i++)
        expect(look(&judge, (int64_t)(50 * (i - 1)), 7, i) == WEIR__NEWS_NONE);
    expect(look(&judge, 200, 7, 5) == WEIR__NEWS_CONGESTION);
    expect(weir__judge_age(&judge, 200) == 200);
    expect(look(&judge, 300, 7, 6) == WEIR__NEWS_NONE);
    expect(look(&judge, 400, 7, 8) == WEIR__NEWS_LASTS);
    expect(look(&judge, 450, 8, 9) == WEIR__NEWS_ENDED);
}

CASE(judge_does_not_blame_a_turn_for_its_hang)
{
    struct weir__judge judge = {0};

    look(&judge, 0, 7, 1);
    expect(look(&judge, 150, 7, 1) == WEIR__NEWS_HANG);
    expect(look(&judge, 190, 7, 2) == WEIR__NEWS_ENDED);
    expect(look(&judge, 250, 7, 3) == WEIR__NEWS_NONE);
    expect(look(&judge, 300, 7, 4) == WEIR__NEWS_NONE);
}

CASE(judge_turns_congestion_into_a_hang)
{
    struct weir__judge judge = {0};

    for (uint64_t i = 1; i < 5; i++)
        look(&judge, (int64_t)(50 * (i - 1)), 7, i);
    expect(look(&judge, 200, 7, 5) == WEIR__NEWS_CONGESTION);
    expect(look(&judge, 250, 7, 5) == WEIR__NEWS_NONE);
    expect(look(&judge, 300, 7, 5) == WEIR__NEWS_ENDED);
    expect(look(&judge, 310, 7, 5) == WEIR__NEWS_HANG);
}
