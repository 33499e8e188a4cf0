/* SPDX-License-Identifier: MIT */
/*
 * readiness -- the poller of src/base/poller.h, instead of the kernel's.
 *
 * Descriptors 0 and 1 can be watched.  A test makes them ready; like any
 * level-triggered descriptors, they stay ready until the test changes that.
 */
#ifndef WEIR_MODEL_READINESS_H
#define WEIR_MODEL_READINESS_H

enum { READINESS_FDS = 2 };

void readiness_set(int fd);
void readiness_clear(int fd);

/* Close it, a duplicate is open: its removal, which comes next, is in vain, and
 * its token goes on being reported until the poller is renewed. */
void readiness_close(int fd);

/* How often such tokens were reported. */
unsigned readiness_ghosts(void);

/* What a host does with the backend descriptor of a loop that it steps: sleeps
 * until it is readable. */
void readiness_await(void);

/* The kernel orders what came before add or modify before the wait that returns
 * the token.  Neither C nor ThreadSanitizer knows that.  After this call the
 * first event hands over its token and nothing else. */
void readiness_hide_order(void);

#endif /* WEIR_MODEL_READINESS_H */
