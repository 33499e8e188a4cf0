/* SPDX-License-Identifier: MIT */
/*
 * count -- what a server of examples/net has answered, by client.
 *
 * Linked with the unchanged example, whose calls come here first
 * (LINKER:--wrap).  It says where a server listens that does not, and what it
 * has answered when the program ends, a line for each client:
 *
 *     listening on 127.0.0.1:PORT
 *     PORT BYTES RESPONSES
 *
 * PORT is the client's.  BYTES were accepted by weir_stream_write, and RESPONSES
 * by weir_http_respond.  test/api/last_answers.py compares them with what the
 * client has received.  Everything runs on the server's only loop; the end, after
 * it.
 */
#include <inttypes.h>
#include <stdio.h>

#include "weir.h"
#include "weir/net/http.h"

enum { PORTS = 65536 };

static uint64_t bytes_to[PORTS], responses_to[PORTS];

static unsigned port_of(const weir_stream *stream)
{
    weir_address peer;

    if (stream == NULL) /* the client has left */
        return 0;
    weir_stream_peer(stream, &peer);
    return weir_address_port(&peer);
}

int __real_weir_stream_write(weir_stream *stream, const weir_bytes *parts,
                             size_t count, weir_stream_fn *done, void *arg);
int __wrap_weir_stream_write(weir_stream *stream, const weir_bytes *parts,
                             size_t count, weir_stream_fn *done, void *arg);

int __wrap_weir_stream_write(weir_stream *stream, const weir_bytes *parts,
                             size_t count, weir_stream_fn *done, void *arg)
{
    unsigned port = port_of(stream);
    uint64_t size = 0;
    int err;

    for (size_t i = 0; i < count; i++)
        size += parts[i].size;
    err = __real_weir_stream_write(stream, parts, count, done, arg);
    if (err == 0)
        bytes_to[port] += size;
    return err;
}

int __real_weir_http_respond(weir_http_request *request, unsigned status,
                             const char *type, const void *data, size_t size);
int __wrap_weir_http_respond(weir_http_request *request, unsigned status,
                             const char *type, const void *data, size_t size);

int __wrap_weir_http_respond(weir_http_request *request, unsigned status,
                             const char *type, const void *data, size_t size)
{
    unsigned port = port_of(weir_http_stream(request));
    int err = __real_weir_http_respond(request, status, type, data, size);

    if (err == 0)
        responses_to[port]++;
    return err;
}

int __real_weir_http_server_listen(weir_http_server *server,
                                   const char *address,
                                   const weir_listener_options *options);
int __wrap_weir_http_server_listen(weir_http_server *server,
                                   const char *address,
                                   const weir_listener_options *options);

int __wrap_weir_http_server_listen(weir_http_server *server,
                                   const char *address,
                                   const weir_listener_options *options)
{
    char text[WEIR_ADDRESS_TEXT];
    weir_address bound;
    int err = __real_weir_http_server_listen(server, address, options);

    if (err == 0)
        err = weir_http_server_address(server, 0, &bound);
    if (err != 0)
        return err;
    weir_address_format(&bound, text, sizeof(text));
    printf("listening on %s\n", text);
    fflush(stdout);
    return 0;
}

__attribute__((destructor)) static void print_counts(void)
{
    for (unsigned port = 0; port < PORTS; port++)
        if (bytes_to[port] > 0 || responses_to[port] > 0)
            printf("%u %" PRIu64 " %" PRIu64 "\n", port, bytes_to[port],
                   responses_to[port]);
}
