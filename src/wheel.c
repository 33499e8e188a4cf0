/* SPDX-License-Identifier: MIT */
/*
 * wheel -- timers in the order of their deadlines.
 *
 * Shape     A deadline is a number of 63 bits, read as 11 digits of 6 bits: one
 *           for each level of the wheel, and a level has a slot for each digit.
 *           A timer is at the level of the highest digit in which its deadline
 *           differs from `tick`, in the slot that its digit there says:
 *
 *               level 0   64 slots of  1 ns     level 6   of 69 s
 *               level 2   of 4 us               level 7   of 73 minutes
 *               level 3   of 0.26 ms            level 8   of 3.3 days
 *               level 4   of 17 ms              level 9   of 7 months
 *               level 5   of 1.1 s              level 10  of 37 years
 *
 *           When `tick` comes to the start of a slot, the slot's timers are
 *           sorted anew, to lower levels; those of level 0 are due.  So a timer
 *           moves 10 times at the most, each time together with those that have
 *           the same digits so far, and the order comes out exact to the
 *           nanosecond without one comparison.  A timer that is alone in its
 *           slot does not move at all.
 * Roles     One thread, the loop's.  Nothing here is shared.
 * Progress  insert, remove: a fixed number of steps.  pop: as many as timers
 *           move; it skips empty slots by the bits in `occupied`.  Nothing
 *           allocates, recurses or fails.
 *
 * Why a timer's place need not be stored
 *   A slot is a ring through its head, so who knows a timer can take it out
 *   without a look at its deadline, which is in another line of memory.  The
 *   slot's bit stays set; whoever finds the slot empty clears it.
 *
 * Why the first slot is before all others
 *   `tick` is below the start S of every slot in use, and stops at S before it
 *   goes on.  Until then the digits above the slot's level do not change, and
 *   the level's own stays below the slot's.  So all slots in use of a level lie
 *   ahead, in order, and before those of higher levels.
 *
 * Equal deadlines come out as they went in: they are in the same slot at any
 *   time, and move from the front of one list to the end of another.
 *
 * Whose turn it is  What is inserted between begin() and the end of pop, and is
 *   due at once, is `fresh`: it waits for the next turn.  So is what is not even
 *   later than `tick`.  Fresh ones are in any order, and are sorted when they
 *   are let in.  `tick` stays at the time of the turn before, as timers that
 *   other threads start come through the door a little after that time, and
 *   may be due by now: most of them find a slot.
 *
 * Tested by  test/unit/wheel.c
 */
#include "wheel.h"

#include "check.h"

enum {
    LEVELS = WEIR__WHEEL_LEVELS,
    SLOTS = WEIR__WHEEL_SLOTS,
    DIGIT_BITS = 6,
    DUE = LEVELS * SLOTS, /* sorted; before those in the slots, and due unless
                           * the clock went back */
    FRESH = DUE + 1,      /* in any order, for the next turn */
    HELD = DUE + 2,       /* both, on their way to be sorted */
    CROWD = 16384,        /* so many links are not all in a near cache */
    AHEAD = 16,           /* errands that are fetched at once */
    LOOK = 8,             /* timers that next() looks at */
};
#define NONE WEIR__SLAB_NONE
#define HEAD UINT32_C(0x80000000) /* in a link: a list's head, not a timer */

_Static_assert(SLOTS == 1 << DIGIT_BITS, "a slot for each digit");
_Static_assert(LEVELS *DIGIT_BITS >= 63, "they reach to the end");
_Static_assert(WEIR__WHEEL_LISTS == HELD + 1, "the last of them");

static inline int64_t deadline_of(const struct weir__wheel *wheel,
                                  uint32_t index)
{
    return weir__errand_at(wheel->timers, index)->deadline_ns;
}

/* --- lists ---------------------------------------------------------------- */

/* Of a timer, or of a list's head: both are found alike. */
static inline struct weir__link *link_at(struct weir__wheel *wheel,
                                         uint32_t index)
{
    return weir__link_at(wheel->timers, index);
}

static inline void make_empty(struct weir__wheel *wheel, unsigned list)
{
    wheel->head[list] = (struct weir__link){HEAD | list, HEAD | list};
}

static inline bool is_empty(const struct weir__wheel *wheel, unsigned list)
{
    return wheel->head[list].next == (HEAD | list);
}

static inline void append(struct weir__wheel *wheel, unsigned list,
                          uint32_t index)
{
    uint32_t last = wheel->head[list].prev;

    *link_at(wheel, index) = (struct weir__link){HEAD | list, last};
    link_at(wheel, last)->next = index;
    wheel->head[list].prev = index;
}

static inline void unlink_one(struct weir__wheel *wheel, uint32_t index)
{
    struct weir__link link = *link_at(wheel, index);

    link_at(wheel, link.prev)->next = link.next;
    link_at(wheel, link.next)->prev = link.prev;
}

static inline uint32_t take_first(struct weir__wheel *wheel, unsigned list)
{
    uint32_t index = wheel->head[list].next;

    unlink_one(wheel, index);
    return index;
}

/* The whole of one list to the end of another. */
static void move_all(struct weir__wheel *wheel, unsigned from, unsigned to)
{
    struct weir__link all = wheel->head[from];
    uint32_t last = wheel->head[to].prev;

    if (is_empty(wheel, from))
        return;
    make_empty(wheel, from);
    link_at(wheel, last)->next = all.next;
    link_at(wheel, all.next)->prev = last;
    link_at(wheel, all.prev)->next = HEAD | to;
    wheel->head[to].prev = all.prev;
}

/* --- sorting -------------------------------------------------------------- */

/* Two chains, linked by next up to NONE, both sorted: one of both.  Of equal
 * deadlines those of the first come first. */
static uint32_t merge(struct weir__wheel *wheel, uint32_t one, uint32_t other)
{
    uint32_t first = NONE, *end = &first;

    while (one != NONE && other != NONE) {
        uint32_t *from =
            deadline_of(wheel, other) < deadline_of(wheel, one) ? &other : &one;

        *end = *from;
        end = &link_at(wheel, *from)->next;
        *from = *end;
    }
    *end = one != NONE ? one : other;
    return first;
}

/* Merges chains of 1, 2, 4, ... as they come, each of them the elder one. */
static uint32_t sort_chain(struct weir__wheel *wheel, uint32_t chain)
{
    uint32_t sorted[32], all = NONE;
    unsigned used = 0;

    for (uint32_t count = 1; chain != NONE; count++) {
        uint32_t one = chain;

        chain = link_at(wheel, one)->next;
        link_at(wheel, one)->next = NONE;
        for (uint32_t bits = count; (bits & 1) == 0; bits >>= 1)
            one = merge(wheel, sorted[--used], one);
        sorted[used++] = one;
    }
    while (used > 0)
        all = merge(wheel, sorted[--used], all);
    return all;
}

/* --- slots ---------------------------------------------------------------- */

struct slot {
    unsigned level, digit;
};

static inline unsigned list_of(struct slot slot)
{
    return slot.level * SLOTS + slot.digit;
}

static inline struct slot slot_of(const struct weir__wheel *wheel,
                                  int64_t deadline_ns)
{
    uint64_t differs = (uint64_t)(deadline_ns ^ wheel->tick_ns);
    unsigned level = (63 - (unsigned)__builtin_clzll(differs)) / DIGIT_BITS;

    return (struct slot){level, (unsigned)(deadline_ns >> level * DIGIT_BITS) &
                                    (SLOTS - 1)};
}

/* Puts a timer where it belongs, seen from `tick`. */
static inline void place(struct weir__wheel *wheel, uint32_t index,
                         int64_t deadline_ns)
{
    struct slot slot;

    if (deadline_ns <= wheel->tick_ns) {
        append(wheel, DUE, index);
        return;
    }
    slot = slot_of(wheel, deadline_ns);
    append(wheel, list_of(slot), index);
    wheel->occupied[slot.level] |= UINT64_C(1) << slot.digit;
    wheel->levels |= 1u << slot.level;
}

static void clear_occupied(struct weir__wheel *wheel, struct slot slot)
{
    wheel->occupied[slot.level] &= ~(UINT64_C(1) << slot.digit);
    if (wheel->occupied[slot.level] == 0)
        wheel->levels &= ~(1u << slot.level);
}

/* The slot before all others that has timers. */
static bool find_first(struct weir__wheel *wheel, struct slot *slot)
{
    while (wheel->levels != 0) {
        slot->level = (unsigned)__builtin_ctz(wheel->levels);
        slot->digit = (unsigned)__builtin_ctzll(wheel->occupied[slot->level]);
        if (!is_empty(wheel, list_of(*slot)))
            return true;
        clear_occupied(wheel, *slot);
    }
    return false;
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

/* --- moving on ------------------------------------------------------------ */

/* Sorts a slot's timers anew; `tick` is the slot's start.  A crowd is in no
 * cache, and the list says only where the next one is: so some are asked for
 * before the first of them is needed. */
static void cascade(struct weir__wheel *wheel, unsigned list)
{
    uint32_t next = wheel->head[list].next;

    make_empty(wheel, list);
    do {
        uint32_t batch[AHEAD];
        unsigned count = 0;

        while (count < AHEAD && !(next & HEAD)) {
            batch[count++] = next;
            __builtin_prefetch(weir__errand_at(wheel->timers, next));
            next = link_at(wheel, next)->next;
        }
        for (unsigned i = 0; i < count; i++)
            place(wheel, batch[i], deadline_of(wheel, batch[i]));
    } while (!(next & HEAD));
}

/* `tick` comes to a slot.  Its timers become due, or move to lower levels. */
static void come_to(struct weir__wheel *wheel, struct slot slot)
{
    unsigned list = list_of(slot);

    wheel->tick_ns = start_of(wheel, slot);
    clear_occupied(wheel, slot);
    if (slot.level == 0)
        move_all(wheel, list, DUE);
    else if (wheel->head[list].next == wheel->head[list].prev &&
             deadline_of(wheel, wheel->head[list].next) <= wheel->now_ns)
        move_all(wheel, list, DUE); /* alone, so the first of all */
    else
        cascade(wheel, list);
}

/* What was fresh takes its place; so does what is due and was not popped. */
static void let_in(struct weir__wheel *wheel)
{
    uint32_t chain;

    if (is_empty(wheel, FRESH))
        return;
    move_all(wheel, DUE, HELD);
    move_all(wheel, FRESH, HELD);
    chain = wheel->head[HELD].next;
    link_at(wheel, wheel->head[HELD].prev)->next = NONE;
    make_empty(wheel, HELD);
    for (chain = sort_chain(wheel, chain); chain != NONE;) {
        uint32_t index = chain;

        chain = link_at(wheel, index)->next;
        place(wheel, index, deadline_of(wheel, index));
    }
}

/* Nothing is due any more. */
static void end_turn(struct weir__wheel *wheel)
{
    int64_t lag_ns =
        wheel->before_ns < wheel->now_ns ? wheel->before_ns : wheel->now_ns;

    if (wheel->tick_ns < lag_ns)
        wheel->tick_ns = lag_ns;
    wheel->is_open = false;
    let_in(wheel);
}

/* --- what the loop calls -------------------------------------------------- */

void weir__timer_slots_init(struct weir__slab *timers)
{
    weir__slab_init(timers,
                    (const uint32_t[]){
                        [WEIR__TIMER_WORD] = sizeof(struct weir__timer),
                        [WEIR__TIMER_LINK] = sizeof(struct weir__link),
                        [WEIR__TIMER_ERRAND] = sizeof(struct weir__errand),
                    });
}

void weir__wheel_init(struct weir__wheel *wheel, struct weir__slab *timers,
                      int64_t now_ns)
{
    DEBUG_CHECK(now_ns >= 0, "weir__wheel_init before the clock's beginning");
    *wheel = (struct weir__wheel){.timers = timers,
                                  .tick_ns = now_ns,
                                  .now_ns = now_ns,
                                  .before_ns = now_ns};
    weir__slab_adopt(timers, WEIR__TIMER_LINK, HEAD, wheel->head);
    for (unsigned list = 0; list < WEIR__WHEEL_LISTS; list++)
        make_empty(wheel, list);
}

void weir__wheel_insert(struct weir__wheel *wheel, uint32_t index,
                        int64_t deadline_ns)
{
    if (deadline_ns <= wheel->tick_ns ||
        (wheel->is_open && deadline_ns <= wheel->now_ns))
        append(wheel, FRESH, index);
    else
        place(wheel, index, deadline_ns);
}

void weir__wheel_remove_all(struct weir__wheel *wheel, const uint32_t *index,
                            uint32_t count)
{
    /* relaxed: own */
    bool is_crowd = load_relaxed(&wheel->timers->limit) > CROWD;

    for (uint32_t i = 0; is_crowd && i < count; i++) {
        struct weir__link link = *link_at(wheel, index[i]);

        __builtin_prefetch(link_at(wheel, link.prev), 1);
        __builtin_prefetch(link_at(wheel, link.next), 1);
    }
    for (uint32_t i = 0; i < count; i++)
        unlink_one(wheel, index[i]);
}

void weir__wheel_begin(struct weir__wheel *wheel, int64_t now_ns)
{
    let_in(wheel);
    wheel->before_ns = wheel->now_ns;
    wheel->now_ns = now_ns;
    wheel->is_open = true;
}

uint32_t weir__wheel_pop(struct weir__wheel *wheel)
{
    struct slot slot;

    while (is_empty(wheel, DUE) && find_first(wheel, &slot) &&
           start_of(wheel, slot) <= wheel->now_ns)
        come_to(wheel, slot);
    if (!is_empty(wheel, DUE) &&
        deadline_of(wheel, wheel->head[DUE].next) <= wheel->now_ns)
        return take_first(wheel, DUE);
    end_turn(wheel);
    return NONE;
}

/* The first deadline in a slot, if its timers are few; else a time before. */
static int64_t look_into(struct weir__wheel *wheel, struct slot slot)
{
    uint32_t index = wheel->head[list_of(slot)].next;
    int64_t first_ns = INT64_MAX;

    for (unsigned seen = 0; !(index & HEAD); seen++) {
        if (seen == LOOK)
            return start_of(wheel, slot);
        if (first_ns > deadline_of(wheel, index))
            first_ns = deadline_of(wheel, index);
        index = link_at(wheel, index)->next;
    }
    return first_ns;
}

int64_t weir__wheel_next(struct weir__wheel *wheel)
{
    struct slot slot;

    if (!is_empty(wheel, FRESH))
        return INT64_MIN;
    if (!is_empty(wheel, DUE))
        return deadline_of(wheel, wheel->head[DUE].next);
    return find_first(wheel, &slot) ? look_into(wheel, slot) : INT64_MAX;
}

uint32_t weir__wheel_take_any(struct weir__wheel *wheel)
{
    struct slot slot;

    if (!is_empty(wheel, DUE))
        return take_first(wheel, DUE);
    if (!is_empty(wheel, FRESH))
        return take_first(wheel, FRESH);
    return find_first(wheel, &slot) ? take_first(wheel, list_of(slot)) : NONE;
}
