/* SPDX-License-Identifier: MIT */
/*
 * echo -- a TCP echo server.  build/net/echo [ADDRESS]
 *
 * SIGTERM stops it: each client gets its last bytes, then the end.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/listener.h>

struct client {
    struct client *next, **link; /* link: points to this one */
    weir_stream *stream;
};

/* Used on the loop's thread only. */
static weir_listener_options options = {.size = sizeof(options)};
static weir_service *service;
static weir_listener *listener;
static struct client *clients;

static void on_closed(void *arg, weir_stream *stream, int status)
{
    struct client *client = arg;

    if ((*client->link = client->next) != NULL)
        client->next->link = client->link;
    free(client);
    weir_gate_exit(weir_service_gate(service));
}

static void on_room(void *arg, weir_stream *stream, int status)
{
    if (status == 0)
        weir_stream_resume(stream);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status == WEIR_ECANCELED)
        return; /* the loop has ended */
    if (status != 0 || weir_stream_write(stream, &bytes, 1, NULL, NULL) != 0) {
        weir_stream_finish(stream, WEIR_S(2), on_closed, arg);
    } else if (weir_stream_is_full(stream)) { /* the client does not read */
        weir_stream_pause(stream);
        (void)!weir_stream_write(stream, NULL, 0, on_room, NULL);
    }
}

static void on_stream(void *arg, weir_stream *stream)
{
    struct client *client = malloc(sizeof(*client));

    if (client == NULL || weir_gate_enter(weir_service_gate(service)) != 0) {
        free(client);
        weir_stream_close(stream, NULL, NULL);
        return;
    }
    *client = (struct client){clients, &clients, stream};
    if (clients != NULL)
        clients->link = &client->next;
    clients = client;
    if (weir_stream_read(stream, on_read, client) != 0)
        weir_stream_close(stream, on_closed, client);
}

static void start(void *arg, int status)
{
    char text[WEIR_ADDRESS_TEXT];

    if (weir_listener_open(&listener, arg, &options) != 0) {
        weir_service_stop(service);
        return;
    }
    weir_listener_address(listener, &options.address);
    weir_address_format(&options.address, text, sizeof(text));
    printf("listening on %s\n", text);
    fflush(stdout);
}

static void stop(void *arg, int status)
{
    if (listener != NULL)
        weir_listener_drain(listener, NULL, NULL);
    for (struct client *client = clients; client != NULL; client = client->next)
        weir_stream_finish(client->stream, WEIR_S(2), on_closed, client);
}

int main(int argc, char **argv)
{
    weir_loop *loop;

    options.on_stream = on_stream;
    if (weir_address_parse(&options.address, argc > 1 ? argv[1] : "[::]:7777",
                           0) != 0 ||
        weir_service_new(&service, NULL) != 0 ||
        weir_service_add_loop(service, &loop, NULL) != 0 ||
        weir_service_on_drain(service, loop, stop, NULL) != 0 ||
        weir_service_start(service) != 0 ||
        weir_loop_submit(loop, start, loop) != 0)
        return EXIT_FAILURE;
    return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
