/* SPDX-License-Identifier: MIT */
/*
 * store -- the object behind a Jobs of weir:jobs, and its requests.
 *
 * Data      A store is a block behind a JavaScript object, with the handle of
 *           libweir-jobs.  Each request is a promise that its answer settles.
 *           Workers and claims (jobs/work.h) are in the store's lists.
 * Owner     The block is counted: the object and the open handle hold it.  An
 *           open handle holds its object: as in Node, collecting garbage closes
 *           nothing.  A request belongs to libweir-jobs until its function is
 *           called.
 * Thread    The loop's.  libweir-jobs has a thread of its own, which calls
 *           nothing here.
 * Decides   `jobs`.  It is set until the end of close() or of the host takes it
 *           out and frees the handle; weir_jobs_free calls the functions of all
 *           requests that are left.
 */
#ifndef WEIR_JS_JOBS_STORE_H
#define WEIR_JS_JOBS_STORE_H

#include "core/host.h"
#include "weir/jobs.h"

struct weir__js_store {
    struct weir__js_link link; /* in the host's state, while it is open */
    weir_js *js;
    weir_jobs *jobs;               /* NULL: closed */
    struct weir__js_link requests; /* weir__js_request.link */
    struct weir__js_link workers;  /* of jobs/work.c */
    struct weir__js_link claims;   /* of jobs/work.c: not settled */
    unsigned refs;
    JSValue self;     /* the object, while it is open */
    JSValue on_event; /* (kind, error, claim or undefined) */
    JSValue context;  /* captured (core/context.h) */
};

/* Makes the value of a promise.  Returns an exception if there is no memory. */
typedef JSValue weir__js_reply_fn(JSContext *context,
                                  const weir_jobs_reply *reply);

struct weir__js_request {
    struct weir__js_link link;
    struct weir__js_store *store;
    weir__js_reply_fn *make;
    JSValue functions[2]; /* resolve, reject; undefined: the host has ended */
    JSValue promise;      /* until the request is made */
};

/* The store behind a value.  Throws and returns NULL for any other value, and
 * if the store is closed. */
struct weir__js_store *weir__js_store_of(JSContext *context,
                                         JSValueConst value);

/* Make a request, whose promise has the value that `make` returns.  Returns
 * NULL with an exception if there is no memory. */
struct weir__js_request *weir__js_request_make(JSContext *context,
                                               struct weir__js_store *store,
                                               weir__js_reply_fn *make);

/* Return the promise of a request that libweir-jobs has accepted; or free the
 * request and throw, if err is not 0. */
JSValue weir__js_request_send(JSContext *context,
                              struct weir__js_request *request, int err);

/* The function of a request. */
void weir__js_request_answer(void *arg, int status,
                             const weir_jobs_reply *reply);

/* Make an Error of a status and a reason. */
JSValue weir__js_jobs_error(JSContext *context, int status, const char *reason);

/* Text or bytes that are read for libweir-jobs, until _end. */
struct weir__js_payload {
    const void *bytes;
    size_t size;
    const char *text; /* to free; NULL: none */
};

/* Read a string, a buffer, or undefined.  Returns 0, or -1 with an
 * exception. */
int weir__js_payload_begin(JSContext *context, JSValueConst value,
                           struct weir__js_payload *payload);
void weir__js_payload_end(JSContext *context, struct weir__js_payload *payload);

/* Read a string for JS_FreeCString, or NULL for undefined.  Returns 0, or -1
 * with an exception. */
int weir__js_optional_text(JSContext *context, JSValueConst value,
                           const char **text);

/* jobs/work.c: the end of a store's workers and claims, whose handle is about to
 * be freed. */
void weir__js_store_forget(struct weir__js_store *store);

/* jobs/work.c: tell an event of libweir-jobs. */
void weir__js_store_on_event(void *arg, weir_jobs *jobs,
                             const weir_jobs_event *event);

#endif /* WEIR_JS_JOBS_STORE_H */
