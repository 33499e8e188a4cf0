/* SPDX-License-Identifier: MIT */
/*
 * readiness -- a poller made of words that the explorer watches.
 *
 * The wait sleeps on one 32-bit word: its low half is the number of wake-ups,
 * and its high half has a bit for each ready descriptor.  A kernel keeps tokens
 * and counts under its own locks, so what came before a change happens before
 * the wait that sees it, and nothing is stale.
 *
 * A poller that is used after it was closed is a use of freed memory.
 */
#include "readiness.h"

#include <errno.h>

#include "base/atomic.h"
#include "base/futex.h"
#include "base/memory.h"
#include "base/poller.h"
#include "model.h"

enum { WAKES = 0xffff, READY = 0x10000 };

/* What the world outside says; also before there is a poller. */
static atomic(uint32_t) ready;

struct weir__poller {
    int descriptor; /* const after open, plain as the kernel's numbers are */
    atomic(uint32_t) word;
    atomic(uint64_t) token[READINESS_FDS]; /* 0: not watched */
    atomic(uint64_t) ghost[READINESS_FDS]; /* 0: none was removed in vain */
};

static struct weir__poller *the_poller; /* there is one in a model */
static bool hides_order;
static bool is_closed[READINESS_FDS]; /* who removes it has closed it */

static unsigned ghosts;

unsigned readiness_ghosts(void)
{
    return ghosts;
}

void readiness_close(int fd)
{
    is_closed[fd] = true;
}

void readiness_hide_order(void)
{
    hides_order = true;
}

void readiness_set(int fd)
{
    fetch_or_acquire(&ready, READY << fd);
    if (the_poller != NULL) {
        fetch_or_acquire(&the_poller->word, READY << fd);
        weir__futex_wake_one(&the_poller->word, WEIR__FUTEX_PRIVATE);
    }
}

void readiness_clear(int fd)
{
    fetch_sub_relaxed(&ready, READY << fd);
    if (the_poller != NULL)
        fetch_sub_relaxed(&the_poller->word, READY << fd);
}

int weir__poller_open(struct weir__poller **poller)
{
    *poller = weir__memory_alloc(sizeof(**poller), 8);
    if (*poller == NULL)
        return -ENOMEM;
    plain_store(&(*poller)->descriptor, READINESS_FDS);
    set_unshared(&(*poller)->word, load_relaxed(&ready));
    for (int fd = 0; fd < READINESS_FDS; fd++)
        set_unshared(&(*poller)->token[fd], 0);
    for (int fd = 0; fd < READINESS_FDS; fd++)
        set_unshared(&(*poller)->ghost[fd], 0);
    the_poller = *poller;
    return 0;
}

void weir__poller_close(struct weir__poller *poller)
{
    the_poller = NULL;
    weir__memory_free(poller, sizeof(*poller));
}

bool weir__poller_is_open(int fd)
{
    return fd < READINESS_FDS;
}

int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token)
{
    if (fd >= READINESS_FDS)
        return -EBADF;
    if (events & WEIR_FD_EDGE)
        return -ENOTSUP;
    swap_release(&poller->token[fd], token);
    weir__futex_wake_one(&poller->word, WEIR__FUTEX_PRIVATE);
    return 0;
}

int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token)
{
    return weir__poller_add(poller, fd, events, token);
}

bool weir__poller_remove(struct weir__poller *poller, int fd)
{
    bool was_closed = is_closed[fd];
    uint64_t token = load_relaxed(&poller->token[fd]);

    if (was_closed)
        swap_release(&poller->ghost[fd], token);
    is_closed[fd] = false; /* the number is free */
    swap_release(&poller->token[fd], 0);
    return !was_closed;
}

int weir__poller_renew(struct weir__poller *poller,
                       bool (*next)(void *arg, struct weir__watch *watch),
                       void *arg)
{
    bool is_kept[READINESS_FDS] = {false};
    struct weir__watch watch;

    while (next(arg, &watch)) {
        model_assert(load_relaxed(&poller->token[watch.fd]) == watch.token);
        is_kept[watch.fd] = true;
    }
    for (int fd = 0; fd < READINESS_FDS; fd++) {
        swap_release(&poller->ghost[fd], 0);
        model_assert(is_kept[fd] || load_relaxed(&poller->token[fd]) == 0);
    }
    return 0;
}

/* The newest token, or 0. */
static uint64_t token_of(struct weir__poller *poller, int fd)
{
    uint64_t token;

    if (!hides_order)
        return fetch_add_acquire(&poller->token[fd], 0);
    token = fetch_add_relaxed(&poller->token[fd], 0);
    hides_order = token == 0;
    return token;
}

static int collect(struct weir__poller *poller, uint32_t word,
                   struct weir__event *events)
{
    int count = 0;

    if (word & WAKES)
        events[count++] =
            (struct weir__event){WEIR__POLLER_WAKE, WEIR_FD_READABLE};
    for (int fd = 0; fd < READINESS_FDS && count < WEIR__POLLER_BATCH; fd++) {
        uint64_t token = 0;

        if (word & (uint32_t)(READY << fd))
            token = token_of(poller, fd);
        if (token != 0)
            events[count++] = (struct weir__event){token, WEIR_FD_READABLE};
        token = 0;
        if (word & (uint32_t)(READY << fd) && count < WEIR__POLLER_BATCH)
            token = fetch_add_acquire(&poller->ghost[fd], 0);
        if (token != 0) {
            events[count++] = (struct weir__event){token, WEIR_FD_READABLE};
            ghosts++;
        }
    }
    return count;
}

int weir__poller_wait(struct weir__poller *poller, struct weir__event *events,
                      int64_t deadline_ns)
{
    (void)plain_load(&poller->descriptor);
    for (;;) {
        uint32_t word = fetch_add_relaxed(&poller->word, 0);
        int count = collect(poller, word, events);

        if (count > 0 || deadline_ns == 0 ||
            weir__futex_wait(&poller->word, word, deadline_ns,
                             WEIR__FUTEX_PRIVATE) == -ETIMEDOUT)
            return count;
    }
}

void readiness_await(void)
{
    struct weir__event events[WEIR__POLLER_BATCH];

    (void)weir__poller_wait(the_poller, events, -1);
}

void weir__poller_wake(struct weir__poller *poller)
{
    (void)plain_load(&poller->descriptor);
    ATOMIC_ADD(&poller->word, 1, __ATOMIC_RELEASE);
    weir__futex_wake_one(&poller->word, WEIR__FUTEX_PRIVATE);
}

uint64_t weir__poller_take_wakes(struct weir__poller *poller, bool wait_for_one)
{
    uint32_t word = load_relaxed(&poller->word);

    for (;;) {
        uint32_t wakes = word & WAKES;

        if (wakes == 0 && !wait_for_one)
            return 0;
        if (wakes == 0)
            weir__futex_wait(&poller->word, word, -1, WEIR__FUTEX_PRIVATE);
        else if (cas_acquire(&poller->word, &word, word - wakes))
            return wakes;
        word = load_relaxed(&poller->word);
    }
}

int weir__poller_fd(struct weir__poller *poller)
{
    return -ENOTSUP;
}

bool weir__poller_is_ready(struct weir__poller *poller)
{
    return false;
}

bool weir__poller_await(struct weir__poller *poller, int64_t deadline_ns)
{
    return false;
}
