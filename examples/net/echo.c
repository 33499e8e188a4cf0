/* SPDX-License-Identifier: MIT */
/*
 * echo -- a TCP echo server.  build/net/echo [ADDRESS]
 *
 * It stops reading from a client that does not read.  At SIGTERM each client
 * receives the bytes that are queued for it, then the end of the stream.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>
#include <weir/net/serve.h>

static void on_room(void *arg, weir_stream *stream)
{
    weir_stream_resume(stream);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    if (status != 0 || weir_stream_write(stream, &bytes, 1, NULL, NULL) != 0)
        weir_stream_finish(stream, WEIR_S(2), NULL, NULL);
    else if (weir_stream_is_full(stream))
        weir_stream_pause(stream);
}

static void on_stream(void *arg, weir_stream *stream)
{
    if (weir_stream_read(stream, on_read, NULL) != 0)
        weir_stream_close(stream, NULL, NULL);
}

int main(int argc, char **argv)
{
    weir_stream_options stream = {.size = sizeof(stream), .on_drain = on_room};
    weir_listener_options listener = {.size = sizeof(listener),
                                      .stream = &stream};
    weir_serve_options options = {
        .size = sizeof(options), .on_stream = on_stream, .listener = &listener};
    char text[WEIR_ADDRESS_TEXT];
    weir_service *service;
    weir_address address;
    int err;

    if ((err = weir_service_new(&service, NULL)) != 0 ||
        (err = weir_serve(service, argc > 1 ? argv[1] : "[::]:7777", &options,
                          &address)) != 0 ||
        (err = weir_service_start(service)) != 0) {
        fprintf(stderr, "echo: %s\n", weir_error_text(err));
        return EXIT_FAILURE;
    }
    weir_address_format(&address, text, sizeof(text));
    printf("listening on %s\n", text);
    fflush(stdout);
    return weir_service_wait(service, -1) == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
