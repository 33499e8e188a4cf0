/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * Shape     A hierarchical timing wheel.  A deadline is a 63-bit number, read
 *           as 11 digits of 6 bits: one for each level, and a level has a slot
 *           for each digit.  A timer is at the level of the highest digit in
 *           which its deadline differs from `tick`, in the slot of its digit
 *           there:
 *
 *               level 0   64 slots of  1 ns     level 6   of 69 s
 *               level 2   of 4 us               level 7   of 73 minutes
 *               level 3   of 0.26 ms            level 8   of 3.3 days
 *               level 4   of 17 ms              level 9   of 7 months
 *               level 5   of 1.1 s              level 10  of 37 years
 *
 *           When `tick` reaches the start of a slot, the slot's timers are
 *           distributed to lower levels; those of level 0 are due.  So a timer
 *           moves at most 10 times, each time together with those that share
 *           its digits so far, and the order is exact to the nanosecond.  A
 *           slot that fits into one chunk and is due as a whole is sorted in
 *           place, and its timers move no more.
 * Entries   A slot is a list of chunks, and a chunk is an array of 15 entries:
 *           a deadline and the timer's id.  Sorting a million timers reads and
 *           writes arrays sequentially, which suits the memory best.  The
 *           timers themselves are in no cache, and are not touched before they
 *           fire; then they are prefetched.
 * Dead      Likewise, a cancel touches only the timer's own word.  Its entry
 *           stays behind.  While more than a third of all entries are dead,
 *           four chunks are swept for each one that is filled.  So dead entries
 *           take at most half the memory of live ones, each is looked at a few
 *           times at most, and no call does more than a fixed amount of work.
 * Roles     One thread, the loop's.  Nothing here is shared, except the words
 *           of the slots and the slab's limit: slab/P1.
 * Progress  insert, forget: a fixed number of steps.  pop: as many as timers
 *           move; it skips empty slots by the bits in `occupied`.  Nothing
 *           allocates, recurses or fails.
 *
 * Why there is always a chunk
 *   Chunks come with the slots, in the annex of their slab: one and a half
 *   times as many as that number of entries fills, and one for the first entry
 *   of each list.  Moving the entries of a list of n chunks to k empty lists
 *   makes at most n + k - 1 chunks.  So chunks that are not the first of their
 *   list (`extra`) grow in number only when an entry is added to a list that is
 *   not empty.  insert and let_in ensure that there is room for these chunks
 *   and for the lists that the entries can occupy, and sweep until there is.
 *   There are never more live timers than slots.
 *
 * Why the first slot is before all others
 *   `tick` is below the start S of every slot in use, and stops at S before it
 *   advances.  Until then the digits above the slot's level do not change, and
 *   the level's own digit stays below the slot's.  So all slots in use of a
 *   level lie ahead, in order, and before those of higher levels.
 *
 * Equal deadlines come out in the order of insertion: they are in the same slot
 *   at any time, and move from the front of one list to the end of another.
 *
 * Which turn a timer belongs to  A timer that is inserted between begin() and
 *   the end of pop, and is due at once, is `fresh`: it waits for the next turn.
 *   So does one that is not later than `tick`.  Fresh entries are in any order,
 *   and are sorted when they are admitted.  `tick` stays at the time of the
 *   turn before: timers that other threads start arrive through the queue a
 *   little later and may be due by then, and this way most of them still find a
 *   slot.
 *
 * Tested by  test/unit/loop/wheel.c
 */
#include "loop/wheel.h"

#include "base/check.h"

enum {
    LEVELS = WEIR__WHEEL_LEVELS,
    SLOTS = WEIR__WHEEL_SLOTS,
    LISTS = WEIR__WHEEL_LISTS,
    DIGIT_BITS = 6,
    DUE = LEVELS * SLOTS, /* sorted; before those in the slots, and due unless
                           * the clock went back */
    FRESH = DUE + 1,      /* in any order, for the next turn */
    FEW_CHUNKS = 4,       /* in a list whose timers will fire soon */
    FEW_DEAD = WEIR__SLAB_GROUP, /* too few to sweep */
    SWEEPS = 4,                  /* chunks, for each one that is filled */
};

_Static_assert(SLOTS == 1 << DIGIT_BITS, "a slot for each digit");
_Static_assert(LEVELS *DIGIT_BITS >= 63, "they reach to the end");
_Static_assert(LISTS == FRESH + 1, "the last of them");

/* --- slots ---------------------------------------------------------------- */

struct slot {
    unsigned level, digit;
};

static inline unsigned list_of(struct slot slot)
{
    return slot.level * SLOTS + slot.digit;
}

/* Note that a list has got its first entry. */
static void set_occupied(struct weir__wheel *wheel, unsigned list)
{
    wheel->occupied[list / SLOTS] |= UINT64_C(1) << list % SLOTS;
    wheel->levels |= 1u << list / SLOTS;
}

/* Put an entry into its list, relative to `tick`. */
static inline void place(struct weir__wheel *wheel, struct weir__entry entry)
{
    unsigned list = DUE;

    if (entry.deadline_ns > wheel->tick_ns) {
        list = weir__wheel_list_of(wheel, entry.deadline_ns);
        if (wheel->list[list] == NULL)
            set_occupied(wheel, list);
    }
    weir__entries_append(&wheel->entries, &wheel->list[list], entry);
}

/* Note that a list has become empty. */
static void clear_occupied(struct weir__wheel *wheel, unsigned list)
{
    unsigned level = list / SLOTS;

    if (list >= DUE)
        return;
    wheel->occupied[level] &= ~(UINT64_C(1) << list % SLOTS);
    if (wheel->occupied[level] == 0)
        wheel->levels &= ~(1u << level);
}

/* The first slot that has entries. */
static bool find_first(const struct weir__wheel *wheel, struct slot *slot)
{
    if (wheel->levels == 0)
        return false;
    slot->level = (unsigned)__builtin_ctz(wheel->levels);
    slot->digit = (unsigned)__builtin_ctzll(wheel->occupied[slot->level]);
    return true;
}

/* The first time that belongs to a slot in use. */
static int64_t start_of(const struct weir__wheel *wheel, struct slot slot)
{
    unsigned shift = slot.level * DIGIT_BITS;
    uint64_t above = shift + DIGIT_BITS < 64
                         ? (uint64_t)wheel->tick_ns >> (shift + DIGIT_BITS)
                         : 0;

    return (int64_t)((above << DIGIT_BITS | slot.digit) << shift);
}

/* The last time that belongs to a slot in use. */
static int64_t end_of(const struct weir__wheel *wheel, struct slot slot)
{
    return start_of(wheel, slot) |
           ((INT64_C(1) << slot.level * DIGIT_BITS) - 1);
}

/* Take all entries of a list and leave it empty. */
static weir__list take_all(struct weir__wheel *wheel, unsigned list)
{
    weir__list all = wheel->list[list];

    if (wheel->sweep_list == list)
        wheel->entries.mark = NULL;
    wheel->list[list] = NULL;
    clear_occupied(wheel, list);
    return all;
}

/* --- dead entries --------------------------------------------------------- */

/* The first live entry of a list, or NULL.  Drops the dead ones before it. */
static struct weir__entry *first_live(struct weir__wheel *wheel, unsigned list)
{
    struct weir__entry *entry =
        weir__entries_first(&wheel->entries, &wheel->list[list]);

    if (entry == NULL)
        clear_occupied(wheel, list);
    return entry;
}

/* Advance to the next list that has a chunk left to sweep.  False: there is
 * none. */
static bool find_unswept(struct weir__wheel *wheel)
{
    for (unsigned looks = 0; looks <= LISTS; looks++) {
        weir__list last = wheel->list[wheel->sweep_list];

        if (last != NULL && last != wheel->entries.mark)
            return true;
        wheel->entries.mark = NULL;
        wheel->sweep_list = (wheel->sweep_list + 1) % LISTS;
    }
    return false;
}

/* Whether more than a third of the entries are dead. */
static bool wants_sweep(const struct weir__wheel *wheel)
{
    uint64_t dead = wheel->entries.dead;

    return dead > (wheel->entries.count - dead) / 2 + FEW_DEAD;
}

/* Sweep one chunk.  The chunks already swept in its list are full. */
static void sweep(struct weir__wheel *wheel)
{
    struct weir__entries *entries = &wheel->entries;
    struct weir__chunk *before;
    weir__list *list;

    if (!find_unswept(wheel))
        return;
    list = &wheel->list[wheel->sweep_list];
    before = entries->mark;
    if (weir__entries_clean(entries, list, before))
        entries->mark = before != NULL ? before->next : (*list)->next;
    else if (*list == NULL)
        clear_occupied(wheel, wheel->sweep_list);
}

void weir__wheel_clear(struct weir__wheel *wheel)
{
    for (unsigned list = 0; list < LISTS; list++) {
        weir__list all;

        if (list < DUE && wheel->occupied[list / SLOTS] == 0) {
            list |= SLOTS - 1; /* the whole level */
            continue;
        }
        all = take_all(wheel, list);
        if (all != NULL)
            weir__entries_give_back(&wheel->entries, all);
    }
    wheel->entries.extra = 0;
    wheel->entries.count = 0;
    wheel->entries.dead = 0;
    wheel->next_ns = INT64_MAX;
}

/* --- room ----------------------------------------------------------------- */

/* Set the number of entries that certainly fit: each in a separate list,
 * beyond the chunks in use as `extra`. */
static void set_limit(struct weir__wheel *wheel)
{
    uint64_t extra = wheel->entries.extra;
    uint64_t left = wheel->room < extra ? 0 : wheel->room - extra;

    wheel->limit = left < LISTS ? left : UINT64_MAX;
}

/* Make room for another entry, by as many sweeps as necessary. */
static void find_room(struct weir__wheel *wheel)
{
    wheel->room = weir__entries_room(&wheel->entries) - WEIR__ENTRIES_SLACK;
    for (;;) {
        set_limit(wheel);
        if (wheel->entries.count < wheel->limit)
            return;
        sweep(wheel);
    }
}

static void make_room(struct weir__wheel *wheel)
{
    set_limit(wheel);
    if (wheel->entries.count >= wheel->limit)
        find_room(wheel);
}

/* --- advancing ------------------------------------------------------------ */

static bool is_few(const struct weir__chunk *last)
{
    const struct weir__chunk *chunk = last->next;

    for (unsigned i = 1; i < FEW_CHUNKS && chunk != last; i++)
        chunk = chunk->next;
    return chunk == last;
}

/* Prefetch timers that will fire soon. */
static void fetch_timers(const struct weir__wheel *wheel,
                         const struct weir__chunk *chunk)
{
    for (uint32_t i = chunk->first; i < chunk->end; i++) {
        uint32_t index = weir__timer_index(chunk->entry[i].id);

        __builtin_prefetch(weir__timer_call_at(wheel->entries.timers, index));
        __builtin_prefetch(weir__timer_at(wheel->entries.timers, index), 1);
    }
}

/* Distribute the entries of a list; `tick` is the slot's start. */
static void cascade(struct weir__wheel *wheel, weir__list list)
{
    bool will_fire = is_few(list);

    do {
        struct weir__chunk *chunk = list->next;

        weir__chunk_fetch(chunk->next);
        if (will_fire)
            fetch_timers(wheel, chunk);
        for (uint32_t i = chunk->first; i < chunk->end; i++)
            place(wheel, chunk->entry[i]);
        weir__entries_drop_chunk(&wheel->entries, &list);
    } while (list != NULL);
}

/* Whether a whole list is due and already sorted, as are timers that were
 * started with the same delay.  For other lists, the last entry usually says
 * no. */
static bool is_ready(const struct weir__wheel *wheel, weir__list list)
{
    const struct weir__chunk *chunk = list;
    int64_t before_ns = INT64_MIN;

    if (list->entry[list->end - 1].deadline_ns > wheel->now_ns)
        return false;
    do {
        chunk = chunk->next;
        for (uint32_t i = chunk->first; i < chunk->end; i++) {
            if (chunk->entry[i].deadline_ns < before_ns)
                return false;
            before_ns = chunk->entry[i].deadline_ns;
        }
    } while (chunk != list);
    return true;
}

/* Advance `tick` to a slot when nothing else is due.  The slot's timers become
 * due, or move to lower levels. */
static void come_to(struct weir__wheel *wheel, struct slot slot)
{
    bool is_over = end_of(wheel, slot) <= wheel->now_ns;
    weir__list list;

    wheel->tick_ns = start_of(wheel, slot);
    list = take_all(wheel, list_of(slot));
    if (list->next == list && is_over)
        weir__entries_sort_chunk(list);
    else if (slot.level > 0 && !is_ready(wheel, list)) {
        cascade(wheel, list);
        return;
    }
    fetch_timers(wheel, list->next);
    wheel->list[DUE] = list;
}

/* Put fresh entries into their lists, and those that are due and were not
 * popped.  Not inlined: it needs a stack frame, which a hardened build
 * guards. */
__attribute__((noinline)) static void sort_in(struct weir__wheel *wheel)
{
    struct weir__entries *entries = &wheel->entries;
    weir__list due = take_all(wheel, DUE), list;

    list = weir__entries_sort(
        entries, weir__entries_join(entries, due, take_all(wheel, FRESH)));
    while (list != NULL) {
        make_room(wheel);
        place(wheel, weir__entries_take_first(entries, &list));
    }
    set_limit(wheel);
}

/* Most turns have no fresh entries. */
static void let_in(struct weir__wheel *wheel)
{
    if (wheel->list[FRESH] != NULL)
        sort_in(wheel);
}

/* End a turn: nothing is due any more. */
static void end_turn(struct weir__wheel *wheel)
{
    int64_t lag_ns =
        wheel->before_ns < wheel->now_ns ? wheel->before_ns : wheel->now_ns;

    if (wheel->tick_ns < lag_ns)
        wheel->tick_ns = lag_ns;
    wheel->fresh_ns = wheel->tick_ns;
    let_in(wheel);
}

/* --- functions for the loop ----------------------------------------------- */

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns)
{
    DEBUG_CHECK(now_ns >= 0, "weir__wheel_init before the clock's beginning");
    *wheel = (struct weir__wheel){.tick_ns = now_ns,
                                  .now_ns = now_ns,
                                  .before_ns = now_ns,
                                  .fresh_ns = now_ns,
                                  .next_ns = INT64_MAX,
                                  .start_ns = WEIR__WHEEL_NOT_KNOWN};
    weir__entries_init(&wheel->entries, timers);
}

/* Usually called when a chunk is full: 15 entries came since the last one. */
void weir__wheel_insert(struct weir__wheel *wheel, struct weir__entry entry)
{
    weir__wheel_change(wheel);
    for (unsigned i = 0; i < SWEEPS && wants_sweep(wheel); i++)
        sweep(wheel);
    make_room(wheel);
    wheel->entries.count++;
    if (entry.deadline_ns > wheel->fresh_ns)
        place(wheel, entry);
    else
        weir__entries_append(&wheel->entries, &wheel->list[FRESH], entry);
    set_limit(wheel);
}

void weir__wheel_begin(struct weir__wheel *wheel, int64_t now_ns)
{
    let_in(wheel);
    wheel->before_ns = wheel->now_ns;
    wheel->now_ns = now_ns;
    wheel->fresh_ns = wheel->tick_ns < now_ns ? now_ns : wheel->tick_ns;
}

static bool take_out(struct weir__wheel *wheel, unsigned list,
                     struct weir__entry *entry)
{
    wheel->entries.count--;
    *entry = weir__entries_take_first(&wheel->entries, &wheel->list[list]);
    if (wheel->list[list] == NULL)
        clear_occupied(wheel, list);
    return true;
}

/* On the first entry of a due chunk, prefetch the timers of the next chunk. */
static inline void fetch_next(const struct weir__wheel *wheel)
{
    const struct weir__chunk *chunk = wheel->list[DUE]->next;

    if (chunk->first == 0 && chunk->next != chunk)
        fetch_timers(wheel, chunk->next);
}

bool weir__wheel_pop(struct weir__wheel *wheel, struct weir__entry *entry)
{
    const struct weir__entry *first;
    struct slot slot;

    if (wheel->entries.count == 0)
        wheel->next_ns = INT64_MAX;
    if (wheel->entries.count == 0 || wheel->start_ns > wheel->now_ns) {
        end_turn(wheel);
        return false;
    }
    weir__wheel_change(wheel);
    while ((first = first_live(wheel, DUE)) == NULL &&
           find_first(wheel, &slot) && start_of(wheel, slot) <= wheel->now_ns)
        come_to(wheel, slot);
    if (first != NULL && first->deadline_ns <= wheel->now_ns) {
        fetch_next(wheel);
        return take_out(wheel, DUE, entry);
    }
    end_turn(wheel);
    return false;
}

/* The first deadline in a slot with few timers; otherwise a time before it. */
static int64_t look_into(struct weir__wheel *wheel, struct slot slot)
{
    weir__list *list = &wheel->list[list_of(slot)];
    const struct weir__chunk *chunk = (*list)->next;
    int64_t first_ns = INT64_MAX;

    if (wheel->entries.dead > 0 || chunk->end - chunk->first < WEIR__CHUNK)
        weir__entries_gather(&wheel->entries, list);
    chunk = *list;
    if (chunk->next != chunk)
        return start_of(wheel, slot);
    for (uint32_t i = chunk->first; i < chunk->end; i++) {
        if (chunk->entry[i].deadline_ns < first_ns)
            first_ns = chunk->entry[i].deadline_ns;
    }
    return first_ns;
}

/* Look for the first deadline.  What is found in a slot, or that there is
 * nothing, holds until the entries change: `tick` does not reach the start of
 * the first slot in use before pop comes to that slot. */
static int64_t look_for_next(struct weir__wheel *wheel)
{
    const struct weir__entry *first;
    struct slot slot;

    if (first_live(wheel, FRESH) != NULL)
        return INT64_MIN;
    first = first_live(wheel, DUE);
    if (first != NULL)
        return first->deadline_ns;
    while (find_first(wheel, &slot)) {
        if (first_live(wheel, list_of(slot)) != NULL) {
            wheel->start_ns = start_of(wheel, slot);
            return wheel->next_ns = look_into(wheel, slot);
        }
    }
    return wheel->next_ns = INT64_MAX;
}

int64_t weir__wheel_next(struct weir__wheel *wheel)
{
    if (wheel->next_ns != WEIR__WHEEL_NOT_KNOWN)
        return wheel->next_ns;
    return wheel->entries.count == 0 ? INT64_MAX : look_for_next(wheel);
}

bool weir__wheel_take_any(struct weir__wheel *wheel, struct weir__entry *entry)
{
    struct slot slot;

    weir__wheel_change(wheel);
    if (first_live(wheel, DUE) != NULL)
        return take_out(wheel, DUE, entry);
    if (first_live(wheel, FRESH) != NULL)
        return take_out(wheel, FRESH, entry);
    while (find_first(wheel, &slot)) {
        if (first_live(wheel, list_of(slot)) != NULL)
            return take_out(wheel, list_of(slot), entry);
    }
    return false;
}
