/* SPDX-License-Identifier: MIT */
/*
 * weir/event.h -- the events of a descriptor, and how they are reported.
 *
 *     weir_fd_add(loop, fd, WEIR_READABLE | WEIR_ONESHOT, on_ready, arg);
 */
#ifndef WEIR_EVENT_H
#define WEIR_EVENT_H

enum weir_event {
    WEIR_READABLE = 1,
    WEIR_WRITABLE = 2,
    WEIR_PRIORITY = 4, /* out-of-band data */
    WEIR_ERROR = 8,    /* always reported */
    WEIR_HANGUP = 16,  /* always reported: the other end is gone */
    WEIR_EDGE = 32,    /* report only when it becomes ready */
    WEIR_ONESHOT = 64, /* report once, then not until weir_fd_modify */
};

#endif /* WEIR_EVENT_H */
