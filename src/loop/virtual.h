/* SPDX-License-Identifier: MIT */
/*
 * virtual -- how a loop goes to sleep in virtual time.
 */
#ifndef WEIR_SRC_VIRTUAL_H
#define WEIR_SRC_VIRTUAL_H

#include "loop/loop.h"

/* weir__ingress_prepare_sleep for a loop that is a member, while the clock is
 * frozen.  If all members sleep then, time goes on, and those whose timers are
 * due are woken: this loop as well, right after it has gone to sleep.  Thread:
 * the loop's. */
bool weir__virtual_prepare_sleep(weir_loop *loop, enum weir__sleep_on on);

/* After such a sleep, before the loop does anything.  Thread: the loop's. */
void weir__virtual_finish_sleep(weir_loop *loop);

#endif /* WEIR_SRC_VIRTUAL_H */
