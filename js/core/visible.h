/* SPDX-License-Identifier: MIT */
/*
 * visible -- operations by which threads of a program affect each other, for
 * `weir explore`.
 *
 * The explorer (explore/javascript) runs one thread at a time, and decides
 * before each of these operations which thread goes on.  In every other program
 * weir__js_explorer is NULL, and nothing happens here.
 */
#ifndef WEIR_JS_VISIBLE_H
#define WEIR_JS_VISIBLE_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

struct weir__js_access {
    const char *name;    /* "Atomics.add"; NULL: not shown */
    const void *address; /* in shared memory; NULL: it is not an access */
    size_t size;
    bool reads, writes; /* neither: it notifies */
    int index;          /* of the element */
};

struct weir__js_explorer {
    /* Before an operation: another thread may run meanwhile. */
    void (*visit)(JSContext *context, const struct weir__js_access *access);
    /* An atomic access was made, since the last visit. */
    void (*access)(JSContext *context, const struct weir__js_access *access);
    /* What it is called with, before it is made; what it returned. */
    void (*say)(JSContext *context, int argc, JSValueConst *argv);
    void (*answer)(JSContext *context, JSValueConst result);
    /* The thread blocks until the element is notified; not any more. */
    void (*wait)(JSContext *context, const struct weir__js_access *access);
    void (*wait_is_over)(void);
    /* The promise of waitAsync, which settles when the element is notified. */
    void (*wait_async)(JSContext *context, const struct weir__js_access *access,
                       JSValueConst promise);
    /* The host ends. */
    void (*forget)(JSContext *context);
    /* Memory of a SharedArrayBuffer begins. */
    void (*share)(const void *data, size_t size);
    /* A number below count. */
    unsigned (*choose)(unsigned count);
    void (*reach)(const char *name);
    /* Accesses of this thread are not operations, until it is called again. */
    void (*ignore)(bool ignores);
    /* What precedes the send of an object happens before what follows its
     * receipt.  Synchronizing with an object is both. */
    void (*send)(const void *object);
    void (*receive)(const void *object);
    void (*synchronize)(const void *object);
};

/* const after the start of the program */
extern const struct weir__js_explorer *weir__js_explorer;

/* Before an operation on anything but shared memory. */
static inline void weir__js_visit(JSContext *context, const char *name)
{
    if (__builtin_expect(weir__js_explorer != NULL, 0))
        weir__js_explorer->visit(context,
                                 &(struct weir__js_access){.name = name});
}

static inline void weir__js_synchronize(const void *object)
{
    if (__builtin_expect(weir__js_explorer != NULL, 0))
        weir__js_explorer->synchronize(object);
}

/* The same, on an object that synchronizes those who use it. */
static inline void weir__js_visit_object(JSContext *context, const char *name,
                                         const void *object)
{
    weir__js_visit(context, name);
    weir__js_synchronize(object);
}

static inline void weir__js_note_send(const void *object)
{
    if (__builtin_expect(weir__js_explorer != NULL, 0))
        weir__js_explorer->send(object);
}

static inline void weir__js_note_receipt(const void *object)
{
    if (__builtin_expect(weir__js_explorer != NULL, 0))
        weir__js_explorer->receive(object);
}

#endif /* WEIR_JS_VISIBLE_H */
