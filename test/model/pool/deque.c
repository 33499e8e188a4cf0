/* SPDX-License-Identifier: MIT */
/*
 * deque -- each item goes to one side only, with what its maker wrote, under
 * every interleaving: at the last item, at the wrap, and while the ring grows.
 *
 * Rings begin with four slots (WEIR_SMALL).  What a case needs in the ring, its
 * setup puts there, alone; the race is about what happens next.
 */
#include "pool/deque.h"

#include <errno.h>

#include "model.h"

enum { ITEMS = 12 };

static struct weir__deque deque;

struct item {
    int payload;        /* written before the push */
    atomic(int) copies; /* how often it was taken */
};

static struct item items[ITEMS];
static int pushed; /* owner only */
static atomic(int) stolen;

static void push(void)
{
    struct item *item = &items[pushed++];

    plain_store(&item->payload, 1);
    model_assert(weir__deque_push(&deque, item));
}

static void take(struct item *item)
{
    model_assert(plain_load(&item->payload) == 1);
    model_assert(ATOMIC_ADD(&item->copies, 1, __ATOMIC_RELAXED) == 0);
}

static bool pop(void)
{
    struct item *item = weir__deque_pop(&deque);

    if (item != NULL)
        take(item);
    return item != NULL;
}

static bool steal(void)
{
    void *item;

    if (weir__deque_steal(&deque, &item) != WEIR__LOOT_ONE)
        return false;
    take(item);
    fetch_add_relaxed(&stolen, 1);
    return true;
}

/* ---- setups ---- */

static void init(void)
{
    while (weir__deque_init(&deque) != 0)
        ; /* failing_allocs may begin here */
    model_show(&deque.top, "top", NULL);
    model_show(&deque.bottom, "bottom", NULL);
    model_show(&deque.ring, "ring", NULL);
}

static void init_with(int count)
{
    init();
    while (count-- > 0)
        push();
}

static void init_with_one(void)
{
    init_with(1);
}

static void init_with_two(void)
{
    init_with(2);
}

static void init_with_three(void)
{
    init_with(3);
}

/* Full, and the oldest lies in the third slot: the next push grows. */
static void init_full_and_wrapped(void)
{
    init_with(2);
    model_assert(steal() && steal());
    for (int i = 0; i < 4; i++)
        push();
}

/* ---- threads ---- */

static void pop_one(void)
{
    (void)pop();
}

static void pop_two(void)
{
    (void)pop();
    (void)pop();
}

static void pop_all(void)
{
    while (pop())
        ;
}

static void push_then_pop(void)
{
    push();
    (void)pop();
}

static void push_pop_push_pop(void)
{
    push();
    (void)pop();
    push();
    (void)pop();
}

static void push_two_pop_two(void)
{
    push();
    push();
    (void)pop();
    (void)pop();
}

static void push_only(void)
{
    push();
}

static void push_four(void)
{
    for (int i = 0; i < 4; i++)
        push();
}

static void steal_one(void)
{
    (void)steal();
}

static void steal_two(void)
{
    (void)steal();
    (void)steal();
}

/* ---- what must hold in the end ---- */

/* What is left is there, and everything was taken once. */
static void each_item_once(void)
{
    while (pop())
        ;
    for (int i = 0; i < pushed; i++)
        model_assert(items[i].copies.v_ == 1);
    weir__deque_fini(&deque);
}

/* With nobody else, a lone thief that finds an item gets it. */
static void a_lone_thief_is_never_lost(void)
{
    void *item;
    enum weir__loot loot = weir__deque_steal(&deque, &item);

    model_assert(loot != WEIR__LOOT_LOST);
    if (loot == WEIR__LOOT_ONE)
        take(item);
}

/* ---- when there is no memory ---- */

static void push_without_memory(void)
{
    struct item *item = &items[pushed];

    plain_store(&item->payload, 1);
    if (weir__deque_push(&deque, item))
        pushed++;
    (void)pop();
}

/* ---- the mistakes that deques are known for ---- */

#define SC __ATOMIC_SEQ_CST

/* The claim is a release, not seq_cst: owner and thief pass each other. */
static void pop_two_by_release(void)
{
    for (int i = 0; i < 2; i++) {
        int64_t bottom = load_relaxed(&deque.bottom) - 1;
        int64_t top;

        store_release(&deque.bottom, bottom);
        top = load_acquire(&deque.top);
        if (top < bottom)
            take(load_relaxed(&deque.own->slot[bottom & deque.own->mask]));
        else {
            struct item *item = weir__deque_pop_last(&deque, bottom, top);

            if (item != NULL)
                take(item);
        }
    }
}

/* The last item is taken by a look at top. */
static void pop_last_without_cas(void)
{
    int64_t bottom = load_relaxed(&deque.bottom) - 1;

    ATOMIC_STORE(&deque.bottom, bottom, SC);
    if (ATOMIC_LOAD(&deque.top, SC) <= bottom)
        take(load_relaxed(&deque.own->slot[bottom & deque.own->mask]));
    ATOMIC_STORE(&deque.bottom, bottom + 1, SC);
}

/* The slot is read when the item is already ours: it may hold a newer one. */
static void steal_before_reading(void)
{
    int64_t top = load_acquire(&deque.top);

    if (top >= ATOMIC_LOAD(&deque.bottom, SC))
        return;
    if (!ATOMIC_CAS(&deque.top, &top, top + 1, false, SC, SC))
        return;
    struct weir__ring *ring = load_acquire(&deque.ring);

    take(load_relaxed(&ring->slot[top & ring->mask]));
}

/* A growth that gives the old ring back at once. */
static void grow_and_free(void)
{
    struct weir__ring *old = deque.own;

    push();
    model_assert(deque.own != old);
    deque.own->older = NULL;
    model_free(old);
}

/* A growth that publishes the ring before it is filled. */
static void grow_before_copying(void)
{
    struct weir__ring *old = deque.own;
    struct weir__ring *ring = model_alloc(sizeof(*ring) + 8 * sizeof(void *));

    ring->mask = 7;
    ring->older = old;
    deque.own = ring;
    ATOMIC_STORE(&deque.ring, ring, SC);
    for (int64_t i = deque.top_seen; i < load_relaxed(&deque.bottom); i++)
        ATOMIC_STORE(&ring->slot[i & 7],
                     load_relaxed(&old->slot[i & old->mask]), SC);
    push();
}

static void steal_what_is_there(void)
{
    void *item = NULL;

    if (weir__deque_steal(&deque, &item) == WEIR__LOOT_ONE) {
        model_assert(item >= (void *)items && item < (void *)&items[ITEMS]);
        take(item);
    }
}

/* Indices that are reduced to the ring: top is 0 again after four items, and a
 * thief that had read it before takes what is no longer there. */
static atomic(uint32_t) small_top, small_bottom;
static atomic(int) small_slot[4];

static void small_init(void)
{
    set_unshared(&small_bottom, 1);
    set_unshared(&small_slot[0], 1);
    items[1].payload = 1;
    for (int i = 2; i < ITEMS; i++)
        items[i].payload = 1;
}

static bool small_steal(void)
{
    uint32_t top = ATOMIC_LOAD(&small_top, SC);
    int number;

    if (top == ATOMIC_LOAD(&small_bottom, SC))
        return false;
    number = ATOMIC_LOAD(&small_slot[top], SC);
    if (!ATOMIC_CAS(&small_top, &top, (top + 1) & 3, false, SC, SC))
        return false;
    take(&items[number]);
    return true;
}

static void small_thief(void)
{
    (void)small_steal();
}

/* Goes once round the ring. */
static void small_owner(void)
{
    for (int number = 2; number < 6; number++) {
        uint32_t bottom = ATOMIC_LOAD(&small_bottom, SC);

        (void)small_steal();
        ATOMIC_STORE(&small_slot[bottom], number, SC);
        ATOMIC_STORE(&small_bottom, (bottom + 1) & 3, SC);
    }
}

static const struct model_case cases[] = {
    {"last_item_goes_to_one_side_only", .setup = init_with_one,
     .finish = each_item_once,
     .threads = {T(pop_one), T(steal_one), T(steal_one)}},
    {"two_items_against_two_thieves", .setup = init_with_two,
     .finish = each_item_once,
     .threads = {T(pop_two), T(steal_two), T(steal_two)}},
    {"three_items_against_two_thieves", .setup = init_with_three,
     .finish = each_item_once,
     .threads = {T(pop_two), T(steal_two), T(steal_one)}},
    {"owner_and_two_thieves_from_empty", .setup = init,
     .finish = each_item_once,
     .threads = {T(push_pop_push_pop), T(steal_two), T(steal_one)}},
    {"item_that_comes_again_to_the_same_slot", .setup = init_with_one,
     .finish = each_item_once,
     .threads = {T(push_two_pop_two), T(steal_two), T(steal_one)}},
    {"owner_empties_it_against_a_thief", .setup = init_with_three,
     .finish = each_item_once, .threads = {T(pop_all), T(steal_two)}},
    {"growth_against_two_thieves", .setup = init_full_and_wrapped,
     .finish = each_item_once,
     .threads = {T(push_then_pop), T(steal_two), T(steal_one)}},
    {"growth_while_a_thief_reads_its_slot", .setup = init_full_and_wrapped,
     .finish = each_item_once, .may_delay = true,
     .threads = {T(push_only), T(steal_one), T(steal_one)}},
    {"push_without_memory_changes_nothing", .setup = init_full_and_wrapped,
     .finish = each_item_once, .failing_allocs = 1,
     .threads = {T(push_without_memory), T(steal_one)}},
    {"growth_comes_twice_against_a_thief", .setup = init_full_and_wrapped,
     .finish = each_item_once, .threads = {T(push_four), T(steal_two)}},
    {"lone_thief_is_never_told_lost", .setup = init_with_one,
     .finish = each_item_once,
     .threads = {T(push_only), T(a_lone_thief_is_never_lost)}},
    {"broken_claim_by_release", .setup = init_with_three,
     .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(pop_two_by_release), T(steal_two)}},
    {"broken_last_item_without_cas", .setup = init_with_one,
     .expect = MODEL_ASSERTION, .shortest = true,
     .threads = {T(pop_last_without_cas), T(steal_one)}},
    {"broken_slot_read_after_the_cas", .setup = init_with_one,
     .expect = MODEL_RACE, .threads = {T(push_four), T(steal_before_reading)}},
    {"broken_indices_that_wrap_take_twice", .setup = small_init,
     .expect = MODEL_ASSERTION, .threads = {T(small_owner), T(small_thief)}},
    {"broken_growth_frees_the_old_ring", .setup = init_full_and_wrapped,
     .expect = MODEL_USE_AFTER_FREE,
     .threads = {T(grow_and_free), T(steal_one)}},
    {"broken_growth_published_before_the_copy", .setup = init_full_and_wrapped,
     .expect = MODEL_ASSERTION,
     .threads = {T(grow_before_copying), T(steal_what_is_there)}},
};

MODEL_CASES(cases)
