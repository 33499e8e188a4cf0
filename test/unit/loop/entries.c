/* SPDX-License-Identifier: MIT */
/*
 * entries -- lists of chunks: order, counts, and what cleaning leaves.
 */
#include "loop/entries.h"

#include "support/suite.h"

enum { CHUNKS = 4, MOST = CHUNKS * WEIR__CHUNK };

static struct weir__slab slab;
static struct weir__entries entries;
static uint32_t index_of[MOST];
static uint32_t taken;

static void begin(void)
{
    weir__timer_slots_init(&slab);
    weir__entries_init(&entries, &slab);
}

static void end(void)
{
    weir__slab_fini(&slab);
}

/* Append an entry for a new timer. */
static void append(weir__list *list, int64_t deadline_ns)
{
    uint32_t *index = &index_of[taken++], word;

    expect(taken <= MOST);
    expect_status(weir__slab_take(&slab, index), 0);
    word = load_relaxed(&weir__timer_at(&slab, *index)->word);
    weir__entries_append(
        &entries, list,
        (struct weir__entry){deadline_ns, weir__timer_id(word, *index)});
    entries.count++;
}

/* Append entries with the deadlines 0, 1, 2 ... */
static void append_many(weir__list *list, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++)
        append(list, (int64_t)i);
}

/* End the timer that was appended as this one. */
static void kill_one(uint32_t number)
{
    struct weir__timer *timer = weir__timer_at(&slab, index_of[number]);

    store_relaxed(&timer->word, load_relaxed(&timer->word) +
                                    (1u << WEIR__TIMER_GENERATION_SHIFT));
    entries.dead++;
}

static void kill_some(uint32_t first, uint32_t count)
{
    for (uint32_t i = first; i < first + count; i++)
        kill_one(i);
}

static uint32_t chunks_of(weir__list list)
{
    const struct weir__chunk *chunk = list;
    uint32_t count = 0;

    if (list != NULL)
        do {
            count++;
            chunk = chunk->next;
            expect(count <= MOST);
        } while (chunk != list);
    return count;
}

static uint32_t spares(void)
{
    uint32_t count = 0;

    for (const struct weir__chunk *chunk = entries.spare; chunk != NULL;
         chunk = chunk->next)
        expect(++count <= MOST);
    return count;
}

/* Take all entries; their deadlines rise by one from `first` on. */
static void expect_deadlines(weir__list *list, int64_t first, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        expect(*list != NULL);
        expect_int(weir__entries_take_first(&entries, list).deadline_ns,
                   first + i);
    }
    expect(*list == NULL);
}

/* ---- lists ---- */

CASE(entries_come_out_in_the_order_they_went_in)
{
    weir__list list = NULL;

    begin();
    append_many(&list, 2 * WEIR__CHUNK + 1);
    expect_int(chunks_of(list), 3);
    expect_deadlines(&list, 0, 2 * WEIR__CHUNK + 1);
    expect_int(spares(), 3);
    end();
}

CASE(entries_extra_counts_all_chunks_of_a_list_but_one)
{
    weir__list list = NULL, other = NULL;

    begin();
    append_many(&list, WEIR__CHUNK);
    expect_int(entries.extra, 0);
    append(&list, 0);
    expect_int(entries.extra, 1);
    append(&other, 0);
    expect_int(entries.extra, 1);
    append_many(&list, WEIR__CHUNK);
    expect_int(entries.extra, 2);
    weir__entries_drop_chunk(&entries, &list);
    expect_int(entries.extra, 1);
    weir__entries_drop_chunk(&entries, &list);
    expect_int(entries.extra, 0);
    weir__entries_drop_chunk(&entries, &list);
    weir__entries_drop_chunk(&entries, &other);
    expect(list == NULL && other == NULL);
    expect_int(entries.extra, 0);
    end();
}

CASE(entries_joined_lists_are_one_after_the_other)
{
    weir__list one = NULL, other = NULL, both;

    begin();
    append_many(&one, WEIR__CHUNK + 1);
    for (uint32_t i = 0; i < WEIR__CHUNK + 1; i++)
        append(&other, (int64_t)(WEIR__CHUNK + 1 + i));
    both = weir__entries_join(&entries, one, other);
    expect_int(chunks_of(both), 4);
    expect_int(entries.extra, 3);
    expect_deadlines(&both, 0, 2 * WEIR__CHUNK + 2);
    expect_int(entries.extra, 0);
    end();
}

CASE(entries_joined_to_nothing_stay_as_they_are)
{
    weir__list list = NULL;

    begin();
    append(&list, 0);
    expect(weir__entries_join(&entries, list, NULL) == list);
    expect(weir__entries_join(&entries, NULL, list) == list);
    expect(weir__entries_join(&entries, NULL, NULL) == NULL);
    expect_int(entries.extra, 0);
    end();
}

CASE(entries_given_back_are_spare)
{
    weir__list list = NULL, other = NULL;

    begin();
    append(&other, 0);
    weir__entries_drop_chunk(&entries, &other);
    append_many(&list, 2 * WEIR__CHUNK);
    entries.mark = list;
    weir__entries_give_back(&entries, list);
    expect(entries.mark == NULL);
    expect_int(spares(), 2);
    append_many(&other, 1);
    expect_int(spares(), 1);
    expect_int(chunks_of(other), 1);
    end();
}

CASE(entries_use_as_many_chunks_as_they_have_room_for)
{
    weir__list list = NULL;
    const struct weir__chunk *last = NULL;
    uint64_t room;

    begin();
    append(&list, 0);
    room = weir__entries_room(&entries);
    expect(room > 2 * WEIR__ENTRIES_SLACK + WEIR__SLAB_GROUP);
    for (uint64_t i = 1; i < room; i++) {
        weir__entries_add_chunk(&entries, &list);
        expect(list != last);
        last = list;
    }
    expect_int(entries.extra, room - 1);
    expect(entries.fresh == entries.fresh_end);
    end();
}

/* ---- dead entries ---- */

CASE(entries_first_drops_the_dead_before_it)
{
    weir__list list = NULL;

    begin();
    append_many(&list, WEIR__CHUNK + 2);
    kill_some(0, WEIR__CHUNK + 1);
    expect_int(weir__entries_first(&entries, &list)->deadline_ns,
               WEIR__CHUNK + 1);
    expect_int(entries.count, 1);
    expect_int(entries.dead, 0);
    expect_int(chunks_of(list), 1);
    kill_one(WEIR__CHUNK + 1);
    expect(weir__entries_first(&entries, &list) == NULL);
    expect(list == NULL);
    expect_int(entries.count, 0);
    expect_int(entries.dead, 0);
    end();
}

CASE(entries_first_of_live_ones_drops_nothing)
{
    weir__list list = NULL;

    begin();
    append_many(&list, 3);
    kill_one(1);
    expect_int(weir__entries_first(&entries, &list)->deadline_ns, 0);
    expect_int(entries.count, 3);
    expect_int(entries.dead, 1);
    end();
}

CASE(entries_clean_keeps_the_live_ones_in_order)
{
    weir__list list = NULL;

    begin();
    append_many(&list, 5);
    kill_one(0);
    kill_one(2);
    kill_one(4);
    expect(weir__entries_clean(&entries, &list, NULL));
    expect_int(list->first, 0);
    expect_int(list->end, 2);
    expect_int(entries.count, 2);
    expect_int(entries.dead, 0);
    expect_int(weir__entries_take_first(&entries, &list).deadline_ns, 1);
    expect_int(weir__entries_take_first(&entries, &list).deadline_ns, 3);
    expect(list == NULL);
    end();
}

CASE(entries_clean_of_a_dead_chunk_frees_it)
{
    weir__list list = NULL;

    begin();
    append_many(&list, WEIR__CHUNK + 1);
    kill_some(0, WEIR__CHUNK);
    entries.mark = list->next;
    expect(!weir__entries_clean(&entries, &list, NULL));
    expect(entries.mark == NULL);
    expect_int(entries.extra, 0);
    expect_int(spares(), 1);
    expect_deadlines(&list, WEIR__CHUNK, 1);
    end();
}

CASE(entries_clean_fills_up_the_chunk_before)
{
    weir__list list = NULL;
    struct weir__chunk *before;

    begin();
    append_many(&list, 2 * WEIR__CHUNK);
    kill_some(0, 2);
    before = list->next;
    expect(weir__entries_clean(&entries, &list, NULL));
    expect_int(before->end, WEIR__CHUNK - 2);
    expect(weir__entries_clean(&entries, &list, before));
    expect_int(before->end, WEIR__CHUNK);
    expect_int(list->end, WEIR__CHUNK - 2);
    expect_deadlines(&list, 2, 2 * WEIR__CHUNK - 2);
    end();
}

CASE(entries_clean_frees_the_last_chunk_when_all_fits_before_it)
{
    weir__list list = NULL;
    struct weir__chunk *before;

    begin();
    append_many(&list, WEIR__CHUNK + 2);
    kill_some(0, 2);
    expect(weir__entries_clean(&entries, &list, NULL));
    before = list->next;
    entries.mark = list;
    expect(!weir__entries_clean(&entries, &list, before));
    expect(list == before && list->next == list);
    expect(entries.mark == NULL);
    expect_int(entries.extra, 0);
    expect_deadlines(&list, 2, WEIR__CHUNK);
    end();
}

CASE(entries_clean_leaves_the_mark_of_another_chunk)
{
    weir__list list = NULL;

    begin();
    append_many(&list, WEIR__CHUNK + 1);
    kill_some(0, WEIR__CHUNK);
    entries.mark = list;
    expect(!weir__entries_clean(&entries, &list, NULL));
    expect(entries.mark == list);
    end();
}

/* Three chunks, of which one entry each is left. */
CASE(entries_gather_brings_the_live_ones_into_the_first_chunk)
{
    weir__list list = NULL;

    begin();
    append_many(&list, 3 * WEIR__CHUNK);
    kill_some(0, WEIR__CHUNK - 1);
    kill_some(WEIR__CHUNK + 1, WEIR__CHUNK - 1);
    kill_some(2 * WEIR__CHUNK + 1, WEIR__CHUNK - 1);
    weir__entries_gather(&entries, &list);
    expect_int(chunks_of(list), 1);
    expect_int(list->end, 3);
    expect_int(entries.count, 3);
    expect_int(entries.dead, 0);
    expect_int(spares(), 2);
    end();
}

CASE(entries_gather_stops_at_a_full_chunk)
{
    weir__list list = NULL;

    begin();
    append_many(&list, 3 * WEIR__CHUNK);
    kill_some(0, 1);
    kill_some(2 * WEIR__CHUNK, 1);
    weir__entries_gather(&entries, &list);
    expect_int(list->next->end, WEIR__CHUNK);
    expect_int(entries.dead, 1); /* the third chunk was not looked at */
    expect_int(chunks_of(list), 3);
    end();
}

CASE(entries_gather_of_a_dead_list_leaves_nothing)
{
    weir__list list = NULL;

    begin();
    append_many(&list, WEIR__CHUNK + 1);
    kill_some(0, WEIR__CHUNK + 1);
    weir__entries_gather(&entries, &list);
    expect(list == NULL);
    expect_int(entries.count, 0);
    end();
}

/* ---- order ---- */

/* Equal deadlines keep their order. */
static void expect_sorted(weir__list *list, uint32_t count)
{
    struct weir__entry last = {-1, 0};

    for (uint32_t i = 0; i < count; i++) {
        struct weir__entry entry;

        expect(*list != NULL);
        entry = weir__entries_take_first(&entries, list);
        expect(entry.deadline_ns >= last.deadline_ns);
        if (entry.deadline_ns == last.deadline_ns)
            expect(weir__timer_index(entry.id) > weir__timer_index(last.id));
        last = entry;
    }
    expect(*list == NULL);
}

CASE(entries_of_a_chunk_are_sorted_from_its_first)
{
    static const int64_t deadlines[] = {0, 9, 5, 7, 5, 1};
    weir__list list = NULL;

    begin();
    for (int i = 0; i < 6; i++)
        append(&list, deadlines[i]);
    list->first = 1;
    list->entry[0].deadline_ns = 8; /* not in the list any more */
    weir__entries_sort_chunk(list);
    expect_int(list->entry[0].deadline_ns, 8);
    expect_sorted(&list, 5);
    end();
}

/* A full chunk has nothing behind its last entry. */
CASE(entries_of_a_full_chunk_are_sorted)
{
    weir__list list = NULL;

    begin();
    for (int i = WEIR__CHUNK; i > 0; i--)
        append(&list, i / 2);
    weir__entries_sort_chunk(list);
    expect_sorted(&list, WEIR__CHUNK);
    end();
}

/* What lies behind the end, of an earlier use, is not an entry. */
CASE(entries_sort_looks_at_nothing_behind_the_end)
{
    weir__list list = NULL;

    begin();
    append(&list, 2);
    append(&list, 3);
    list->entry[2] = (struct weir__entry){.deadline_ns = 1};
    weir__entries_sort_chunk(list);
    expect_deadlines(&list, 2, 2);
    end();
}

CASE(entries_of_many_chunks_are_sorted_without_the_dead)
{
    weir__list list = NULL;

    begin();
    for (uint32_t i = 0; i < MOST; i++)
        append(&list, (int64_t)(i * 7 % 11));
    kill_some(WEIR__CHUNK, WEIR__CHUNK); /* a chunk that leaves nothing */
    kill_one(0);
    list = weir__entries_sort(&entries, list);
    expect_int(entries.dead, 0);
    expect_int(entries.count, MOST - WEIR__CHUNK - 1);
    expect_sorted(&list, MOST - WEIR__CHUNK - 1);
    expect_int(entries.extra, 0);
    end();
}
