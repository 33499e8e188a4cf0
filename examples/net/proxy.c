/* SPDX-License-Identifier: MIT */
/*
 * proxy -- a reverse proxy: it fetches each request from another server.
 *
 *     build/net/proxy http://127.0.0.1:8080 [ADDRESS]
 *
 * Bodies are passed on as they arrive, in both directions.  A side that reads
 * slowly makes the other side wait, so a large body takes little memory.
 * SIGTERM stops it after the requests in progress.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <weir.h>
#include <weir/net/http.h>
#include <weir/net/http_client.h>

enum { FIELDS = 128 };

static const char *upstream;
static weir_http_client *client;

/* A request of ours, and the fetch that answers it. */
struct exchange {
    weir_http_request *request;
    weir_fetch *fetch; /* NULL: it has ended */
    bool has_begun;    /* the response */
    bool is_reading;   /* the body of the request */
    bool is_over;      /* the request */
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "proxy: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void release(struct exchange *exchange)
{
    if (exchange->fetch != NULL || !exchange->is_over)
        return;
    weir_http_request_unref(exchange->request);
    free(exchange);
}

/* Whether a field is about one connection only (RFC 9110, 7.6.1). */
static bool is_local(const weir_http_field *field)
{
    static const char *const names[] = {"connection",
                                        "keep-alive",
                                        "te",
                                        "trailer",
                                        "transfer-encoding",
                                        "upgrade",
                                        "content-length",
                                        "expect",
                                        "host",
                                        "proxy-connection"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strlen(names[i]) == field->name.size &&
            strncasecmp(names[i], field->name.data, field->name.size) == 0)
            return true;
    return false;
}

/* ---- the response ---- */

static void on_client_ready(void *arg, weir_http_request *request, int status)
{
    struct exchange *exchange = arg;

    if (exchange->fetch != NULL)
        weir_fetch_resume(exchange->fetch);
}

static void on_head(void *arg, weir_fetch *fetch, int status)
{
    struct exchange *exchange = arg;
    weir_http_field fields[FIELDS];
    size_t count = 0;

    for (size_t i = 0;
         count < FIELDS && weir_fetch_field_at(fetch, i, &fields[count]); i++)
        count += !is_local(&fields[count]) &&
                 strncasecmp(fields[count].name.data, "date", 4) != 0;
    weir_http_on_writable(exchange->request, on_client_ready, exchange);
    exchange->has_begun =
        weir_http_begin(exchange->request, weir_fetch_status(fetch), fields,
                        count, weir_fetch_body_size(fetch)) == 0;
    if (!exchange->has_begun)
        weir_fetch_abort(fetch);
}

static void on_body(void *arg, weir_fetch *fetch, weir_bytes bytes)
{
    struct exchange *exchange = arg;

    if (weir_http_write(exchange->request, bytes, NULL, NULL) != 0)
        weir_fetch_abort(fetch); /* the client has left */
    else if (weir_http_is_full(exchange->request))
        weir_fetch_pause(fetch);
}

static void end_response(struct exchange *exchange, int status)
{
    weir_http_request *request = exchange->request;

    if (status != 0 && !exchange->has_begun) {
        status = status == -ETIMEDOUT ? 504 : 502;
        weir_http_respond(request, (unsigned)status, "text/plain",
                          "upstream failed\n", 16);
        return;
    }
    if (status != 0)
        weir_http_abort(request); /* what was sent must not look complete */
    else
        weir_http_end(request, NULL, 0);
}

static void on_end(void *arg, weir_fetch *fetch, int status)
{
    struct exchange *exchange = arg;

    exchange->fetch = NULL;
    if (!exchange->is_over)
        end_response(exchange, status);
    else
        release(exchange);
}

/* ---- the request ---- */

static void on_upload(void *arg, weir_http_request *request, int status,
                      weir_bytes bytes)
{
    struct exchange *exchange = arg;
    weir_fetch *fetch = exchange->fetch;

    if (fetch == NULL)
        return; /* it was answered before its body ended */
    if (status == 0) {
        weir_fetch_write(fetch, bytes, NULL, NULL);
        if (weir_fetch_is_full(fetch))
            weir_http_pause(request);
    } else if (status == WEIR_EEOF) {
        weir_fetch_finish(fetch, NULL, 0);
    } else {
        weir_fetch_abort(fetch);
    }
}

static void on_upstream_ready(void *arg, weir_fetch *fetch, int status)
{
    struct exchange *exchange = arg;

    if (exchange->is_reading)
        weir_http_resume(exchange->request);
    else if (weir_http_read(exchange->request, on_upload, exchange) != 0)
        weir_fetch_abort(fetch);
    exchange->is_reading = true;
}

/* The response has left, or the client has. */
static void on_request_end(void *arg, weir_http_request *request, int status)
{
    struct exchange *exchange = arg;

    exchange->is_over = true;
    if (exchange->fetch != NULL)
        weir_fetch_abort(exchange->fetch); /* on_end releases the exchange */
    else
        release(exchange);
}

static int start_fetch(struct exchange *exchange)
{
    weir_http_request *request = exchange->request;
    weir_bytes method = weir_http_method(request);
    weir_bytes target = weir_http_target(request);
    weir_http_field fields[FIELDS];
    char url[9216], name[32];
    weir_fetch_options options = {.size = sizeof(options),
                                  .method = name,
                                  .url = url,
                                  .fields = fields,
                                  .is_raw = true,
                                  .arg = exchange,
                                  .on_head = on_head,
                                  .on_body = on_body,
                                  .on_end = on_end,
                                  .on_writable = on_upstream_ready};

    snprintf(name, sizeof(name), "%.*s", (int)method.size,
             (const char *)method.data);
    snprintf(url, sizeof(url), "%s%.*s", upstream, (int)target.size,
             (const char *)target.data);
    for (size_t i = 0;
         options.field_count < FIELDS &&
         weir_http_field_at(request, i, &fields[options.field_count]);
         i++)
        options.field_count += !is_local(&fields[options.field_count]);
    options.stream_size = weir_http_body_size(request);
    options.is_streaming = options.stream_size != 0;
    return weir_fetch_start(client, &exchange->fetch, &options);
}

static void on_request(void *arg, weir_http_request *request)
{
    struct exchange *exchange = calloc(1, sizeof(*exchange));
    const char *target = weir_http_target(request).data;

    if (exchange == NULL || *target != '/') {
        free(exchange);
        weir_http_respond(request, exchange == NULL ? 500 : 400, NULL, NULL, 0);
        return;
    }
    exchange->request = request;
    weir_http_request_ref(request);
    must(weir_http_request_on_end(request, on_request_end, exchange), "end");
    if (start_fetch(exchange) != 0)
        end_response(exchange, WEIR_ECLOSED);
}

/* SIGTERM: connections to the other server are not kept. */
static void on_drained(void *arg)
{
}

static void on_drain(void *arg, int status)
{
    weir_http_client_drain(client, on_drained, NULL);
}

int main(int argc, char **argv)
{
    const char *where = argc > 2 ? argv[2] : "127.0.0.1:0";
    weir_http_server_options options = {
        .size = sizeof(options), .on_request = on_request, .body_bytes = -1};
    weir_service *service;
    weir_http_server *server;
    weir_loop *loop;
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];
    int status;

    if (argc < 2) {
        fprintf(stderr, "usage: proxy http://HOST[:PORT] [ADDRESS]\n");
        return 2;
    }
    upstream = argv[1];
    must(weir_service_new(&service, NULL), "service");
    must(weir_service_add_loop(service, &loop, NULL), "loop");
    options.loops = &loop;
    options.loop_count = 1;
    must(weir_http_client_new(&client, loop, NULL), "client");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, where, NULL), where);
    must(weir_service_on_drain(service, loop, on_drain, NULL), "drain");
    must(weir_service_start(service), "start");
    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("http://%s/\n", text);
    fflush(stdout);
    status = weir_service_wait(service, -1);
    if (status == WEIR_EFORCED)
        return EXIT_FAILURE;
    weir_http_client_close(client, NULL, NULL);
    must(weir_service_free(service), "free");
    weir_http_server_free(server);
    return EXIT_SUCCESS;
}
