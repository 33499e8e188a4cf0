/* SPDX-License-Identifier: MIT */
/*
 * gate -- a plain gate, drained while many threads enter and leave.
 */
#include "support/gate_race.h"
#include "support/suite.h"

CASE_WITHIN(gate_drained_in_a_crowd_closes_once_after_all_work,
            GATE_RACE_DEADLINE_S)
{
    gate_race_crowd(NULL);
}

STRESS_CASE(gate_drained_in_duels_closes_once_after_all_work)
{
    gate_race_duel(NULL);
}
