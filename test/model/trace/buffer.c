/* SPDX-License-Identifier: MIT */
/*
 * buffer -- a reader gets events whole and in order, the newest ones, however the
 * writer overwrites them meanwhile.
 */
#include "trace/buffer.h"

#include <string.h>

#include "model.h"

static struct weir__buffer *rings[2];

static void init(void)
{
    rings[0] = weir__buffer_new(2);
    rings[1] = weir__buffer_new(2);
}

static void fini(void)
{
    weir__buffer_free(rings[0]);
    weir__buffer_free(rings[1]);
}

/* Event n has 4 n + 1, 4 n + 2, ... so that no two words are the same. */
static void write_event(struct weir__buffer *ring, uint64_t n)
{
    struct weir__event_words event;

    for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
        event.word[i] = 4 * n + 1 + i;
    weir__buffer_write(ring, &event);
}

static void write_some(struct weir__buffer *ring, uint64_t count)
{
    for (uint64_t n = 0; n < count; n++)
        write_event(ring, n);
}

static void write_two(void)
{
    write_some(rings[model_self()], 2);
}

static void write_three(void)
{
    write_some(rings[0], 3);
}

static void check(const struct weir__event_words *events, size_t count,
                  uint64_t from)
{
    for (size_t k = 0; k < count; k++)
        for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
            model_assert(events[k].word[i] == 4 * (from - count + k) + 1 + i);
}

static uint64_t read_once(const struct weir__buffer *ring, uint64_t from)
{
    struct weir__event_words events[2];
    uint64_t before = from;
    size_t count = weir__buffer_read(ring, &from, events, 2);

    model_assert(from >= before && count <= from - before);
    check(events, count, from);
    return from;
}

static void read_first(void)
{
    read_once(rings[0], 0);
}

static void read_twice(void)
{
    read_once(rings[0], read_once(rings[0], 0));
}

static void read_both(void)
{
    read_once(rings[0], 0);
    read_once(rings[1], 0);
}

/* The newest event is kept. */
static void newest_is_there(void)
{
    struct weir__event_words events[2];
    uint64_t from = 0;

    model_assert(weir__buffer_read(rings[0], &from, events, 2) == 1);
    model_assert(from == 3);
    check(events, 1, from);
    fini();
}

/* ---- broken: a reader that misses what a writer begins ---- */

/* Discards only what was overwritten by complete events. */
static void read_too_much(void)
{
    const struct weir__buffer *ring = rings[0];
    uint64_t written = load_acquire(&ring->written);
    uint64_t first = written > 2 ? written - 2 : 0;
    struct weir__event_words event;

    if (written == 0)
        return;
    for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
        event.word[i] = load_acquire(&ring->slot[first & 1].word[i]);
    written = load_relaxed(&ring->written);
    if (first >= (written > 2 ? written - 2 : 0))
        check(&event, 1, first + 1);
}

/* Does not look again. */
static void read_without_a_second_look(void)
{
    const struct weir__buffer *ring = rings[0];
    struct weir__event_words event;

    if (load_acquire(&ring->written) != 1)
        return;
    for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
        event.word[i] = load_acquire(&ring->slot[0].word[i]);
    check(&event, 1, 1);
}

/* Counts the event before it is there. */
static void write_and_count_first(void)
{
    store_release(&rings[0]->written, 1);
    for (unsigned i = 0; i < WEIR__EVENT_WORDS; i++)
        store_release(&rings[0]->slot[0].word[i], 1 + i);
}

static const struct model_case cases[] = {
    {"events_are_whole_while_they_are_overwritten", .setup = init,
     .finish = newest_is_there, .threads = {T(write_three), T(read_first)}},
    {"second_read_continues_behind_the_first", .setup = init,
     .finish = newest_is_there, .threads = {T(write_three), T(read_twice)}},
    {"reader_of_two_writers", .setup = init, .finish = fini,
     .threads = {T(write_two), T(write_two), T(read_both)}},
    {"two_readers", .setup = init, .finish = newest_is_there,
     .preemption_bound = 3,
     .threads = {T(write_three), T(read_first), T(read_first)}},
    {"broken_reader_forgets_the_event_in_progress", .setup = init,
     .finish = fini, .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(write_three), T(read_too_much)}},
    {"broken_reader_does_not_look_again", .setup = init, .finish = fini,
     .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(write_three), T(read_without_a_second_look)}},
    {"broken_writer_counts_first", .setup = init, .finish = fini,
     .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(write_and_count_first), T(read_first)}},
};

MODEL_CASES(cases)
