/* SPDX-License-Identifier: MIT */
/*
 * timeline -- collects, sorts, and connects what belongs together.
 *
 * A post and its callback have the address of the task in common, and so have a
 * job and its submission, and the two ends of a message.  An address is used
 * again and again, so each start is connected with the next end at its address,
 * in the order of time.  A start that is followed by another one, because its
 * end was overwritten or left out, is dropped.
 *
 * Tested by  test/unit/trace/timeline.c, test/unit/trace/perfetto.c
 */
#include "trace/timeline.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"

enum { ALIGN = 64, FIRST = 1024 };

/* ---- collecting ---- */

static bool grow(struct weir__timeline *line)
{
    size_t capacity = line->capacity == 0 ? FIRST : 2 * line->capacity;
    struct weir__happening *events =
        weir__memory_alloc(capacity * sizeof(*events), ALIGN);

    if (events == NULL)
        return false;
    if (line->count > 0)
        memcpy(events, line->events, line->count * sizeof(*events));
    weir__memory_free(line->events, line->capacity * sizeof(*events));
    line->events = events;
    line->capacity = capacity;
    return true;
}

static void collect(void *arg, const weir_record *record)
{
    struct weir__timeline *line = arg;

    if (line->count == line->capacity && !grow(line))
        line->is_short = true;
    else
        line->events[line->count++] =
            (struct weir__happening){.record = *record};
}

void weir__timeline_free(struct weir__timeline *line)
{
    weir__memory_free(line->events, line->capacity * sizeof(*line->events));
    line->events = NULL;
}

/* ---- sorting ---- */

static int compare(const void *a, const void *b)
{
    const weir_record *one = &((const struct weir__happening *)a)->record;
    const weir_record *two = &((const struct weir__happening *)b)->record;

    if (one->begin_ns != two->begin_ns)
        return one->begin_ns < two->begin_ns ? -1 : 1;
    if (one->duration_ns != two->duration_ns)
        return one->duration_ns > two->duration_ns ? -1 : 1;
    return 0;
}

/* One past the last event of the thread of the event at `from`. */
static size_t end_of_thread(const struct weir__timeline *line, size_t from)
{
    size_t end = from + 1;

    while (end < line->count &&
           line->events[end].record.thread == line->events[from].record.thread)
        end++;
    return end;
}

static void sort(struct weir__timeline *line)
{
    for (size_t from = 0, end; from < line->count; from = end) {
        end = end_of_thread(line, from);
        qsort(line->events + from, end - from, sizeof(*line->events), compare);
    }
}

/* ---- flows ---- */

struct start {
    uint64_t address; /* 0: free */
    struct weir__happening *event;
};

struct flows {
    struct weir__happening **ends; /* those with an address, to be sorted */
    size_t count, capacity;
    struct start *table; /* by address */
    size_t slots;        /* a power of two, more than twice `count` */
    uint64_t last;       /* number */
};

static bool is_start(const weir_record *record)
{
    return record->type == WEIR_RECORD_POST || record->type == WEIR_RECORD_SEND;
}

static bool is_end(const weir_record *record)
{
    return record->type == WEIR_RECORD_CALLBACK ||
           record->type == WEIR_RECORD_JOB ||
           record->type == WEIR_RECORD_RECEIVE;
}

static bool has_flow(const weir_record *record)
{
    return record->value != 0 && (is_start(record) || is_end(record));
}

/* Starts first: a clock reads the same on both sides. */
static int compare_times(const void *a, const void *b)
{
    const weir_record *one = &(*(struct weir__happening *const *)a)->record;
    const weir_record *two = &(*(struct weir__happening *const *)b)->record;

    if (one->begin_ns != two->begin_ns)
        return one->begin_ns < two->begin_ns ? -1 : 1;
    return is_start(two) - is_start(one);
}

static struct start *find(const struct flows *flows, uint64_t address)
{
    size_t at = (size_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 20);

    for (;; at++) {
        struct start *start = &flows->table[at & (flows->slots - 1)];

        if (start->address == 0 || start->address == address)
            return start;
    }
}

static void connect(struct flows *flows, struct weir__happening *event)
{
    struct start *start = find(flows, event->record.value);

    if (is_start(&event->record)) {
        start->address = event->record.value;
        start->event = event;
    } else if (start->event != NULL) {
        event->flow = start->event->flow = ++flows->last;
        start->event = NULL;
    }
}

static int make_flows(struct flows *flows, const struct weir__timeline *line)
{
    flows->capacity = 1;
    for (size_t i = 0; i < line->count; i++)
        flows->capacity += has_flow(&line->events[i].record);
    for (flows->slots = 16; flows->slots <= 2 * flows->capacity;)
        flows->slots *= 2;
    flows->ends =
        weir__memory_alloc(flows->capacity * sizeof(*flows->ends), ALIGN);
    flows->table =
        weir__memory_alloc(flows->slots * sizeof(*flows->table), ALIGN);
    if (flows->ends == NULL || flows->table == NULL)
        return -ENOMEM;
    memset(flows->table, 0, flows->slots * sizeof(*flows->table));
    for (size_t i = 0; i < line->count; i++)
        if (has_flow(&line->events[i].record))
            flows->ends[flows->count++] = &line->events[i];
    return 0;
}

static int connect_all(const struct weir__timeline *line)
{
    struct flows flows = {0};
    int err = make_flows(&flows, line);

    if (err == 0) {
        qsort(flows.ends, flows.count, sizeof(*flows.ends), compare_times);
        for (size_t i = 0; i < flows.count; i++)
            connect(&flows, flows.ends[i]);
    }
    weir__memory_free(flows.ends, flows.capacity * sizeof(*flows.ends));
    weir__memory_free(flows.table, flows.slots * sizeof(*flows.table));
    return err;
}

int weir__timeline_read(struct weir__timeline *line, int64_t since_ns)
{
    int err;

    *line = (struct weir__timeline){0};
    err = weir_recorder_read(since_ns, collect, line);
    if (err == 0 && line->is_short)
        err = -ENOMEM;
    if (err == 0) {
        sort(line);
        err = connect_all(line);
    }
    if (err != 0)
        weir__timeline_free(line);
    return err;
}
