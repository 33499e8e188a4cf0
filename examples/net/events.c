/* SPDX-License-Identifier: MIT */
/*
 * events -- responses that never end by themselves: server-sent events.
 *
 *     build/net/events [ADDRESS]     127.0.0.1:0, and it prints the port
 *     curl -N http://ADDRESS/
 *
 * Each client gets a count, ten times a second.  SIGTERM ends the responses
 * properly, so browsers connect again, to the next process.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/http.h>

struct feed {
    weir_timer timer;
    weir_http_request *request;
    unsigned count;
};

/* Exit on failure; err is 0 or a weir error. */
static void must(int err, const char *what)
{
    if (err == 0)
        return;
    fprintf(stderr, "events: %s: %s\n", what, weir_error_text(err));
    exit(EXIT_FAILURE);
}

static void on_tick(void *arg, int status)
{
    struct feed *feed = arg;
    char text[64];
    int size;

    if (feed->request == NULL) { /* on_end came too late to cancel this */
        free(feed);
        return;
    }
    if (status != 0 || weir_http_is_full(feed->request))
        return; /* the loop ends; or the client reads slowly, and misses one */
    size = snprintf(text, sizeof(text), "data: %u\n\n", ++feed->count);
    weir_http_write(feed->request, (weir_bytes){text, (size_t)size}, NULL,
                    NULL);
}

static void on_drain(void *arg, weir_http_request *request, int status)
{
    weir_http_end(request, NULL, 0);
}

/* The response has left, or the client has. */
static void on_end(void *arg, weir_http_request *request, int status)
{
    struct feed *feed = arg;

    feed->request = NULL;
    if (weir_timer_cancel(weir_http_loop(request), feed->timer) == 0)
        free(feed);
}

static void on_request(void *arg, weir_http_request *request)
{
    static const weir_http_field fields[] = {
        WEIR_HTTP_FIELD("Content-Type", "text/event-stream"),
        WEIR_HTTP_FIELD("Cache-Control", "no-store")};
    struct feed *feed = calloc(1, sizeof(*feed));

    if (feed == NULL ||
        weir_timer_start(weir_http_loop(request), &feed->timer, WEIR_MS(100),
                         WEIR_TIMER_FIXED_RATE, on_tick, feed) != 0) {
        free(feed);
        weir_http_respond(request, 503, NULL, NULL, 0);
        return;
    }
    feed->request = request;
    if (weir_http_begin(request, 200, fields, 2, -1) != 0 ||
        weir_http_request_on_end(request, on_end, feed) != 0) {
        on_end(feed, request, 0);
        weir_http_abort(request); /* no memory, or the client has left */
    } else {
        weir_http_request_on_drain(request, on_drain, feed);
    }
}

int main(int argc, char **argv)
{
    const char *where = argc > 1 ? argv[1] : "127.0.0.1:0";
    weir_http_server_options options = {.size = sizeof(options),
                                        .on_request = on_request};
    weir_service *service;
    weir_http_server *server;
    weir_address address;
    char text[WEIR_ADDRESS_TEXT];

    must(weir_service_new(&service, NULL), "service");
    must(weir_http_server_new(&server, service, &options), "server");
    must(weir_http_server_listen(server, where, NULL), where);
    must(weir_service_start(service), "start");
    must(weir_http_server_address(server, 0, &address), "address");
    weir_address_format(&address, text, sizeof(text));
    printf("http://%s/\n", text);
    fflush(stdout);
    return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
