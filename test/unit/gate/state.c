/* SPDX-License-Identifier: MIT */
/*
 * state -- moves, and the table that debug builds hold them against.
 */
#include "weir/state.h"

#include <errno.h>
#include <sched.h>
#include <string.h>

#include "support/crew.h"
#include "support/suite.h"

enum { OFF, ON, GONE, STATES };

static const uint64_t next[STATES] = {
    [OFF] = 1u << ON, [ON] = 1u << OFF | 1u << GONE, [GONE] = 0};
static const weir_state_table moves = {STATES, next};

static weir_state state;

static void begin(uint64_t initial, const weir_state_table *table)
{
    expect_status(weir_state_init(&state, initial, table), 0);
}

CASE(state_is_padded_to_128_bytes)
{
    expect_int(sizeof(weir_state), 128);
}

CASE(state_word_has_a_cache_line_of_its_own)
{
    size_t word = offsetof(weir_state, word_);

    expect(word + sizeof(uint64_t) >= 64);
    expect(sizeof(weir_state) - word >= 64);
}

CASE(state_begins_as_told)
{
    begin(ON, &moves);
    expect_int(weir_state_load(&state), ON);
}

CASE(state_without_table_holds_any_number)
{
    begin(UINT64_MAX, NULL);
    expect(weir_state_load(&state) == UINT64_MAX);
}

CASE(state_init_accepts_64_states)
{
    static const uint64_t all[64];
    static const weir_state_table table = {64, all};

    begin(63, &table);
    expect_int(weir_state_load(&state), 63);
}

/* A refused init must leave each byte as it was. */
static void expect_refused(uint64_t initial, const weir_state_table *table)
{
    weir_state before;

    memset(&state, 0xa5, sizeof(state));
    before = state;
    expect_status(weir_state_init(&state, initial, table), -EINVAL);
    expect_int(memcmp(&state, &before, sizeof(state)), 0);
}

/* covers: weir_state_init -EINVAL */
CASE(state_init_beyond_the_table_is_refused)
{
    expect_refused(STATES, &moves);
}

/* covers: weir_state_init -EINVAL */
CASE(state_init_with_65_states_is_refused)
{
    static const uint64_t all[65];
    static const weir_state_table table = {65, all};

    expect_refused(0, &table);
}

/* covers: weir_state_init -EINVAL */
CASE(state_init_with_empty_table_is_refused)
{
    static const weir_state_table none = {0, next};

    expect_refused(0, &none);
}

/* covers: weir_state_init -EINVAL */
CASE(state_init_without_rows_is_refused)
{
    static const weir_state_table no_rows = {STATES, NULL};

    expect_refused(OFF, &no_rows);
}

CASE(state_transition_from_where_it_is_moves)
{
    begin(OFF, &moves);
    expect(weir_state_try_transition(&state, OFF, ON));
    expect_int(weir_state_load(&state), ON);
}

CASE(state_transition_from_elsewhere_is_refused)
{
    begin(OFF, &moves);
    expect(!weir_state_try_transition(&state, ON, GONE));
    expect_int(weir_state_load(&state), OFF);
}

CASE(state_transition_happens_once)
{
    begin(OFF, &moves);
    expect(weir_state_try_transition(&state, OFF, ON));
    expect(!weir_state_try_transition(&state, OFF, ON));
}

CASE(state_transition_compares_all_64_bits)
{
    begin(UINT64_C(1) << 40, NULL);
    expect(!weir_state_try_transition(&state, 0, 1));
}

CASE(state_transition_any_moves_from_each_of_the_set)
{
    static const uint64_t from[] = {3, 1, 2};

    for (uint64_t now = 1; now <= 3; now++) {
        begin(now, NULL);
        expect(weir_state_transition_any(&state, from, 3, 9));
        expect_int(weir_state_load(&state), 9);
    }
}

CASE(state_transition_any_from_outside_the_set_is_refused)
{
    static const uint64_t from[] = {3, 1, 2};

    begin(4, NULL);
    expect(!weir_state_transition_any(&state, from, 3, 9));
    expect_int(weir_state_load(&state), 4);
}

CASE(state_transition_any_from_nowhere_is_refused)
{
    begin(0, NULL);
    expect(!weir_state_transition_any(&state, NULL, 0, 9));
    expect_int(weir_state_load(&state), 0);
}

CASE(state_transition_any_looks_only_at_as_many_as_told)
{
    static const uint64_t from[] = {1, 2};

    begin(2, NULL);
    expect(!weir_state_transition_any(&state, from, 1, 9));
}

CASE(state_store_sets_whatever_it_was)
{
    begin(OFF, NULL);
    weir_state_store(&state, GONE);
    expect_int(weir_state_load(&state), GONE);
}

CASE(state_store_of_the_same_state_is_allowed)
{
    begin(GONE, &moves);
    weir_state_store(&state, GONE);
    expect_int(weir_state_load(&state), GONE);
}

/* One thread writes a plain letter and moves; the other sees the move and
 * reads.  ThreadSanitizer sees whether the state hands the letter over. */
struct letter {
    int text;
    bool (*arrived)(void); /* whether the reader sees the writer's move */
    void (*move)(void);
};

static void hand_over(struct crew *crew, unsigned id)
{
    struct letter *letter = crew->context;

    if (id == 0) {
        letter->text = 42;
        letter->move();
    } else {
        while (!letter->arrived())
            sched_yield();
        expect_int(letter->text, 42);
    }
}

static void move_by_transition(void)
{
    expect(weir_state_try_transition(&state, OFF, ON));
}

static void move_by_transition_any(void)
{
    static const uint64_t from[] = {OFF};

    expect(weir_state_transition_any(&state, from, 1, ON));
}

static void move_by_store(void)
{
    weir_state_store(&state, ON);
}

static bool sees_by_load(void)
{
    return weir_state_load(&state) == ON;
}

static bool sees_by_transition(void)
{
    return weir_state_try_transition(&state, ON, GONE);
}

static bool sees_by_transition_any(void)
{
    static const uint64_t from[] = {ON};

    return weir_state_transition_any(&state, from, 1, GONE);
}

CASE(state_transition_publishes_to_load)
{
    struct letter letter = {0, sees_by_load, move_by_transition};

    begin(OFF, &moves);
    crew_run(2, hand_over, &letter);
}

CASE(state_transition_any_publishes_to_transition)
{
    struct letter letter = {0, sees_by_transition, move_by_transition_any};

    begin(OFF, &moves);
    crew_run(2, hand_over, &letter);
}

CASE(state_store_publishes_to_transition_any)
{
    struct letter letter = {0, sees_by_transition_any, move_by_store};

    begin(OFF, &moves);
    crew_run(2, hand_over, &letter);
}

#ifndef NDEBUG
CASE_ABORTS(state_transition_outside_the_table_aborts, "state.c",
            "a move that is not in the table")
{
    begin(OFF, &moves);
    expect(!weir_state_try_transition(&state, OFF, GONE));
}

CASE_ABORTS(state_transition_outside_the_table_aborts_also_when_it_would_fail,
            "state.c", "a move that is not in the table")
{
    begin(ON, &moves);
    expect(!weir_state_try_transition(&state, OFF, GONE));
}

CASE_ABORTS(state_transition_to_no_state_of_the_table_aborts, "state.c",
            "a move that is not in the table")
{
    begin(OFF, &moves);
    expect(!weir_state_try_transition(&state, OFF, 64 + ON));
}

CASE_ABORTS(state_transition_from_no_state_of_the_table_aborts, "state.c",
            "a move that is not in the table")
{
    begin(OFF, &moves);
    expect(!weir_state_try_transition(&state, STATES, ON));
}

CASE_ABORTS(state_transition_any_outside_the_table_aborts, "state.c",
            "a move that is not in the table")
{
    static const uint64_t from[] = {ON, OFF};

    begin(OFF, &moves);
    expect(!weir_state_transition_any(&state, from, 2, GONE));
}

CASE_ABORTS(state_store_outside_the_table_aborts, "state.c",
            "a move that is not in the table")
{
    begin(OFF, &moves);
    weir_state_store(&state, GONE);
}
#else
CASE(state_moves_outside_the_table_pass_in_release_builds)
{
    static const uint64_t from[] = {GONE};

    begin(OFF, &moves);
    expect(weir_state_try_transition(&state, OFF, GONE));
    expect(weir_state_transition_any(&state, from, 1, OFF));
    weir_state_store(&state, GONE);
    expect_int(weir_state_load(&state), GONE);
}
#endif
