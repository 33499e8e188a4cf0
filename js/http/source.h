/* SPDX-License-Identifier: MIT */
/*
 * source -- the body of a message that arrives from the network.
 *
 * The body of a request that a server has received, and that of a response
 * which fetch() has received, are sources.  JavaScript reads a source once: the
 * whole of it, which settles a promise, or piece by piece.  The struct is freed
 * with its last reference, and survives the host.
 */
#ifndef WEIR_JS_SOURCE_H
#define WEIR_JS_SOURCE_H

#include "core/host.h"
#include "weir/net/bytes.h"

struct weir__js_source;

struct weir__js_source_kind {
    /* Begin to collect the whole body, or to read it in pieces.  Return 0, or
     * an error.  They end in weir__js_source_collected, or in
     * weir__js_source_piece. */
    int (*collect)(struct weir__js_source *source);
    int (*read)(struct weir__js_source *source);
    void (*pause)(struct weir__js_source *source, bool is_paused);
    /* JavaScript wants no more of it. */
    void (*cancel)(struct weir__js_source *source);
    /* Release the values, because the host ends. */
    void (*drop)(struct weir__js_source *source);
    /* The last reference is gone. */
    void (*free)(struct weir__js_source *source);
    /* Only one reference is left.  May be NULL. */
    void (*abandon)(struct weir__js_source *source);
};

/* What the whole body becomes. */
enum weir__js_form {
    WEIR__JS_FORM_TEXT,
    WEIR__JS_FORM_JSON,
    WEIR__JS_FORM_BUFFER, /* an ArrayBuffer */
    WEIR__JS_FORM_BYTES,  /* a Uint8Array */
};

struct weir__js_source {
    struct weir__js_link link; /* in the host's list */
    const struct weir__js_source_kind *kind;
    weir_js *js; /* NULL: the host has ended */
    unsigned refs;
    bool has_begun; /* it is being read, or was */
    bool is_held;   /* the reader's reference */
    enum weir__js_form form;
    JSValue functions[2]; /* resolve, reject */
    JSValue on_body;      /* (status, bytes) */
    JSValue context;      /* captured for them (core/context.h) */
    JSValue error;        /* what an error becomes; undefined: its status */
};

/* Begin with one reference. */
void weir__js_source_init(struct weir__js_source *source, weir_js *js,
                          const struct weir__js_source_kind *kind);
void weir__js_source_ref(struct weir__js_source *source);
void weir__js_source_unref(struct weir__js_source *source);

/* Read the whole body.  Returns a promise, or an exception. */
JSValue weir__js_source_consume(JSContext *context,
                                struct weir__js_source *source,
                                enum weir__js_form form);

/* Read the body in pieces, for which `on_body` is called.  Returns 0, or -1
 * with an exception. */
int weir__js_source_start(JSContext *context, struct weir__js_source *source,
                          JSValueConst on_body);

/* The whole body has arrived, or an error. */
void weir__js_source_collected(struct weir__js_source *source, int status,
                               weir_bytes bytes);

/* A piece has arrived (status 0), the end (WEIR_EEOF), or an error. */
void weir__js_source_piece(struct weir__js_source *source, int status,
                           weir_bytes bytes);

/* Convert bytes to the form that a program wants. */
JSValue weir__js_form_bytes(JSContext *context, enum weir__js_form form,
                            weir_bytes bytes);

#endif /* WEIR_JS_SOURCE_H */
