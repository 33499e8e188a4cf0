/* SPDX-License-Identifier: MIT */
/*
 * handle -- the object behind a net.Socket: one stream of TCP, a Unix socket, a
 * pipe or TLS.
 *
 * Data      A block (struct weir__js_handle) behind a JavaScript object, with
 *           the stream, the socket that events go to, and the async context of
 *           the code that made it.  Each write or half-close that the kernel
 *           has not carried out is a request, with its own context.
 * Owner     The block is counted: the object, the open stream and each request
 *           hold it, so the stream and the object may end in either order.  An
 *           open stream holds its object and the host's struct.  As in Node,
 *           collecting garbage closes nothing.
 * Thread    The loop's.
 * Decides   `stream`.  It is set from the attachment until one of close, reset,
 *           the end of the loop or the end of the host takes it out.  Whoever
 *           takes it out ends the stream, and nobody uses it afterwards.
 * Closed    The callback of close() runs in the loop's close phase, after ticks,
 *           microtasks and immediates, as in Node.
 * Alive     A stream keeps the program running as in Node: while it is
 *           referenced, and reads or has a request.
 * Bytes     What is read is copied into memory of the host's heap, so that it
 *           counts towards the limit and can be transferred to another thread.
 *           What is written is given to the kernel at once; the stream copies
 *           what has to wait, because the program may detach or transfer the
 *           buffer meanwhile.
 */
#ifndef WEIR_JS_NET_HANDLE_H
#define WEIR_JS_NET_HANDLE_H

#include "core/host.h"
#include "weir/net/connect.h"
#include "weir/net/stream.h"

/* Functions of js/lib/net/socket.js.  `this` is the owner. */
enum weir__js_handle_hook {
    WEIR__HANDLE_READ,      /* (bytes or undefined, status) */
    WEIR__HANDLE_WRITTEN,   /* (status, callback) */
    WEIR__HANDLE_CONNECTED, /* (status, callback) */
    WEIR__HANDLE_SECURED,   /* (status, reason) */
    WEIR__HANDLE_EVENT,     /* (owner, kind, value), of TLS */
    WEIR__HANDLE_HOOKS,
};

struct weir__js_handle {
    struct weir__js_link link; /* in handles.open, while `self` is held */
    weir_js *js;
    weir_stream *stream;           /* NULL: not connected, or closed */
    weir_stream *lent;             /* somebody else's, for its TLS; or NULL */
    weir_connecting *connecting;   /* NULL: is not connecting */
    struct weir__js_link requests; /* weir__js_handle_request.link */
    unsigned refs;
    unsigned holds;       /* of the object: connecting, open or closing */
    JSValue self;         /* the object, while it is held */
    JSValue owner;        /* the socket */
    JSValue closed;       /* the callback of close(), or undefined */
    JSValue context;      /* captured (core/context.h) */
    const void *starting; /* the arguments of startTls, during the call */
    uint64_t bytes_read, bytes_written;
    bool is_closed;         /* close() was called */
    bool is_reading;        /* readStart was called, and readStop was not */
    bool has_reader;        /* the stream calls us until its end */
    bool is_unref;          /* by the program */
    bool has_news;          /* of OpenSSL, to be told before what follows */
    bool is_keeping;        /* keeps weir_loop_run running */
    bool takes_descriptors; /* that arrive with the bytes (pass.c) */
    int received;           /* the last one, until it is taken; or -1 */
};

/* Something whose end JavaScript awaits: a write, a half-close or a
 * connection. */
struct weir__js_handle_request {
    struct weir__js_link link;
    struct weir__js_handle *handle; /* counted */
    JSValue callback;
    JSValue context; /* captured */
};

/* Make the object of a stream, whose owner it becomes.  Its reading stops: the
 * socket starts it again.  Returns an exception if there is no memory; the
 * stream is the caller's then. */
JSValue weir__js_stream_handle(JSContext *context, weir_stream *stream);

/* Make an object without a stream, or return an exception. */
JSValue weir__js_handle_new(weir_js *js, struct weir__js_handle **made);

/* Give an object its stream.  Returns 0, or WEIR_ECLOSED if the host has ended;
 * the stream is the caller's then. */
int weir__js_handle_attach(struct weir__js_handle *handle, JSValueConst self,
                           weir_stream *stream);

/* Take the stream out of a handle that awaits nothing.  It is the caller's. */
weir_stream *weir__js_handle_take(struct weir__js_handle *handle);

/* Make an object for the TLS of a stream that has another owner, who returns it
 * before the stream is freed.  Nothing can be read, written or closed through
 * it.  Returns an exception if that fails. */
JSValue weir__js_handle_lend(JSContext *context, weir_stream *stream,
                             struct weir__js_handle **made);
void weir__js_handle_return(struct weir__js_handle *handle);

/* The handle behind a value.  Throws and returns NULL for any other value. */
struct weir__js_handle *weir__js_handle_of(JSContext *context,
                                           JSValueConst value);

/* Make a request; NULL with an exception if there is no memory. */
struct weir__js_handle_request *
weir__js_handle_request_new(struct weir__js_handle *handle,
                            JSValueConst callback);

/* A request is over: call the hook with the status and the callback, and free
 * it. */
void weir__js_handle_request_end(struct weir__js_handle_request *request,
                                 enum weir__js_handle_hook hook, int status);

/* Free a request that was never started. */
void weir__js_handle_request_free(struct weir__js_handle_request *request);

/* Call a hook of the handle's owner, with the handle's context. */
void weir__js_handle_tell(struct weir__js_handle *handle,
                          enum weir__js_handle_hook hook, int count,
                          JSValueConst *args);

/* The EVENT hook, which is not a new reference. */
JSValueConst weir__js_handle_event(const weir_js *js);

/* Keep the loop running if something is awaited. */
void weir__js_handle_keep(struct weir__js_handle *handle);

/* Hold the object and the host's struct once more; false if the host has
 * ended. */
bool weir__js_handle_hold(struct weir__js_handle *handle, JSValueConst self);

/* Release what one hold took.  May free the handle. */
void weir__js_handle_let_go(struct weir__js_handle *handle);

void weir__js_handle_unref(struct weir__js_handle *handle);

/* A status for JavaScript: -errno, or Node's number for the end (-4095). */
int weir__js_net_status(int status);

/* Tell the news of OpenSSL first, which waits for a checkpoint. */
void weir__js_handle_tell_news(struct weir__js_handle *handle);

/* Keep the descriptors that came with the bytes of the running read callback,
 * or close what is kept. */
void weir__js_handle_receive(struct weir__js_handle *handle,
                             weir_stream *stream);
void weir__js_handle_drop_received(struct weir__js_handle *handle);

/* Leave JavaScript, and run the checkpoint that follows a callback. */
void weir__js_net_leave(weir_js *js);

/* Native functions that other files add to the prototype of handles. */
extern const JSCFunctionListEntry weir__js_handle_io[];
extern const int weir__js_handle_io_count;
extern const JSCFunctionListEntry weir__js_handle_settings[];
extern const int weir__js_handle_settings_count;
extern const JSCFunctionListEntry weir__js_handle_connects[];
extern const int weir__js_handle_connects_count;
extern const JSCFunctionListEntry weir__js_handle_passes[];
extern const int weir__js_handle_passes_count;

#endif /* WEIR_JS_NET_HANDLE_H */
