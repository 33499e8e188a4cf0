/* SPDX-License-Identifier: MIT */
/*
 * hooks -- see hooks.h.
 *
 * A block of shared memory is known by the thread that made it, and by how many
 * that thread had made before: its address can differ between two schedules.
 */
#include "hooks.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/visible.h"
#include "schedule.h"

enum { BLOCKS = 1024, WAITS = 256, WORDS = 4096 };

/* Something that waits for an element to be notified. */
struct wait {
    unsigned thread;
    JSContext *context;
    JSValue promise; /* undefined: Atomics.wait */
    const uint8_t *address;
    size_t size;
    int index;
    uint64_t value;
    char where[CELL];
};

static struct exchange *exchange; /* NULL: not in an execution */

static struct block {
    const uint8_t *data;
    size_t size;
    uint32_t id;
} blocks[BLOCKS];
static unsigned block_count, made_by[THREADS];

static struct wait waits[WAITS];
static unsigned wait_count;

/* The last step that wrote a word, for the arrows of a page. */
static struct writer {
    const void *address;
    uint16_t line;
} writers[WORDS];
static unsigned writer_count;
static unsigned line_of[THREADS]; /* from 1; 0: the step has none */

/* --- shared memory ------------------------------------------------------------ */

static void share(const void *data, size_t size)
{
    unsigned self = exchange != NULL ? schedule_self() : 0;

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

static uint64_t read_element(const void *address, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, address, size <= sizeof(value) ? size : sizeof(value));
    return value;
}

/* --- the place in the program --------------------------------------------------- */

/* Copies "app.js:12" out of "    at f (/path/app.js:12:3)". */
static bool copy_place(char *to, const char *frame, size_t length)
{
    const char *end = frame + length, *name;

    if (length > 0 && end[-1] == ')')
        end--;
    while (end > frame && end[-1] != ':') /* the column */
        end--;
    for (name = end; name > frame && name[-1] != '/' && name[-1] != '(';)
        name--;
    if (end - name < 4 || memchr(name, '.', (size_t)(end - name)) == NULL)
        return false; /* of the host, or of the engine */
    snprintf(to, CELL, "%.*s", (int)(end - name - 1), name);
    return true;
}

static void find_place(JSContext *context, char *to)
{
    JSValue global = JS_GetGlobalObject(context);
    JSValue type = JS_GetPropertyStr(context, global, "Error");
    JSValue error = JS_CallConstructor(context, type, 0, NULL);
    JSValue stack = JS_GetPropertyStr(context, error, "stack");
    const char *text = JS_ToCString(context, stack);

    to[0] = '\0';
    for (const char *at = text; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");

        if (copy_place(to, at, length))
            break;
        at += length + (at[length] == '\n');
    }
    JS_FreeCString(context, text);
    JS_FreeValue(context, stack);
    JS_FreeValue(context, error);
    JS_FreeValue(context, type);
    JS_FreeValue(context, global);
}

/* --- steps ---------------------------------------------------------------------- */

static uint16_t *writer_of(const void *address)
{
    for (unsigned i = 0; i < writer_count; i++)
        if (writers[i].address == address)
            return &writers[i].line;
    if (writer_count == WORDS)
        return NULL;
    writers[writer_count] = (struct writer){address, 0};
    return &writers[writer_count++].line;
}

static void add_line(JSContext *context, const struct weir__js_access *access)
{
    unsigned self = schedule_self();
    uint16_t *writer;
    struct line *line;

    line_of[self] = 0;
    if (!exchange->is_described || access->name == NULL ||
        exchange->lines == LINES)
        return;
    line = &exchange->line[exchange->lines];
    line_of[self] = ++exchange->lines;
    line->thread = (uint8_t)self;
    line->from = 0;
    snprintf(line->what, sizeof(line->what), "%s", access->name);
    find_place(context, line->where);
    if (access->address == NULL)
        return;
    writer = writer_of(access->address);
    if (writer != NULL) {
        line->from = strcmp(access->name, "Atomics.store") != 0 ? *writer : 0;
        if (access->writes)
            *writer = (uint16_t)exchange->lines;
    }
}

static void visit(JSContext *context, const struct weir__js_access *access)
{
    if (exchange == NULL)
        return;
    schedule_visit(find_print(access));
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

static void say(JSContext *context, int argc, JSValueConst *argv,
                JSValueConst result)
{
    unsigned self = exchange != NULL ? schedule_self() : 0;
    struct line *line;
    size_t used;

    if (exchange == NULL || line_of[self] == 0)
        return;
    line = &exchange->line[line_of[self] - 1];
    used = strlen(line->what);
    used = append(line->what, used, CELL, "([");
    used = append_value(context, line->what, used, CELL, argv[1]);
    used = append(line->what, used, CELL, "]");
    for (int i = 2; i < argc; i++) {
        used = append(line->what, used, CELL, ", ");
        used = append_value(context, line->what, used, CELL, argv[i]);
    }
    used = append(line->what, used, CELL, ")");
    if (!JS_IsObject(result)) {
        used = append(line->what, used, CELL, " = ");
        append_value(context, line->what, used, CELL, result);
    }
}

/* --- waiting --------------------------------------------------------------------- */

/* Settled promises are forgotten when there is no more place. */
static struct wait *new_wait(JSContext *context,
                             const struct weir__js_access *access)
{
    struct wait *wait;

    if (wait_count == WAITS)
        return NULL;
    wait = &waits[wait_count++];
    wait->thread = schedule_self();
    wait->context = context;
    wait->promise = JS_UNDEFINED;
    wait->address = access->address;
    wait->size = access->size;
    wait->index = access->index;
    wait->value = read_element(access->address, access->size);
    wait->where[0] = '\0';
    if (exchange->is_described)
        find_place(context, wait->where);
    return wait;
}

static void drop_wait(unsigned index)
{
    JS_FreeValue(waits[index].context, waits[index].promise);
    waits[index] = waits[--wait_count];
}

static void wait_for(JSContext *context, const struct weir__js_access *access)
{
    if (exchange != NULL)
        (void)new_wait(context, access);
}

static void wait_is_over(void)
{
    if (exchange == NULL)
        return;
    for (unsigned i = wait_count; i-- > 0;)
        if (waits[i].thread == schedule_self() &&
            JS_IsUndefined(waits[i].promise)) {
            drop_wait(i);
            return;
        }
}

static void wait_async(JSContext *context, const struct weir__js_access *access,
                       JSValueConst promise)
{
    struct wait *wait;

    if (exchange == NULL)
        return;
    for (unsigned i = wait_count; i-- > 0;)
        if (waits[i].context == context && JS_IsObject(waits[i].promise) &&
            JS_PromiseState(context, waits[i].promise) != JS_PROMISE_PENDING)
            drop_wait(i);
    wait = new_wait(context, access);
    if (wait != NULL)
        wait->promise = JS_DupValue(context, promise);
}

static void forget(JSContext *context)
{
    for (unsigned i = wait_count; i-- > 0;)
        if (waits[i].context == context)
            drop_wait(i);
}

static long long to_number(uint64_t value, size_t size)
{
    return size == 4 ? (int32_t)value : (long long)value;
}

static bool is_pending(const struct wait *wait)
{
    return JS_IsUndefined(wait->promise) ||
           JS_PromiseState(wait->context, wait->promise) == JS_PROMISE_PENDING;
}

/* Who waits for what, and whether it has changed since. */
static void describe_wait(char *text, size_t size, const struct wait *wait,
                          uint64_t now)
{
    char name[sizeof(exchange->name[0])], change[64] = "";
    bool is_async = JS_IsObject(wait->promise);

    memcpy(name, exchange->name[wait->thread], sizeof(name));
    if (now != wait->value)
        snprintf(change, sizeof(change), ", and it is %lld now",
                 to_number(now, wait->size));
    snprintf(text, size, "%s %s: %s([%d]) since it was %lld  %s%s", name,
             is_async ? "waits" : "is blocked",
             is_async ? "Atomics.waitAsync" : "Atomics.wait", wait->index,
             to_number(wait->value, wait->size), wait->where, change);
}

/* A thread waits for an element that has changed: its notification was lost. */
static void describe_waits(struct exchange *to)
{
    for (unsigned i = 0; i < wait_count && to->blocked_count < THREADS; i++) {
        const struct wait *wait = &waits[i];
        uint64_t now = read_element(wait->address, wait->size);
        char text[3 * CELL], name[sizeof(to->name[0])];

        if (!is_pending(wait))
            continue;
        describe_wait(text, sizeof(text), wait, now);
        memcpy(to->blocked[to->blocked_count++], text, sizeof(text));
        if (now == wait->value || to->finding != FOUND_DEADLOCK)
            continue;
        to->finding = FOUND_LOST_WAKE;
        memcpy(name, to->name[wait->thread], sizeof(name));
        snprintf(to->text, sizeof(to->text),
                 "%s waits for a notification that does not come, though the "
                 "element has changed",
                 name);
    }
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
    .say = say,
    .wait = wait_for,
    .wait_is_over = wait_is_over,
    .wait_async = wait_async,
    .forget = forget,
    .share = share,
    .choose = choose,
    .reach = reach,
};

void hooks_install(void)
{
    weir__js_explorer = &hooks;
}

void hooks_begin(struct exchange *shared)
{
    exchange = shared;
    schedule_on_deadlock(describe_waits);
}
