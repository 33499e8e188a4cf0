/* SPDX-License-Identifier: MIT */
/*
 * gate_sharded -- a sharded gate, drained while many threads enter and leave.
 * Of a hundred threads some count in shards and the rest in the word.
 */
#include "gate/shards.h"
#include "support/crew.h"
#include "support/gate_race.h"
#include "support/suite.h"

static const weir_gate_options sharded = {.size = sizeof(sharded),
                                          .sharded = true};

CASE_WITHIN(sharded_gate_drained_in_a_crowd_closes_once_after_all_work,
            GATE_RACE_DEADLINE_S)
{
    gate_race_crowd(&sharded);
}

STRESS_CASE(sharded_gate_drained_in_duels_closes_once_after_all_work)
{
    gate_race_duel(&sharded);
}

/* Takes a number that goes with a shard, and lives until the duels are over:
 * they are left to threads without one. */
static void occupy_shard(struct crew *crew, unsigned id)
{
    (void)weir__thread_index();
    crew_meet(crew);
    if (id == 0)
        gate_race_duel(&sharded);
    crew_meet(crew);
}

STRESS_CASE(sharded_gate_drained_by_threads_without_shards_closes_once)
{
    crew_run(WEIR__SHARDS, occupy_shard, NULL);
}
