/* SPDX-License-Identifier: MIT */
/*
 * body -- the body of a Request or a Response, as the Fetch standard's mixin.
 *
 * A body stays what it was made of, a string, bytes or a source, until a
 * program asks for its stream.
 */
#ifndef WEIR_JS_BODY_H
#define WEIR_JS_BODY_H

#include "http/source.h"

enum weir__js_body_kind {
    WEIR__JS_BODY_NONE,
    WEIR__JS_BODY_TEXT,   /* a string */
    WEIR__JS_BODY_BYTES,  /* a Uint8Array that nobody else has */
    WEIR__JS_BODY_STREAM, /* a ReadableStream */
    WEIR__JS_BODY_SOURCE,
};

/* The first member of what is behind a Request or a Response. */
struct weir__js_body {
    enum weir__js_body_kind kind;
    bool is_used;
    JSValue value; /* string, bytes or stream */
    struct weir__js_source *source;
};

static inline void weir__js_body_init(struct weir__js_body *body)
{
    *body = (struct weir__js_body){.value = JS_UNDEFINED};
}

/* Set the body of a constructor's argument, which is not null or undefined.
 * *type is the value of Content-Type that goes with it, or undefined.  Returns
 * 0, or -1 with an exception. */
int weir__js_body_set(JSContext *context, struct weir__js_body *body,
                      JSValueConst given, JSValue *type);

void weir__js_body_fini(JSRuntime *runtime, struct weir__js_body *body);

static inline void weir__js_body_mark(JSRuntime *runtime,
                                      struct weir__js_body *body,
                                      JS_MarkFunc *fn)
{
    JS_MarkValue(runtime, body->value, fn);
}

/* Whether the body was read, or is being read.  -1 with an exception. */
int weir__js_body_is_used(JSContext *context, const struct weir__js_body *body);

/* Define the members of the mixin on a prototype. */
int weir__js_body_add(JSContext *context, JSValueConst proto);

/* The body of a Request or a Response, or NULL. */
struct weir__js_body *weir__js_body_of(JSContext *context, JSValueConst value);

/* The UTF-8 of a string, in which U+FFFD replaces each lone surrogate. */
struct weir__js_text {
    const char *data;
    size_t size;
    const char *string; /* the engine's */
    char *copy;         /* NULL: data is the string */
};

/* Returns 0, or -1 with an exception; then there is nothing to free. */
int weir__js_text_read(JSContext *context, JSValueConst string,
                       struct weir__js_text *text);
void weir__js_text_free(JSContext *context, struct weir__js_text *text);

/* The functions of js/lib/http/body.js that C calls. */
enum {
    WEIR__JS_BODY_EXTRACT,   /* (value) -> [kind, value, type] */
    WEIR__JS_BODY_CONSUME,   /* (stream, form) -> promise */
    WEIR__JS_BODY_MAKE,      /* (message, value, isUsed) -> stream */
    WEIR__JS_BODY_DISTURBED, /* (stream) -> boolean */
    WEIR__JS_BODY_SEND,      /* (exchange, stream) */
    WEIR__JS_BODY_LOCKED,    /* (stream) -> boolean */
    WEIR__JS_BODY_DISCARD,   /* (stream, hasLeft) */
    WEIR__JS_BODY_HOOKS
};

/* Call one of them. */
JSValue weir__js_body_call(JSContext *context, int hook, int argc,
                           JSValueConst *argv);

#endif /* WEIR_JS_BODY_H */
