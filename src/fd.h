/* SPDX-License-Identifier: MIT */
/*
 * fd -- the descriptors that a loop watches.
 */
#ifndef WEIR_SRC_FD_H
#define WEIR_SRC_FD_H

#include <stdbool.h>
#include <stdint.h>

#include "atomic.h"
#include "slab.h"
#include "weir/fd.h"

/* A registration: the slot of a slab. */
struct weir__fd {
    atomic(uint64_t) word;     /* generation, events, flags: fd/P1 */
    atomic(const char *) name; /* any thread: report */
    uint32_t index;            /* its own */
    int fd;                    /* const while registered, as the next two */
    weir_fd_fn *fn;
    void *arg;
    uint64_t lost;    /* the generation that was removed in vain, under lock */
    uint64_t spent;   /* that whose one shot is over; the loop's thread */
    weir_task letter; /* of a removal on another thread */
    weir_fn *removed; /* what the letter says */
    void *removed_arg;
};

enum { WEIR__FD_PAGE = 256 };

/* Under the loop's lock, but for what says otherwise. */
struct weir__fds {
    struct weir__slab slots;
    uint32_t **page; /* page[fd / 256][fd % 256]: the slot + 1, or 0 */
    uint32_t pages;
    uint32_t cancelled;     /* the loop ends: how far it has come */
    bool is_closed;         /* the loop ends: nothing is added any more */
    bool has_lost;          /* some that were removed in vain */
    bool is_haunted;        /* an event of such a one; the loop's thread */
    atomic(uint64_t) count; /* registered; any thread reads it */
    atomic(uint64_t) refs;  /* of them, those that hold the loop; the same */
    atomic(uint64_t) used;  /* slots, letters included; the same */
};

void weir__fds_init(weir_loop *loop);

/* Gives the memory back.  None is registered. */
void weir__fds_fini(weir_loop *loop);

/* Calls for loop->events, from loop->event_at on. */
void weir__fds_run(weir_loop *loop);

/* Cancels all, each with WEIR_ECANCELED; none can be added from then on. */
void weir__fds_cancel(weir_loop *loop);

/* Whether it is registered and referenced, and its name.  Thread: any. */
bool weir__fd_is_holding(const struct weir__fd *slot, const char **name);

#endif /* WEIR_SRC_FD_H */
