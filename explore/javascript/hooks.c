/* SPDX-License-Identifier: MIT */
/*
 * hooks -- see hooks.h.
 *
 * A block of shared memory is identified by the thread that made it and by the
 * number of blocks that this thread had made before, because its address can
 * differ between two schedules.
 */
#include "hooks.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/interrupt.h"
#include "core/visible.h"
#include "place.h"
#include "race.h"
#include "schedule.h"
#include "waits.h"

enum {
    BLOCKS = 1024,
    WORDS = 4096,
    PLAIN_LINES = 8, /* plain accesses of a step that are shown */
    SPIN = 1000      /* plain accesses of a step after which others may go on */
};

/* Of the engine (js/engine/explore). */
extern void (*js_plain_access)(JSContext *context, const void *bytes,
                               size_t size, int type, bool is_write);

static struct exchange *exchange; /* NULL: not in an execution */

static struct block {
    const uint8_t *data;
    size_t size;
    uint32_t id;
} blocks[BLOCKS];
static unsigned block_count, made_by[THREADS];

/* The last step that wrote a word; that sent an object or began it.  For the
 * arrows of a page, and "(from 3)". */
static struct source {
    const void *address;
    uint16_t line;
} writers[WORDS], senders[WORDS];
static unsigned writer_count, sender_count;
static unsigned line_of[THREADS];     /* from 1; 0: the step has none */
static unsigned plain_count[THREADS]; /* plain accesses of the step */
static bool is_ignored[THREADS];
static JSContext *contexts[THREADS]; /* NULL: the thread has no host */

/* --- shared memory ------------------------------------------------------------ */

static void share(const void *data, size_t size)
{
    unsigned self = exchange != NULL ? schedule_self() : 0;

    race_forget(data, size);
    if (block_count == BLOCKS)
        return; /* its accesses depend on everything */
    blocks[block_count++] =
        (struct block){data, size, (self + 1) << 16 | ++made_by[self]};
}

static struct footprint find_print(const struct weir__js_access *access)
{
    const uint8_t *address = access->address;

    for (unsigned i = address != NULL ? block_count : 0; i-- > 0;)
        if (address >= blocks[i].data &&
            address < blocks[i].data + blocks[i].size)
            return (struct footprint){blocks[i].id,
                                      (uint32_t)(address - blocks[i].data),
                                      access->writes};
    return (struct footprint){0};
}

/* The place of a step, or NULL: nobody will read it. */
static const char *keep_place(JSContext *context)
{
    return exchange->is_described ? place_keep(context) : NULL;
}

/* --- steps ---------------------------------------------------------------------- */

/* The line of the address, 0 at first; or NULL: the table is full. */
static uint16_t *find_source(struct source *sources, unsigned *count,
                             const void *address)
{
    for (unsigned i = 0; i < *count; i++)
        if (sources[i].address == address)
            return &sources[i].line;
    if (*count == WORDS)
        return NULL;
    sources[*count] = (struct source){address, 0};
    return &sources[(*count)++].line;
}

/* The step that wrote what the access reads, or 0. */
static uint16_t find_writer(const struct weir__js_access *access)
{
    const uint16_t *writer =
        access->reads ? find_source(writers, &writer_count, access->address)
                      : NULL;

    return writer != NULL ? *writer : 0;
}

static void set_writer(const void *address, unsigned line)
{
    uint16_t *writer = find_source(writers, &writer_count, address);

    if (writer != NULL)
        *writer = (uint16_t)line;
}

/* A new line of the thread, or NULL: nobody will read it. */
static struct line *new_line(unsigned thread, JSContext *context)
{
    struct line *line;

    if (!exchange->is_described || exchange->lines == LINES)
        return NULL;
    line = &exchange->line[exchange->lines++];
    line->thread = (uint8_t)thread;
    line->from = 0;
    line->where[0] = '\0';
    if (context != NULL)
        place_find(context, line->where);
    return line;
}

static void add_line(JSContext *context, const struct weir__js_access *access)
{
    unsigned self = schedule_self();
    struct line *line = access->name != NULL ? new_line(self, context) : NULL;

    line_of[self] = 0;
    if (line == NULL)
        return;
    if (access->address != NULL &&
        weir__js_is_terminated(weir__js_of(context))) {
        snprintf(line->what, sizeof(line->what), "is terminated");
        return;
    }
    line_of[self] = exchange->lines;
    snprintf(line->what, sizeof(line->what), "%s", access->name);
    line->from = find_writer(access);
}

static void visit(JSContext *context, const struct weir__js_access *access)
{
    if (exchange == NULL)
        return;
    schedule_visit(access->reads || access->writes ? find_print(access)
                                                   : (struct footprint){0});
    plain_count[schedule_self()] = 0;
    for (const char *at = access->name; at != NULL && *at != '\0'; at++)
        schedule_digest((unsigned char)*at);
    add_line(context, access);
}

static size_t append(char *text, size_t used, size_t size, const char *what)
{
    int more = snprintf(text + used, size - used, "%s", what);

    return used + (size_t)more < size ? used + (size_t)more : size - 1;
}

/* A number, a short string; or what it is. */
static size_t append_value(JSContext *context, char *text, size_t used,
                           size_t size, JSValueConst value)
{
    const char *string;

    if (JS_IsObject(value))
        return append(text, used, size, "…");
    string = JS_ToCString(context, value);
    used = append(text, used, size, string != NULL ? string : "?");
    JS_FreeCString(context, string);
    return used;
}

/* The line of the operation that the thread makes, or NULL. */
static struct line *line_now(void)
{
    unsigned self = exchange != NULL ? schedule_self() : 0;

    return exchange != NULL && line_of[self] != 0
               ? &exchange->line[line_of[self] - 1]
               : NULL;
}

static void say(JSContext *context, int argc, JSValueConst *argv)
{
    struct line *line = line_now();
    size_t used;

    if (line == NULL)
        return;
    used = strlen(line->what);
    used = append(line->what, used, CELL, "([");
    used = append_value(context, line->what, used, CELL, argv[1]);
    used = append(line->what, used, CELL, "]");
    for (int i = 2; i < argc; i++) {
        used = append(line->what, used, CELL, ", ");
        used = append_value(context, line->what, used, CELL, argv[i]);
    }
    append(line->what, used, CELL, ")");
}

static void answer(JSContext *context, JSValueConst result)
{
    struct line *line = line_now();
    size_t used;

    if (line == NULL)
        return;
    line_of[schedule_self()] = 0; /* it is over */
    if (JS_IsObject(result))
        return;
    used = append(line->what, strlen(line->what), CELL, " = ");
    append_value(context, line->what, used, CELL, result);
}

/* --- races ----------------------------------------------------------------------- */

static int to_text(char *text, size_t size, int type, uint64_t value)
{
    float narrow;
    double wide;

    memcpy(&narrow, &value, sizeof(narrow));
    memcpy(&wide, &value, sizeof(wide));
    switch (type) {
    case JS_TYPED_ARRAY_INT8:
        return snprintf(text, size, "%d", (int8_t)value);
    case JS_TYPED_ARRAY_INT16:
        return snprintf(text, size, "%d", (int16_t)value);
    case JS_TYPED_ARRAY_INT32:
        return snprintf(text, size, "%d", (int32_t)value);
    case JS_TYPED_ARRAY_BIG_INT64:
        return snprintf(text, size, "%lldn", (long long)value);
    case JS_TYPED_ARRAY_BIG_UINT64:
        return snprintf(text, size, "%llun", (unsigned long long)value);
    case JS_TYPED_ARRAY_FLOAT16:
        return snprintf(text, size, "0x%04llx", (unsigned long long)value);
    case JS_TYPED_ARRAY_FLOAT32:
        return snprintf(text, size, "%g", (double)narrow);
    case JS_TYPED_ARRAY_FLOAT64:
        return snprintf(text, size, "%.16g", wide);
    default:
        return snprintf(text, size, "%llu", (unsigned long long)value);
    }
}

/* The access as it is printed: "[1] := 42", "[0] = 7", "bytes 8 to 31". */
static void write_access(char *text, size_t size,
                         const struct race_access *access)
{
    struct weir__js_access at = {.address = access->address};
    uint32_t offset = find_print(&at).offset;
    int used;

    if (access->type == MORE_TYPES) {
        snprintf(text, size, "bytes %u to %zu", offset,
                 offset + access->size - 1);
        return;
    }
    used = snprintf(text, size, "[%zu] %s ", offset / access->size,
                    access->writes ? ":=" : "=");
    to_text(text + used, size - (size_t)used, access->type, access->value);
}

static void fail_by_race(unsigned self, const struct race_access *access,
                         const struct race_other *other)
{
    const struct race_access *both[] = {access, &other->access};
    unsigned thread[] = {self, other->thread};
    char text[2][2 * CELL], what[CELL];

    for (int i = 0; i < 2; i++) {
        write_access(what, sizeof(what), both[i]);
        snprintf(text[i], sizeof(text[i]), "%.20s %s%s %.60s at %.60s",
                 exchange->name[thread[i]],
                 both[i]->is_atomic ? "atomically " : "",
                 both[i]->writes ? "writes" : "reads", what,
                 both[i]->where != NULL ? both[i]->where : "?");
    }
    schedule_fail(FOUND_RACE, "%s, %s, and neither is before the other",
                  text[0], text[1]);
}

/* Ends the execution if the access races with another one. */
static void look_for_race(const struct race_access *access)
{
    unsigned self = schedule_self();
    struct race_other other;

    schedule_digest(access->value);
    if (race_note(self, access, &other))
        fail_by_race(self, access, &other);
}

static void note_atomic(JSContext *context,
                        const struct weir__js_access *access)
{
    static const int types[] = {
        [1] = JS_TYPED_ARRAY_INT8,
        [2] = JS_TYPED_ARRAY_INT16,
        [4] = JS_TYPED_ARRAY_INT32,
        [8] = JS_TYPED_ARRAY_BIG_INT64,
    };

    if (exchange == NULL)
        return;
    if (access->writes && line_of[schedule_self()] != 0)
        set_writer(access->address, line_of[schedule_self()]);
    look_for_race(&(struct race_access){
        .address = access->address,
        .size = access->size,
        .reads = access->reads,
        .writes = access->writes,
        .is_atomic = true,
        .type = types[access->size],
        .value = waits_read(access->address, access->size),
        .where = keep_place(context)});
}

/* Whether the thread has just done the same, as in a loop. */
static bool is_repeated(const struct line *line)
{
    const struct line *before = line - 1;

    return line > exchange->line && before->thread == line->thread &&
           strcmp(before->what, line->what) == 0 &&
           strcmp(before->where, line->where) == 0;
}

/* The first plain accesses of a step are shown. */
static void add_plain_line(const struct race_access *access)
{
    struct weir__js_access at = {.address = access->address,
                                 .reads = !access->writes,
                                 .writes = access->writes};
    unsigned self = schedule_self();
    struct line *line;
    int used;

    if (!exchange->is_described || exchange->lines == LINES ||
        access->where == NULL || plain_count[self] >= PLAIN_LINES)
        return;
    line = &exchange->line[exchange->lines];
    line->thread = (uint8_t)self;
    used = access->type != MORE_TYPES ? 0
           : access->writes           ? snprintf(line->what, CELL, "writes ")
                                      : snprintf(line->what, CELL, "reads ");
    write_access(line->what + used, CELL - (size_t)used, access);
    snprintf(line->where, sizeof(line->where), "%s", access->where);
    if (is_repeated(line))
        return;
    exchange->lines++;
    line->from = find_writer(&at);
    if (access->writes)
        set_writer(access->address, exchange->lines);
}

/* A thread that spins on a plain element lets the others go on. */
static void note_plain(JSContext *context, const void *bytes, size_t size,
                       int type, bool is_write)
{
    unsigned self = schedule_self();
    struct race_access access = {.address = bytes,
                                 .size = size,
                                 .reads = !is_write,
                                 .writes = is_write,
                                 .type = type};

    if (exchange == NULL || is_ignored[self])
        return;
    if (plain_count[self] == SPIN) {
        plain_count[self] = 0;
        schedule_yield();
    }
    access.value = waits_read(bytes, size);
    access.where = keep_place(context);
    add_plain_line(&access);
    plain_count[self]++;
    look_for_race(&access);
}

/* What is ignored reads any element, so the order of steps matters. */
static void ignore(bool ignores)
{
    is_ignored[schedule_self()] = ignores;
    schedule_touch_all();
}

/* --- what comes from elsewhere -------------------------------------------------- */

static void set_sender(const void *object, unsigned line)
{
    uint16_t *sender = find_source(senders, &sender_count, object);

    if (sender != NULL)
        *sender = (uint16_t)line;
}

/* The step that sent the object, or 0; it comes once. */
static uint16_t take_sender(const void *object)
{
    uint16_t *sender = exchange->is_described
                           ? find_source(senders, &sender_count, object)
                           : NULL;
    uint16_t line = sender != NULL ? *sender : 0;

    if (sender != NULL)
        *sender = 0;
    return line;
}

static void send(const void *object)
{
    unsigned self = exchange != NULL ? schedule_self() : 0;

    if (exchange == NULL)
        return;
    race_send(self, object);
    if (line_of[self] != 0)
        set_sender(object, line_of[self]);
}

/* Says what has come, if it was sent by a step that was shown. */
static void add_receipt(unsigned self, uint16_t from)
{
    const char *what = from != 0 ? exchange->line[from - 1].what : "";
    bool is_message = strncmp(what, "postMessage", 11) == 0;
    struct line *line = is_message || strncmp(what, "Atomics.notify", 14) == 0
                            ? new_line(self, contexts[self])
                            : NULL;

    if (line == NULL)
        return;
    snprintf(line->what, CELL, "%s",
             is_message ? "receives the message" : "is notified");
    line->from = from;
}

static void receive(const void *object)
{
    if (exchange == NULL)
        return;
    race_receive(schedule_self(), object);
    add_receipt(schedule_self(), take_sender(object));
}

/* Time has come to the timer that the thread waits for. */
static void note_time(unsigned thread, int64_t since_begin_ns)
{
    struct line *line =
        contexts[thread] != NULL ? new_line(thread, NULL) : NULL;

    if (line != NULL)
        snprintf(line->what, CELL, "time passes, to %lld ms",
                 (long long)(since_begin_ns / 1000000));
}

void hooks_note_work(const void *work, const char *name)
{
    unsigned self = schedule_self();
    struct line *line = new_line(self, contexts[self]);

    if (line == NULL)
        return;
    snprintf(line->what, CELL, "%s begins", name);
    set_sender(work, exchange->lines);
}

void hooks_note_result(const void *work, const char *name)
{
    uint16_t from = take_sender(work);
    struct line *line = from != 0 ? new_line(schedule_self(), NULL) : NULL;

    if (line == NULL)
        return;
    snprintf(line->what, CELL, "%s is done", name);
    line->from = from;
}

static void synchronize(const void *object)
{
    if (exchange != NULL)
        race_synchronize(schedule_self(), object);
}

/* --- what differs ------------------------------------------------------------------ */

void hooks_set_host(weir_js *js)
{
    contexts[schedule_self()] = js->context;
}

void hooks_note_source(const char *format, ...)
{
    char what[2 * CELL], place[CELL] = "", line[3 * CELL + 8];
    va_list list;
    size_t used = strlen(exchange->sources);

    va_start(list, format);
    vsnprintf(what, sizeof(what), format, list);
    va_end(list);
    if (contexts[schedule_self()] != NULL)
        place_find(contexts[schedule_self()], place);
    snprintf(line, sizeof(line), "%s%s%s\n", what, place[0] != '\0' ? "  " : "",
             place);
    if (strstr(exchange->sources, line) == NULL &&
        used + strlen(line) < sizeof(exchange->sources))
        strcpy(exchange->sources + used, line);
}

/* --- weir:explore ------------------------------------------------------------------ */

static unsigned choose(unsigned count)
{
    return exchange != NULL ? schedule_choose(count) : 0;
}

static void reach(const char *name)
{
    size_t used;

    if (exchange == NULL)
        return;
    used = strlen(exchange->reached);
    snprintf(exchange->reached + used, sizeof(exchange->reached) - used, "%s%s",
             used > 0 ? "\n" : "", name);
}

static const struct weir__js_explorer hooks = {
    .visit = visit,
    .access = note_atomic,
    .say = say,
    .answer = answer,
    .wait = waits_add,
    .wait_is_over = waits_end,
    .wait_async = waits_add_promise,
    .forget = waits_forget,
    .share = share,
    .choose = choose,
    .reach = reach,
    .ignore = ignore,
    .send = send,
    .receive = receive,
    .synchronize = synchronize,
};

void hooks_install(void)
{
    weir__js_explorer = &hooks;
}

void hooks_begin(struct exchange *shared)
{
    exchange = shared;
    js_plain_access = note_plain;
    waits_begin(exchange);
    schedule_on_time(note_time);
}
