/* SPDX-License-Identifier: MIT */
/*
 * loop_race -- see loop_race.h.
 */
#include "loop_race.h"

#include <errno.h>

#include "suite.h"

struct loop_race race;

uint64_t race_choose(uint64_t limit)
{
    return random_below(&race.random, limit);
}

weir_fd_mode race_choose_bed(void)
{
    return race_choose(2) == 0 ? WEIR_FD_MODE_AUTO : WEIR_FD_MODE_ALWAYS;
}

void race_run(double seconds, unsigned threads, crew_fn *work)
{
    race.random.state = random_seed();
    failing_allocator_init(&race.memory, 0);
    expect_status(weir_set_allocator(&race.memory.hooks), 0);
    race.effort = effort_begin(seconds);
    crew_run(threads, work, NULL);
    expect(race.effort.rounds > 0);
}

static void on_done(void *arg, weir_loop *ended, int status)
{
    expect(ended == loop);
    race.done_status = status;
    __atomic_fetch_add(&race.done, 1, __ATOMIC_RELAXED);
    if (race.done_frees)
        expect_status(weir_loop_free(ended), 0);
}

void race_make_loop(weir_fd_mode fd_mode)
{
    race.done = 0;
    race.done_frees = race_choose(2) == 0;
    loop_make(LOOP_OPTIONS(.fd_mode = fd_mode, .done = on_done));
}

bool race_begin(struct crew *crew, unsigned id, void (*prepare)(void))
{
    if (id == 0) {
        race.goes_on = effort_goes_on(&race.effort);
        if (race.goes_on)
            prepare();
    }
    crew_line_up(crew);
    return race.goes_on;
}

void race_end(struct crew *crew, unsigned id)
{
    crew_line_up(crew);
    if (id == 0) {
        expect_int(race.done, 1);
        expect_int(race.memory.live, 0);
        expect_int(race.memory.live_bytes, 0);
    }
}

void race_run_if_first(void)
{
    int err = weir_loop_run(loop, WEIR_RUN_UNTIL_CLOSED);

    if (err != WEIR_ECLOSED && err != -EBUSY)
        expect_status(err, 0);
}

void race_free_unless_done(void)
{
    if (!race.done_frees)
        expect_status(weir_loop_free(loop), 0);
}
