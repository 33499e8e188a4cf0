/* SPDX-License-Identifier: MIT */
/*
 * signal_thread -- what signals ask for while JavaScript may hang.
 *
 *     signal_thread_call(SIGUSR2, save);
 *
 * From then on, each such signal makes a thread call save().
 */
#ifndef WEIR_CLI_SIGNAL_THREAD_H
#define WEIR_CLI_SIGNAL_THREAD_H

/* At most four signals.  Without memory for the thread, the signal has its usual
 * effect.  Thread: main, before others run. */
void signal_thread_call(int number, void (*run)(void));

#endif /* WEIR_CLI_SIGNAL_THREAD_H */
