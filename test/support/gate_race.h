/* SPDX-License-Identifier: MIT */
/*
 * gate_race -- threads enter and leave a gate, and one of them drains it, over
 * and over.  What stress/gate.c and stress/gate_sharded.c run.
 *
 * Each round asserts conservation: what was admitted had left when on_closed
 * ran, once; nothing was admitted after the drain; and everybody who waited
 * came back.  The work inside is plain memory, so that ThreadSanitizer sees
 * whether all of it happens before the close.
 *
 * WEIR_SEED sets by whom and when the gate is drained, WEIR_ROUNDS how often
 * the crowd races; WEIR_PROGRESS shows that it goes on.
 */
#ifndef WEIR_TEST_SUPPORT_GATE_RACE_H
#define WEIR_TEST_SUPPORT_GATE_RACE_H

#include "weir/gate.h"

/* A hundred threads, 10,000 times each, in 60 rounds. */
void gate_race_crowd(const weir_gate_options *kind);

/* Two threads, which meet at the drain far more often. */
void gate_race_duel(const weir_gate_options *kind);

/* How long a crowd may take. */
enum { GATE_RACE_DEADLINE_S = 560 };

#endif /* WEIR_TEST_SUPPORT_GATE_RACE_H */
