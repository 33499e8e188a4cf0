/* SPDX-License-Identifier: MIT */
/*
 * gate_race -- see gate_race.h.
 */
#include "gate_race.h"

#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>

#include "crew.h"
#include "effort.h"
#include "random.h"
#include "suite.h"

enum { MOST_WORKERS = 100, CROWD_ROUNDS = 60, DUEL_SECONDS = 10 };

/* How many threads race, and how often in a round. */
struct shape {
    unsigned workers; /* threads that enter and leave; one of them drains */
    unsigned waiters; /* threads that wait for the close */
    unsigned enters;  /* of each worker, unless it is refused earlier */
    unsigned yields;  /* a worker yields once in up to so many turns */
    void (*gather)(struct crew *crew); /* between the rounds */
};

struct worker {
    _Alignas(128) uint64_t work; /* plain, and written only inside the gate */
    uint64_t admitted;           /* the same number, counted outside */
};

struct race {
    weir_gate gate;
    const weir_gate_options *kind;
    struct shape shape;
    struct effort effort;
    bool goes_on; /* there is another round */
    uint64_t seed;
    struct random random;     /* of the thread that prepares the rounds */
    unsigned drainer, moment; /* which worker, before which turn */
    bool is_drained;          /* atomic: the drain has returned */
    unsigned closed;          /* atomic */
    uint64_t work_at_close;
    struct worker worker[MOST_WORKERS];
};

static uint64_t sum_work(const struct race *race)
{
    uint64_t sum = 0;

    for (unsigned id = 0; id < race->shape.workers; id++)
        sum += race->worker[id].work;
    return sum;
}

static void note_close(void *arg)
{
    struct race *race = arg;

    __atomic_fetch_add(&race->closed, 1, __ATOMIC_RELAXED);
    race->work_at_close = sum_work(race);
}

static void prepare_round(struct race *race)
{
    const struct shape *shape = &race->shape;

    race->drainer = (unsigned)random_below(&race->random, shape->workers);
    race->moment = (unsigned)random_below(&race->random, shape->enters + 1);
    race->is_drained = false;
    race->closed = 0;
    for (unsigned id = 0; id < shape->workers; id++)
        race->worker[id] = (struct worker){0};
    expect_status(weir_gate_init(&race->gate, note_close, race, race->kind), 0);
    expect_status(weir_gate_start(&race->gate), 0);
}

static void check_round(struct race *race)
{
    uint64_t admitted = 0;

    for (unsigned id = 0; id < race->shape.workers; id++)
        admitted += race->worker[id].admitted;
    expect_int(race->closed, 1);
    expect_int(race->work_at_close, admitted);
    expect_int(weir_gate_phase(&race->gate), WEIR_PHASE_CLOSED);
    expect_int(weir_gate_inflight(&race->gate), 0);
    expect_status(weir_gate_fini(&race->gate), 0);
}

static void drain(struct race *race)
{
    expect_status(weir_gate_drain(&race->gate), 0);
    __atomic_store_n(&race->is_drained, true, __ATOMIC_RELEASE);
}

/* Enter and leave once.  Returns false if the gate refused. */
static bool enter_and_exit(struct race *race, struct worker *worker,
                           bool yields)
{
    bool too_late = __atomic_load_n(&race->is_drained, __ATOMIC_ACQUIRE);
    int err = weir_gate_enter(&race->gate);

    if (err != 0) {
        expect_status(err, WEIR_ECLOSED);
        return false;
    }
    expect(!too_late);
    worker->work++;
    if (yields)
        sched_yield();
    weir_gate_exit(&race->gate);
    return true;
}

/* A worker occasionally yields inside the gate, so that the drain finds many
 * threads inside. */
static void work(struct race *race, unsigned id, struct random *random)
{
    const struct shape *shape = &race->shape;
    unsigned turn, yield_at = (unsigned)random_below(random, shape->yields);
    unsigned drain_at = id == race->drainer ? race->moment : UINT_MAX;

    for (turn = 0; turn < shape->enters; turn++) {
        bool yields = turn == yield_at;

        if (turn == drain_at)
            drain(race);
        if (!enter_and_exit(race, &race->worker[id], yields))
            break;
        if (yields)
            yield_at += 1 + (unsigned)random_below(random, shape->yields);
    }
    if (drain_at == shape->enters)
        drain(race);
    race->worker[id].admitted = turn;
}

static void wait_for_close(struct race *race)
{
    expect_status(weir_gate_wait(&race->gate, -1), 0);
    (void)sum_work(race); /* no race, as in on_closed */
}

static void show_progress(const struct race *race)
{
    if (getenv("WEIR_PROGRESS") != NULL && race->effort.rounds % 50 == 0)
        fprintf(stderr, "# round %" PRIu64 "\n", race->effort.rounds);
}

/* Returns to all threads whether there is another round. */
static bool begin_round(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;

    if (id == 0) {
        race->goes_on = effort_goes_on(&race->effort);
        if (race->goes_on)
            prepare_round(race);
    }
    race->shape.gather(crew);
    return race->goes_on;
}

/* The threads live through all rounds and synchronise between them. */
static void run_rounds(struct crew *crew, unsigned id)
{
    struct race *race = crew->context;
    struct random random = {race->seed + id};

    while (begin_round(crew, id)) {
        if (id < race->shape.workers)
            work(race, id, &random);
        else
            wait_for_close(race);
        race->shape.gather(crew);
        if (id == 0) {
            check_round(race);
            show_progress(race);
        }
    }
}

static void run_race(const weir_gate_options *kind, struct shape shape,
                     struct effort effort)
{
    static struct race race;

    race.kind = kind;
    race.shape = shape;
    race.effort = effort;
    race.seed = random_seed();
    race.random.state = ~race.seed;
    crew_run(shape.workers + shape.waiters, run_rounds, &race);
    expect(race.effort.rounds > 0);
}

static void meet(struct crew *crew)
{
    (void)crew_meet(crew);
}

/*
 * Pin a crowd to one core under ThreadSanitizer.  It compares vector clocks, so
 * it finds as much on one core as on two.  On two, its own locks around a word
 * that a hundred threads contend for make a crowd five times slower.  The duels
 * stay on all cores.
 */
static void share_one_core(bool is_first)
{
    cpu_set_t all, one;

    CPU_ZERO(&one);
    expect_int(sched_getaffinity(0, sizeof(all), &all), 0);
    for (int core = 0; core < CPU_SETSIZE; core++) {
        if (!CPU_ISSET(core, &all))
            continue;
        CPU_ZERO(&one);
        CPU_SET(core, &one);
        if (is_first)
            break;
    }
    expect_int(sched_setaffinity(0, sizeof(one), &one), 0);
}

void gate_race_crowd(const weir_gate_options *kind)
{
    const char *rounds = getenv("WEIR_ROUNDS");
    struct shape crowd = {.workers = 100,
                          .waiters = 2,
                          .enters = 10000,
                          .yields = 1000,
                          .gather = meet};
    struct effort effort = {.begin_ns = effort_now(),
                            .limit = rounds != NULL ? strtoull(rounds, NULL, 0)
                                                    : CROWD_ROUNDS};

    if (IS_THREAD_SANITIZED)
        share_one_core(kind == NULL); /* the two kinds run concurrently */
    run_race(kind, crowd, effort);
}

void gate_race_duel(const weir_gate_options *kind)
{
    struct shape duel = {
        .workers = 2, .enters = 200, .yields = 1000, .gather = crew_line_up};

    run_race(kind, duel, effort_begin(DUEL_SECONDS));
}
