/* SPDX-License-Identifier: MIT */
/*
 * ask -- the request of an exchange: its head, its framing, and sending it.
 *
 * The head and the bytes of a body are one write.  A streaming body follows as
 * its owner writes it (upload.c).  The head lives in the link until the kernel
 * has it.
 */
#include <errno.h>
#include <string.h>

#include "http/client.h"
#include "http/format.h"
#include "http/header.h"
#include "weir/host/memory.h"

enum { ADDED_FIELDS = 4 /* Accept, Accept-Encoding, ... */ };

static bool has_field(const weir_fetch *fetch, const char *name)
{
    weir_bytes wanted = {name, strlen(name)};

    for (size_t i = 0; i < fetch->field_count; i++)
        if (weir__http_is_equal(fetch->fields[i].name, wanted))
            return true;
    return false;
}

static weir_http_field make_field(const char *name, const char *value)
{
    return (weir_http_field){{name, strlen(name)}, {value, strlen(value)}};
}

/* Complete the fields.  Returns their number. */
static size_t add_fields(struct weir__http_link *link, weir_fetch *fetch,
                         weir_http_field *fields)
{
    const weir_http_client *client = link->client;
    size_t count = fetch->field_count;
    bool asks;

    if (count > 0)
        memcpy(fields, fetch->fields, count * sizeof(*fields));
    if (!has_field(fetch, "accept"))
        fields[count++] = make_field("Accept", "*/*");
    asks = !fetch->is_raw && !has_field(fetch, "accept-encoding") &&
           !has_field(fetch, "range");
    fetch->is_decoding = asks || (fetch->is_always_decoded && !fetch->is_raw);
    if (asks)
        fields[count++] =
            make_field("Accept-Encoding", WEIR__HTTP_INFLATE_ACCEPT);
    if (client->user_agent != NULL && !has_field(fetch, "user-agent"))
        fields[count++] = make_field("User-Agent", client->user_agent);
    if (link->origin->is_proxy && client->proxies[0].credentials != NULL &&
        !has_field(fetch, "proxy-authorization"))
        fields[count++] =
            make_field("Proxy-Authorization", client->proxies[0].credentials);
    return count;
}

static void set_framing(struct weir__http_request *request, weir_fetch *fetch)
{
    bool wants_body = fetch->kind == WEIR__HTTP_POST ||
                      fetch->kind == WEIR__HTTP_PUT ||
                      fetch->kind == WEIR__HTTP_PATCH;
    bool is_streaming = fetch->is_streaming && !fetch->has_body_over;

    fetch->is_chunked = is_streaming && fetch->stream_size < 0;
    if (fetch->is_chunked) {
        request->framing = WEIR__HTTP_FRAME_CHUNKED;
    } else if (is_streaming || fetch->body.size > 0 || wants_body) {
        request->framing = WEIR__HTTP_FRAME_LENGTH;
        request->length =
            is_streaming ? (uint64_t)fetch->stream_size : fetch->body.size;
    }
}

/* Write the head to link->head.  Returns its size, or 0 without memory. */
static size_t format_head(struct weir__http_link *link, weir_fetch *fetch)
{
    size_t most = (fetch->field_count + ADDED_FIELDS) * sizeof(weir_http_field);
    weir_http_field *fields = weir_memory_alloc(most);
    struct weir__http_request request = {.method = fetch->method,
                                         .target = fetch->url.target,
                                         .host = fetch->url.authority,
                                         .fields = fields};
    size_t size = 0;

    if (fields == NULL)
        return 0;
    if (link->origin->is_proxy)
        request.target = (weir_bytes){fetch->url.text, strlen(fetch->url.text)};
    if (has_field(fetch, "host"))
        request.host.data = NULL;
    if (link->client->is_draining || link->client->options.keep_alive_ns < 0)
        request.connection = WEIR__HTTP_CONNECTION_CLOSE;
    request.field_count = add_fields(link, fetch, fields);
    set_framing(&request, fetch);
    link->head_capacity = weir__http_request_size(&request);
    link->head = weir_memory_alloc(link->head_capacity);
    if (link->head != NULL)
        size = (size_t)(weir__http_request_write(&request, link->head) -
                        link->head);
    weir_memory_free(fields, most);
    return size;
}

static void free_head(struct weir__http_link *link)
{
    weir_memory_free(link->head, link->head_capacity);
    link->head = NULL;
    link->head_capacity = 0;
}

/* Limit the time until the head of the response. */
static void start_header_time(struct weir__http_link *link)
{
    weir_fetch *fetch = link->fetch;

    if (fetch->message != NULL)
        return;
    fetch->header_deadline_ns =
        weir__fetch_deadline(link->client->options.header_ns);
    /* Without memory for a timer there is no timeout. */
    (void)!weir__fetch_check_alarm(fetch);
}

void weir__http_exchange_sent(struct weir__http_link *link)
{
    link->is_sent = true;
    start_header_time(link);
}

/* The kernel has the head and the body, or will never have them.  A server that
 * reads no more may have answered before; after any other error no answer can be
 * expected. */
static void on_sent(void *arg, weir_stream *stream, int status)
{
    struct weir__http_link *link = arg;

    free_head(link);
    if (link->state != WEIR__LINK_BUSY)
        return;
    if (status == 0)
        weir__http_exchange_sent(link);
    else if (status == -EPIPE || status == -ECONNRESET)
        start_header_time(link);
    else
        weir__http_exchange_read(link, status, (weir_bytes){NULL, 0});
}

int weir__http_exchange_send(struct weir__http_link *link, weir_fetch *fetch)
{
    weir_bytes parts[2] = {{NULL, format_head(link, fetch)}, fetch->body};
    bool has_body = fetch->body.size > 0;
    int err = -ENOMEM;

    parts[0].data = link->head;
    if (parts[0].size > 0)
        err = weir_stream_write(link->stream, parts, has_body ? 2 : 1,
                                has_body ? on_sent : NULL, link);
    if (err != 0 || !has_body)
        free_head(link);
    return err;
}
