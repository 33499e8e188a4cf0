/* SPDX-License-Identifier: MIT */
/*
 * connect -- from a URL to an open WebSocket: connect, TLS, request, answer.
 *
 * Shape     One attempt goes through these steps: weir_connect; then the stream
 *           gets TLS if need be, the request is written, and the parser of HTTP
 *           reads the answer; then the stream becomes a WebSocket's.
 * Owner     The loop's thread touches everything.  The attempt owns its stream.
 * End       Every way ends in finish, which calls fn once, as its last action.
 *           A timeout and a cancel close what there is; `status` remembers
 *           which of them it was.
 * Memory    Freed by the release of the last hold.  The timer is one, because
 *           it may be about to be cancelled together with the loop.
 *
 * Tested by  test/net/websocket/connect.c, test/net/peers/websocket.py
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "http/format.h"
#include "http/parser.h"
#include "stream/stream.h"
#include "websocket/url.h"
#include "websocket/websocket.h"
#include "weir/host/memory.h"
#include "weir/host/sized.h"
#include "weir/net/tls.h"

enum { LONGEST_HOST = 255, SWITCHING = 101, FIELDS_MAX = 256 };

struct weir_websocket_connecting {
    weir_loop *loop;
    weir_websocket_connect_fn *fn;
    void *arg;
    unsigned holds;
    int status;               /* of a timeout or a cancel; 0: neither */
    weir_timer timer;         /* 0: none */
    weir_connecting *connect; /* NULL: connected */
    weir_stream *stream;      /* NULL: not connected, or given away */
    weir_tls *tls;            /* NULL: plain */
    weir_websocket_handshake handshake;
    weir_websocket_options options;
    struct weir__http_parser parser;
    char host[LONGEST_HOST + 1];
    size_t allocated; /* bytes of this struct */
    size_t request_size;
    char request[];
};

typedef weir_websocket_connecting attempt;

/* ---- the end ---- */

static void release(attempt *one)
{
    if (--one->holds > 0)
        return;
    weir__http_parser_fini(&one->parser);
    weir_tls_unref(one->tls);
    weir_memory_free(one, one->allocated);
}

static void stop_timer(attempt *one)
{
    if (one->timer != 0 && weir_timer_cancel(one->loop, one->timer) == 0)
        release(one);
    one->timer = 0;
}

static void finish(attempt *one, int status, weir_websocket *websocket)
{
    weir_websocket_handshake handshake = one->handshake;
    weir_websocket_connect_fn *fn = one->fn;
    void *arg = one->arg;

    stop_timer(one);
    if (one->stream != NULL)
        weir_stream_close(one->stream, NULL, NULL);
    one->stream = NULL;
    release(one);
    fn(arg, status, websocket, &handshake);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    attempt *one = arg;

    finish(one, one->status, NULL);
}

/* End from outside: what there is ends first, and calls back. */
static void stop(attempt *one, int status)
{
    weir_stream *stream = one->stream;

    if (one->status != 0)
        return; /* it is ending */
    one->status = status;
    one->stream = NULL;
    if (one->connect != NULL)
        weir_connect_cancel(one->connect);
    else
        weir_stream_close(stream, on_closed, one);
}

void weir_websocket_connect_cancel(weir_websocket_connecting *connecting)
{
    stop(connecting, WEIR_ECANCELED);
}

static void on_timer(void *arg, int status)
{
    attempt *one = arg;

    one->timer = 0;
    if (status == 0)
        stop(one, -ETIMEDOUT);
    release(one);
}

/* ---- the answer ---- */

static int check_answer(attempt *one)
{
    const struct weir__http_message *message = one->parser.message;
    weir_http_field fields[FIELDS_MAX];
    size_t count = message->field_count;

    if (count > FIELDS_MAX)
        return WEIR_ELIMIT;
    for (size_t i = 0; i < count; i++)
        fields[i] = (weir_http_field){weir__http_name(message, i),
                                      weir__http_value(message, i)};
    return weir_websocket_check(&one->handshake, message->status, fields,
                                count);
}

static void open_websocket(attempt *one, weir_bytes rest)
{
    weir_websocket *websocket = NULL;
    int err = check_answer(one);

    weir_stream_stop(one->stream);
    one->options.early = rest;
    if (err == 0)
        err = weir_websocket_open(&websocket, one->stream, &one->handshake,
                                  &one->options);
    if (err == 0)
        one->stream = NULL;
    finish(one, err, websocket);
}

/* Interim answers are skipped, except for the one that is wanted. */
static bool is_refusal(const attempt *one)
{
    unsigned status = one->parser.message->status;

    return status >= 200;
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    attempt *one = arg;

    if (status != 0) {
        finish(one, status == WEIR_EEOF ? WEIR_ETRUNCATED : status, NULL);
        return;
    }
    for (;;) {
        switch (weir__http_parser_next(&one->parser, &bytes)) {
        case WEIR__PARSED_MORE:
            return;
        case WEIR__PARSED_HEAD:
            if (is_refusal(one)) {
                one->handshake.status = one->parser.message->status;
                finish(one, WEIR_EWEBSOCKET, NULL);
                return;
            }
            break;
        case WEIR__PARSED_COMPLETE:
            if (one->parser.message->status == SWITCHING) {
                open_websocket(one, bytes);
                return;
            }
            break;
        case WEIR__PARSED_DATA:
        case WEIR__PARSED_TRAILERS:
            break;
        case WEIR__PARSED_FAILED:
            finish(one, one->parser.error, NULL);
            return;
        }
    }
}

/* ---- the request ---- */

static int start_tls(attempt *one)
{
    weir_tls_start_options options = {.size = sizeof(options),
                                      .server_name = one->host,
                                      .timeout_ns = WEIR_TLS_NO_TIMEOUT};

    return one->tls == NULL ? 0
                            : weir_tls_start(one->stream, one->tls, &options);
}

static void on_connected(void *arg, int status, weir_stream *stream)
{
    attempt *one = arg;
    weir_bytes request = {one->request, one->request_size};

    one->connect = NULL;
    one->stream = stream;
    if (one->status != 0)
        status = one->status;
    if (status == WEIR_ECLOSED) /* the loop is ending */
        status = WEIR_ECANCELED;
    if (status == 0)
        status = start_tls(one);
    if (status == 0)
        status = weir_stream_write(stream, &request, 1, NULL, NULL);
    if (status == 0)
        status = weir_stream_read(stream, on_read, one);
    if (status != 0)
        finish(one, status, NULL);
}

/* The fields of the handshake, then those of the user. */
static int make_fields(const weir_websocket_handshake *handshake,
                       const weir_websocket_connect_options *options,
                       weir_http_field *fields, size_t *count)
{
    int found;

    *count = weir_websocket_headers(handshake, fields);
    if (options->field_count > FIELDS_MAX - WEIR_WEBSOCKET_HEADERS)
        return -EINVAL;
    if (options->field_count > 0)
        memcpy(fields + *count, options->fields,
               options->field_count * sizeof(*fields));
    *count += options->field_count;
    found = weir__http_fields_check(fields, *count);
    return found < 0 || found & (WEIR__HTTP_HAS_HOST | WEIR__HTTP_HAS_LENGTH |
                                 WEIR__HTTP_HAS_CODING)
               ? -EINVAL
               : 0;
}

/* A target without a path: "ws://host?query". */
static int make_target(const struct weir__url *url, char *to, size_t size,
                       weir_bytes *target)
{
    const char *text = url->target.data;
    bool has_path = url->target.size > 0 && text[0] == '/';
    int length = snprintf(to, size, "%s%s", has_path ? "" : "/", text);

    *target = (weir_bytes){to, (size_t)length};
    return (size_t)length < size ? weir__http_target_check(*target) : -EINVAL;
}

/* ---- the beginning ---- */

static int make_attempt(attempt **made, const struct weir__url *url,
                        const weir_websocket_handshake *handshake,
                        const weir_websocket_connect_options *options)
{
    weir_http_field fields[FIELDS_MAX];
    char target[2048];
    struct weir__http_request request = {
        .method = WEIR_BYTES_OF("GET"),
        .host = url->authority,
        .fields = fields,
    };
    attempt *one;
    size_t size;
    int err = make_fields(handshake, options, fields, &request.field_count);

    if (err == 0)
        err = make_target(url, target, sizeof(target), &request.target);
    if (err != 0)
        return err;
    size = sizeof(*one) + weir__http_request_size(&request); /* at most */
    one = weir_memory_alloc(size);
    if (one == NULL)
        return -ENOMEM;
    memset(one, 0, sizeof(*one));
    one->allocated = size;
    one->request_size =
        (size_t)(weir__http_request_write(&request, one->request) -
                 one->request);
    one->handshake = *handshake;
    memcpy(one->host, url->host.data, url->host.size);
    *made = one;
    return 0;
}

static int start_timer(attempt *one, int64_t timeout_ns)
{
    int err;

    if (timeout_ns < 0)
        return 0;
    err = weir_timer_start(one->loop, &one->timer,
                           timeout_ns == 0 ? WEIR_WEBSOCKET_CONNECT_NS
                                           : timeout_ns,
                           WEIR_TIMER_ONCE, on_timer, one);
    if (err != 0)
        return err;
    one->holds++;
    (void)!weir_timer_unref(one->loop, one->timer);
    return 0;
}

static int start(attempt *one, const struct weir__url *url,
                 const weir_websocket_connect_options *options)
{
    weir_connect_options connect = {.size = sizeof(connect), .timeout_ns = -1};
    int err = weir_sized_read(&one->options, sizeof(one->options),
                              options->websocket);

    if (err == 0)
        err = start_timer(one, options->timeout_ns);
    if (err == 0)
        err = weir_connect(
            one->loop, &one->connect, one->host, url->port, on_connected, one,
            options->connect != NULL ? options->connect : &connect);
    return err;
}

static int check_options(const struct weir__url *url,
                         const weir_websocket_connect_options *options)
{
    return (url->is_secure && options->tls == NULL) ||
                   url->host.size > LONGEST_HOST ||
                   (options->fields == NULL && options->field_count > 0)
               ? -EINVAL
               : 0;
}

int weir_websocket_connect(weir_loop *loop,
                           weir_websocket_connecting **connecting,
                           const char *url, weir_websocket_connect_fn *fn,
                           void *arg,
                           const weir_websocket_connect_options *given)
{
    weir_websocket_connect_options options;
    weir_websocket_handshake handshake;
    struct weir__url parsed;
    attempt *one;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    if (loop == NULL || url == NULL || fn == NULL)
        return -EINVAL;
    err = weir__url_parse(&parsed, url);
    if (err == 0)
        err = check_options(&parsed, &options);
    if (err == 0)
        err = weir_websocket_request(&handshake, options.wanted);
    if (err == 0)
        err = make_attempt(&one, &parsed, &handshake, &options);
    if (err != 0)
        return err;
    one->loop = loop;
    one->fn = fn;
    one->arg = arg;
    one->holds = 1;
    weir__http_parser_init_response(&one->parser, NULL);
    if (parsed.is_secure) {
        weir_tls_ref(options.tls);
        one->tls = options.tls;
    }
    err = start(one, &parsed, &options);
    if (err != 0) {
        stop_timer(one);
        release(one);
        return err;
    }
    if (connecting != NULL)
        *connecting = one;
    return 0;
}
