/* SPDX-License-Identifier: MIT */
/*
 * link -- a connection of the client, from the first SYN to its end.
 *
 *     CONNECTING -> (TUNNELLING) -> (SECURING) -> BUSY <-> IDLE -> CLOSED
 *
 * Tunnel    A proxy is asked to CONNECT to the server.  After its 200 the
 *           stream leads to the server, and TLS starts on it.
 * Idle      The stream is read, so that its end is noticed, and has a timeout.
 *           It does not keep the loop running.
 * Memory    A link that is closed leaves the pool at once, and is freed when
 *           its stream or its attempt to connect is over.
 * The end   When the loop ends, the reader gets WEIR_ECANCELED, and the link is
 *           closed like any other that has failed.
 */
#include <errno.h>
#include <string.h>

#include "http/client.h"
#include "http/format.h"
#include "stream/stream.h"
#include "weir/host/memory.h"

/* ---- its memory ---- */

static void free_link(struct weir__http_link *link)
{
    weir_http_client *client = link->client;

    weir__http_parser_fini(&link->parser);
    weir_memory_free(link->rest, link->rest_capacity);
    weir_memory_free(link->head, link->head_capacity);
    weir_memory_free(link, sizeof(*link));
    weir__http_client_unref(client);
}

void weir__http_link_forget(struct weir__http_link *link)
{
    if (link->connecting == NULL && link->stream == NULL && !link->is_resuming)
        free_link(link);
}

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct weir__http_link *link = arg;

    link->stream = NULL;
    weir__http_link_forget(link);
}

void weir__http_link_close(struct weir__http_link *link)
{
    struct weir__http_origin *origin = link->origin;

    if (link->state == WEIR__LINK_CLOSED)
        return;
    if (link->idle_prev != NULL || link->client->idle_first == link)
        weir__http_pool_leave_idle(link);
    if (link->state < WEIR__LINK_IDLE)
        origin->dialing_count--;
    link->state = WEIR__LINK_CLOSED;
    link->origin = NULL;
    *link->at = link->next;
    if (link->next != NULL)
        link->next->at = link->at;
    link->client->link_count--;
    origin->link_count--;
    weir__http_pool_check(origin);
    if (link->connecting != NULL)
        weir_connect_cancel(link->connecting);
    else if (link->stream != NULL)
        weir_stream_close(link->stream, on_closed, link);
    else
        weir__http_link_forget(link);
}

/* ---- what can happen to it ---- */

/* The link cannot be made: tell the fetch that waits longest, or all if the
 * loop ends. */
static void fail_dial(struct weir__http_link *link, int status)
{
    struct weir__http_origin *origin = link->origin;
    weir_http_client *client = link->client;
    const char *reason =
        link->stream != NULL ? weir_tls_reason(link->stream) : NULL;
    weir_fetch *fetch;

    if (link->state == WEIR__LINK_CLOSED)
        return;
    weir__http_client_ref(client);
    do {
        fetch = weir__http_pool_next(origin);
        if (fetch == NULL)
            break;
        if (reason != NULL)
            weir__fetch_set_reason(fetch, reason);
        weir__fetch_end_soon(fetch, status);
    } while (status == WEIR_ECANCELED);
    weir__http_link_close(link);
    weir__http_pool_serve(client);
    weir__http_client_unref(client);
}

static void read_tunnel(struct weir__http_link *link, int status,
                        weir_bytes bytes);

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct weir__http_link *link = arg;

    if (link->state == WEIR__LINK_TUNNELLING)
        read_tunnel(link, status, bytes);
    else if (link->state == WEIR__LINK_BUSY)
        weir__http_exchange_read(link, status, bytes);
    else
        weir__http_link_close(link); /* idle: the end, its time, or noise */
}

/* The loop has ended. */
static void on_loop_end(void *arg, weir_stream *stream)
{
    on_read(arg, stream, WEIR_ECANCELED, (weir_bytes){NULL, 0});
}

static void on_drain(void *arg, weir_stream *stream)
{
    struct weir__http_link *link = arg;

    if (link->state == WEIR__LINK_BUSY && link->fetch->is_streaming)
        weir__fetch_tell_writable(link->fetch);
}

/* ---- making ---- */

static void make_ready(struct weir__http_link *link)
{
    int err = weir_stream_read(link->stream, on_read, link);

    if (err != 0) {
        fail_dial(link, err);
        return;
    }
    link->origin->dialing_count--;
    link->state = WEIR__LINK_IDLE;
    link->client->connected++;
    weir__http_pool_release(link);
}

static void on_secured(void *arg, weir_stream *stream, int status)
{
    struct weir__http_link *link = arg;

    if (link->state == WEIR__LINK_CLOSED)
        return;
    if (status == 0)
        make_ready(link);
    else
        fail_dial(link, status);
}

static int64_t limit_or_none(int64_t limit_ns, int64_t none)
{
    return limit_ns < 0 ? none : limit_ns;
}

static void start_tls(struct weir__http_link *link)
{
    weir_http_client *client = link->client;
    weir_tls_start_options options = {
        .size = sizeof(options),
        .server_name = link->origin->name,
        .alpn = "http/1.1",
        .timeout_ns =
            limit_or_none(client->options.connect_ns, WEIR_TLS_NO_TIMEOUT),
        .on_ready = on_secured,
        .arg = link};
    int err;

    link->state = WEIR__LINK_SECURING;
    err = weir_tls_start(link->stream, client->tls, &options);
    if (err != 0)
        fail_dial(link, err);
}

/* ---- tunnels ---- */

static int send_connect(struct weir__http_link *link)
{
    const struct weir__http_proxy *proxy = &link->client->proxies[1];
    weir_http_field fields[2];
    struct weir__http_request request = {.method = WEIR_BYTES_OF("CONNECT"),
                                         .target = link->origin->tunnel,
                                         .host = link->origin->tunnel,
                                         .fields = fields};
    weir_bytes bytes;
    size_t size;
    char *head;
    int err;

    if (proxy->credentials != NULL)
        fields[request.field_count++] =
            (weir_http_field){WEIR_BYTES_OF("Proxy-Authorization"),
                              {proxy->credentials, strlen(proxy->credentials)}};
    if (link->client->user_agent != NULL)
        fields[request.field_count++] = (weir_http_field){
            WEIR_BYTES_OF("User-Agent"),
            {link->client->user_agent, strlen(link->client->user_agent)}};
    size = weir__http_request_size(&request);
    head = weir_memory_alloc(size);
    if (head == NULL)
        return -ENOMEM;
    bytes.data = head;
    bytes.size = (size_t)(weir__http_request_write(&request, head) - head);
    err = weir_stream_write(link->stream, &bytes, 1, NULL, NULL);
    weir_memory_free(head, size);
    return err;
}

static void start_tunnel(struct weir__http_link *link)
{
    int64_t limit_ns = limit_or_none(link->client->options.connect_ns, 0);
    int err = weir_stream_set_timeouts(link->stream, limit_ns, limit_ns);

    link->state = WEIR__LINK_TUNNELLING;
    weir__http_parser_expect(&link->parser, WEIR__HTTP_CONNECT);
    if (err == 0)
        err = send_connect(link);
    if (err == 0)
        err = weir_stream_read(link->stream, on_read, link);
    if (err != 0)
        fail_dial(link, err);
}

/* The proxy has answered.  Bytes behind the answer of a tunnel would be the
 * server's, but a server of TLS waits for the client. */
static void end_tunnel(struct weir__http_link *link, weir_bytes rest)
{
    unsigned status = link->parser.message->status;

    if (status == 407) {
        fail_dial(link, -EACCES);
    } else if (status / 100 != 2) {
        fail_dial(link, -ECONNREFUSED);
    } else if (rest.size > 0) {
        fail_dial(link, WEIR_EHTTP);
    } else {
        weir__http_parser_fini(&link->parser);
        weir__http_parser_init_response(&link->parser, &link->client->limits);
        weir_stream_stop(link->stream);
        start_tls(link);
    }
}

static void read_tunnel(struct weir__http_link *link, int status,
                        weir_bytes bytes)
{
    enum weir__http_event event;

    if (status != 0) {
        fail_dial(link, status == WEIR_EEOF ? WEIR_ETRUNCATED : status);
        return;
    }
    while ((event = weir__http_parser_next(&link->parser, &bytes)) !=
           WEIR__PARSED_MORE) {
        if (event == WEIR__PARSED_FAILED) {
            fail_dial(link, link->parser.error);
            return;
        }
        if (event == WEIR__PARSED_HEAD) {
            link->is_interim = link->parser.message->status < 200;
            if (!link->is_interim && link->parser.message->status / 100 != 2) {
                end_tunnel(link, bytes);
                return;
            }
        }
        if (event == WEIR__PARSED_COMPLETE && !link->is_interim) {
            end_tunnel(link, bytes);
            return;
        }
    }
}

/* ---- connecting ---- */

static void on_connect(void *arg, int status, weir_stream *stream)
{
    struct weir__http_link *link = arg;

    link->connecting = NULL;
    link->stream = stream;
    if (link->state == WEIR__LINK_CLOSED) {
        if (stream != NULL)
            weir_stream_close(stream, on_closed, link);
        else
            weir__http_link_forget(link);
    } else if (status != 0) {
        fail_dial(link, status);
    } else if (link->origin->tunnel.size > 0) {
        start_tunnel(link);
    } else if (link->origin->is_tls) {
        start_tls(link);
    } else {
        make_ready(link);
    }
}

static struct weir__http_link *make_link(weir_http_client *client)
{
    struct weir__http_link *link = weir_memory_alloc(sizeof(*link));

    if (link == NULL)
        return NULL;
    memset(link, 0, sizeof(*link));
    link->client = client;
    link->keep_alive_ns = client->options.keep_alive_ns;
    weir__http_parser_init_response(&link->parser, &client->limits);
    return link;
}

int weir__http_link_dial(struct weir__http_origin *origin)
{
    weir_http_client *client = origin->client;
    weir_stream_options stream = {.size = sizeof(stream),
                                  .name = "http client",
                                  .on_end = on_loop_end,
                                  .on_drain = on_drain};
    weir_connect_options options = {.size = sizeof(options),
                                    .timeout_ns = client->options.connect_ns,
                                    .stream = &stream};
    struct weir__http_link *link;
    int err = origin->is_tls ? weir__http_client_need_tls(client) : 0;

    if (err != 0)
        return err;
    link = make_link(client);
    if (link == NULL)
        return -ENOMEM;
    stream.arg = link;
    err = weir_connect(client->loop, &link->connecting, origin->host,
                       origin->port, on_connect, link, &options);
    if (err != 0) {
        weir_memory_free(link, sizeof(*link));
        return err;
    }
    weir__http_client_ref(client);
    link->origin = origin;
    link->next = client->links;
    link->at = &client->links;
    if (link->next != NULL)
        link->next->at = &link->next;
    client->links = link;
    client->link_count++;
    origin->link_count++;
    origin->dialing_count++;
    return 0;
}

void weir__http_link_rest(struct weir__http_link *link)
{
    link->state = WEIR__LINK_IDLE;
    weir_stream_set_ref(link->stream, false);
    if (weir_stream_set_timeouts(link->stream, link->keep_alive_ns, 0) != 0)
        weir__http_link_close(link);
}
