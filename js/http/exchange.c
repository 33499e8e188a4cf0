/* SPDX-License-Identifier: MIT */
/*
 * exchange -- see exchange.h.
 *
 * Tested by  test/js/http/serve-*.mjs
 */
#include "http/exchange.h"

#include <stdlib.h>

#include "core/entry.h"
#include "core/error.h"

static struct weir__js_exchange *of_source(struct weir__js_source *source)
{
    return (struct weir__js_exchange *)source;
}

/* ---- the body of the request ---- */

static void on_collected(void *arg, weir_http_request *http, int status,
                         weir_bytes bytes)
{
    weir__js_source_collected(arg, status, bytes);
}

static int collect(struct weir__js_source *source)
{
    return weir_http_collect(of_source(source)->http, PTRDIFF_MAX, on_collected,
                             source);
}

static void on_piece(void *arg, weir_http_request *http, int status,
                     weir_bytes bytes)
{
    weir__js_source_piece(arg, status, bytes);
}

static int read(struct weir__js_source *source)
{
    return weir_http_read(of_source(source)->http, on_piece, source);
}

static void pause(struct weir__js_source *source, bool is_paused)
{
    (is_paused ? weir_http_pause : weir_http_resume)(of_source(source)->http);
}

/* The rest is read and discarded, so that the next request can follow. */
static void cancel(struct weir__js_source *source)
{
    JS_FreeValue(source->js->context, source->on_body);
    source->on_body = JS_UNDEFINED;
    weir_http_resume(of_source(source)->http);
}

static void init_values(struct weir__js_exchange *exchange)
{
    exchange->on_end = exchange->on_traced = exchange->on_sent =
        exchange->on_drain = exchange->on_writable = JS_UNDEFINED;
}

static void drop_values(struct weir__js_exchange *exchange)
{
    JSContext *context = exchange->source.js->context;
    JSValue values[] = {exchange->on_end, exchange->on_traced,
                        exchange->on_sent, exchange->on_drain,
                        exchange->on_writable};

    init_values(exchange);
    for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
        JS_FreeValue(context, values[i]);
}

/* The host ends: nobody else can answer. */
static void drop(struct weir__js_source *source)
{
    struct weir__js_exchange *exchange = of_source(source);

    drop_values(exchange);
    source->js = NULL;
    if (!exchange->is_over)
        (void)weir_http_abort(exchange->http);
}

static void free_exchange(struct weir__js_source *source)
{
    struct weir__js_exchange *exchange = of_source(source);

    weir_http_request_unref(exchange->http);
    free(exchange);
}

static const struct weir__js_source_kind kind = {
    .collect = collect,
    .read = read,
    .pause = pause,
    .cancel = cancel,
    .drop = drop,
    .free = free_exchange,
};

/* ---- life ---- */

struct weir__js_exchange *
weir__js_exchange_new(weir_js *js, weir_http_request *http, bool is_tls)
{
    struct weir__js_exchange *exchange = malloc(sizeof(*exchange));

    if (exchange == NULL)
        return NULL;
    /* Each member, because memset would make a calloc of the malloc: that does
     * not use the blocks at hand. */
    weir__js_source_init(&exchange->source, js, &kind);
    weir_http_request_ref(http);
    exchange->http = http;
    exchange->is_tls = is_tls;
    exchange->is_open = exchange->is_answered = exchange->is_over = false;
    exchange->status = 0;
    init_values(exchange);
    return exchange;
}

/* Call a function of JavaScript with a status. */
void weir__js_exchange_call(struct weir__js_exchange *exchange,
                            JSValueConst function, int status)
{
    weir_js *js = exchange->source.js;
    JSValue held, result;
    JSValueConst arg;

    if (js == NULL || JS_IsUndefined(function) || weir__js_enter(js) != 0)
        return;
    arg = JS_NewInt32(js->context, status);
    held = JS_DupValue(js->context, function);
    result = JS_Call(js->context, held, JS_UNDEFINED, 1, &arg);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    JS_FreeValue(js->context, held);
    weir__js_leave(js);
}

static void on_end(void *arg, weir_http_request *http, int status)
{
    struct weir__js_exchange *exchange = arg;

    exchange->is_over = true;
    exchange->is_open = false;
    exchange->status = status;
    weir__js_exchange_call(exchange, exchange->on_sent, status);
    weir__js_exchange_call(exchange, exchange->on_end, status);
    weir__js_exchange_call(exchange, exchange->on_traced, status);
    if (exchange->source.js != NULL)
        drop_values(exchange);
    weir__js_exchange_unref(exchange);
}

bool weir__js_exchange_open(struct weir__js_exchange *exchange)
{
    if (exchange->is_over)
        return false;
    if (exchange->is_open)
        return true;
    if (weir_http_request_on_end(exchange->http, on_end, exchange) != 0) {
        exchange->is_over = true;
        return false;
    }
    weir__js_exchange_ref(exchange);
    exchange->is_open = true;
    return true;
}

void weir__js_exchange_refuse(struct weir__js_exchange *exchange,
                              unsigned status)
{
    if (exchange->is_answered || exchange->is_over)
        return;
    exchange->is_answered = true;
    (void)weir_http_respond(exchange->http, status, NULL, NULL, 0);
}
