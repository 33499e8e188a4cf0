/* SPDX-License-Identifier: MIT */
/*
 * gate_free -- on_closed frees the gate while other threads are still on their
 * way out of it.  AddressSanitizer and ThreadSanitizer see who looks back.
 *
 * WEIR_ROUNDS and WEIR_SECONDS set how many rounds or how long (effort.h), and
 * WEIR_SEED who drains.
 */
#include <errno.h>
#include <sched.h>
#include <stdlib.h>

#include "support/crew.h"
#include "support/effort.h"
#include "support/random.h"
#include "support/suite.h"
#include "weir/gate.h"

enum { THREADS = 8, SECONDS = 8 };

static const weir_gate_options sharded = {.size = sizeof(sharded),
                                          .sharded = true};

struct race {
    weir_gate *gate; /* a new one in each round */
    const weir_gate_options *kind;
    struct random random;
    struct effort effort;
    bool goes_on; /* there is another round */
    unsigned drainer;
    bool exits_first; /* the drainer leaves before it drains */
    unsigned made;
    unsigned drained; /* atomic */
    unsigned freed;   /* atomic */
};

static void free_gate(void *arg)
{
    struct race *race = arg;

    expect_status(weir_gate_fini(race->gate), 0);
    free(race->gate);
    __atomic_fetch_add(&race->freed, 1, __ATOMIC_RELAXED);
}

/* Every gate so far was drained by one and closed once; now for another. */
static void next_gate(struct race *race, unsigned crew_size)
{
    expect_int(race->drained, race->made);
    expect_int(race->freed, race->made);
    race->made++;
    race->drainer = (unsigned)random_below(&race->random, crew_size);
    race->exits_first = random_below(&race->random, 2) == 0;
    race->gate = malloc(sizeof(*race->gate));
    expect(race->gate != NULL);
    expect_status(weir_gate_init(race->gate, free_gate, race, race->kind), 0);
}

/* The first thread makes another gate, and starts it if asked to.  Returns to
 * all of them whether there is one. */
static bool begin_round(struct crew *crew, unsigned id, bool starts)
{
    struct race *race = crew->context;

    if (id == 0) {
        race->goes_on = effort_goes_on(&race->effort);
        if (race->goes_on)
            next_gate(race, crew->size);
        if (race->goes_on && starts)
            expect_status(weir_gate_start(race->gate), 0);
    }
    crew_line_up(crew);
    return race->goes_on;
}

static void expect_all_freed(const struct race *race)
{
    expect(race->made > 0);
    expect_int(race->drained, race->made);
    expect_int(race->freed, race->made);
}

static void run_race(const weir_gate_options *kind, unsigned threads,
                     crew_fn *work)
{
    struct race race = {.kind = kind,
                        .random = {random_seed()},
                        .effort = effort_begin(SECONDS)};

    crew_run(threads, work, &race);
    expect_all_freed(&race);
}

static void drain(struct race *race)
{
    expect_status(weir_gate_drain(race->gate), 0);
    __atomic_fetch_add(&race->drained, 1, __ATOMIC_RELAXED);
}

/* Everybody is inside before the race; in it, everybody leaves. */
static void race_exits(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;
    weir_gate *gate;

    while (begin_round(crew, id, true)) {
        gate = race->gate;
        expect_status(weir_gate_enter(gate), 0);
        crew_line_up(crew);
        if (id != race->drainer) {
            weir_gate_exit(gate);
        } else if (race->exits_first) {
            weir_gate_exit(gate);
            drain(race);
        } else {
            drain(race);
            weir_gate_exit(gate);
        }
        crew_line_up(crew);
    }
}

STRESS_CASE(plain_gate_is_freed_while_exits_and_drain_return)
{
    run_race(NULL, THREADS, race_exits);
}

STRESS_CASE(sharded_gate_is_freed_while_exits_and_drain_return)
{
    run_race(&sharded, THREADS, race_exits);
}

/* Everybody inside drains and leaves; one of the drains is the one. */
static void race_drains(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;
    weir_gate *gate;

    while (begin_round(crew, id, true)) {
        int err;

        gate = race->gate;
        expect_status(weir_gate_enter(gate), 0);
        crew_line_up(crew);
        err = weir_gate_drain(gate);
        if (err == 0)
            __atomic_fetch_add(&race->drained, 1, __ATOMIC_RELAXED);
        else
            expect_status(err, -EALREADY);
        weir_gate_exit(gate);
        crew_line_up(crew);
    }
}

STRESS_CASE(plain_gate_drained_by_everybody_inside_is_freed_once)
{
    run_race(NULL, THREADS, race_drains);
}

STRESS_CASE(sharded_gate_drained_by_everybody_inside_is_freed_once)
{
    run_race(&sharded, THREADS, race_drains);
}

/* One starts, the other drains as soon as it can: the gate is gone while start
 * still opens its shards. */
static void race_start(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;

    while (begin_round(crew, id, false)) {
        if (id == 0) {
            expect_status(weir_gate_start(race->gate), 0);
        } else {
            int err;

            while ((err = weir_gate_drain(race->gate)) == WEIR_ENOTSTARTED)
                sched_yield();
            expect_status(err, 0);
            race->drained++;
        }
        crew_line_up(crew);
    }
}

STRESS_CASE(plain_gate_is_freed_while_start_returns)
{
    run_race(NULL, 2, race_start);
}

STRESS_CASE(sharded_gate_is_freed_while_start_returns)
{
    run_race(&sharded, 2, race_start);
}

/* Two races side by side: each takes up the blocks that the other lets go of,
 * while threads of the other are still looking at them. */
STRESS_CASE(sharded_gates_pass_their_blocks_on_while_exits_return)
{
    struct race race[2] = {{.kind = &sharded}, {.kind = &sharded}};
    struct crew crew[2];

    race[0].random.state = random_seed();
    race[1].random.state = race[0].random.state + 1;
    for (int i = 0; i < 2; i++)
        race[i].effort = effort_begin(SECONDS);
    for (int i = 0; i < 2; i++)
        crew_start(&crew[i], 3, race_exits, &race[i]);
    for (int i = 0; i < 2; i++)
        crew_join(&crew[i]);
    for (int i = 0; i < 2; i++)
        expect_all_freed(&race[i]);
}
