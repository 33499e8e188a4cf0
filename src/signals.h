/* SPDX-License-Identifier: MIT */
/*
 * signals -- SIGTERM and SIGINT as a descriptor that becomes readable.
 *
 * A handler does the least that it can: it writes to a wakefd.  That is made at
 * the first use and never closed, so a handler that is late, on any thread,
 * cannot write to somebody else's file.  Implemented by os/signals.c.
 */
#ifndef WEIR_SRC_SIGNALS_H
#define WEIR_SRC_SIGNALS_H

/*
 * Take both signals from now on.  One taker at a time.
 *
 * Thread   any
 * Returns  the wakefd (wakefd.h) that counts them, or -EBUSY (somebody takes
 *          them already), or an error of weir__wakefd_open
 */
int weir__signals_take(void);

/* What they did before is restored.  Thread: any, the taker. */
void weir__signals_give_back(void);

/* The calling thread lets them in, so that there is one that does. */
void weir__signals_let_in(void);

#endif /* WEIR_SRC_SIGNALS_H */
