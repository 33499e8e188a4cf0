/* SPDX-License-Identifier: MIT */
/*
 * fd -- a descriptor that a loop watches.
 */
#ifndef WEIR_SRC_FD_H
#define WEIR_SRC_FD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "weir/fd.h"

/* A registration: the slot of a slab. */
struct weir__fd {
    atomic(uint64_t) word;     /* generation, events, flags: fd/P1 */
    atomic(const char *) name; /* any thread: report */
    uint32_t index;            /* its own index */
    int fd;                    /* const while registered, like fn and arg */
    weir_fd_fn *fn;
    void *arg;
    uint64_t lost;     /* the generation whose removal failed, under lock */
    uint64_t spent;    /* the generation of a fired one-shot; the loop's */
    weir_task message; /* of a removal on another thread */
    weir_fn *removed;  /* the callback for the message */
    void *removed_arg;
};

/* Whether the slot is registered and referenced, and its name.  Thread: any. */
bool weir__fd_is_holding(const struct weir__fd *slot, const char **name);

#endif /* WEIR_SRC_FD_H */
