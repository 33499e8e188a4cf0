/* SPDX-License-Identifier: MIT */
/*
 * wheel_sweep -- dead entries are found wherever they are.
 */
#include "loop/wheel.h"
#include "support/suite.h"

#define HOUR_NS INT64_C(3600000000000)

enum { CHUNKS = 40, MANY = CHUNKS * WEIR__CHUNK, FEW_DEAD = WEIR__SLAB_GROUP };

static struct weir__slab slab;
static struct weir__wheel wheel;

static void begin(void)
{
    weir__timer_slots_init(&slab);
    weir__wheel_init(&wheel, &slab, 0);
}

/* Not the fast path, which sweeps nothing. */
static uint32_t insert(int64_t deadline_ns)
{
    uint32_t index, word;

    expect_status(weir__slab_take(&slab, &index), 0);
    word = load_relaxed(&weir__timer_at(&slab, index)->word);
    weir__wheel_insert(
        &wheel, (struct weir__entry){deadline_ns, weir__timer_id(word, index)});
    return index;
}

static void take_out(uint32_t index)
{
    struct weir__timer *timer = weir__timer_at(&slab, index);

    store_relaxed(&timer->word, load_relaxed(&timer->word) +
                                    (1u << WEIR__TIMER_GENERATION_SHIFT));
    weir__wheel_forget(&wheel);
}

static bool wants_sweep(void)
{
    uint64_t dead = wheel.entries.dead;

    return dead > (wheel.entries.count - dead) / 2 + FEW_DEAD;
}

static void expect_swept(unsigned inserts)
{
    expect(wants_sweep());
    for (unsigned i = 0; i < inserts; i++)
        (void)insert(5 * HOUR_NS);
    expect(!wants_sweep());
    weir__slab_fini(&slab);
}

/* The first chunk keeps an entry, so the sweep has to go on from there. */
CASE(wheel_sweeps_all_chunks_of_a_list)
{
    static uint32_t index[MANY];

    begin();
    for (unsigned i = 0; i < MANY; i++)
        index[i] = insert(HOUR_NS);
    for (unsigned i = WEIR__CHUNK; i < MANY; i++)
        take_out(index[i]);
    expect_swept(CHUNKS);
}

/* Half of each chunk is filled up from the next. */
CASE(wheel_sweeps_chunks_together)
{
    static uint32_t index[MANY];

    begin();
    for (unsigned i = 0; i < MANY; i++)
        index[i] = insert(HOUR_NS);
    for (unsigned i = 0; i < MANY; i++)
        if (i % 8 != 0)
            take_out(index[i]);
    expect_swept(CHUNKS);
}

/* An entry in each of many lists, all dead but one. */
CASE(wheel_sweeps_one_list_after_the_other)
{
    enum { LISTS = 400 };
    static uint32_t index[LISTS];

    begin();
    for (unsigned i = 0; i < LISTS; i++)
        index[i] = insert((int64_t)(i % 50 + 1) << i / 50 * 6);
    for (unsigned i = 1; i < LISTS; i++)
        take_out(index[i]);
    expect_swept(LISTS);
}
