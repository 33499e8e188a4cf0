/* SPDX-License-Identifier: MIT */
/*
 * fd -- the descriptors that a loop watches.
 */
#ifndef WEIR_SRC_FD_H
#define WEIR_SRC_FD_H

#include <stdbool.h>
#include <stdint.h>

#include "base/atomic.h"
#include "base/slab.h"
#include "weir/fd.h"

/* A registration: the slot of a slab. */
struct weir__fd {
    atomic(uint64_t) word;     /* generation, events, flags: fd/P1 */
    atomic(const char *) name; /* any thread: report */
    uint32_t index;            /* its own index */
    int fd;                    /* const while registered, like fn and arg */
    weir_fd_fn *fn;
    void *arg;
    uint64_t lost;    /* the generation whose removal failed, under lock */
    uint64_t spent;   /* the generation of a fired one-shot; the loop's */
    weir_task letter; /* the message of a removal on another thread */
    weir_fn *removed; /* the callback for the message */
    void *removed_arg;
};

enum { WEIR__FD_PAGE = 256 };

/* Under the loop's lock, except where noted. */
struct weir__fds {
    struct weir__slab slots;
    uint32_t **page; /* page[fd / 256][fd % 256]: the slot + 1, or 0 */
    uint32_t pages;
    uint32_t cancelled;     /* termination: the next one to cancel */
    bool has_lost;          /* some removals have failed */
    bool is_haunted;        /* one of them had an event; the loop's thread */
    atomic(uint64_t) count; /* registered; any thread reads it */
    atomic(uint64_t) refs;  /* of these, those that hold the loop; same */
    atomic(uint64_t) used;  /* slots, with pending removals; the same */
};

void weir__fds_init(weir_loop *loop);

/* Free the memory.  Nothing may be registered. */
void weir__fds_fini(weir_loop *loop);

/* Run the callbacks for loop->events, from loop->event_at on. */
void weir__fds_run(weir_loop *loop);

/* Cancel all registrations with WEIR_ECANCELED. */
void weir__fds_cancel(weir_loop *loop);

/* Whether the slot is registered and referenced, and its name.  Thread: any. */
bool weir__fd_is_holding(const struct weir__fd *slot, const char **name);

#endif /* WEIR_SRC_FD_H */
