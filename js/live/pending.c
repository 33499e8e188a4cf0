/* SPDX-License-Identifier: MIT */
/*
 * pending -- pending() of weir:live: the armed timers of this thread, and the
 * promises that functions of the program wait for.
 *
 * Thousands of timers or promises often belong to one line of a program.  Those
 * of a line are one row, whose function is described once.  Nothing runs in
 * JavaScript meanwhile, and no object is created until all have been visited.
 *
 * A promise remembers the turn in which it was created (core/entry.h), so nothing
 * is counted while nobody looks.
 *
 * Tested by  test/js/live/live-pending.mjs
 */
#include <stdio.h>
#include <stdlib.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "timers/timer.h"
#include "weir/clock.h"

#ifdef JS_HAS_VISIT_PROMISES

enum { SLOTS = 512, MOST_ROWS = 384, NAME_BYTES = 96, FILE_BYTES = 256 };

/* What rows are told apart by. */
struct key {
    const void *site; /* NULL: a free slot */
    int64_t delay_ns;
    bool repeats, is_ref;
};

struct row {
    struct key key;
    uint64_t count;
    int64_t first_ns; /* of timers: due; of promises: when it was created */
    bool is_awaited;
    int line, column;
    char name[NAME_BYTES], file[FILE_BYTES];
};

struct rows {
    weir_js *js;
    int64_t now_ns;
    uint64_t left_out; /* there was no row */
    size_t count;
    struct row slots[SLOTS];
    struct row *current;
};

static bool is_same(const struct key *a, const struct key *b)
{
    return a->site == b->site && a->delay_ns == b->delay_ns &&
           a->repeats == b->repeats && a->is_ref == b->is_ref;
}

/* NULL: there is no room. */
static struct row *find(struct rows *rows, const struct key *key)
{
    uint64_t hash = (((uintptr_t)key->site >> 2) ^ (uint64_t)key->delay_ns) *
                    UINT64_C(0x9e3779b97f4a7c15);

    for (size_t i = hash >> 40;; i++) {
        struct row *row = &rows->slots[i % SLOTS];

        if (row->key.site != NULL && is_same(&row->key, key))
            return row;
        if (row->key.site != NULL)
            continue;
        if (rows->count == MOST_ROWS)
            return NULL;
        rows->count++;
        row->key = *key;
        return row;
    }
}

/* Returns whether the row is new, and is to be described. */
static bool add(struct rows *rows, const struct key *key, int64_t time_ns)
{
    struct row *row = find(rows, key);

    rows->current = row;
    if (row == NULL) {
        rows->left_out++;
        return false;
    }
    if (row->count == 0 || time_ns < row->first_ns)
        row->first_ns = time_ns;
    return row->count++ == 0;
}

static bool describe(void *opaque, const JSFrame *frame)
{
    struct rows *rows = opaque;
    struct row *row = rows->current;

    snprintf(row->name, NAME_BYTES, "%s",
             frame->name != NULL ? frame->name : "");
    snprintf(row->file, FILE_BYTES, "%s",
             frame->file != NULL ? frame->file : "");
    row->line = frame->at_line;
    row->column = frame->at_column;
    return false;
}

static void add_timer(void *arg, const struct weir__js_armed *armed)
{
    struct rows *rows = arg;
    struct key key = {.site = JS_GetFunctionCode(armed->function),
                      .delay_ns = armed->delay_ns,
                      .repeats = armed->repeats,
                      .is_ref = armed->is_ref};

    if (add(rows, &key, armed->planned_ns))
        JS_VisitFunction(rows->js->context, armed->function, describe, rows);
}

static bool add_promise(void *opaque, const JSPendingPromise *pending,
                        const JSFrame *frame)
{
    struct rows *rows = opaque;
    struct key key = {.site = pending->site};
    bool is_new;

    if (frame != NULL)
        return describe(rows, frame);
    is_new = add(rows, &key,
                 rows->now_ns -
                     weir__js_promise_age_ns(pending->time, rows->now_ns));
    if (is_new)
        rows->current->is_awaited = pending->is_awaited;
    return is_new;
}

/* ---- the object ---- */

struct member {
    const char *name;
    JSValue value;
};

/* Takes the values, some of which may be exceptions. */
static JSValue make_object(JSContext *context, const struct member *members,
                           size_t count)
{
    JSValue object = JS_NewObject(context);
    bool failed = JS_IsException(object);

    for (size_t i = 0; i < count; i++) {
        if (failed || JS_IsException(members[i].value)) {
            JS_FreeValue(context, members[i].value);
            failed = true;
        } else {
            failed =
                JS_DefinePropertyValueStr(context, object, members[i].name,
                                          members[i].value, JS_PROP_C_W_E) < 0;
        }
    }
    if (!failed)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* Times are relative: until a timer is due, since a promise was created. */
static JSValue make_row(JSContext *context, const struct rows *rows,
                        const struct row *row, bool is_timer)
{
    double until_ms = (double)(row->first_ns - rows->now_ns) / 1e6;
    struct member members[] = {
        {"name", JS_NewString(context, row->name)},
        {"file", JS_NewString(context, row->file)},
        {"line", JS_NewInt32(context, row->line)},
        {"column", JS_NewInt32(context, row->column)},
        {"count", JS_NewInt64(context, (int64_t)row->count)},
        {is_timer ? "due" : "age",
         JS_NewFloat64(context, is_timer ? until_ms : -until_ms)},
        {is_timer ? "repeats" : "awaited",
         JS_NewBool(context, is_timer ? row->key.repeats : row->is_awaited)},
        {"delay", JS_NewFloat64(context, (double)row->key.delay_ns / 1e6)},
        {"hasRef", JS_NewBool(context, row->key.is_ref)},
    };

    return make_object(context, members, is_timer ? 9 : 7);
}

static JSValue make_list(JSContext *context, const struct rows *rows,
                         bool is_timer)
{
    JSValue list = JS_NewArray(context);
    uint32_t count = 0;

    for (size_t i = 0; i < SLOTS && !JS_IsException(list); i++) {
        JSValue row;

        if (rows->slots[i].key.site == NULL)
            continue;
        row = make_row(context, rows, &rows->slots[i], is_timer);
        if (!JS_IsException(row) &&
            JS_DefinePropertyValueUint32(context, list, count++, row,
                                         JS_PROP_C_W_E) >= 0)
            continue;
        JS_FreeValue(context, list);
        list = JS_EXCEPTION;
    }
    return list;
}

static JSValue list_pending(JSContext *context, bool is_timer)
{
    weir_js *js = weir__js_of(context);
    struct rows *rows = calloc(1, sizeof(*rows));
    struct member members[2];

    if (rows == NULL)
        return JS_ThrowOutOfMemory(context);
    rows->js = js;
    rows->now_ns = weir_clock_now();
    if (is_timer)
        weir__js_timers_visit(js, add_timer, rows);
    else
        JS_VisitPendingPromises(context, add_promise, rows);
    members[0] = (struct member){"rows", make_list(context, rows, is_timer)};
    members[1] = (struct member){"others",
                                 JS_NewInt64(context, (int64_t)rows->left_out)};
    free(rows);
    return make_object(context, members, 2);
}

#else

static JSValue list_pending(JSContext *context, bool is_timer)
{
    return JS_UNDEFINED;
}

#endif

enum { TIMERS, PROMISES };

/* timers(), promises() -> {rows: [{name, file, line, column, count, ...}],
 * others}; undefined: not with this engine */
static JSValue pending(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int magic)
{
    return list_pending(context, magic == TIMERS);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("timers", 0, pending, TIMERS),
    JS_CFUNC_MAGIC_DEF("promises", 0, pending, PROMISES),
};

const struct weir__js_builtin weir__js_pending_builtin = {
    WEIR__JS_LIBS("live/pending"),
    WEIR__JS_NATIVES(natives),
};
