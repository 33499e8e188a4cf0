/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * Shape     Time is cut into ticks of 2^20 ns.  `tick` is the last tick that
 *           is near: the one after the clock's.  So whatever is due within a
 *           tick's length is near, and what is near is in a heap, exact to the
 *           nanosecond.  What is far is only sorted roughly, in 8 levels of 64
 *           slots.  A tick number has 43 bits, a level stands for 6 of them:
 *           a timer is at the level of the highest bit in which its tick
 *           differs from `tick`, in the slot that its 6 bits there say.
 *
 *               level 0   64 slots of  1 ms     level 4   of 4.9 hours
 *               level 1   of 67 ms              level 5   of 13 days
 *               level 2   of 4.3 s              level 6   of 2.3 years
 *               level 3   of 4.6 minutes        level 7   of 146 years
 *
 *           When `tick` comes to the start of a slot, the slot's timers are
 *           sorted anew, to lower levels; those of level 0 become near.  So a
 *           timer moves 8 times at the most, and each time many at once.
 * Roles     One thread, the loop's.  Nothing here is shared.
 * Progress  insert, remove: a fixed number of steps.  pop: as many as timers
 *           move, and the logarithm of those near; it skips empty slots by the
 *           bits in `occupied`.  Nothing allocates, recurses or fails.
 *
 * Why a timer's place need not be stored
 *   `tick` stops at the start of every slot that is occupied.  Until then it
 *   stays below that start S; between the `tick` of the insert and S the bits
 *   above the level do not change, and the level's own stay below the slot's.
 *   So the level by the highest differing bit is the same as at the insert.
 *   It follows that all occupied slots of a level lie ahead, and that the
 *   first slot of the lowest level in use is before all others.  And a timer
 *   is near if and only if its tick is not above `tick`.
 *
 * The lists  A slot is a list of indices, NONE after the last; the first one's
 *           prev is the last.  The lists of a million timers are in no cache,
 *           and each step along them waits for memory.  So a slot is walked
 *           from both ends at once; and at the levels 2 and 3, where crowds
 *           wait (4 s to 5 h), it has two and four lists, by the lowest bits of
 *           the index: eight steps wait together.  That made firing a million
 *           timers 3 times as quick.
 *
 * The heaps  Pairing heaps (Fredman, Sedgewick, Sleator and Tarjan 1986): prev
 *           is the first child, next is the sibling.  `near` has what pop may
 *           return.  When it meets one that is due, but as new as the limit, it
 *           puts it in `held`, until a limit lets it go.  Removing from a heap
 *           would take a link more, so remove leaves it to pop.
 *
 * Tested by  test/unit/wheel.c
 */
#include "wheel.h"

#include "check.h"

enum {
    LEVELS = WEIR__WHEEL_LEVELS,
    SLOTS = WEIR__WHEEL_SLOTS,
    LEVEL_BITS = 6,
    TICK_BITS = 20,
    LANES = 4, /* lists of a slot, at the most */
    LOOK = 8,  /* timers that next() looks at */
};
#define NONE WEIR__SLAB_NONE

/* Where a level's lists begin, and how many bits of the index tell those of
 * one slot apart. */
static const struct {
    uint16_t first_list, lane_bits;
} levels[LEVELS] = {
    {0 * SLOTS, 0}, {1 * SLOTS, 0}, {2 * SLOTS, 1},  {4 * SLOTS, 2},
    {8 * SLOTS, 0}, {9 * SLOTS, 0}, {10 * SLOTS, 0}, {11 * SLOTS, 0},
};

_Static_assert(sizeof(struct weir__timer) <= CACHE_LINE, "one line each");
_Static_assert(SLOTS == 1 << LEVEL_BITS, "a level stands for 6 bits");
_Static_assert(63 - TICK_BITS <= LEVELS * LEVEL_BITS, "they reach to the end");
_Static_assert(WEIR__WHEEL_LISTS == 12 * SLOTS, "as in the table");

static inline struct weir__timer *timer_at(const struct weir__wheel *wheel,
                                           uint32_t index)
{
    return weir__slab_slot(wheel->timers, index);
}

static inline int64_t tick_of(int64_t time_ns)
{
    return time_ns >> TICK_BITS;
}

/* --- heaps ---------------------------------------------------------------- */

static inline bool is_before(const struct weir__timer *a,
                             const struct weir__timer *b)
{
    if (a->deadline_ns != b->deadline_ns)
        return a->deadline_ns < b->deadline_ns;
    return a->sequence < b->sequence;
}

/* One heap of two: the later top becomes the first child of the other. */
static inline uint32_t meld(const struct weir__wheel *wheel, uint32_t a,
                            uint32_t b)
{
    struct weir__timer *one, *other;

    if (a == NONE)
        return b;
    if (b == NONE)
        return a;
    one = timer_at(wheel, a);
    other = timer_at(wheel, b);
    if (is_before(one, other)) {
        other->next = one->prev;
        one->prev = b;
        return a;
    }
    one->next = other->prev;
    other->prev = a;
    return b;
}

static inline void push(const struct weir__wheel *wheel, uint32_t *heap,
                        uint32_t index)
{
    timer_at(wheel, index)->prev = NONE; /* no child; next is meld's */
    *heap = meld(wheel, *heap, index);
}

/* Takes the top out.  Its children are melded in pairs, first to last, and
 * the pairs into one, last to first; this makes it logarithmic, amortised. */
static uint32_t take_top(const struct weir__wheel *wheel, uint32_t *heap)
{
    uint32_t top = *heap, child = timer_at(wheel, top)->prev;
    uint32_t pairs = NONE, whole = NONE;

    while (child != NONE) {
        uint32_t a = child, b = timer_at(wheel, a)->next;

        child = b == NONE ? NONE : timer_at(wheel, b)->next;
        a = meld(wheel, a, b);
        timer_at(wheel, a)->next = pairs;
        pairs = a;
    }
    while (pairs != NONE) {
        uint32_t next = timer_at(wheel, pairs)->next;

        whole = meld(wheel, whole, pairs);
        pairs = next;
    }
    *heap = whole;
    return top;
}

/* --- slots ---------------------------------------------------------------- */

struct slot {
    unsigned level, number;
};

static inline struct slot slot_of(const struct weir__wheel *wheel, int64_t tick)
{
    uint64_t differs = (uint64_t)(tick ^ wheel->tick);
    unsigned level = (63 - (unsigned)__builtin_clzll(differs)) / LEVEL_BITS;

    return (struct slot){level,
                         (unsigned)(tick >> level * LEVEL_BITS) & (SLOTS - 1)};
}

static inline unsigned lanes_of(unsigned level)
{
    return 1u << levels[level].lane_bits;
}

/* The list of a slot that the index belongs to; 0 .. lanes - 1 give all. */
static inline unsigned list_of(struct slot slot, uint32_t index)
{
    return levels[slot.level].first_list +
           (slot.number << levels[slot.level].lane_bits) +
           (index & (lanes_of(slot.level) - 1));
}

static inline void set_occupied(struct weir__wheel *wheel, struct slot slot)
{
    wheel->occupied[slot.level] |= UINT64_C(1) << slot.number;
}

static void clear_occupied(struct weir__wheel *wheel, struct slot slot)
{
    wheel->occupied[slot.level] &= ~(UINT64_C(1) << slot.number);
}

/* Any timer of a slot, or NONE. */
static uint32_t any_of(const struct weir__wheel *wheel, struct slot slot)
{
    uint32_t index = NONE;

    for (unsigned lane = 0; lane < lanes_of(slot.level) && index == NONE;
         lane++)
        index = wheel->first[list_of(slot, lane)];
    return index;
}

/* The occupied slot before all others, and the tick at which it starts. */
static bool find_first(const struct weir__wheel *wheel, struct slot *slot,
                       int64_t *start)
{
    for (unsigned level = 0; level < LEVELS; level++) {
        unsigned shift = level * LEVEL_BITS, number;

        if (wheel->occupied[level] == 0)
            continue;
        number = (unsigned)__builtin_ctzll(wheel->occupied[level]);
        *slot = (struct slot){level, number};
        *start = (wheel->tick >> (shift + LEVEL_BITS) << LEVEL_BITS | number)
                 << shift;
        return true;
    }
    return false;
}

static inline void link_first(const struct weir__wheel *wheel, uint32_t *list,
                              uint32_t index, struct weir__timer *timer)
{
    timer->next = *list;
    timer->prev = index;
    if (timer->next != NONE) {
        struct weir__timer *next = timer_at(wheel, timer->next);

        timer->prev = next->prev;
        next->prev = index;
    }
    *list = index;
}

static inline void unlink_from(const struct weir__wheel *wheel, uint32_t *list,
                               uint32_t index)
{
    const struct weir__timer *timer = timer_at(wheel, index);

    if (*list == index)
        *list = timer->next;
    else
        timer_at(wheel, timer->prev)->next = timer->next;
    if (timer->next != NONE)
        timer_at(wheel, timer->next)->prev = timer->prev;
    else if (*list != NONE)
        timer_at(wheel, *list)->prev = timer->prev; /* the new last */
}

/* Puts a timer where it belongs, seen from `tick`. */
static inline void place(struct weir__wheel *wheel, uint32_t index,
                         struct weir__timer *timer)
{
    int64_t tick = tick_of(timer->deadline_ns);
    struct slot slot;

    if (tick <= wheel->tick) {
        push(wheel, &wheel->near, index);
        return;
    }
    slot = slot_of(wheel, tick);
    link_first(wheel, &wheel->first[list_of(slot, index)], index, timer);
    set_occupied(wheel, slot);
}

/* --- moving on ------------------------------------------------------------ */

/* A list that is walked from both ends; front is NONE when they have met. */
struct walk {
    uint32_t front, back;
};

static struct walk take_list(struct weir__wheel *wheel, unsigned list)
{
    struct walk walk = {wheel->first[list], NONE};

    if (walk.front != NONE)
        walk.back = timer_at(wheel, walk.front)->prev;
    wheel->first[list] = NONE;
    return walk;
}

/* The next ones are asked for before these are placed, so that all walks of a
 * slot wait for memory together. */
static inline void step(struct weir__wheel *wheel, struct walk *walk)
{
    struct walk here = *walk;
    struct weir__timer *front = timer_at(wheel, here.front);
    struct weir__timer *back = timer_at(wheel, here.back);

    *walk = (struct walk){front->next, back->prev};
    if (here.front == here.back || walk->back == here.front) {
        walk->front = NONE;
    } else {
        __builtin_prefetch(timer_at(wheel, walk->front), 1);
        __builtin_prefetch(timer_at(wheel, walk->back), 1);
    }
    place(wheel, here.front, front);
    if (here.front != here.back)
        place(wheel, here.back, back);
}

/* Sorts a slot's timers anew; `tick` is the slot's start. */
static void cascade(struct weir__wheel *wheel, struct slot slot)
{
    unsigned lanes = lanes_of(slot.level), met;
    struct walk walk[LANES];

    for (unsigned lane = 0; lane < lanes; lane++)
        walk[lane] = take_list(wheel, list_of(slot, lane));
    do {
        met = 0;
        for (unsigned lane = 0; lane < lanes; lane++) {
            if (walk[lane].front != NONE)
                step(wheel, &walk[lane]);
            else
                met++;
        }
    } while (met < lanes);
}

/* The same for level 0, whose timers all become near.  Those of equal delays
 * are in the list by their deadlines, or the other way round.  Taken from the
 * last deadline to the first, each becomes the top with one child: such a heap
 * needs no more comparing. */
static void bring_near(struct weir__wheel *wheel, struct slot slot)
{
    struct walk walk = take_list(wheel, list_of(slot, 0));
    bool is_falling =
        is_before(timer_at(wheel, walk.back), timer_at(wheel, walk.front));
    uint32_t next = is_falling ? walk.front : walk.back;
    uint32_t last = is_falling ? walk.back : walk.front;
    uint32_t index;

    do {
        struct weir__timer *timer = timer_at(wheel, next);

        index = next;
        next = is_falling ? timer->next : timer->prev;
        push(wheel, &wheel->near, index);
    } while (index != last);
}

/* Moves `tick` on to the first occupied slot, and empties that; or to its
 * goal, and returns false, if no slot starts before. */
static bool advance(struct weir__wheel *wheel, int64_t goal)
{
    struct slot slot;
    int64_t start;

    if (!find_first(wheel, &slot, &start) || start > goal) {
        if (wheel->tick < goal)
            wheel->tick = goal;
        return false;
    }
    wheel->tick = start;
    clear_occupied(wheel, slot);
    if (slot.level == 0)
        bring_near(wheel, slot);
    else
        cascade(wheel, slot);
    return true;
}

static void hold(struct weir__wheel *wheel, uint32_t index)
{
    uint64_t sequence = timer_at(wheel, index)->sequence;

    push(wheel, &wheel->held, index);
    if (wheel->held_sequence > sequence)
        wheel->held_sequence = sequence;
}

static void release_held(struct weir__wheel *wheel)
{
    wheel->near = meld(wheel, wheel->near, wheel->held);
    wheel->held = NONE;
    wheel->held_sequence = UINT64_MAX;
}

/* --- what the loop calls -------------------------------------------------- */

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns)
{
    DEBUG_CHECK(now_ns >= 0, "weir__wheel_init before the clock's beginning");
    *wheel = (struct weir__wheel){.timers = timers,
                                  .tick = tick_of(now_ns) + 1,
                                  .held_sequence = UINT64_MAX,
                                  .near = NONE,
                                  .held = NONE};
    for (unsigned list = 0; list < WEIR__WHEEL_LISTS; list++)
        wheel->first[list] = NONE;
}

void weir__wheel_insert(struct weir__wheel *wheel, uint32_t index)
{
    struct weir__timer *timer = timer_at(wheel, index);

    timer->sequence = wheel->sequence++;
    place(wheel, index, timer);
}

bool weir__wheel_remove(struct weir__wheel *wheel, uint32_t index)
{
    int64_t tick = tick_of(timer_at(wheel, index)->deadline_ns);
    struct slot slot;
    uint32_t *list;

    if (tick <= wheel->tick)
        return false;
    slot = slot_of(wheel, tick);
    list = &wheel->first[list_of(slot, index)];
    unlink_from(wheel, list, index);
    if (*list == NONE && any_of(wheel, slot) == NONE)
        clear_occupied(wheel, slot);
    return true;
}

uint32_t weir__wheel_pop(struct weir__wheel *wheel, int64_t now_ns,
                         uint64_t limit)
{
    if (wheel->held_sequence < limit)
        release_held(wheel);
    for (;;) {
        const struct weir__timer *timer;
        uint32_t index;

        if (wheel->near == NONE) {
            if (!advance(wheel, tick_of(now_ns) + 1))
                return NONE;
            continue;
        }
        timer = timer_at(wheel, wheel->near);
        if (timer->deadline_ns > now_ns)
            return NONE;
        index = take_top(wheel, &wheel->near);
        if (timer->sequence < limit)
            return index;
        hold(wheel, index);
    }
}

/* The first deadline in a slot, if its timers are few; else a time before. */
static int64_t look_into(const struct weir__wheel *wheel, struct slot slot,
                         int64_t start)
{
    int64_t first_ns = INT64_MAX;
    unsigned seen = 0;

    for (unsigned lane = 0; lane < lanes_of(slot.level); lane++) {
        uint32_t index = wheel->first[list_of(slot, lane)];

        while (index != NONE) {
            const struct weir__timer *timer = timer_at(wheel, index);

            if (++seen > LOOK)
                return start << TICK_BITS;
            if (first_ns > timer->deadline_ns)
                first_ns = timer->deadline_ns;
            index = timer->next;
        }
    }
    return first_ns;
}

static int64_t top_deadline(const struct weir__wheel *wheel, uint32_t heap)
{
    return heap == NONE ? INT64_MAX : timer_at(wheel, heap)->deadline_ns;
}

int64_t weir__wheel_next(const struct weir__wheel *wheel)
{
    int64_t near_ns = top_deadline(wheel, wheel->near);
    int64_t held_ns = top_deadline(wheel, wheel->held);
    int64_t start;
    struct slot slot;

    if (wheel->near == NONE && wheel->held == NONE &&
        find_first(wheel, &slot, &start))
        return look_into(wheel, slot, start);
    return near_ns < held_ns ? near_ns : held_ns;
}

uint64_t weir__wheel_sequence(const struct weir__wheel *wheel)
{
    return wheel->sequence;
}

uint32_t weir__wheel_take_any(struct weir__wheel *wheel)
{
    struct slot slot;
    int64_t start;
    uint32_t index;

    release_held(wheel);
    if (wheel->near != NONE)
        return take_top(wheel, &wheel->near);
    if (!find_first(wheel, &slot, &start))
        return NONE;
    index = any_of(wheel, slot);
    (void)weir__wheel_remove(wheel, index); /* true, it is not near */
    return index;
}
