/* SPDX-License-Identifier: MIT */
/*
 * os/poll -- poller.h on poll(2) alone.
 *
 * Shape     A table of registrations, sorted by descriptor, and the array that
 *           the loop's thread passes to ppoll.  The array is a copy of the
 *           table; it is rebuilt when the table has changed.
 * Roles     add, modify, remove   any thread: change the table
 *           wait                  the loop's thread: copies, polls, reports
 * Progress  Blocking, by design.  Each wait takes time proportional to the
 *           number of descriptors.
 *
 * Shared state
 *   table, count, capacity, spare, version, is_asleep   under the mutex
 *   polled and the fields after it                      the loop's thread
 *   the descriptors                                     const after open
 *
 * Changes during a poll  Each change makes a new version of the table.  A
 *           change that finds the loop's thread asleep signals the interrupt
 *           descriptor, which is never reported; the loop's thread then
 *           rebuilds its copy.  If a registration is newer than the copy, the
 *           result of poll for it answers an outdated question and is dropped.
 *           As poll is level-triggered, the next poll reports it again if it
 *           still holds.
 *
 * Why no lost change  The copy is made and is_asleep is set in one critical
 *           section.  A change comes either before it and is in the copy, or
 *           after it and sees is_asleep.  The descriptor that the change then
 *           signals stays readable, even if the poll has not begun yet.
 *
 * Fairness  A batch has limited room.  The next scan begins after the last
 *           entry examined.
 *
 * Memory    add allocates room for the table and for the copy.  The loop's
 *           thread may be polling in the old copy, so the new array is left as
 *           `spare`, which the loop's thread takes over when it copies.  So
 *           wait never allocates.
 *
 * Same as epoll
 *   A file that cannot be waited for is refused; poll would report it as always
 *   ready.  A closed descriptor is removed when poll reports it.
 * Unlike epoll
 *   WEIR_FD_EDGE is not supported.  If a descriptor was closed and its number
 *   reused by another file before poll has noticed, the registration applies to
 *   that other file.
 *
 * Tested by  test/unit/base/poller.c, test/unit/base/poller_failing.c, built
 *            with -DWEIR_POLLER=poll
 */
#include "base/poller.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <stddef.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>

#include "base/check.h"
#include "base/memory.h"
#include "base/wakefd.h"

#ifndef POLLRDHUP /* Linux: the peer sends no more, but may still read */
#define POLLRDHUP 0
#endif

#ifdef WEIR_SMALL
enum { FIRST_CAPACITY = 1 };
#else
enum { FIRST_CAPACITY = 16 };
#endif

/* The first entries of `polled` are the poller's own. */
enum { WAKE, INTERRUPT, OWN };

struct registration {
    int fd;
    unsigned events;
    uint64_t token;
    uint64_t changed_at; /* the version that the last add or modify made */
    bool is_armed;       /* false: WEIR_FD_ONESHOT, and already reported */
};

struct weir__poller {
    int wake_fd, interrupt_fd; /* const after open */

    pthread_mutex_t mutex;
    struct registration *table; /* sorted by fd */
    size_t count, capacity;
    struct pollfd *spare; /* NULL, or room for OWN + capacity */
    uint64_t version;     /* of the table */
    bool is_asleep;       /* the loop's thread polls, or is about to */

    /* Loop only. */
    struct pollfd *polled;
    size_t polled_count, polled_capacity; /* without OWN */
    uint64_t polled_version;
    size_t next; /* where the next scan begins, without OWN */
};

/* POLLERR and POLLHUP are always reported. */
static short to_kernel(unsigned events)
{
    int kernel = ((events & WEIR_FD_READABLE) != 0 ? POLLIN | POLLRDHUP : 0) |
                 ((events & WEIR_FD_WRITABLE) != 0 ? POLLOUT : 0) |
                 ((events & WEIR_FD_PRIORITY) != 0 ? POLLPRI : 0);

    return (short)kernel;
}

static unsigned from_kernel(short kernel)
{
    return ((kernel & POLLIN) != 0 ? WEIR_FD_READABLE : 0) |
           ((kernel & POLLOUT) != 0 ? WEIR_FD_WRITABLE : 0) |
           ((kernel & POLLPRI) != 0 ? WEIR_FD_PRIORITY : 0) |
           ((kernel & POLLERR) != 0 ? WEIR_FD_ERROR : 0) |
           ((kernel & (POLLHUP | POLLRDHUP)) != 0 ? WEIR_FD_HANGUP : 0);
}

/* --- the table ----------------------------------------------------------- */

static size_t polled_size(size_t capacity)
{
    return (OWN + capacity) * sizeof(struct pollfd);
}

/* Enlarge the table and, as `spare`, the array for its copy. */
static int grow(struct weir__poller *poller, size_t capacity)
{
    size_t size = capacity * sizeof(struct registration);
    struct registration *table =
        weir__memory_alloc(size, _Alignof(struct registration));
    struct pollfd *spare =
        weir__memory_alloc(polled_size(capacity), _Alignof(struct pollfd));

    if (table == NULL || spare == NULL) {
        weir__memory_free(table, size);
        weir__memory_free(spare, polled_size(capacity));
        return -ENOMEM;
    }
    for (size_t i = 0; i < poller->count; i++)
        table[i] = poller->table[i];
    weir__memory_free(poller->table,
                      poller->capacity * sizeof(struct registration));
    weir__memory_free(poller->spare, polled_size(poller->capacity));
    poller->table = table;
    poller->spare = spare;
    poller->capacity = capacity;
    return 0;
}

static void free_arrays(struct weir__poller *poller)
{
    weir__memory_free(poller->table,
                      poller->capacity * sizeof(struct registration));
    weir__memory_free(poller->spare, polled_size(poller->capacity));
    weir__memory_free(poller->polled, polled_size(poller->polled_capacity));
}

/* Return the index of the descriptor, or where it would be inserted. */
static size_t place_of(const struct weir__poller *poller, int fd)
{
    size_t first = 0, end = poller->count;

    while (first < end) {
        size_t middle = first + (end - first) / 2;

        if (poller->table[middle].fd < fd)
            first = middle + 1;
        else
            end = middle;
    }
    return first;
}

static struct registration *find(const struct weir__poller *poller, int fd)
{
    size_t place = place_of(poller, fd);

    return place < poller->count && poller->table[place].fd == fd
               ? &poller->table[place]
               : NULL;
}

static int insert(struct weir__poller *poller, int fd, unsigned events,
                  uint64_t token)
{
    size_t place = place_of(poller, fd);
    int err;

    if (poller->count == poller->capacity) {
        err = grow(poller, 2 * poller->capacity);
        if (err != 0)
            return err;
    }
    memmove(&poller->table[place + 1], &poller->table[place],
            (poller->count - place) * sizeof(struct registration));
    poller->count++;
    poller->table[place] =
        (struct registration){.fd = fd,
                              .events = events,
                              .token = token,
                              .changed_at = ++poller->version,
                              .is_armed = true};
    return 0;
}

static void forget(struct weir__poller *poller, struct registration *entry)
{
    size_t place = (size_t)(entry - poller->table);

    poller->count--;
    poller->version++;
    memmove(entry, entry + 1,
            (poller->count - place) * sizeof(struct registration));
}

/* A mutex that notices a thread that has not locked it. */
static int init_mutex(pthread_mutex_t *mutex)
{
    pthread_mutexattr_t attributes;
    int err = -pthread_mutexattr_init(&attributes);

    if (err != 0)
        return err;
    pthread_mutexattr_settype(&attributes, PTHREAD_MUTEX_ERRORCHECK);
    err = -pthread_mutex_init(mutex, &attributes);
    pthread_mutexattr_destroy(&attributes);
    return err;
}

static void unlock(struct weir__poller *poller)
{
    int err = pthread_mutex_unlock(&poller->mutex);

    CHECK(err == 0, "unlocks a poller that this thread has not locked");
}

/* End a change, and make the loop's thread read the table again. */
static void unlock_and_interrupt(struct weir__poller *poller)
{
    bool was_asleep = poller->is_asleep;

    poller->is_asleep = false; /* one signal is enough */
    unlock(poller);
    if (was_asleep)
        weir__wakefd_signal(poller->interrupt_fd);
}

/* Return the error that epoll would return for the descriptor, or -ENOTSUP for
 * WEIR_FD_EDGE. */
static int judge(int fd, unsigned events)
{
    struct stat status;

    if (fstat(fd, &status) != 0)
        return -errno;
    if (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode) ||
        S_ISBLK(status.st_mode))
        return -EPERM;
    return (events & WEIR_FD_EDGE) != 0 ? -ENOTSUP : 0;
}

int weir__poller_add(struct weir__poller *poller, int fd, unsigned events,
                     uint64_t token)
{
    int err = judge(fd, events);

    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    if (err != 0)
        return err;
    pthread_mutex_lock(&poller->mutex);
    err =
        find(poller, fd) == NULL ? insert(poller, fd, events, token) : -EEXIST;
    unlock_and_interrupt(poller);
    return err;
}

int weir__poller_modify(struct weir__poller *poller, int fd, unsigned events,
                        uint64_t token)
{
    struct registration *entry;
    int err = judge(fd, events);

    DEBUG_CHECK(token != WEIR__POLLER_WAKE, "the token of the wake descriptor");
    if (err != 0)
        return err;
    pthread_mutex_lock(&poller->mutex);
    entry = find(poller, fd);
    if (entry != NULL) {
        entry->events = events;
        entry->token = token;
        entry->changed_at = ++poller->version;
        entry->is_armed = true;
    }
    unlock_and_interrupt(poller);
    return entry != NULL ? 0 : -ENOENT;
}

bool weir__poller_remove(struct weir__poller *poller, int fd)
{
    struct registration *entry;

    pthread_mutex_lock(&poller->mutex);
    entry = find(poller, fd);
    if (entry != NULL)
        forget(poller, entry);
    unlock_and_interrupt(poller);
    return true;
}

/* Nothing to do: a registration can always be removed from the table. */
int weir__poller_renew(struct weir__poller *poller,
                       bool (*next)(void *arg, struct weir__watch *watch),
                       void *arg)
{
    return 0;
}

/* --- the loop's thread --------------------------------------------------- */

int weir__poller_open(struct weir__poller **result)
{
    struct weir__poller *poller =
        weir__memory_alloc(sizeof(*poller), _Alignof(struct weir__poller));
    int err;

    if (poller == NULL)
        return -ENOMEM;
    *poller = (struct weir__poller){.version = 1};
    err = grow(poller, FIRST_CAPACITY);
    if (err != 0)
        goto no_table;
    poller->wake_fd = err = weir__wakefd_open();
    if (err < 0)
        goto no_wakefd;
    poller->interrupt_fd = err = weir__wakefd_open();
    if (err < 0)
        goto no_interrupt;
    err = init_mutex(&poller->mutex);
    if (err != 0)
        goto no_mutex;
    *result = poller;
    return 0;

no_mutex:
    weir__wakefd_close(poller->interrupt_fd);
no_interrupt:
    weir__wakefd_close(poller->wake_fd);
no_wakefd:
    free_arrays(poller);
no_table:
    weir__memory_free(poller, sizeof(*poller));
    return err;
}

void weir__poller_close(struct weir__poller *poller)
{
    pthread_mutex_destroy(&poller->mutex);
    weir__wakefd_close(poller->interrupt_fd);
    weir__wakefd_close(poller->wake_fd);
    free_arrays(poller);
    weir__memory_free(poller, sizeof(*poller));
}

/* poll ignores entries with a negative descriptor. */
static int left_out(int fd)
{
    return ~fd;
}

static void take_spare(struct weir__poller *poller)
{
    if (poller->spare == NULL)
        return;
    weir__memory_free(poller->polled, polled_size(poller->polled_capacity));
    poller->polled = poller->spare;
    poller->polled_capacity = poller->capacity;
    poller->spare = NULL;
    poller->polled[WAKE] =
        (struct pollfd){.fd = poller->wake_fd, .events = POLLIN};
    poller->polled[INTERRUPT] =
        (struct pollfd){.fd = poller->interrupt_fd, .events = POLLIN};
}

/* Return the descriptor where the next scan begins. */
static int next_fd(const struct weir__poller *poller)
{
    int fd;

    if (poller->next >= poller->polled_count)
        return 0;
    fd = poller->polled[OWN + poller->next].fd;
    return fd >= 0 ? fd : left_out(fd);
}

static void copy_table(struct weir__poller *poller)
{
    int fd = next_fd(poller);

    take_spare(poller);
    for (size_t i = 0; i < poller->count; i++) {
        const struct registration *entry = &poller->table[i];

        poller->polled[OWN + i] = (struct pollfd){
            .fd = entry->is_armed ? entry->fd : left_out(entry->fd),
            .events = to_kernel(entry->events)};
    }
    poller->polled_count = poller->count;
    poller->polled_version = poller->version;
    poller->next = place_of(poller, fd);
}

static void prepare(struct weir__poller *poller)
{
    pthread_mutex_lock(&poller->mutex);
    if (poller->polled_version != poller->version)
        copy_table(poller);
    poller->is_asleep = true;
    unlock(poller);
}

/* Make one system call.  Returns the number of ready entries, or -errno. */
static int look(struct weir__poller *poller, int64_t timeout_ns)
{
    struct timespec timeout = {.tv_sec = timeout_ns / 1000000000,
                               .tv_nsec = timeout_ns % 1000000000};
    int ready = ppoll(poller->polled, OWN + poller->polled_count,
                      timeout_ns < 0 ? NULL : &timeout, NULL);

    return ready >= 0 ? ready : -errno;
}

/* Fill an event from a ready entry.  Returns false if there is nothing to
 * report. */
static bool report(struct weir__poller *poller, struct pollfd *polled,
                   struct weir__event *event)
{
    struct registration *entry = find(poller, polled->fd);

    if (entry == NULL || entry->changed_at > poller->polled_version)
        return false;
    if ((polled->revents & POLLNVAL) != 0) {
        forget(poller, entry);
        return false;
    }
    event->token = entry->token;
    event->events = from_kernel(polled->revents);
    if ((entry->events & WEIR_FD_ONESHOT) != 0) {
        entry->is_armed = false;
        polled->fd = left_out(polled->fd);
    }
    return true;
}

/* Fill events[0 .. room - 1] from the `ready` entries in the array after the
 * poller's own.  Returns the number of events. */
static int scan(struct weir__poller *poller, struct weir__event *events,
                int room, int ready)
{
    int count = 0;

    for (size_t looked = 0;
         looked < poller->polled_count && ready > 0 && count < room; looked++) {
        struct pollfd *polled;

        if (poller->next >= poller->polled_count)
            poller->next = 0;
        polled = &poller->polled[OWN + poller->next++];
        if (polled->revents != 0) {
            ready--;
            count += report(poller, polled, &events[count]) ? 1 : 0;
        }
    }
    return count;
}

/* Turn the result of look() into events.  Returns their number. */
static int collect(struct weir__poller *poller, struct weir__event *events,
                   int ready)
{
    int count = 0;

    pthread_mutex_lock(&poller->mutex);
    poller->is_asleep = false;
    if (ready > 0 && poller->polled[INTERRUPT].revents != 0) {
        weir__wakefd_take(poller->interrupt_fd, false);
        ready--;
    }
    if (ready > 0 && poller->polled[WAKE].revents != 0) {
        events[count++] = (struct weir__event){.token = WEIR__POLLER_WAKE,
                                               .events = WEIR_FD_READABLE};
        ready--;
    }
    count += scan(poller, events + count, WEIR__POLLER_BATCH - count, ready);
    unlock(poller);
    return count;
}

int weir__poller_wait(struct weir__poller *poller, struct weir__event *events,
                      int64_t deadline_ns)
{
    for (;;) {
        int ready, count;

        prepare(poller);
        ready = look(poller, weir__poller_timeout(deadline_ns));
        count = collect(poller, events, ready);
        if (count > 0)
            return count;
        if (ready < 0 && ready != -EINTR)
            return ready;
        /* A poll that a signal interrupted says nothing: check once more. */
        if (ready >= 0 && weir__poller_timeout(deadline_ns) == 0)
            return 0;
    }
}

void weir__poller_wake(struct weir__poller *poller)
{
    weir__wakefd_signal(poller->wake_fd);
}

uint64_t weir__poller_take_wakes(struct weir__poller *poller, bool wait_for_one)
{
    return weir__wakefd_take(poller->wake_fd, wait_for_one);
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
