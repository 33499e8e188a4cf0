/* SPDX-License-Identifier: MIT */
/*
 * download -- the body of a response that fetch() receives.
 */
#ifndef WEIR_JS_DOWNLOAD_H
#define WEIR_JS_DOWNLOAD_H

#include "http/source.h"
#include "weir/net/http_client.h"

enum weir__js_download {
    WEIR__JS_DOWNLOAD_NONE,
    WEIR__JS_DOWNLOAD_COLLECT,
    WEIR__JS_DOWNLOAD_READ,
    WEIR__JS_DOWNLOAD_DONE
};

struct weir__js_fetch {
    struct weir__js_source source; /* first: the body of the response */
    weir_fetch *handle;            /* NULL: it has ended */
    enum weir__js_download mode;
    bool has_head;     /* the promise is settled */
    bool has_ended;    /* on_end was called */
    bool is_held_back; /* the server has to wait */
    bool is_paused;    /* the reader wants no more for now */
    int status;        /* of the end */
    char *data;        /* of the body, that was not read yet */
    size_t size, capacity;
    char *url;         /* of the request */
    JSValue settle[2]; /* of fetch(): resolve, reject */
    JSValue context;   /* captured for them (core/context.h) */
    JSValue body;      /* bytes that are being sent */
    JSValue on_writable;
};

/* The functions of the source (http/source.h). */
int weir__js_download_collect(struct weir__js_source *source);
int weir__js_download_read(struct weir__js_source *source);
void weir__js_download_pause(struct weir__js_source *source, bool is_paused);
void weir__js_download_cancel(struct weir__js_source *source);
void weir__js_download_abandon(struct weir__js_source *source);

/* A piece has arrived; a weir_fetch_body_fn. */
void weir__js_download_piece(void *arg, weir_fetch *handle, weir_bytes bytes);

/* Give the reader what it wants, and, at the end, that. */
void weir__js_download_flow(struct weir__js_fetch *fetch);
void weir__js_download_finish(struct weir__js_fetch *fetch);

/* Free what was not read. */
void weir__js_download_forget(struct weir__js_fetch *fetch);

#endif /* WEIR_JS_DOWNLOAD_H */
