/* SPDX-License-Identifier: MIT */
/*
 * readiness -- the poller of src/poller.h, in place of the kernel's.
 *
 * Descriptors 0 and 1 can be watched.  A test makes them ready; they stay so,
 * as level-triggered descriptors do, until it takes that back.
 */
#ifndef WEIR_MODEL_READINESS_H
#define WEIR_MODEL_READINESS_H

enum { READINESS_FDS = 2 };

void readiness_set(int fd);
void readiness_clear(int fd);

#endif /* WEIR_MODEL_READINESS_H */
