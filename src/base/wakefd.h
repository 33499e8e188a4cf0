/* SPDX-License-Identifier: MIT */
/*
 * wakefd -- a descriptor that is readable while there are signals to take.
 *
 *     the thread that sleeps             any other thread
 *     poll(fd), among others             weir__wakefd_signal(fd);
 *     n = weir__wakefd_take(fd, false);
 *
 * It counts: no signal is lost, and none is taken twice.  Implemented by
 * os/eventfd.c.
 */
#ifndef WEIR_SRC_WAKEFD_H
#define WEIR_SRC_WAKEFD_H

#include <stdbool.h>
#include <stdint.h>

/* Open a wakefd.  Returns a descriptor, or -EMFILE, -ENFILE, -ENOMEM,
 * -ENODEV. */
int weir__wakefd_open(void);

/* Close a wakefd.  No thread may signal it any more: another file may reuse the
 * number at once. */
void weir__wakefd_close(int fd);

/*
 * Add a signal.
 *
 * Thread   any
 * Orders   everything before the call happens-before the take that counts it
 */
void weir__wakefd_signal(int fd);

/* Add a signal from a signal handler.  Orders nothing that a sanitizer could
 * see. */
void weir__wakefd_signal_in_handler(int fd);

/*
 * Take all pending signals and return their number.  With wait_for_one, sleep
 * until there is at least one.
 *
 * Thread   one at a time
 */
uint64_t weir__wakefd_take(int fd, bool wait_for_one);

#endif /* WEIR_SRC_WAKEFD_H */
