/* SPDX-License-Identifier: MIT */
/*
 * waits -- see waits.h.
 */
#include "waits.h"

#include <stdio.h>
#include <string.h>

#include "place.h"
#include "schedule.h"

enum { WAITS = 256 };

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
static struct wait waits[WAITS];
static unsigned wait_count;

uint64_t waits_read(const void *address, size_t size)
{
    uint64_t value = 0;

    memcpy(&value, address, size <= sizeof(value) ? size : sizeof(value));
    return value;
}

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
    wait->value = waits_read(access->address, access->size);
    wait->where[0] = '\0';
    if (exchange->is_described)
        place_find(context, wait->where);
    return wait;
}

static void drop_wait(unsigned index)
{
    JS_FreeValue(waits[index].context, waits[index].promise);
    waits[index] = waits[--wait_count];
}

void waits_add(JSContext *context, const struct weir__js_access *access)
{
    if (exchange != NULL)
        (void)new_wait(context, access);
}

void waits_end(void)
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

void waits_add_promise(JSContext *context, const struct weir__js_access *access,
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

void waits_forget(JSContext *context)
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
        uint64_t now = waits_read(wait->address, wait->size);
        char text[3 * CELL], name[sizeof(to->name[0])];

        if (to->finding == FOUND_RACE || !is_pending(wait))
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

/* The others that wait have nothing to run. */
static void describe_loops(struct exchange *to)
{
    bool is_described[THREADS] = {false};

    if (to->finding != FOUND_DEADLOCK && to->finding != FOUND_LOST_WAKE)
        return;
    for (unsigned i = 0; i < wait_count; i++)
        if (is_pending(&waits[i]))
            is_described[waits[i].thread] = true;
    for (unsigned i = 0; i < to->threads && to->blocked_count < THREADS; i++) {
        char name[sizeof(to->name[0])];

        memcpy(name, to->name[i], sizeof(name));
        if (schedule_is_waiting(i) && !is_described[i])
            snprintf(to->blocked[to->blocked_count++], sizeof(to->blocked[0]),
                     "%s waits in its event loop, for a message or an exit",
                     name);
    }
}

static void describe_blocked(struct exchange *to)
{
    describe_waits(to);
    describe_loops(to);
}

void waits_begin(struct exchange *shared)
{
    exchange = shared;
    schedule_on_deadlock(describe_blocked);
}
