/* SPDX-License-Identifier: MIT */
/*
 * watch -- a thread of the program that does not come back.
 *
 * The explorer regains control when a thread makes an operation.  A thread that
 * computes forever, or that is in a system call that blocks, makes none.  So a
 * signal comes once a second and looks whether the same thread is still running
 * since the last one.  A thread that has used ten seconds of processor time is
 * a livelock.  One that has used none and is inside a system call is
 * refused, with the name of the call.  One that waits for a processor is
 * neither.
 */
#ifndef WEIR_EXPLORE_WATCH_H
#define WEIR_EXPLORE_WATCH_H

/* Around an exploration. */
void watch_begin(void);
void watch_end(void);

#endif /* WEIR_EXPLORE_WATCH_H */
