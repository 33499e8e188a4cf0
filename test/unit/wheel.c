/* SPDX-License-Identifier: MIT */
/*
 * wheel -- what comes out is what went in, in order and never early.
 */
#include "wheel.h"

#include <stdlib.h>
#include <string.h>

#include "support/random.h"
#include "support/suite.h"

#define TICK_NS (INT64_C(1) << 20)
#define MILLISECOND_NS INT64_C(1000000)
#define SECOND_NS (1000 * MILLISECOND_NS)
#define HOUR_NS (3600 * SECOND_NS)
#define YEAR_NS (365 * 24 * HOUR_NS)

static struct weir__slab slab;
static struct weir__wheel wheel;

static void begin_at(int64_t now_ns)
{
    memset(&wheel, 0xa5, sizeof(wheel));
    weir__slab_init(&slab, sizeof(struct weir__timer));
    weir__wheel_init(&wheel, &slab, now_ns);
}

/* Nothing may be left. */
static void end(void)
{
    expect_int(weir__wheel_next(&wheel), INT64_MAX);
    expect_int(weir__wheel_take_any(&wheel), WEIR__SLAB_NONE);
    expect_int(weir__wheel_pop(&wheel, INT64_MAX, UINT64_MAX), WEIR__SLAB_NONE);
    weir__slab_fini(&slab);
}

static struct weir__timer *at(uint32_t index)
{
    return weir__slab_slot(&slab, index);
}

static uint32_t insert(int64_t deadline_ns)
{
    uint32_t index;

    expect_status(weir__slab_take(&slab, &index), 0);
    at(index)->deadline_ns = deadline_ns;
    weir__wheel_insert(&wheel, index);
    return index;
}

static uint32_t pop(int64_t now_ns)
{
    return weir__wheel_pop(&wheel, now_ns, UINT64_MAX);
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
    return (level == 0 ? 3 : INT64_C(1)) << (20 + 6 * level);
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
        YEAR_NS,   1,           HOUR_NS, TICK_NS,       0,
        SECOND_NS, 2 * TICK_NS, 3,       100 * YEAR_NS,
    };
    enum { COUNT = sizeof(delays_ns) / sizeof(delays_ns[0]) };
    int64_t last_ns = 0;

    begin_at(HOUR_NS);
    for (unsigned i = 0; i < COUNT; i++)
        (void)insert(HOUR_NS + delays_ns[i]);
    for (unsigned i = 0; i < COUNT; i++) {
        uint32_t index = pop(INT64_MAX);

        expect(at(index)->deadline_ns >= last_ns);
        last_ns = at(index)->deadline_ns;
    }
    end();
}

CASE(wheel_equal_deadlines_come_in_the_order_of_insertion)
{
    enum { EACH = 100, DELAYS = 6 };
    static const int64_t delays_ns[DELAYS] = {
        0, TICK_NS / 2, 50 * MILLISECOND_NS, 20 * SECOND_NS, HOUR_NS, YEAR_NS};
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
    expect(weir__wheel_remove(&wheel, second));
    expect_no_pop(HOUR_NS + SECOND_NS - 1);
    expect_no_pop(1);
    expect_pop(HOUR_NS + SECOND_NS, first);
    end();
}

/* --- the limit ------------------------------------------------------------ */

CASE(wheel_sequence_counts_the_inserts)
{
    uint32_t index;

    begin_at(0);
    for (unsigned i = 0; i < 10; i++) {
        expect_int(weir__wheel_sequence(&wheel), i);
        index = insert(i * HOUR_NS);
        expect_int(at(index)->sequence, i);
    }
    while (weir__wheel_take_any(&wheel) != WEIR__SLAB_NONE)
        continue;
    end();
}

CASE(wheel_pop_leaves_those_beyond_the_limit)
{
    uint32_t index;
    uint64_t limit;

    begin_at(0);
    limit = weir__wheel_sequence(&wheel);
    index = insert(0);
    expect_int(weir__wheel_pop(&wheel, 1, limit), WEIR__SLAB_NONE);
    expect_int(weir__wheel_next(&wheel), 0);
    expect_int(weir__wheel_pop(&wheel, 1, limit + 1), index);
    end();
}

/* As a timer that repeats and makes up for what it missed. */
CASE(wheel_pop_passes_over_a_newer_one_with_an_earlier_deadline)
{
    uint32_t old[3], new[2];
    uint64_t limit;

    begin_at(0);
    for (unsigned i = 0; i < 3; i++)
        old[i] = insert(100 + i);
    limit = weir__wheel_sequence(&wheel);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), old[0]);
    new[0] = insert(50);
    new[1] = insert(101);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), old[1]);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), old[2]);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), WEIR__SLAB_NONE);
    expect_int(weir__wheel_next(&wheel), 50);
    limit = weir__wheel_sequence(&wheel);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), new[0]);
    expect_int(weir__wheel_pop(&wheel, 1000, limit), new[1]);
    end();
}

CASE(wheel_pop_passes_over_newer_ones_that_were_far)
{
    uint32_t old, new;

    begin_at(0);
    old = insert(2 * HOUR_NS);
    new = insert(HOUR_NS);
    expect_int(weir__wheel_pop(&wheel, YEAR_NS, 1), old);
    expect_int(weir__wheel_pop(&wheel, YEAR_NS, 1), WEIR__SLAB_NONE);
    expect_int(weir__wheel_pop(&wheel, YEAR_NS, 2), new);
    end();
}

/* --- remove --------------------------------------------------------------- */

CASE(wheel_removed_timer_does_not_come)
{
    for (unsigned level = 0; level < WEIR__WHEEL_LEVELS; level++) {
        uint32_t index;

        begin_at(0);
        index = insert(deadline_of_level(level));
        expect(weir__wheel_remove(&wheel, index));
        end();
    }
}

CASE(wheel_remove_of_a_near_one_is_left_to_pop)
{
    uint32_t index;

    begin_at(0);
    index = insert(MILLISECOND_NS);
    expect(!weir__wheel_remove(&wheel, index));
    expect_pop(MILLISECOND_NS, index);
    end();
}

CASE(wheel_remove_of_one_that_came_near_is_left_to_pop)
{
    uint32_t index;

    begin_at(0);
    index = insert(HOUR_NS);
    expect_no_pop(HOUR_NS - 1);
    expect(!weir__wheel_remove(&wheel, index));
    expect_pop(HOUR_NS, index);
    end();
}

CASE(wheel_remove_of_one_that_is_held_is_left_to_pop)
{
    uint32_t index;

    begin_at(0);
    index = insert(0);
    expect_int(weir__wheel_pop(&wheel, 0, 0), WEIR__SLAB_NONE);
    expect(!weir__wheel_remove(&wheel, index));
    expect_pop(0, index);
    end();
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
            expect(weir__wheel_remove(&wheel, index[which]));
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
        expect(weir__wheel_remove(&wheel, index));
        at(index)->deadline_ns = deadline_of_level(level);
        weir__wheel_insert(&wheel, index);
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
        expect(weir__wheel_remove(&wheel, index[i]));
    end();
}

/* --- next ----------------------------------------------------------------- */

/* A crowd, too many to look at each, that is in the wheel before its clock has
 * come near, or comes after that, or right after init. */
enum order { BEFORE_POP, AFTER_POP, AFTER_INIT, ORDERS };

static void expect_exact_next(enum order order, int64_t now_ns,
                              int64_t delay_ns)
{
    enum { CROWD = 20 };

    begin_at(order == AFTER_INIT ? now_ns : 0);
    if (order == AFTER_POP)
        expect_no_pop(now_ns);
    for (unsigned i = 0; i < CROWD; i++)
        (void)insert(now_ns + delay_ns + i);
    if (order == BEFORE_POP)
        expect_no_pop(now_ns);
    for (unsigned i = 0; i < CROWD; i++) {
        expect_int(weir__wheel_next(&wheel), now_ns + delay_ns + i);
        expect(pop(now_ns + delay_ns + i) != WEIR__SLAB_NONE);
    }
    end();
}

CASE(wheel_next_is_exact_below_a_millisecond)
{
    for (enum order order = BEFORE_POP; order < ORDERS; order++) {
        for (int64_t now_ns = 0; now_ns < 4 * TICK_NS; now_ns += 130000) {
            for (int64_t delay_ns = 1; delay_ns < MILLISECOND_NS;
                 delay_ns += 110000)
                expect_exact_next(order, now_ns, delay_ns);
        }
    }
}

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

CASE(wheel_next_wakes_a_handful_of_times_for_a_crowd_a_year_away)
{
    expect(count_wakes(YEAR_NS, 1000) <= 7);
    expect(count_wakes(YEAR_NS + 987654321987, 1000) <= 7);
    expect(count_wakes(250 * YEAR_NS, 1000) <= 9);
    expect(count_wakes(INT64_MAX, 1000) <= 9);
}

/* --- crowds --------------------------------------------------------------- */

CASE(wheel_take_any_takes_each_one_once)
{
    enum { MANY = 2000 };
    static bool is_taken[MANY];
    struct random random = {random_seed()};
    uint32_t index;

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++)
        (void)insert(
            (int64_t)(random_next(&random) >> random_below(&random, 64) >> 1));
    expect_int(weir__wheel_pop(&wheel, HOUR_NS, 0), WEIR__SLAB_NONE);
    for (unsigned i = 0; i < MANY; i++) {
        index = weir__wheel_take_any(&wheel);
        expect(index < MANY && !is_taken[index]);
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
            expect_int(at(index)->deadline_ns, deadlines_ns[i++]);
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

/* A heap that recursed would need a stack as deep as this. */
CASE(wheel_of_a_crowd_in_one_tick_fires_in_order)
{
    enum { MANY = 300000 };
    struct random random = {random_seed()};
    int64_t last_ns = 0;

    begin_at(0);
    for (unsigned i = 0; i < MANY; i++)
        (void)insert(2 * TICK_NS + (int64_t)random_below(&random, TICK_NS));
    for (unsigned i = 0; i < MANY; i++) {
        uint32_t index = pop(3 * TICK_NS);

        expect(at(index)->deadline_ns >= last_ns);
        last_ns = at(index)->deadline_ns;
    }
    end();
}

/* --- against a plain list ------------------------------------------------- */

enum { MODEL_SIZE = 200, EPOCHS = 40, STEPS = 2000 };

/* What should be in the wheel.  One that is cancelled could not be removed:
 * it comes out like the others. */
struct entry {
    uint32_t index;
    int64_t deadline_ns;
    uint64_t sequence;
};

static struct model {
    struct random random;
    struct entry entries[MODEL_SIZE];
    unsigned count;
    int64_t now_ns;
    int64_t exact_ns; /* up to here, next() is exact */
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

static int64_t random_deadline(void)
{
    switch (random_below(&model.random, 16)) {
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
        return later_by(random_span(62)) & ~(TICK_NS - 1);
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
    entry->sequence = weir__wheel_sequence(&wheel);
    entry->index = insert(entry->deadline_ns);
    expect(at(entry->index)->sequence == entry->sequence);
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

/* The first with a sequence below the limit, due or not. */
static struct entry *model_first(uint64_t limit)
{
    struct entry *first = NULL;

    for (unsigned i = 0; i < model.count; i++) {
        struct entry *entry = &model.entries[i];

        if (entry->sequence < limit &&
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
    if (weir__wheel_remove(&wheel, entry->index))
        model_forget(entry);
    else
        expect(entry->deadline_ns < later_by(2 * TICK_NS) ||
               model.now_ns > INT64_MAX - 2 * TICK_NS);
}

static bool model_pop(uint64_t limit)
{
    uint32_t index = weir__wheel_pop(&wheel, model.now_ns, limit);
    struct entry *first = model_first(limit);

    if (first == NULL || first->deadline_ns > model.now_ns) {
        expect_int(index, WEIR__SLAB_NONE);
        model.exact_ns = later_by(MILLISECOND_NS);
        return false;
    }
    expect_int(index, first->index);
    model_forget(first);
    return true;
}

/* A turn of a loop: what is due, while callbacks insert and remove. */
static void model_turn(void)
{
    uint64_t limit = weir__wheel_sequence(&wheel);

    if (random_below(&model.random, 8) == 0)
        limit = random_below(&model.random, limit + 2);
    while (model_pop(limit)) {
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
    const struct entry *first = model_first(UINT64_MAX);
    int64_t next_ns = weir__wheel_next(&wheel);

    if (first == NULL) {
        expect_int(next_ns, INT64_MAX);
        return;
    }
    expect(next_ns <= first->deadline_ns);
    if (first->deadline_ns <= model.exact_ns || model.count <= 5)
        expect_int(next_ns, first->deadline_ns);
}

static void model_take_any(void)
{
    uint32_t index = weir__wheel_take_any(&wheel);

    if (model.count == 0)
        expect_int(index, WEIR__SLAB_NONE);
    else
        model_forget(model_find(index));
}

static void model_step(void)
{
    unsigned die = (unsigned)random_below(&model.random, 100);

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
        model.exact_ns = later_by(MILLISECOND_NS);
        begin_at(model.now_ns);
        for (unsigned step = 0; step < STEPS; step++) {
            model_step();
            model_expect_next();
        }
        while (model.count > 0)
            model_take_any();
        end();
    }
}
