/* SPDX-License-Identifier: MIT */
/*
 * weir/event.h -- the events of a descriptor, and how they are reported.
 *
 *     weir_fd_add(loop, fd, WEIR_FD_READABLE | WEIR_FD_ONESHOT, on_ready, arg);
 */
#ifndef WEIR_EVENT_H
#define WEIR_EVENT_H

enum weir_fd_event {
    WEIR_FD_READABLE = 1,
    WEIR_FD_WRITABLE = 2,
    WEIR_FD_PRIORITY = 4, /* out-of-band data */
    WEIR_FD_ERROR = 8,    /* always reported */
    WEIR_FD_HANGUP = 16,  /* always reported: the other end is gone */
    WEIR_FD_EDGE = 32,    /* report only when it becomes ready */
    WEIR_FD_ONESHOT = 64, /* report once, then not until weir_fd_modify */
};

#endif /* WEIR_EVENT_H */
