/* SPDX-License-Identifier: MIT */
/*
 * exchange -- one request that a server of JavaScript answers.
 *
 * The Request that is passed to `fetch`, its Headers and its context refer to
 * the exchange.  So does the loop, until the request has ended.
 */
#ifndef WEIR_JS_EXCHANGE_H
#define WEIR_JS_EXCHANGE_H

#include "http/source.h"
#include "weir/net/http.h"

struct weir__js_exchange {
    struct weir__js_source source; /* first: its body */
    weir_http_request *http; /* our reference; valid as long as the struct */
    bool is_tls;             /* the scheme of its URL */
    bool is_open;            /* the loop will call on_end */
    bool is_answered;        /* a response has begun, or was sent */
    bool is_over;            /* nothing more can be sent */
    int status;              /* why it is over */
    /* Functions of JavaScript, or undefined. */
    JSValue on_end;      /* (status), for the program */
    JSValue on_traced;   /* (status), for the span of the request */
    JSValue on_sent;     /* (status), for the response's stream */
    JSValue on_drain;    /* () */
    JSValue on_writable; /* () */
};

/* Make an exchange for a request that has arrived.  NULL: no memory. */
struct weir__js_exchange *
weir__js_exchange_new(weir_js *js, weir_http_request *http, bool is_tls);

static inline void weir__js_exchange_ref(struct weir__js_exchange *exchange)
{
    weir__js_source_ref(&exchange->source);
}

static inline void weir__js_exchange_unref(struct weir__js_exchange *exchange)
{
    weir__js_source_unref(&exchange->source);
}

/* Be told of the end of the request.  Call it if the request is not answered
 * at once.  False: it has ended. */
bool weir__js_exchange_open(struct weir__js_exchange *exchange);

/* Call one of the functions with a status. */
void weir__js_exchange_call(struct weir__js_exchange *exchange,
                            JSValueConst function, int status);

/* Answer with a status and no more, if nothing was answered. */
void weir__js_exchange_refuse(struct weir__js_exchange *exchange,
                              unsigned status);

#endif /* WEIR_JS_EXCHANGE_H */
