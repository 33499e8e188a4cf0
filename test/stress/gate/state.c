/* SPDX-License-Identifier: MIT */
/*
 * state -- of the threads that race for a move one makes it, and the others
 * see what it did.
 */
#include "weir/state.h"

#include <sched.h>

#include "support/crew.h"
#include "support/suite.h"

/* A ring of eight states.  Who moves from an even one to the odd one after it
 * has the ring for itself until it moves on: it writes to plain memory. */
enum { THREADS = 8, RING = 8, TURNS = 300000 };

static const uint64_t next[RING] = {1 << 1, 1 << 2, 1 << 3, 1 << 4,
                                    1 << 5, 1 << 6, 1 << 7, 1 << 0};
static const weir_state_table moves = {RING, next};

struct ring {
    weir_state state;
    uint64_t turns;        /* plain: of the one who has the ring */
    uint64_t won[THREADS]; /* each by its own thread */
};

/* One turn, for the one thread that wins it. */
static bool try_turn(struct ring *ring, uint64_t now)
{
    if (!weir_state_try_transition(&ring->state, now, now + 1))
        return false;
    ring->turns++;
    expect(weir_state_try_transition(&ring->state, now + 1, (now + 2) % RING));
    return true;
}

static void go_round(struct crew *crew, unsigned id)
{
    struct ring *ring = crew->context;

    for (int i = 0; i < TURNS; i++) {
        uint64_t now = weir_state_load(&ring->state);

        if (now % 2 == 0 && try_turn(ring, now))
            ring->won[id]++;
    }
}

STRESS_CASE(state_moves_round_a_ring_are_each_won_by_one)
{
    static struct ring ring;
    uint64_t won = 0;

    expect_status(weir_state_init(&ring.state, 0, &moves), 0);
    crew_run(THREADS, go_round, &ring);
    for (int id = 0; id < THREADS; id++)
        won += ring.won[id];
    expect(won > 0);
    expect_int(ring.turns, won);
    expect_int(weir_state_load(&ring.state), 2 * won % RING);
}

/* The same with transition_any: every state is in its set. */
enum { FREE_A, FREE_B, TAKEN };

static void take_any(struct crew *crew, unsigned id)
{
    static const uint64_t from[] = {FREE_A, FREE_B};
    struct ring *ring = crew->context;

    for (int i = 0; i < TURNS; i++) {
        if (!weir_state_transition_any(&ring->state, from, 2, TAKEN))
            continue;
        ring->turns++;
        ring->won[id]++;
        expect(weir_state_try_transition(&ring->state, TAKEN,
                                         i % 2 == 0 ? FREE_A : FREE_B));
    }
}

STRESS_CASE(state_moves_from_any_of_a_set_are_each_won_by_one)
{
    static struct ring ring;
    uint64_t won = 0;

    expect_status(weir_state_init(&ring.state, FREE_A, NULL), 0);
    crew_run(THREADS, take_any, &ring);
    for (int id = 0; id < THREADS; id++)
        won += ring.won[id];
    expect(won > 0);
    expect_int(ring.turns, won);
}

/* A loop that goes to sleep and wakes while another thread ends it: the end
 * stays.  Everybody meets before each round. */
enum { RUNNING, SLEEPING, TERMINATED, ROUNDS = 20000 };

static void end_or_alternate(struct crew *crew, unsigned id)
{
    weir_state *state = crew->context;

    for (int i = 0; i < ROUNDS; i++) {
        if (id == 0)
            expect_status(weir_state_init(state, RUNNING, NULL), 0);
        crew_line_up(crew);
        if (id == 0)
            weir_state_store(state, TERMINATED);
        else
            while (weir_state_try_transition(state, RUNNING, SLEEPING) &&
                   weir_state_try_transition(state, SLEEPING, RUNNING))
                sched_yield();
        crew_line_up(crew);
        expect_int(weir_state_load(state), TERMINATED);
        crew_line_up(crew);
    }
}

STRESS_CASE(state_that_was_stored_is_not_left_by_racing_moves)
{
    static weir_state state;

    crew_run(2, end_or_alternate, &state);
}
