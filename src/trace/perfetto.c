/* SPDX-License-Identifier: MIT */
/*
 * perfetto -- the recorded events as a trace for Perfetto.
 *
 * A trace is a row of packets.  A packet describes a track, or is an event on
 * one: the begin or the end of a slice, an instant, or the value of a counter.
 *
 *     process
 *     +-- thread            callbacks, sleeps, jobs; posts, messages, marks
 *     |   +-- queue         a counter
 *     +-- requests          one track for each that are in flight at a time
 *
 * Names      Each thread is a sequence of packets, with its own table of names.
 *            A name is written when it first occurs, and by its number from then
 *            on.
 * Nesting    The slices of a track nest.  Clocks are not that exact: a slice
 *            that would end after the one around it ends with it.  Slices are
 *            closed with a stack; if it is full, the slice is left out.
 * Flows      Both ends of a flow have its number (timeline.c).
 *
 * Source     The numbers of the fields are those of Perfetto's trace_packet.proto
 *            and of what it includes.
 * Tested by  test/unit/trace/perfetto.c, test/api/trace.py
 */
#include <errno.h>
#include <string.h>

#include "base/file.h"
#include "base/memory.h"
#include "base/process.h"
#include "trace/proto.h"
#include "trace/timeline.h"

enum { TRACE_PACKET = 1 };
enum packet {
    TIMESTAMP = 8,
    SEQUENCE_ID = 10,
    TRACK_EVENT = 11,
    INTERNED_DATA = 12,
    SEQUENCE_FLAGS = 13,
    TRACK_DESCRIPTOR = 60,
};
enum { STATE_CLEARED = 1, NEEDS_STATE = 2 }; /* sequence flags */
enum descriptor {
    UUID = 1,
    NAME = 2,
    PROCESS = 3,
    THREAD = 4,
    PARENT_UUID = 5,
    COUNTER = 8,
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum event {
    CATEGORY_IIDS = 3,
    ANNOTATIONS = 4,
    TYPE = 9,
    NAME_IID = 10,
    TRACK_UUID = 11,
    COUNTER_VALUE = 30,
    FLOW_IDS = 47,
    TERMINATING_FLOW_IDS = 48,
    CALLSTACK = 55,
};
enum type { SLICE_BEGIN = 1, SLICE_END = 2, INSTANT = 3, COUNTED = 4 };
enum { ANNOTATION_UINT = 3, ANNOTATION_STRING = 6, ANNOTATION_NAME = 10 };
enum { INTERNED_CATEGORIES = 1, INTERNED_NAMES = 2 };
enum { INTERNED_IID = 1, INTERNED_TEXT = 2 };
enum { STACK_FRAMES = 1 };
enum { FRAME_FUNCTION = 1, FRAME_FILE = 2, FRAME_LINE = 3 };

enum { PROCESS_TRACK = 1, LANES = 1024, DEPTH = 64, TEXTS = 4096 };
enum { CHUNK = 1 << 16, LONGEST_NAME = 1024, ALIGN = 64 };

/* The track of a thread, of its queue, and of a lane of requests. */
static uint64_t thread_track(uint64_t thread)
{
    return thread << 2 | 2;
}

static uint64_t queue_track(uint64_t thread)
{
    return thread << 2 | 3;
}

static uint64_t lane_track(uint64_t lane)
{
    return (lane + 1) << 2;
}

struct writer {
    weir_trace_fn *write;
    void *arg;
    int err;
    size_t size; /* of chunk */
    uint64_t sequence;
    uint32_t last_iid;
    uint32_t depth; /* of slices that have begun */
    int64_t ends_ns[DEPTH];
    int64_t busy_ns[LANES]; /* until when a lane has a request */
    uint32_t lanes;
    uint64_t texts[TEXTS]; /* the names of this sequence, as key_of */
    uint32_t iids[TEXTS];
    struct weir__proto packet, inner, event, data, entry;
    uint8_t chunk[CHUNK];
};

/* ---- packets ---- */

static void flush(struct writer *writer)
{
    if (writer->err == 0 && writer->size > 0)
        writer->err = writer->write(writer->arg, writer->chunk, writer->size);
    writer->size = 0;
}

static void begin_packet(struct writer *writer)
{
    weir__proto_begin(&writer->packet);
    weir__proto_number(&writer->packet, SEQUENCE_ID, writer->sequence);
}

static void end_packet(struct writer *writer)
{
    uint8_t head[16], *end = head;

    if (writer->packet.is_full)
        return;
    end = weir__proto_varint(end, TRACE_PACKET << 3 | 2);
    end = weir__proto_varint(end, writer->packet.size);
    if (writer->size + sizeof(head) + writer->packet.size > CHUNK)
        flush(writer);
    memcpy(writer->chunk + writer->size, head, (size_t)(end - head));
    writer->size += (size_t)(end - head);
    memcpy(writer->chunk + writer->size, writer->packet.bytes,
           writer->packet.size);
    writer->size += writer->packet.size;
}

/* ---- tracks ---- */

static void describe_process(struct writer *writer)
{
    char name[64];

    weir__process_name(0, name, sizeof(name));
    weir__proto_begin(&writer->entry);
    weir__proto_number(&writer->entry, PROCESS_PID, weir__process_id());
    weir__proto_text(&writer->entry, PROCESS_NAME, name);
    weir__proto_begin(&writer->inner);
    weir__proto_number(&writer->inner, UUID, PROCESS_TRACK);
    weir__proto_message(&writer->inner, PROCESS, &writer->entry);
    begin_packet(writer);
    weir__proto_message(&writer->packet, TRACK_DESCRIPTOR, &writer->inner);
    end_packet(writer);
}

static void describe_thread(struct writer *writer, uint64_t thread)
{
    char name[64];

    weir__process_name(thread, name, sizeof(name));
    weir__proto_begin(&writer->entry);
    weir__proto_number(&writer->entry, THREAD_PID, weir__process_id());
    weir__proto_number(&writer->entry, THREAD_TID, thread);
    weir__proto_text(&writer->entry, THREAD_NAME, name);
    weir__proto_begin(&writer->inner);
    weir__proto_number(&writer->inner, UUID, thread_track(thread));
    weir__proto_number(&writer->inner, PARENT_UUID, PROCESS_TRACK);
    weir__proto_message(&writer->inner, THREAD, &writer->entry);
    begin_packet(writer);
    weir__proto_message(&writer->packet, TRACK_DESCRIPTOR, &writer->inner);
    end_packet(writer);
}

static void describe_queue(struct writer *writer, uint64_t thread)
{
    weir__proto_begin(&writer->inner);
    weir__proto_number(&writer->inner, UUID, queue_track(thread));
    weir__proto_number(&writer->inner, PARENT_UUID, thread_track(thread));
    weir__proto_text(&writer->inner, NAME, "queue");
    weir__proto_bytes(&writer->inner, COUNTER, "", 0);
    begin_packet(writer);
    weir__proto_message(&writer->packet, TRACK_DESCRIPTOR, &writer->inner);
    end_packet(writer);
}

static void describe_lane(struct writer *writer, uint32_t lane)
{
    weir__proto_begin(&writer->inner);
    weir__proto_number(&writer->inner, UUID, lane_track(lane));
    weir__proto_number(&writer->inner, PARENT_UUID, PROCESS_TRACK);
    weir__proto_text(&writer->inner, NAME, "requests");
    begin_packet(writer);
    weir__proto_message(&writer->packet, TRACK_DESCRIPTOR, &writer->inner);
    end_packet(writer);
}

/* ---- names ---- */

static void add_name(struct writer *writer, uint32_t field, uint32_t iid,
                     const char *text)
{
    weir__proto_begin(&writer->entry);
    weir__proto_number(&writer->entry, INTERNED_IID, iid);
    weir__proto_bytes(&writer->entry, INTERNED_TEXT, text,
                      strnlen(text, LONGEST_NAME));
    weir__proto_message(&writer->data, field, &writer->entry);
}

/* Names and categories have numbers of their own. */
static uint64_t key_of(uint32_t field, const char *text)
{
    return (uint64_t)(uintptr_t)text << 1 | (field == INTERNED_CATEGORIES);
}

/* The number of a name or a category in this sequence.  Texts that differ in
 * their address have different numbers, which is allowed. */
static uint32_t iid_of(struct writer *writer, uint32_t field, const char *text)
{
    uint64_t key = key_of(field, text);
    size_t at = (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> 40);
    uint32_t probes = 0;

    for (; writer->texts[at % TEXTS] != 0 && probes < 16; at++, probes++)
        if (writer->texts[at % TEXTS] == key)
            return writer->iids[at % TEXTS];
    /* If there is no room, the name is written again. */
    writer->texts[at % TEXTS] = key;
    writer->iids[at % TEXTS] = ++writer->last_iid;
    add_name(writer, field, writer->last_iid, text);
    return writer->last_iid;
}

/* ---- events ---- */

static void begin_event(struct writer *writer, enum type type, uint64_t track)
{
    weir__proto_begin(&writer->data);
    weir__proto_begin(&writer->event);
    weir__proto_number(&writer->event, TYPE, type);
    weir__proto_number(&writer->event, TRACK_UUID, track);
}

static void end_event(struct writer *writer, int64_t time_ns)
{
    begin_packet(writer);
    weir__proto_number(&writer->packet, TIMESTAMP, (uint64_t)time_ns);
    weir__proto_message(&writer->packet, TRACK_EVENT, &writer->event);
    if (writer->data.size > 0)
        weir__proto_message(&writer->packet, INTERNED_DATA, &writer->data);
    weir__proto_number(&writer->packet, SEQUENCE_FLAGS, NEEDS_STATE);
    end_packet(writer);
}

static void annotate(struct writer *writer, const char *name, uint64_t value)
{
    weir__proto_begin(&writer->entry);
    weir__proto_number(&writer->entry, ANNOTATION_UINT, value);
    weir__proto_text(&writer->entry, ANNOTATION_NAME, name);
    weir__proto_message(&writer->event, ANNOTATIONS, &writer->entry);
}

static void annotate_text(struct writer *writer, const char *name,
                          const char *text)
{
    weir__proto_begin(&writer->entry);
    weir__proto_text(&writer->entry, ANNOTATION_STRING, text);
    weir__proto_text(&writer->entry, ANNOTATION_NAME, name);
    weir__proto_message(&writer->event, ANNOTATIONS, &writer->entry);
}

/* What an event is called if it has no name. */
static const char *title_of(const weir_record *record)
{
    static const char *const titles[] = {
        [WEIR_RECORD_THREAD] = "thread",   [WEIR_RECORD_CROWD] = "callbacks",
        [WEIR_RECORD_SLEEP] = "sleep",     [WEIR_RECORD_STEAL] = "steal",
        [WEIR_RECORD_POST] = "post",       [WEIR_RECORD_TURN] = "turn",
        [WEIR_RECORD_SETTLE] = "settle",   [WEIR_RECORD_SEND] = "send",
        [WEIR_RECORD_RECEIVE] = "receive", [WEIR_RECORD_REQUEST] = "request",
        [WEIR_RECORD_STACK] = "stack",     [WEIR_RECORD_BLOCK] = "blocked",
        [WEIR_RECORD_DRAIN] = "drain",     [WEIR_RECORD_MARK] = "mark",
    };
    size_t type = record->type;

    if (record->name != NULL && record->type != WEIR_RECORD_STACK)
        return record->name;
    if (type < sizeof(titles) / sizeof(*titles) && titles[type] != NULL)
        return titles[type];
    return weir_kind_name(record->kind);
}

static const char *category_of(const weir_record *record)
{
    switch (record->type) {
    case WEIR_RECORD_CALLBACK:
    case WEIR_RECORD_JOB:
        return weir_kind_name(record->kind);
    case WEIR_RECORD_REQUEST:
        return "request";
    case WEIR_RECORD_BLOCK:
        return "block";
    case WEIR_RECORD_DRAIN:
        return "drain";
    case WEIR_RECORD_MARK:
        return "mark";
    default:
        return "weir";
    }
}

static void name_event(struct writer *writer, const weir_record *record)
{
    weir__proto_number(
        &writer->event, CATEGORY_IIDS,
        iid_of(writer, INTERNED_CATEGORIES, category_of(record)));
    weir__proto_number(&writer->event, NAME_IID,
                       iid_of(writer, INTERNED_NAMES, title_of(record)));
}

/* A line "    at f (file:line:column)", or "    at file:line:column". */
static void add_frame(struct writer *writer, const char *line, size_t length)
{
    const char *place = memchr(line, '(', length), *end = line + length;
    const char *name = line, *colon, *number;

    if (place != NULL && end[-1] == ')')
        place++, end--;
    else
        place = line;
    weir__proto_begin(&writer->data); /* of a frame; no name is added here */
    if (place > name + 2)
        weir__proto_bytes(&writer->data, FRAME_FUNCTION, name,
                          (size_t)(place - name) - 2);
    colon = end;
    while (colon > place && colon[-1] != ':') /* the column */
        colon--;
    number = colon > place ? colon - 1 : place;
    while (number > place && number[-1] != ':')
        number--;
    if (number > place + 1) {
        uint64_t value = 0;

        for (const char *at = number; *at >= '0' && *at <= '9'; at++)
            value = 10 * value + (uint64_t)(*at - '0');
        weir__proto_bytes(&writer->data, FRAME_FILE, place,
                          (size_t)(number - 1 - place));
        weir__proto_number(&writer->data, FRAME_LINE, value);
    } else {
        weir__proto_bytes(&writer->data, FRAME_FILE, place,
                          (size_t)(end - place));
    }
    weir__proto_message(&writer->entry, STACK_FRAMES, &writer->data);
}

/* The frames of a text, the outermost first. */
static void add_stack(struct writer *writer, const char *text)
{
    static const char prefix[] = "    at ";
    size_t end = strlen(text);

    weir__proto_begin(&writer->entry);
    while (end > 0) {
        size_t begin = end;

        if (text[end - 1] == '\n') {
            end--;
            continue;
        }
        while (begin > 0 && text[begin - 1] != '\n')
            begin--;
        if (end - begin > sizeof(prefix) - 1 &&
            strncmp(text + begin, prefix, sizeof(prefix) - 1) == 0)
            add_frame(writer, text + begin + sizeof(prefix) - 1,
                      end - begin - (sizeof(prefix) - 1));
        end = begin;
    }
    weir__proto_message(&writer->event, CALLSTACK, &writer->entry);
    annotate_text(writer, "stack", text);
    weir__proto_begin(&writer->data);
}

static void describe(struct writer *writer, const weir_record *record)
{
    if (record->type == WEIR_RECORD_STACK && record->name != NULL)
        add_stack(writer, record->name);
    name_event(writer, record);
    if (record->type == WEIR_RECORD_CROWD || record->type == WEIR_RECORD_STEAL)
        annotate(writer, "count", record->value);
    if (record->type == WEIR_RECORD_MARK || record->type == WEIR_RECORD_DRAIN)
        annotate(writer, "value", record->value);
    if (record->type == WEIR_RECORD_CALLBACK && record->count > 0)
        annotate(writer, "microtasks", record->count);
    if (record->type == WEIR_RECORD_SLEEP)
        annotate(writer, "woken", record->count);
    if (record->type == WEIR_RECORD_REQUEST)
        annotate(writer, "status", record->count);
}

static void add_flow(struct writer *writer, const struct weir__happening *event)
{
    bool is_start = event->record.type == WEIR_RECORD_POST ||
                    event->record.type == WEIR_RECORD_SEND;

    if (event->flow != 0)
        weir__proto_fixed64(&writer->event,
                            is_start ? FLOW_IDS : TERMINATING_FLOW_IDS,
                            event->flow);
}

static int64_t end_of(const weir_record *record)
{
    return record->begin_ns + record->duration_ns;
}

/* ---- slices ---- */

static void end_slices(struct writer *writer, uint64_t track, int64_t until_ns)
{
    while (writer->depth > 0 &&
           writer->ends_ns[writer->depth - 1] <= until_ns) {
        begin_event(writer, SLICE_END, track);
        end_event(writer, writer->ends_ns[--writer->depth]);
    }
}

static void begin_slice(struct writer *writer, uint64_t track,
                        const struct weir__happening *event)
{
    int64_t end_ns = end_of(&event->record);

    if (writer->depth == DEPTH)
        return;
    if (writer->depth > 0 && writer->ends_ns[writer->depth - 1] < end_ns)
        end_ns = writer->ends_ns[writer->depth - 1];
    writer->ends_ns[writer->depth++] = end_ns;
    begin_event(writer, SLICE_BEGIN, track);
    add_flow(writer, event);
    describe(writer, &event->record);
    end_event(writer, event->record.begin_ns);
}

static void write_instant(struct writer *writer, uint64_t track,
                          const struct weir__happening *event)
{
    begin_event(writer, INSTANT, track);
    add_flow(writer, event);
    describe(writer, &event->record);
    end_event(writer, event->record.begin_ns);
}

static void write_depth(struct writer *writer, uint64_t thread, int64_t time_ns,
                        uint64_t value)
{
    begin_event(writer, COUNTED, queue_track(thread));
    weir__proto_number(&writer->event, COUNTER_VALUE, value);
    end_event(writer, time_ns);
}

static bool is_slice(const weir_record *record)
{
    return record->type == WEIR_RECORD_CALLBACK ||
           record->type == WEIR_RECORD_CROWD ||
           record->type == WEIR_RECORD_SLEEP ||
           record->type == WEIR_RECORD_JOB || record->type == WEIR_RECORD_TURN;
}

/* ---- threads ---- */

static void begin_sequence(struct writer *writer)
{
    writer->sequence++;
    writer->last_iid = 0;
    writer->depth = 0;
    memset(writer->texts, 0, sizeof(writer->texts));
    begin_packet(writer);
    weir__proto_number(&writer->packet, SEQUENCE_FLAGS, STATE_CLEARED);
    end_packet(writer);
}

/* Returns one past the last event of the thread. */
static size_t write_thread(struct writer *writer,
                           const struct weir__timeline *line, size_t from)
{
    uint64_t thread = line->events[from].record.thread;
    uint64_t track = thread_track(thread);
    bool has_queue = false;
    uint64_t depth = 0;
    size_t at = from;

    begin_sequence(writer);
    describe_thread(writer, thread);
    for (; at < line->count && line->events[at].record.thread == thread; at++) {
        const struct weir__happening *event = &line->events[at];
        const weir_record *record = &event->record;

        if (record->type == WEIR_RECORD_REQUEST)
            continue;
        end_slices(writer, track, record->begin_ns);
        if (record->type == WEIR_RECORD_DEPTH) {
            if (!has_queue)
                describe_queue(writer, thread);
            has_queue = true;
            depth = record->value;
            write_depth(writer, thread, record->begin_ns, depth);
        } else if (is_slice(record)) {
            if (record->type == WEIR_RECORD_SLEEP && depth != 0) {
                depth = 0;
                write_depth(writer, thread, record->begin_ns, depth);
            }
            begin_slice(writer, track, event);
        } else {
            write_instant(writer, track, event);
        }
    }
    end_slices(writer, track, INT64_MAX);
    return at;
}

/* ---- requests ---- */

static uint32_t lane_of(struct writer *writer, const weir_record *record)
{
    uint32_t lane = 0;

    while (lane < writer->lanes && writer->busy_ns[lane] > record->begin_ns)
        lane++;
    if (lane == LANES)
        return LANES;
    if (lane == writer->lanes) {
        writer->lanes++;
        describe_lane(writer, lane);
    }
    writer->busy_ns[lane] = end_of(record);
    return lane;
}

static void write_requests(struct writer *writer,
                           const struct weir__timeline *line)
{
    begin_sequence(writer);
    for (size_t i = 0; i < line->count; i++) {
        const struct weir__happening *event = &line->events[i];
        uint32_t lane;

        if (event->record.type != WEIR_RECORD_REQUEST)
            continue;
        lane = lane_of(writer, &event->record);
        if (lane == LANES)
            continue;
        begin_event(writer, SLICE_BEGIN, lane_track(lane));
        describe(writer, &event->record);
        end_event(writer, event->record.begin_ns);
        begin_event(writer, SLICE_END, lane_track(lane));
        end_event(writer, end_of(&event->record));
    }
}

/* ---- all of it ---- */

static int write_line(struct writer *writer, const struct weir__timeline *line)
{
    describe_process(writer);
    for (size_t at = 0; at < line->count && writer->err == 0;)
        at = write_thread(writer, line, at);
    write_requests(writer, line);
    flush(writer);
    return writer->err;
}

int weir_recorder_write(int64_t since_ns, weir_trace_fn *write, void *arg)
{
    struct weir__timeline line;
    struct writer *writer;
    int err;

    if (write == NULL)
        return -EINVAL;
    err = weir__timeline_read(&line, since_ns);
    if (err != 0)
        return err;
    writer = weir__memory_alloc(sizeof(*writer), ALIGN);
    if (writer == NULL) {
        err = -ENOMEM;
    } else {
        memset(writer, 0, sizeof(*writer));
        writer->write = write;
        writer->arg = arg;
        writer->sequence = 1;
        err = write_line(writer, &line);
        weir__memory_free(writer, sizeof(*writer));
    }
    weir__timeline_free(&line);
    return err;
}

static int write_file(void *arg, const void *bytes, size_t size)
{
    return weir__file_write(*(const int *)arg, bytes, size);
}

int weir_recorder_save(const char *path, int64_t since_ns)
{
    int file, err;

    if (path == NULL)
        return -EINVAL;
    file = weir__file_create(path);
    if (file < 0)
        return file;
    err = weir_recorder_write(since_ns, write_file, &file);
    err = weir__file_close(file, err);
    if (err != 0)
        weir__file_remove(path);
    return err;
}
