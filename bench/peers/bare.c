/* SPDX-License-Identifier: MIT */
/*
 * bare -- what no loop can be quicker than: system calls, and no loop.
 *
 * loop_futex   A word: 0, 1 (called), or 2 (sleeps).  A wake system call only
 *              when its owner sleeps, as in bench/parker.c.
 * loop_epoll   An eventfd in an epoll instance, written to by each wake and
 *              read after each; and descriptors in the same instance.
 * loop_spin    The word, without sleeping.
 */
#include <linux/futex.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/eventfd.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/atomic.h"
#include "bench.h"
#include "loop.h"

void *loop_calloc(size_t count, size_t size)
{
    void *memory = calloc(count, size);

    if (memory == NULL)
        bench_fail("no memory");
    return memory;
}

#ifndef BENCH_ASIO /* its file is C++, and left out */
const struct loop_kind loop_asio;
#endif

/* ---- a word ---- */

struct word {
    _Alignas(CACHE_APART) atomic(uint32_t) value;
    bool is_stopped;
    void (*on_wake)(void *arg);
    void *arg;
};

static void *open_word(void (*on_wake)(void *), void *arg)
{
    struct word *word = aligned_alloc(CACHE_APART, sizeof(*word));

    if (word == NULL)
        bench_fail("no memory");
    *word = (struct word){.on_wake = on_wake, .arg = arg};
    return word;
}

static void stop_word(void *loop)
{
    ((struct word *)loop)->is_stopped = true;
}

static void sleep_on(struct word *word)
{
    uint32_t seen = 0;

    if (cas_acquire(&word->value, &seen, 2))
        do
            syscall(SYS_futex, &word->value, FUTEX_WAIT_PRIVATE, 2, NULL, NULL,
                    0);
        while (load_acquire(&word->value) == 2);
}

static void run_futex(void *loop)
{
    struct word *word = loop;

    word->is_stopped = false;
    while (!word->is_stopped) {
        sleep_on(word);
        swap_acquire(&word->value, 0);
        word->on_wake(word->arg);
    }
}

static void wake_futex(void *loop)
{
    struct word *word = loop;

    if (swap_release(&word->value, 1) == 2)
        syscall(SYS_futex, &word->value, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

static void run_spin(void *loop)
{
    struct word *word = loop;

    word->is_stopped = false;
    while (!word->is_stopped) {
        while (load_acquire(&word->value) == 0)
            ;
        store_relaxed(&word->value, 0); /* who calls waits for us: no race */
        word->on_wake(word->arg);
    }
}

static void wake_spin(void *loop)
{
    store_release(&((struct word *)loop)->value, 1);
}

/* ---- epoll ---- */

enum { EVENTS = 1024 }; /* as many as libuv takes at once */

struct epoll {
    int epoll_fd, event_fd;
    bool is_stopped;
    void (*on_wake)(void *arg);
    void *arg;
    void (*on_readable)(size_t index, int fd);
    const int *fds;
    struct epoll_event event[EVENTS];
};

static void add(int epoll_fd, int fd, uint64_t data)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = data};

    if (epoll_ctl(epoll_fd, EPOLL_CTL_ADD, fd, &event) != 0)
        bench_fail("epoll_ctl");
}

static void *open_epoll(void (*on_wake)(void *), void *arg)
{
    struct epoll *epoll = loop_calloc(1, sizeof(*epoll));

    epoll->epoll_fd = epoll_create1(EPOLL_CLOEXEC);
    epoll->event_fd = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
    add(epoll->epoll_fd, epoll->event_fd, UINT64_MAX);
    epoll->on_wake = on_wake;
    epoll->arg = arg;
    return epoll;
}

static void close_epoll(void *loop)
{
    struct epoll *epoll = loop;

    close(epoll->event_fd);
    close(epoll->epoll_fd);
    free(epoll);
}

static void dispatch(struct epoll *epoll, size_t index)
{
    uint64_t count;

    if (index != UINT64_MAX)
        epoll->on_readable(index, epoll->fds[index]);
    else if (read(epoll->event_fd, &count, sizeof(count)) == sizeof(count))
        epoll->on_wake(epoll->arg);
}

static void run_epoll(void *loop)
{
    struct epoll *epoll = loop;

    epoll->is_stopped = false;
    while (!epoll->is_stopped) {
        int count = epoll_wait(epoll->epoll_fd, epoll->event, EVENTS, -1);

        for (int i = 0; i < count && !epoll->is_stopped; i++)
            dispatch(epoll, epoll->event[i].data.u64);
    }
}

static void stop_epoll(void *loop)
{
    ((struct epoll *)loop)->is_stopped = true;
}

static void wake_epoll(void *loop)
{
    uint64_t one = 1;

    if (write(((struct epoll *)loop)->event_fd, &one, sizeof(one)) !=
        sizeof(one))
        bench_fail("write to the eventfd");
}

static void *watch(void *loop, const int *fds, size_t count,
                   void (*fn)(size_t index, int fd))
{
    struct epoll *epoll = loop;

    epoll->on_readable = fn;
    epoll->fds = fds;
    for (size_t i = 0; i < count; i++)
        add(epoll->epoll_fd, fds[i], i);
    return NULL;
}

/* Closing the instance, and the descriptors, is enough. */
static void unwatch(void *watchers)
{
}

const struct loop_kind loop_futex = {.open = open_word,
                                     .close = free,
                                     .run = run_futex,
                                     .stop = stop_word,
                                     .wake = wake_futex};

const struct loop_kind loop_spin = {.open = open_word,
                                    .close = free,
                                    .run = run_spin,
                                    .stop = stop_word,
                                    .wake = wake_spin};

const struct loop_kind loop_epoll = {.open = open_epoll,
                                     .close = close_epoll,
                                     .run = run_epoll,
                                     .stop = stop_epoll,
                                     .wake = wake_epoll,
                                     .watch = watch,
                                     .unwatch = unwatch};
