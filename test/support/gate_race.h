/* SPDX-License-Identifier: MIT */
/*
 * gate_race -- threads enter and leave a gate while one of them drains it, over
 * and over.  Run by stress/gate.c and stress/gate_sharded.c.
 *
 * Each round asserts that every entry that was admitted had left before
 * on_closed ran, that on_closed ran once, that nothing was admitted after the
 * drain, and that every waiter returned.  The work inside is plain memory, so
 * that ThreadSanitizer sees whether all of it happens before the close.
 *
 * WEIR_SEED determines which thread drains the gate and when; WEIR_ROUNDS and
 * WEIR_SECONDS set how many rounds or how long (effort.h; a crowd is measured in
 * rounds only); WEIR_PROGRESS shows progress.
 */
#ifndef WEIR_TEST_SUPPORT_GATE_RACE_H
#define WEIR_TEST_SUPPORT_GATE_RACE_H

#include "weir/gate.h"

/* A hundred threads, 10,000 times each, in 60 rounds. */
void gate_race_crowd(const weir_gate_options *kind);

/* Two threads, which hit the drain far more often. */
void gate_race_duel(const weir_gate_options *kind);

/* How long a crowd may take. */
enum { GATE_RACE_DEADLINE_S = 560 };

#endif /* WEIR_TEST_SUPPORT_GATE_RACE_H */
