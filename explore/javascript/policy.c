/* SPDX-License-Identifier: MIT */
/*
 * policy -- see policy.h.
 */
#include "policy.h"

#include <string.h>

enum {
    CHANGED = 1 << 15, /* priorities begin above it */
    SPIN_PICKS = 250   /* of one thread, after which it seems to spin */
};

/* splitmix64 */
static uint64_t next_random(struct policy_state *state)
{
    uint64_t z = state->random += UINT64_C(0x9e3779b97f4a7c15);

    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

void policy_begin(struct exchange *exchange)
{
    struct policy_state *state = &exchange->state;

    memset(state, 0, sizeof(*state));
    state->random = exchange->seed;
    for (unsigned i = 0; i < CHANGES; i++)
        state->change_at[i] =
            (unsigned)(next_random(state) % (exchange->pct_length + 1));
    for (unsigned i = 0; i < THREADS; i++)
        state->priority[i] = next_random(state) | 1 << 16;
}

void policy_redraw(struct exchange *exchange, unsigned depth)
{
    struct policy_state *state = &exchange->state;

    state->random = exchange->seed;
    for (unsigned i = 0; i < CHANGES; i++)
        if (state->change_at[i] >= depth && exchange->pct_length >= depth)
            state->change_at[i] =
                depth + (unsigned)(next_random(state) %
                                   (exchange->pct_length + 1 - depth));
}

static unsigned pick_random(struct policy_state *state, uint32_t set)
{
    uint64_t skip = next_random(state) % (unsigned)__builtin_popcount(set);

    while (skip-- > 0)
        set &= set - 1;
    return (unsigned)__builtin_ctz(set);
}

/* Goes on with the thread that runs, else with the first one. */
static unsigned pick_first(const struct node *node)
{
    uint32_t awake = node->enabled & ~node->asleep;
    uint32_t prompt = awake & ~node->late;

    if ((awake >> node->first & 1) != 0)
        return node->first;
    return (unsigned)__builtin_ctz(prompt != 0 ? prompt : awake);
}

static unsigned pick_priority(struct exchange *exchange,
                              const struct node *node, unsigned depth)
{
    struct policy_state *state = &exchange->state;
    unsigned best = (unsigned)__builtin_ctz(node->enabled);

    for (unsigned i = 0; i + 1 < exchange->pct_depth && i < CHANGES; i++)
        if (state->change_at[i] == depth)
            state->priority[node->before] = CHANGED + i; /* lower than all */
    if (state->in_turn >= SPIN_PICKS) { /* it waits for another one */
        state->priority[node->before] = CHANGED - ++state->demoted;
        state->in_turn = 0;
    }
    for (unsigned i = best; i < THREADS; i++)
        if ((node->enabled >> i & 1) != 0 &&
            state->priority[i] > state->priority[best])
            best = i;
    state->in_turn = best == node->before ? state->in_turn + 1 : 0;
    return best;
}

/* A thread that cannot go on loses the rest of its stretch. */
static unsigned pick_stretch(struct exchange *exchange, const struct node *node)
{
    struct policy_state *state = &exchange->state;

    for (; state->stretch < exchange->stretches;
         state->stretch++, state->steps = 0) {
        const struct stretch *s = &exchange->stretch[state->stretch];

        if (state->steps < s->steps && (node->enabled >> s->thread & 1) != 0)
            return s->thread;
    }
    return pick_first(node);
}

static unsigned pick_thread(struct exchange *exchange, const struct node *node,
                            unsigned depth)
{
    struct policy_state *state = &exchange->state;
    uint32_t prompt = node->enabled & ~node->late;

    switch (exchange->policy) {
    case POLICY_RANDOM:
        /* Timers are rarer than the rest, or long work would never end. */
        return pick_random(state, prompt != 0 && next_random(state) % 4 != 0
                                      ? prompt
                                      : node->enabled);
    case POLICY_PCT:
        return pick_priority(exchange, node, depth);
    case POLICY_STRETCH:
        return pick_stretch(exchange, node);
    default:
        return pick_first(node);
    }
}

unsigned policy_pick(struct exchange *exchange, const struct node *node,
                     unsigned depth, unsigned operations)
{
    struct policy_state *state = &exchange->state;

    state->steps += operations - state->operations;
    state->operations = operations;
    if (!node->is_number)
        return pick_thread(exchange, node, depth);
    return exchange->policy == POLICY_RANDOM || exchange->policy == POLICY_PCT
               ? (unsigned)(next_random(state) % node->enabled)
               : 0;
}

unsigned policy_cost(const struct node *node, unsigned pick)
{
    uint32_t prompt = node->enabled & ~node->late;

    if (node->is_number)
        return 0;
    if (pick != node->before && (prompt >> node->before & 1) != 0)
        return 1;
    return (node->late >> pick & 1) != 0 && prompt != 0;
}
