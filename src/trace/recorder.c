/* SPDX-License-Identifier: MIT */
/*
 * recorder -- a ring for each thread number.
 *
 * Shape     An array of rings, indexed by the thread's number.  A ring is made
 *           when a thread first joins under that number, and is never freed: the
 *           next thread with the same number continues it, with an event that
 *           names both.  thread.c orders the owners of a number.
 * Roles     start   any thread; one CAS decides
 *           enter   any thread, for itself
 *           read    any thread, any number of them
 *
 * Shared state
 *   size       events per ring, or 0: off                              P1
 *   has_everything
 *              written by start, before size; a flag
 *   origin     written by start                                        P1
 *   rings[]    written by the owner of the number                      P2
 *   owners[]   the same: the kernel's ID of the owner                  P2
 *
 * Pairs
 *   P1  start: store of size, release  -->  read: load of it, acquire
 *       Hands over `origin`.
 *   P2  enter: store of a ring, release  -->  read: load of it, acquire
 *       Hands over the empty ring, and its owner.
 *
 * Tested by  test/model/trace/recorder.c, test/unit/trace/recorder.c
 */
#include "trace/recorder.h"

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "base/memory.h"
#include "base/tsc.h"
#include "weir/host/recorder.h"
#include "weir/host/sized.h"

#ifdef WEIR_SMALL
enum { EVENTS = 4 };
#else
enum { EVENTS = 4096 };
#endif
#ifdef WEIR_MODEL
enum { THREADS = 2 };
#else
enum { THREADS = WEIR__THREAD_INDEX_LIMIT };
#endif
enum { MOST_EVENTS = 1 << 24 };

static atomic(uint32_t) is_started; /* any thread: who starts it */
static atomic(uint64_t) size;       /* any thread, P1 */
struct weir__recording weir__recording;
static struct weir__tsc_sample origin;               /* P1 */
static atomic(struct weir__buffer *) rings[THREADS]; /* any thread, P2 */
static atomic(uint64_t) owners[THREADS];             /* any thread, P2 */

int weir_recorder_start(const weir_recorder_options *given)
{
    weir_recorder_options options;
    int err = weir_sized_read(&options, sizeof(options), given);
    uint32_t no = 0;
    uint64_t events = EVENTS;

    if (err != 0)
        return err;
    if (options.events > MOST_EVENTS)
        return -EINVAL;
    /* relaxed: decides who starts it; hands over nothing */
    if (!cas_relaxed(&is_started, &no, 1))
        return -EALREADY;
    if (options.events != 0)
        for (events = 2; events < options.events;)
            events *= 2;
    plain_store(&origin, weir__tsc_sample_both());
    /* relaxed: on or off */
    store_relaxed(&weir__recording.has_everything, options.everything);
    /* recorder/P1 release: publishes origin */
    store_release(&size, events);
    return 0;
}

/* ---- threads ---- */

static void record_owner(struct weir__buffer *ring, uint32_t number)
{
    uint64_t before = load_relaxed(&owners[number]); /* relaxed: own */
    uint64_t thread = weir__thread_id();

    if (before == thread)
        return;
    store_relaxed(&owners[number], thread); /* relaxed: count */
    weir__recorder_add(ring, &(struct weir__recorded){
                                 .type = WEIR_RECORD_THREAD,
                                 .kind = WEIR_KIND_OTHER,
                                 .begin = weir__tsc_read(),
                                 .ticks = before,
                                 .value = thread,
                             });
}

static struct weir__buffer *ring_of(uint32_t number)
{
    /* relaxed: own; only the owners of the number, one after another, make
     * it */
    struct weir__buffer *ring = load_relaxed(&rings[number]);

    if (ring != NULL)
        return ring;
    ring = weir__buffer_new(load_relaxed(&size)); /* relaxed: a number, const */
    if (ring == NULL)
        return NULL;
    store_relaxed(&owners[number], weir__thread_id()); /* relaxed: P2 */
    /* recorder/P2 release: publishes the ring and its owner */
    store_release(&rings[number], ring);
    return ring;
}

__attribute__((cold)) static struct weir__buffer *enter_as(uint32_t number)
{
    struct weir__buffer *ring;

    if (number >= THREADS)
        return NULL;
    ring = ring_of(number);
    if (ring != NULL)
        record_owner(ring, number);
    return ring;
}

/* A thread keeps its number until it ends, but a destructor of its
 * thread-specific data that runs after thread.c's may get another one. */
struct weir__buffer *weir__recorder_enter(void)
{
#ifdef WEIR_MODEL
    /* relaxed: on or off */
    return load_relaxed(&size) == 0 ? NULL : enter_as(weir__thread_index());
#else
    static _Thread_local struct weir__buffer *mine;
    static _Thread_local uint32_t mine_of;
    uint32_t number;

    if (load_relaxed(&size) == 0) /* relaxed: on or off */
        return NULL;
    number = weir__thread_index();
    if (mine == NULL || mine_of != number) {
        mine = enter_as(number);
        mine_of = number;
    }
    return mine;
#endif
}

static void note(struct weir__buffer *ring, weir_record_type type,
                 const char *name, uint64_t value, uint64_t count)
{
    if (ring != NULL)
        weir__recorder_add(ring, &(struct weir__recorded){
                                     .type = type,
                                     .kind = WEIR_KIND_OTHER,
                                     .name = name,
                                     .begin = weir__tsc_read(),
                                     .value = value,
                                     .count = count,
                                 });
}

void weir__recorder_note(weir_record_type type, const char *name,
                         uint64_t value, uint64_t count)
{
    note(weir__recorder_join(), type, name, value, count);
}

void weir_recorder_mark(const char *name, uint64_t value)
{
    note(weir__recorder_enter(), WEIR_RECORD_MARK, name, value, 0);
}

uint64_t weir_recorder_begin(void)
{
    /* relaxed: on or off */
    return load_relaxed(&size) == 0 ? 0 : weir__tsc_read();
}

void weir_recorder_end(uint64_t began, const weir_record *event)
{
    struct weir__buffer *ring = weir__recorder_enter();
    uint64_t now = weir__tsc_read();

    if (ring != NULL)
        weir__recorder_add(ring, &(struct weir__recorded){
                                     .type = event->type,
                                     .kind = event->kind,
                                     .name = event->name,
                                     .begin = began != 0 ? began : now,
                                     .ticks = began != 0 ? now - began : 0,
                                     .value = event->value,
                                     .count = event->count,
                                 });
}

/* ---- reading ---- */

struct reading {
    weir_record_fn *fn;
    void *arg;
    int64_t since_ns;
    struct weir__tsc_sample origin;
    double scale; /* nanoseconds per tick */
    struct weir__event_words *events;
    size_t capacity;
};

static int64_t time_of(const struct reading *reading, uint64_t ticks)
{
    double passed = (double)(int64_t)(ticks - reading->origin.before);

    return reading->origin.real_ns + (int64_t)(reading->scale * passed);
}

static weir_record_type type_of(const struct weir__event_words *event)
{
    return (weir_record_type)(event->word[2] >> 56);
}

static void tell(const struct reading *reading, uint64_t thread,
                 const struct weir__event_words *event)
{
    bool is_thread = type_of(event) == WEIR_RECORD_THREAD;
    uint64_t ticks = is_thread ? 0 : event->word[1];
    weir_record record = {
        .type = type_of(event),
        .kind = (weir_kind)(event->word[2] >> WEIR__EVENT_BITS & 0xff),
        .thread = thread,
        .begin_ns = time_of(reading, event->word[0]),
        .duration_ns = (int64_t)(reading->scale * (double)ticks),
        .name = (const char *)(uintptr_t)(event->word[2] & WEIR__EVENT_VALUE),
        .value = event->word[3] & WEIR__EVENT_VALUE,
        .count = (uint32_t)(event->word[3] >> WEIR__EVENT_BITS),
    };

    if (record.begin_ns + record.duration_ns >= reading->since_ns)
        reading->fn(reading->arg, &record);
}

/* The thread that recorded the first of these events: the one before the first
 * change of owners, or else the present one. */
static uint64_t first_owner(const struct reading *reading, size_t count,
                            uint64_t owner)
{
    for (size_t i = 0; i < count; i++)
        if (type_of(&reading->events[i]) == WEIR_RECORD_THREAD)
            return reading->events[i].word[1];
    return owner;
}

/* Where a reader is in a ring. */
struct weir__recorder_place {
    uint64_t from;   /* the number of the next event */
    uint64_t thread; /* that recorded it; 0: not known yet */
};

static void read_ring(const struct reading *reading, uint32_t number,
                      struct weir__recorder_place *place)
{
    /* recorder/P2 acquire: receives the ring and its owner */
    const struct weir__buffer *ring = load_acquire(&rings[number]);
    uint64_t before = place->from, thread;
    size_t count;

    if (ring == NULL)
        return;
    count = weir__buffer_read(ring, &place->from, reading->events,
                              reading->capacity);
    thread = place->thread;
    /* A change of owners may be among the events that are gone. */
    if (thread == 0 || place->from - before > count)
        /* relaxed: ordered by P2, or by the ring's P2 for a later owner */
        thread = first_owner(reading, count, load_relaxed(&owners[number]));
    for (size_t i = 0; i < count; i++) {
        if (type_of(&reading->events[i]) == WEIR_RECORD_THREAD)
            thread = reading->events[i].word[3] & WEIR__EVENT_VALUE;
        tell(reading, thread, &reading->events[i]);
    }
    place->thread = count > 0 ? thread : place->thread;
}

static double scale_since(struct weir__tsc_sample from)
{
    struct weir__tsc_sample now = weir__tsc_sample_both();
    uint64_t ticks = now.before - from.before;

    return ticks == 0 ? 1
                      : (double)(now.real_ns - from.real_ns) / (double)ticks;
}

/* Read all rings from these places on, or, if there are none, what they have. */
static int read_rings(struct reading *reading,
                      struct weir__recorder_place *places)
{
    size_t bytes;

    if (reading->fn == NULL)
        return -EINVAL;
    /* recorder/P1 acquire: receives origin */
    reading->capacity = load_acquire(&size);
    if (reading->capacity == 0)
        return -ENOENT;
    bytes = reading->capacity * sizeof(*reading->events);
    reading->events = weir__memory_alloc(bytes, CACHE_LINE);
    if (reading->events == NULL)
        return -ENOMEM;
    reading->origin = plain_load(&origin);
    reading->scale = scale_since(reading->origin);
    for (uint32_t i = 0; i < THREADS; i++) {
        struct weir__recorder_place start = {0};

        read_ring(reading, i, places != NULL ? &places[i] : &start);
    }
    weir__memory_free(reading->events, bytes);
    return 0;
}

int weir_recorder_read(int64_t since_ns, weir_record_fn *fn, void *arg)
{
    struct reading reading = {.fn = fn, .arg = arg, .since_ns = since_ns};

    return read_rings(&reading, NULL);
}

/* ---- following ---- */

struct weir_recorder_cursor {
    struct weir__recorder_place places[THREADS];
};

int weir_recorder_cursor_new(weir_recorder_cursor **made)
{
    weir_recorder_cursor *cursor;

    if (made == NULL)
        return -EINVAL;
    cursor = weir__memory_alloc(sizeof(*cursor), CACHE_LINE);
    if (cursor == NULL)
        return -ENOMEM;
    memset(cursor, 0, sizeof(*cursor));
    *made = cursor;
    return 0;
}

void weir_recorder_cursor_free(weir_recorder_cursor *cursor)
{
    if (cursor != NULL)
        weir__memory_free(cursor, sizeof(*cursor));
}

int weir_recorder_follow(weir_recorder_cursor *cursor, weir_record_fn *fn,
                         void *arg)
{
    struct reading reading = {.fn = fn, .arg = arg, .since_ns = INT64_MIN};

    return cursor == NULL ? -EINVAL : read_rings(&reading, cursor->places);
}
