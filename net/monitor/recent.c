/* SPDX-License-Identifier: MIT */
/*
 * recent -- see recent.h.
 *
 * Counts are kept for this minute and the one before, so that what is shown is
 * never older than two minutes, and a minute is forgotten at once.  Names are
 * compared by address: they are literals or interned.
 *
 * The recorder measures only some of the short callbacks, and a thread that is
 * very busy overwrites its ring between two looks, so these are samples: right
 * about what takes long, and about proportions.
 *
 * Tested by  test/net/monitor/monitor.c
 */
#include "monitor/recent.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "weir/host/memory.h"

static const int64_t minute_ns = 60000000000;

int weir__recent_init(struct weir__recent *recent)
{
    size_t bytes = 2 * sizeof(*recent->minutes);
    int err = weir_recorder_cursor_new(&recent->cursor);

    if (err != 0)
        return err;
    recent->minutes = weir_memory_alloc(bytes);
    if (recent->minutes == NULL) {
        weir_recorder_cursor_free(recent->cursor);
        return -ENOMEM;
    }
    memset(recent->minutes, 0, bytes);
    recent->logged = 0;
    return 0;
}

void weir__recent_fini(struct weir__recent *recent)
{
    weir_recorder_cursor_free(recent->cursor);
    weir_memory_free(recent->minutes, 2 * sizeof(*recent->minutes));
}

/* ---- callbacks ---- */

static struct weir__recent_name *find(struct weir__recent_minute *minute,
                                      const char *name, weir_kind kind)
{
    uint64_t hash =
        ((uintptr_t)name ^ (uint64_t)kind) * UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = hash >> 55;; i++) {
        struct weir__recent_name *slot =
            &minute->names[i & (WEIR__RECENT_SLOTS - 1)];

        if (slot->count == 0 || (slot->name == name && slot->kind == kind))
            return slot;
    }
}

static void add_callback(struct weir__recent_minute *minute,
                         const weir_record *record)
{
    struct weir__recent_name *slot = find(minute, record->name, record->kind);

    if (slot->count == 0) {
        if (minute->name_count == WEIR__RECENT_NAMES) {
            minute->left_out++;
            return;
        }
        minute->name_count++;
        *slot = (struct weir__recent_name){.name = record->name,
                                           .kind = record->kind};
    }
    slot->count++;
    slot->total_ns += record->duration_ns;
    if (slot->longest_ns < record->duration_ns)
        slot->longest_ns = record->duration_ns;
}

/* ---- requests, and the log ---- */

static void add_slow(struct weir__recent_minute *minute,
                     const weir_record *record)
{
    size_t at = minute->slow_count;

    while (at > 0 && minute->slow[at - 1].duration_ns < record->duration_ns)
        at--;
    if (at == WEIR__RECENT_SLOW)
        return;
    if (minute->slow_count < WEIR__RECENT_SLOW)
        minute->slow_count++;
    memmove(minute->slow + at + 1, minute->slow + at,
            (minute->slow_count - at - 1) * sizeof(*minute->slow));
    minute->slow[at] = *record;
}

static void note(void *arg, const weir_record *record)
{
    struct weir__recent *recent = arg;

    if (record->thread == recent->own_thread)
        return;
    switch (record->type) {
    case WEIR_RECORD_CALLBACK:
    case WEIR_RECORD_JOB:
        add_callback(&recent->minutes[0], record);
        break;
    case WEIR_RECORD_REQUEST:
        add_slow(&recent->minutes[0], record);
        break;
    case WEIR_RECORD_DRAIN:
    case WEIR_RECORD_MARK:
        recent->log[recent->logged++ % WEIR__RECENT_LOG] = *record;
        break;
    default:
        break;
    }
}

void weir__recent_look(struct weir__recent *recent, int64_t now_ns)
{
    struct weir__recent_minute *minutes = recent->minutes;

    if (minutes[0].begin_ns == 0 || now_ns - minutes[0].begin_ns >= minute_ns) {
        minutes[1] = minutes[0];
        memset(&minutes[0], 0, sizeof(minutes[0]));
        minutes[0].begin_ns = now_ns;
    }
    recent->own_thread = (uint64_t)gettid();
    /* Without a recorder there is nothing to show. */
    (void)!weir_recorder_follow(recent->cursor, note, recent);
}

/* ---- writing ---- */

static int compare(const void *a, const void *b)
{
    const struct weir__recent_name *one = a, *other = b;

    return one->total_ns < other->total_ns   ? 1
           : one->total_ns > other->total_ns ? -1
                                             : 0;
}

/* Both minutes, the most time first.  Returns how many. */
static size_t merge(const struct weir__recent *recent,
                    struct weir__recent_name *all)
{
    size_t count = 0;

    for (size_t i = 0; i < WEIR__RECENT_SLOTS; i++) {
        struct weir__recent_name sum = recent->minutes[0].names[i];
        const struct weir__recent_name *before;

        if (sum.count == 0)
            continue;
        before = find(&recent->minutes[1], sum.name, sum.kind);
        sum.count += before->count;
        sum.total_ns += before->total_ns;
        if (sum.longest_ns < before->longest_ns)
            sum.longest_ns = before->longest_ns;
        all[count++] = sum;
    }
    for (size_t i = 0; i < WEIR__RECENT_SLOTS; i++) {
        const struct weir__recent_name *slot = &recent->minutes[1].names[i];

        if (slot->count != 0 &&
            find(&recent->minutes[0], slot->name, slot->kind)->count == 0)
            all[count++] = *slot;
    }
    qsort(all, count, sizeof(*all), compare);
    return count;
}

static void write_callbacks(const struct weir__recent *recent,
                            struct weir__text *text)
{
    struct weir__recent_name all[2 * WEIR__RECENT_NAMES];
    size_t count = merge(recent, all);

    weir__text_add(text, "\"callbacks\":[");
    for (size_t i = 0; i < count && i < WEIR__RECENT_TOP; i++) {
        weir__text_comma(text);
        weir__text_add(text,
                       "{\"kind\":\"%s\",\"count\":%" PRIu64
                       ",\"total\":%.3f,\"longest\":%.3f,\"name\":",
                       weir_kind_name(all[i].kind), all[i].count,
                       (double)all[i].total_ns / 1e6,
                       (double)all[i].longest_ns / 1e6);
        weir__text_quote(text, all[i].name != NULL ? all[i].name : "");
        weir__text_add(text, "}");
    }
    weir__text_add(text, "]");
}

static void write_slow(const struct weir__recent *recent,
                       struct weir__text *text, int64_t now_ns)
{
    const struct weir__recent_minute *one = &recent->minutes[0],
                                     *other = &recent->minutes[1];
    size_t at = 0, from = 0;

    weir__text_add(text, ",\"slow\":[");
    while (at + from < WEIR__RECENT_SLOW &&
           (at < one->slow_count || from < other->slow_count)) {
        bool is_old = at == one->slow_count || (from < other->slow_count &&
                                                other->slow[from].duration_ns >
                                                    one->slow[at].duration_ns);
        const weir_record *record =
            is_old ? &other->slow[from++] : &one->slow[at++];

        weir__text_comma(text);
        weir__text_add(
            text,
            "{\"status\":%" PRIu32 ",\"duration\":%.3f,\"ago\":%.1f,\"name\":",
            record->count, (double)record->duration_ns / 1e6,
            (double)(now_ns - record->begin_ns - record->duration_ns) / 1e6);
        weir__text_quote(text, record->name != NULL ? record->name : "");
        weir__text_add(text, "}");
    }
    weir__text_add(text, "]");
}

static void write_log(const struct weir__recent *recent,
                      struct weir__text *text, int64_t now_ns)
{
    uint64_t first = recent->logged > WEIR__RECENT_LOG
                         ? recent->logged - WEIR__RECENT_LOG
                         : 0;

    weir__text_add(text, ",\"log\":[");
    for (uint64_t i = first; i < recent->logged; i++) {
        const weir_record *record = &recent->log[i % WEIR__RECENT_LOG];

        weir__text_comma(text);
        weir__text_add(text,
                       "{\"number\":%" PRIu64 ",\"ago\":%.1f,\"type\":\"%s\","
                       "\"value\":%" PRIu64 ",\"name\":",
                       i, (double)(now_ns - record->begin_ns) / 1e6,
                       record->type == WEIR_RECORD_DRAIN ? "drain" : "mark",
                       record->value);
        weir__text_quote(text, record->name != NULL ? record->name : "");
        weir__text_add(text, "}");
    }
    weir__text_add(text, "]");
}

void weir__recent_write(const struct weir__recent *recent,
                        struct weir__text *text, int64_t now_ns)
{
    write_callbacks(recent, text);
    write_slow(recent, text, now_ns);
    write_log(recent, text, now_ns);
}
