/* SPDX-License-Identifier: MIT */
/*
 * wheel -- what comes out is what went in, in order and never early.
 */
#include "loop/wheel.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"

#define SLOT_NS (INT64_C(1) << 18) /* of level 3 */
#define MILLISECOND_NS INT64_C(1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)
#define HOUR_NS (3600 * SECOND_NS)
#define YEAR_NS (365 * 24 * HOUR_NS)

static struct weir__slab slab;
static struct weir__wheel wheel;
static bool is_in_a_hurry; /* every other insert */

static void begin_at(int64_t now_ns)
{
    memset(&wheel, 0xa5, sizeof(wheel));
    weir__timer_slots_init(&slab);
    weir__wheel_init(&wheel, &slab, now_ns);
}

/* What a slot was last inserted with. */
static int64_t deadline_of(uint32_t index)
{
    return weir__habit_at(&slab, index)->period_ns;
}

static uint64_t id_of(uint32_t index)
{
    return weir__timer_id(load_relaxed(&weir__timer_at(&slab, index)->word),
                          index);
}

static void insert_at(uint32_t index, int64_t deadline_ns)
{
    struct weir__entry entry = {deadline_ns, id_of(index)};

    weir__habit_at(&slab, index)->period_ns = deadline_ns;
    if (!is_in_a_hurry || !weir__wheel_insert_quickly(&wheel, entry))
        weir__wheel_insert(&wheel, entry);
    is_in_a_hurry = !is_in_a_hurry;
}

static uint32_t insert(int64_t deadline_ns)
{
    uint32_t index;

    expect_status(weir__slab_take(&slab, &index), 0);
    insert_at(index, deadline_ns);
    return index;
}

static void take_out(uint32_t index)
{
    struct weir__timer *timer = weir__timer_at(&slab, index);

    store_relaxed(&timer->word, load_relaxed(&timer->word) +
                                    (1u << WEIR__TIMER_GENERATION_SHIFT));
    weir__wheel_forget(&wheel);
}

static uint32_t pop_next(void)
{
    struct weir__entry entry;

    if (!weir__wheel_pop(&wheel, &entry))
        return WEIR__SLAB_NONE;
    expect_int(entry.deadline_ns, deadline_of(weir__timer_index(entry.id)));
    expect_int(entry.id, id_of(weir__timer_index(entry.id)));
    return weir__timer_index(entry.id);
}

static uint32_t take_any(void)
{
    struct weir__entry entry;

    return weir__wheel_take_any(&wheel, &entry) ? weir__timer_index(entry.id)
                                                : WEIR__SLAB_NONE;
}

/* A turn that is over after the first. */
static uint32_t pop(int64_t now_ns)
{
    weir__wheel_begin(&wheel, now_ns);
    return pop_next();
}

/* What the wheel counts is what is there. */
static void expect_sound(void)
{
    uint64_t entries = 0, extra = 0;

    for (unsigned list = 0; list < WEIR__WHEEL_LISTS; list++) {
        const struct weir__chunk *last = wheel.list[list], *chunk = last;

        if (list < WEIR__WHEEL_LEVELS * WEIR__WHEEL_SLOTS)
            expect_int(wheel.occupied[list / WEIR__WHEEL_SLOTS] >>
                               list % WEIR__WHEEL_SLOTS &
                           1,
                       last != NULL);
        if (last == NULL)
            continue;
        do {
            chunk = chunk->next;
            expect(chunk->first < chunk->end && chunk->end <= WEIR__CHUNK);
            entries += chunk->end - chunk->first;
            extra += chunk != last;
        } while (chunk != last);
    }
    expect_int(wheel.entries.count, entries);
    expect_int(wheel.entries.extra, extra);
}

/* Nothing may be left. */
static void end(void)
{
    expect_int(weir__wheel_next(&wheel), INT64_MAX);
    expect_int(take_any(), WEIR__SLAB_NONE);
    weir__wheel_begin(&wheel, INT64_MAX);
    expect_int(pop_next(), WEIR__SLAB_NONE);
    weir__slab_fini(&slab);
}

static void expect_pop(int64_t now_ns, uint32_t index)
{
    expect_int(pop(now_ns), index);
    weir__slab_put(&slab, index);
}

static void expect_no_pop(int64_t now_ns)
{
    expect_int(pop(now_ns), WEIR__SLAB_NONE);
}

/* From time 0, a deadline that belongs to a slot of this level. */
static int64_t deadline_of_level(unsigned level)
{
    return (level < 10 ? INT64_C(9) : INT64_C(3)) << 6 * level;
}

CASE(wheel_begins_empty)
{
    begin_at(0);
    expect_no_pop(0);
    end();
}

CASE(wheel_pop_is_never_early_and_never_late)
{
    for (unsigned bit = 0; bit < 62; bit++) {
        int64_t deadline_ns = (INT64_C(1) << bit) + 12345;
        uint32_t index;

        begin_at(0);
        index = insert(deadline_ns);
        expect_no_pop(0);
        expect_no_pop(deadline_ns / 2);
        expect_no_pop(deadline_ns - 1);
        expect_pop(deadline_ns, index);
        end();
    }
}

CASE(wheel_pop_follows_the_deadlines)
{
    static const int64_t delays_ns[] = {
        YEAR_NS,   1,           HOUR_NS, SLOT_NS,       0,
        SECOND_NS, 2 * SLOT_NS, 3,       100 * YEAR_NS,
    };
    enum { COUNT = sizeof(delays_ns) / sizeof(delays_ns[0]) };
    int64_t last_ns = 0;

    begin_at(HOUR_NS);
    for (unsigned i = 0; i < COUNT; i++)
        (void)insert(HOUR_NS + delays_ns[i]);
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t index = pop(INT64_MAX);

        expect(deadline_of(index) >= last_ns);
        last_ns = deadline_of(index);
    }
    end();
}

/* In one slot of a high level, whose timers may be sorted already or not: four
 * of three deadlines, in all orders. */
CASE(wheel_sorts_what_was_inserted_in_any_order)
{
    for (unsigned order = 0; order < 3 * 3 * 3 * 3; order++) {
        uint32_t last = 0;

        begin_at(0);
        for (unsigned i = 0, digits = order; i < 4; i++, digits /= 3)
            (void)insert(SECOND_NS + 100 * (digits % 3));
        for (unsigned i = 0; i < 4; i++) {
            uint32_t index = pop(HOUR_NS);

            expect(i == 0 || deadline_of(last) < deadline_of(index) ||
                   (deadline_of(last) == deadline_of(index) && last < index));
            last = index;
        }
        end();
    }
}

/* Many chunks, of which the last are not due yet; or one is out of order. */
CASE(wheel_of_a_crowd_that_is_sorted_fires_when_it_is_due)
{
    enum { MANY = 1000 };

    for (unsigned odd = 0; odd < MANY; odd += 7) {
        int64_t last_ns = 0;

        begin_at(0);
        for (unsigned i = 0; i < MANY; i++)
            (void)insert(2 * SLOT_NS + (i == odd ? MANY / 2 : i));
        weir__wheel_begin(&wheel, 2 * SLOT_NS + 3 * MANY / 4);
        for (uint32_t index; (index = pop_next()) != WEIR__SLAB_NONE;) {
            expect(deadline_of(index) >= last_ns);
            last_ns = deadline_of(index);
        }
        expect_int(last_ns,
                   2 * SLOT_NS + 3 * MANY / 4 - (odd == 3 * MANY / 4 ? 1 : 0));
        weir__wheel_begin(&wheel, 3 * SLOT_NS);
        while (pop_next() != WEIR__SLAB_NONE)
            ;
        end();
    }
}

CASE(wheel_equal_deadlines_come_in_the_order_of_insertion)
{
    enum { EACH = 100, DELAYS = 6 };
    static const int64_t delays_ns[DELAYS] = {
        0, SLOT_NS / 2, 50 * MILLISECOND_NS, 20 * SECOND_NS, HOUR_NS, YEAR_NS};
    static uint32_t index[DELAYS][EACH];

    begin_at(SECOND_NS);
    for (unsigned i = 0; i < EACH; i++) {
        for (unsigned delay = 0; delay < DELAYS; delay++)
            index[delay][i] = insert(SECOND_NS + delays_ns[delay]);
    }
    for (unsigned delay = 0; delay < DELAYS; delay++) {
        for (unsigned i = 0; i < EACH; i++)
            expect_int(pop(SECOND_NS + delays_ns[delay]), index[delay][i]);
        expect_no_pop(SECOND_NS + delays_ns[delay]);
    }
    end();
}

/* The second half is inserted when the first has moved to a lower level. */
CASE(wheel_equal_deadlines_keep_their_order_while_time_goes_on)
{
    enum { STEPS = 40, EACH = 5 };
    static uint32_t index[STEPS * EACH];
    unsigned count = 0;

    begin_at(0);
    for (unsigned step = 0; step < STEPS; step++) {
        expect_no_pop(HOUR_NS - (HOUR_NS >> step));
        for (unsigned i = 0; i < EACH; i++)
            index[count++] = insert(HOUR_NS);
    }
    for (unsigned i = 0; i < count; i++)
        expect_pop(HOUR_NS, index[i]);
    end();
}

CASE(wheel_past_deadlines_come_at_once_and_in_order)
{
    uint32_t old, older, oldest, now;

    begin_at(YEAR_NS);
    now = insert(YEAR_NS);
    older = insert(0);
    old = insert(YEAR_NS - 1);
    oldest = insert(INT64_MIN);
    expect_int(weir__wheel_next(&wheel), INT64_MIN);
    expect_pop(YEAR_NS, oldest);
    expect_pop(YEAR_NS, older);
    expect_pop(YEAR_NS, old);
    expect_pop(YEAR_NS, now);
    end();
}

CASE(wheel_last_nanosecond_is_a_deadline)
{
    uint32_t last, almost;

    begin_at(0);
    last = insert(INT64_MAX);
    almost = insert(INT64_MAX - 1);
    expect_int(weir__wheel_next(&wheel), INT64_MAX - 1);
    expect_no_pop(INT64_MAX - 2);
    expect_pop(INT64_MAX - 1, almost);
    expect_no_pop(INT64_MAX - 1);
    expect_int(weir__wheel_next(&wheel), INT64_MAX);
    expect_pop(INT64_MAX, last);
    last = insert(INT64_MAX);
    expect_pop(INT64_MAX, last);
    end();
}

CASE(wheel_that_slept_for_years_works_on)
{
    uint32_t index;

    begin_at(0);
    for (int64_t now_ns = 0; now_ns < 200 * YEAR_NS; now_ns += 7 * YEAR_NS) {
        expect_no_pop(now_ns);
        index = insert(now_ns + SECOND_NS);
        expect_no_pop(now_ns + SECOND_NS - 1);
        expect_pop(now_ns + 3 * YEAR_NS, index);
    }
    end();
}

CASE(wheel_survives_a_clock_that_goes_back)
{
    uint32_t first, second;

    begin_at(HOUR_NS);
    first = insert(HOUR_NS + SECOND_NS);
    second = insert(HOUR_NS + 100 * SECOND_NS);
    expect_no_pop(0);
    take_out(second);
    expect_no_pop(HOUR_NS + SECOND_NS - 1);
    expect_no_pop(1);
    expect_pop(HOUR_NS + SECOND_NS, first);
    end();
}

/* A test freezes the clock long before the time at which the loop was made. */
CASE(wheel_is_exact_although_the_clock_went_back)
{
    uint32_t first, second;

    begin_at(HOUR_NS);
    first = insert(2);
    second = insert(1);
    expect_no_pop(0);
    expect_pop(1, second);
    second = insert(3);
    expect_no_pop(1);
    expect_int(weir__wheel_next(&wheel), 2);
    expect_pop(2, first);
    expect_no_pop(2);
    expect_pop(3, second);
    end();
}

/* --- turns ---------------------------------------------------------------- */

CASE(wheel_insert_during_a_turn_waits_for_the_next)
{
    uint32_t index;

    begin_at(0);
    weir__wheel_begin(&wheel, 1);
    index = insert(0);
    expect_int(pop_next(), WEIR__SLAB_NONE);
    expect(weir__wheel_next(&wheel) <= 0);
    weir__wheel_begin(&wheel, 1);
    expect_int(pop_next(), index);
    end();
}

/* As a timer that repeats and makes up for what it missed. */
CASE(wheel_pop_passes_over_a_newer_one_with_an_earlier_deadline)
{
    uint32_t old[3], new[4];

    begin_at(0);
    for (unsigned i = 0; i < 3; i++)
        old[i] = insert(100 + i);
    weir__wheel_begin(&wheel, 1000);
    expect_int(pop_next(), old[0]);
    new[2] = insert(101);
    new[0] = insert(50);
    new[3] = insert(1001);
    new[1] = insert(50);
    expect_int(pop_next(), old[1]);
    expect_int(pop_next(), old[2]);
    expect_int(pop_next(), WEIR__SLAB_NONE);
    expect(weir__wheel_next(&wheel) <= 50);
    weir__wheel_begin(&wheel, 1000);
    for (unsigned i = 0; i < 3; i++)
        expect_int(pop_next(), new[i]);
    expect_int(pop_next(), WEIR__SLAB_NONE);
    expect_int(weir__wheel_next(&wheel), 1001);
    weir__wheel_begin(&wheel, 1001);
    expect_int(pop_next(), new[3]);
    end();
}

/* Of equal deadlines, what came before the end of pop is before what came
 * after it. */
CASE(wheel_order_of_insertion_holds_across_the_end_of_a_turn)
{
    uint32_t index[4];

    begin_at(5);
    weir__wheel_begin(&wheel, 10);
    index[0] = insert(10);
    index[1] = insert(10);
    expect_int(pop_next(), WEIR__SLAB_NONE);
    index[2] = insert(10);
    index[3] = insert(10);
    for (unsigned i = 0; i < 4; i++)
        expect_pop(10, index[i]);
    end();
}

/* A turn that was left before all were popped. */
CASE(wheel_turn_that_was_left_goes_on_in_the_next)
{
    uint32_t due, later, newer;

    begin_at(0);
    due = insert(10);
    later = insert(30);
    expect_pop(100, due);
    newer = insert(20);
    expect_pop(100, newer);
    expect_pop(100, later);
    end();
}

CASE(wheel_of_many_late_ones_sorts_them)
{
    enum { MANY = 100000 };
    struct random random = {random_seed()};
    int64_t last_ns = 0;

    begin_at(0);
    weir__wheel_begin(&wheel, HOUR_NS);
    for (unsigned i = 0; i < MANY; i++)
        (void)insert((int64_t)random_below(&random, HOUR_NS));
    expect_int(pop_next(), WEIR__SLAB_NONE);
    weir__wheel_begin(&wheel, HOUR_NS);
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t index = pop_next();

        expect(deadline_of(index) >= last_ns);
        last_ns = deadline_of(index);
    }
    end();
}

/* --- remove --------------------------------------------------------------- */

CASE(wheel_removed_timer_does_not_come)
{
    for (unsigned level = 0; level < WEIR__WHEEL_LEVELS; level++) {
        begin_at(0);
        take_out(insert(deadline_of_level(level)));
        end();
    }
}

CASE(wheel_removed_timer_does_not_come_when_it_is_due)
{
    uint32_t first, second, third;

    begin_at(0);
    first = insert(10);
    second = insert(10);
    third = insert(10);
    expect_pop(10, first);
    take_out(second);
    expect_pop(10, third);
    end();
}

CASE(wheel_removed_timer_does_not_come_when_it_is_fresh)
{
    begin_at(0);
    weir__wheel_begin(&wheel, 10);
    take_out(insert(3));
    take_out(insert(10));
    end();
}

CASE(wheel_removed_neighbours_may_come_in_any_order)
{
    enum { COUNT = 40 };
    uint32_t index[COUNT], chosen[COUNT];
    struct random random = {random_seed()};

    for (unsigned round = 0; round < 1000; round++) {
        unsigned count = 0;

        begin_at(0);
        for (unsigned i = 0; i < COUNT; i++) {
            index[i] = insert(HOUR_NS);
            if (random_below(&random, 2) == 0) {
                unsigned at = (unsigned)random_below(&random, ++count);

                chosen[count - 1] = chosen[at];
                chosen[at] = index[i];
            }
        }
        for (unsigned i = 0; i < count; i++)
            take_out(chosen[i]);
        for (unsigned i = 0; i < COUNT; i++) {
            bool is_chosen = false;

            for (unsigned j = 0; j < count; j++)
                is_chosen |= chosen[j] == index[i];
            if (!is_chosen)
                expect_pop(HOUR_NS, index[i]);
        }
        end();
    }
}

enum { LISTED = 6 };

/* Inserts LISTED into one slot; takes out those of a set, forwards or not;
 * the others come. */
static void remove_set(unsigned level, unsigned set, bool forwards)
{
    uint32_t index[LISTED];

    begin_at(0);
    for (unsigned i = 0; i < LISTED; i++)
        index[i] = insert(deadline_of_level(level) + i);
    for (unsigned i = 0; i < LISTED; i++) {
        unsigned which = forwards ? i : LISTED - 1 - i;

        if (set >> which & 1)
            take_out(index[which]);
    }
    for (unsigned i = 0; i < LISTED; i++) {
        if ((set >> i & 1) == 0)
            expect_pop(INT64_MAX, index[i]);
    }
    end();
}

CASE(wheel_remove_leaves_all_others_in_the_slot)
{
    for (unsigned level = 0; level < WEIR__WHEEL_LEVELS; level++) {
        for (unsigned set = 0; set < 1 << LISTED; set++) {
            remove_set(level, set, true);
            remove_set(level, set, false);
        }
    }
}

CASE(wheel_remove_then_insert_again_has_the_new_deadline)
{
    uint32_t index;

    begin_at(0);
    index = insert(HOUR_NS);
    for (unsigned level = WEIR__WHEEL_LEVELS; level-- > 0;) {
        take_out(index);
        insert_at(index, deadline_of_level(level));
    }
    expect_no_pop(deadline_of_level(0) - 1);
    expect_pop(deadline_of_level(0), index);
    end();
}

/* quickjs-libc took 2.5 s for 40,000. */
CASE(wheel_of_100000_is_emptied_in_reverse_order)
{
    enum { MANY = 100000 };
    static uint32_t index[MANY];

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++)
        index[i] = insert(HOUR_NS + i);
    for (unsigned i = MANY; i-- > 0;)
        take_out(index[i]);
    end();
}

/* More are taken out than there are slots, and none is popped. */
CASE(wheel_that_is_only_inserted_into_drops_the_dead)
{
    enum { FEW = 64, ROUNDS = 100000 };
    static const unsigned spans[] = {1, 20, 40, 62};
    struct random random = {random_seed()};

    for (unsigned i = 0; i < sizeof(spans) / sizeof(*spans); i++) {
        uint32_t index[FEW];

        begin_at(0);
        for (unsigned j = 0; j < FEW; j++)
            index[j] = insert(HOUR_NS);
        for (unsigned round = 0; round < ROUNDS; round++) {
            uint32_t *one = &index[random_below(&random, FEW)];

            take_out(*one);
            weir__slab_put(&slab, *one);
            *one = insert((int64_t)(random_next(&random) >> 1 >>
                                    random_below(&random, spans[i])));
            expect(wheel.entries.count - wheel.entries.dead == FEW);
            expect(wheel.entries.dead <= 2 * FEW);
        }
        expect_int(load_relaxed(&slab.limit), FEW);
        for (unsigned j = 0; j < FEW; j++)
            expect(pop(INT64_MAX) != WEIR__SLAB_NONE);
        end();
    }
}

/* All that is due is taken out, and put in again, while it is being popped. */
CASE(wheel_of_the_due_drops_the_dead)
{
    enum { FEW = 64 };
    uint32_t index[FEW];

    begin_at(0);
    for (unsigned i = 0; i < FEW; i++)
        index[i] = insert(10);
    expect_pop(10, index[0]);
    index[0] = insert(5);
    for (unsigned round = 0; round < 100000; round++) {
        uint32_t *one = &index[round % FEW];

        take_out(*one);
        weir__slab_put(&slab, *one);
        *one = insert(round % 20);
        expect(wheel.entries.dead <= 2 * FEW);
    }
    for (unsigned i = 0; i < FEW; i++)
        expect(pop(20) != WEIR__SLAB_NONE);
    end();
}

/* ---- a crowd whose deadlines are put off, again and again ---- */

enum { ALIVE = 2000, SPAN_NS = 1000000 };

static uint32_t alive[ALIVE]; /* or NONE */

static void put_off_one(struct random *random, int64_t now_ns)
{
    uint32_t *one = &alive[random_below(random, ALIVE)];

    if (*one != WEIR__SLAB_NONE) {
        take_out(*one);
        weir__slab_put(&slab, *one);
    }
    *one = insert(now_ns + 1 + (int64_t)random_below(random, SPAN_NS));
    weir__timer_call_at(&slab, *one)->arg = one;
}

static void expect_due(uint32_t due, int64_t *last_ns, int64_t now_ns)
{
    uint32_t *one = weir__timer_call_at(&slab, due)->arg;

    expect(deadline_of(due) >= *last_ns && deadline_of(due) <= now_ns);
    expect_int(*one, due);
    *last_ns = deadline_of(due);
    *one = WEIR__SLAB_NONE;
    weir__slab_put(&slab, due);
}

static uint64_t count_alive(void)
{
    uint64_t count = 0;

    for (unsigned i = 0; i < ALIVE; i++)
        count += alive[i] != WEIR__SLAB_NONE;
    return count;
}

/* What is being swept becomes due, moves, is popped. */
CASE(wheel_is_swept_while_time_goes_on)
{
    enum { TURNS = 300, CHANGES = 1000 };
    struct random random = {random_seed()};
    int64_t now_ns = 0;

    begin_at(0);
    memset(alive, 0xff, sizeof(alive));
    for (unsigned turn = 0; turn < TURNS; turn++) {
        int64_t last_ns = 0;

        for (unsigned i = 0; i < CHANGES; i++)
            put_off_one(&random, now_ns);
        now_ns += (int64_t)random_below(&random, SPAN_NS / 4);
        weir__wheel_begin(&wheel, now_ns);
        for (uint32_t due; (due = pop_next()) != WEIR__SLAB_NONE;) {
            expect_due(due, &last_ns, now_ns);
            put_off_one(&random, now_ns);
            put_off_one(&random, now_ns);
        }
        expect_int(wheel.entries.count - wheel.entries.dead, count_alive());
        expect(wheel.entries.dead <= count_alive() / 2 + CHANGES);
        expect_sound();
    }
    while (take_any() != WEIR__SLAB_NONE)
        ;
    end();
}

/* Else it would go on in a list that is another one by now. */
CASE(wheel_forgets_the_sweep_list_when_the_list_moves)
{
    enum { COUNT = 3 * WEIR__CHUNK };
    uint32_t index[COUNT];

    begin_at(0);
    for (unsigned i = 0; i < COUNT; i++)
        index[i] = insert(2 * SLOT_NS + i);
    wheel.sweep_list = 3 * WEIR__WHEEL_SLOTS + 2;
    wheel.entries.mark = wheel.list[wheel.sweep_list]->next;
    expect(wheel.entries.mark != NULL);
    expect_pop(3 * SLOT_NS, index[0]);
    expect(wheel.entries.mark == NULL);
    for (unsigned i = 1; i < COUNT; i++)
        expect_pop(3 * SLOT_NS, index[i]);
    end();
}

CASE(wheel_whose_timers_are_all_over_is_empty_at_once)
{
    static uint32_t index[3000];

    begin_at(0);
    for (unsigned i = 0; i < 3000; i++)
        index[i] = insert((int64_t)i << i % 50);
    for (unsigned i = 0; i < 3000; i++)
        take_out(index[i]);
    expect_int(wheel.entries.count, 0);
    expect_int(wheel.levels, 0);
    for (unsigned i = 0; i < 3000; i++)
        insert_at(index[i], (int64_t)i << i % 50);
    for (unsigned i = 0; i < 3000; i++)
        expect(pop(INT64_MAX) != WEIR__SLAB_NONE);
    end();
}

/* --- next ----------------------------------------------------------------- */

CASE(wheel_next_is_exact_for_a_few)
{
    begin_at(0);
    for (unsigned i = 0; i < 5; i++)
        (void)insert(YEAR_NS + i);
    expect_int(weir__wheel_next(&wheel), YEAR_NS);
    for (unsigned i = 0; i < 5; i++)
        expect(pop(YEAR_NS + i) != WEIR__SLAB_NONE);
    end();
}

/* How often a loop wakes up in vain before the first of a crowd is due. */
static unsigned count_wakes(int64_t deadline_ns, unsigned crowd)
{
    int64_t last_ns = -1;
    unsigned wakes = 0;

    begin_at(123456789);
    for (unsigned i = 0; i < crowd; i++)
        (void)insert(deadline_ns);
    for (;; wakes++) {
        int64_t now_ns = weir__wheel_next(&wheel);

        expect(now_ns > last_ns && now_ns <= deadline_ns);
        last_ns = now_ns;
        if (pop(now_ns) != WEIR__SLAB_NONE)
            break;
    }
    expect_int(last_ns, deadline_ns);
    for (unsigned i = 1; i < crowd; i++)
        expect(pop(deadline_ns) != WEIR__SLAB_NONE);
    end();
    return wakes;
}

CASE(wheel_next_wakes_once_for_a_single_timer_a_year_away)
{
    expect_int(count_wakes(YEAR_NS, 1), 0);
}

/* Each wake-up brings it down a level. */
CASE(wheel_next_wakes_a_handful_of_times_for_a_crowd_a_year_away)
{
    expect(count_wakes(YEAR_NS, 1000) <= 9);
    expect(count_wakes(YEAR_NS + 987654321987, 1000) <= 9);
    expect(count_wakes(250 * YEAR_NS, 1000) <= 10);
    expect(count_wakes(INT64_MAX, 1000) <= 10);
}

/* --- crowds --------------------------------------------------------------- */

CASE(wheel_take_any_takes_each_one_once)
{
    enum { MANY = 2000 };
    static bool is_taken[MANY + 1];
    struct random random = {random_seed()};
    uint32_t index;

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++)
        (void)insert(
            (int64_t)(random_next(&random) >> random_below(&random, 64) >> 1));
    weir__wheel_begin(&wheel, HOUR_NS);
    (void)insert(0);
    for (unsigned i = 0; i < MANY + 1; i++) {
        index = take_any();
        expect(index < MANY + 1 && !is_taken[index]);
        is_taken[index] = true;
    }
    end();
}

static int compare_times(const void *a, const void *b)
{
    int64_t one = *(const int64_t *)a, other = *(const int64_t *)b;

    return (one > other) - (one < other);
}

/* MANY random deadlines below `span_ns`, popped at moments that are
 * `interval_ns` apart or at those that next() tells (0). */
static void fire_crowd(struct random *random, int64_t span_ns,
                       int64_t interval_ns)
{
    enum { MANY = 30000 };
    static int64_t deadlines_ns[MANY];
    int64_t now_ns = 0;

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++) {
        deadlines_ns[i] = (int64_t)random_below(random, (uint64_t)span_ns);
        (void)insert(deadlines_ns[i]);
    }
    qsort(deadlines_ns, MANY, sizeof(deadlines_ns[0]), compare_times);
    for (unsigned i = 0; i < MANY;) {
        uint32_t index = pop(now_ns);

        if (index == WEIR__SLAB_NONE) {
            expect(deadlines_ns[i] > now_ns);
            expect(weir__wheel_next(&wheel) <= deadlines_ns[i]);
            now_ns = interval_ns == 0 ? weir__wheel_next(&wheel)
                                      : now_ns + interval_ns;
        } else {
            expect_int(deadline_of(index), deadlines_ns[i++]);
            weir__slab_put(&slab, index);
        }
    }
    end();
}

CASE(wheel_of_a_crowd_fires_in_order)
{
    struct random random = {random_seed()};

    fire_crowd(&random, 2 * HOUR_NS, 0);
    fire_crowd(&random, 2 * HOUR_NS, SECOND_NS);
    fire_crowd(&random, 2 * HOUR_NS, 500 * SECOND_NS);
    fire_crowd(&random, SECOND_NS, MILLISECOND_NS);
    fire_crowd(&random, INT64_MAX, INT64_MAX / 1000);
}

CASE(wheel_of_a_crowd_in_one_slot_fires_in_order)
{
    enum { MANY = 300000 };
    struct random random = {random_seed()};
    int64_t last_ns = 0;

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++)
        (void)insert(2 * SLOT_NS + (int64_t)random_below(&random, SLOT_NS));
    weir__wheel_begin(&wheel, 3 * SLOT_NS);
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t index = pop_next();

        expect(deadline_of(index) >= last_ns);
        last_ns = deadline_of(index);
    }
    end();
}

/* --- against a plain list ------------------------------------------------- */

enum { MODEL_SIZE = 200, EPOCHS = 40, STEPS = 2000 };

/* What should be in the wheel. */
struct entry {
    uint32_t index;
    int64_t deadline_ns;
    uint64_t sequence;
    bool is_fresh; /* waits for the next turn */
};

static struct model {
    struct random random;
    struct entry entries[MODEL_SIZE];
    unsigned count;
    uint64_t sequence;
    int64_t now_ns;
    bool is_open; /* a turn is going on */
} model;

/* Some magnitude between 0 and 2^bits - 1, all sizes alike. */
static int64_t random_span(unsigned bits)
{
    uint64_t size = random_below(&model.random, bits + 1);

    return (int64_t)random_below(&model.random, UINT64_C(1) << size);
}

static int64_t later_by(int64_t span_ns)
{
    return span_ns > INT64_MAX - model.now_ns ? INT64_MAX
                                              : model.now_ns + span_ns;
}

static uint64_t deadlines[16];

static int64_t random_deadline(void)
{
    switch (random_choose(&model.random, deadlines)) {
    case 0:
        return model.now_ns - random_span(62);
    case 1:
        return INT64_MAX - random_span(20);
    case 2:
    case 3:
        if (model.count > 0)
            return model.entries[random_below(&model.random, model.count)]
                .deadline_ns;
        return model.now_ns;
    case 4:
        return later_by(random_span(62)) & ~(SLOT_NS - 1);
    default:
        return later_by(random_span(62));
    }
}

static void model_insert(void)
{
    struct entry *entry = &model.entries[model.count];

    if (model.count == MODEL_SIZE)
        return;
    model.count++;
    entry->deadline_ns = random_deadline();
    entry->sequence = model.sequence++;
    entry->is_fresh = model.is_open && entry->deadline_ns <= model.now_ns;
    entry->index = insert(entry->deadline_ns);
}

static void model_forget(struct entry *entry)
{
    weir__slab_put(&slab, entry->index);
    *entry = model.entries[--model.count];
}

static struct entry *model_find(uint32_t index)
{
    for (unsigned i = 0; i < model.count; i++) {
        if (model.entries[i].index == index)
            return &model.entries[i];
    }
    expect_failed(__FILE__, __LINE__, "the index is of one that is inserted");
}

/* The first that this turn has, due or not. */
static struct entry *model_first(bool with_fresh)
{
    struct entry *first = NULL;

    for (unsigned i = 0; i < model.count; i++) {
        struct entry *entry = &model.entries[i];

        if ((with_fresh || !entry->is_fresh) &&
            (first == NULL || entry->deadline_ns < first->deadline_ns ||
             (entry->deadline_ns == first->deadline_ns &&
              entry->sequence < first->sequence)))
            first = entry;
    }
    return first;
}

static void model_remove(void)
{
    struct entry *entry;

    if (model.count == 0)
        return;
    entry = &model.entries[random_below(&model.random, model.count)];
    take_out(entry->index);
    model_forget(entry);
}

static bool model_pop(void)
{
    uint32_t index = pop_next();
    struct entry *first = model_first(false);

    if (first == NULL || first->deadline_ns > model.now_ns) {
        expect_int(index, WEIR__SLAB_NONE);
        model.is_open = false;
        return false;
    }
    expect_int(index, first->index);
    model_forget(first);
    return true;
}

static void model_begin(void)
{
    weir__wheel_begin(&wheel, model.now_ns);
    model.is_open = true;
    for (unsigned i = 0; i < model.count; i++)
        model.entries[i].is_fresh = false;
}

/* A turn of a loop: what is due, while callbacks insert and remove. */
static void model_turn(void)
{
    model_begin();
    while (model_pop()) {
        if (random_below(&model.random, 4) == 0)
            model_insert();
        if (random_below(&model.random, 8) == 0)
            model_remove();
        if (random_below(&model.random, 32) == 0)
            return;
    }
}

static void model_expect_next(void)
{
    const struct entry *first = model_first(true);
    int64_t next_ns = weir__wheel_next(&wheel);

    if (first == NULL) {
        expect_int(next_ns, INT64_MAX);
        return;
    }
    expect(next_ns <= first->deadline_ns);
    if (first->deadline_ns > model.now_ns && model.count <= 5)
        expect_int(next_ns, first->deadline_ns);
}

static void model_take_any(void)
{
    uint32_t index = take_any();

    if (model.count == 0)
        expect_int(index, WEIR__SLAB_NONE);
    else
        model_forget(model_find(index));
}

static uint64_t dice[100];

static void model_step(void)
{
    unsigned die = (unsigned)random_choose(&model.random, dice);

    if (die < 50) {
        model_insert();
    } else if (die < 65) {
        model_remove();
    } else if (die < 80) {
        model.now_ns = later_by(random_span(die < 70 ? 55 : 35));
        model_turn();
    } else if (die < 90) {
        if (weir__wheel_next(&wheel) > model.now_ns)
            model.now_ns = weir__wheel_next(&wheel);
        model_turn();
    } else if (die < 95) {
        model_turn();
    } else {
        model_take_any();
    }
}

CASE(wheel_does_what_a_plain_list_does)
{
    model.random.state = random_seed();
    for (unsigned epoch = 0; epoch < EPOCHS; epoch++) {
        model.now_ns = random_span(63);
        model.is_open = false;
        begin_at(model.now_ns);
        for (unsigned step = 0; step < STEPS; step++) {
            model_step();
            model_expect_next();
            if (step % 64 == 0)
                expect_sound();
        }
        while (model.count > 0)
            model_take_any();
        end();
    }
    expect_all_taken(dice);
    expect_all_taken(deadlines);
}
