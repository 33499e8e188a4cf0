/* SPDX-License-Identifier: MIT */
/*
 * echo_uv -- the echo server in the idiom of libuv's guide: a buffer and a
 * write request are allocated for each piece of input.
 */
#include <stdio.h>
#include <stdlib.h>
#include <uv.h>

struct reply {
    uv_write_t request;
    uv_buf_t buffer;
};

static void free_connection(uv_handle_t *handle)
{
    free(handle);
}

static void allocate(uv_handle_t *handle, size_t suggested, uv_buf_t *buffer)
{
    (void)handle;
    buffer->base = malloc(suggested);
    buffer->len = buffer->base != NULL ? suggested : 0;
}

static void on_written(uv_write_t *request, int status)
{
    struct reply *reply = (struct reply *)request;

    (void)status;
    free(reply->buffer.base);
    free(reply);
}

static void on_read(uv_stream_t *stream, ssize_t size, const uv_buf_t *buffer)
{
    if (size > 0) {
        struct reply *reply = malloc(sizeof(*reply));

        reply->buffer = uv_buf_init(buffer->base, (unsigned)size);
        uv_write(&reply->request, stream, &reply->buffer, 1, on_written);
        return;
    }
    if (size < 0)
        uv_close((uv_handle_t *)stream, free_connection);
    free(buffer->base);
}

static void on_connection(uv_stream_t *listener, int status)
{
    uv_tcp_t *connection = malloc(sizeof(*connection));

    if (status < 0 || connection == NULL)
        abort();
    uv_tcp_init(listener->loop, connection);
    if (uv_accept(listener, (uv_stream_t *)connection) == 0) {
        uv_tcp_nodelay(connection, 1);
        uv_read_start((uv_stream_t *)connection, allocate, on_read);
    } else {
        uv_close((uv_handle_t *)connection, free_connection);
    }
}

int main(void)
{
    uv_tcp_t listener;
    struct sockaddr_in name;
    int size = sizeof(name);
    uv_loop_t *loop = uv_default_loop();

    uv_tcp_init(loop, &listener);
    uv_ip4_addr("127.0.0.1", 0, &name);
    uv_tcp_bind(&listener, (struct sockaddr *)&name, 0);
    if (uv_listen((uv_stream_t *)&listener, SOMAXCONN, on_connection) != 0)
        return EXIT_FAILURE;
    uv_tcp_getsockname(&listener, (struct sockaddr *)&name, &size);
    printf("listening on 127.0.0.1:%d\n", ntohs(name.sin_port));
    fflush(stdout);
    return uv_run(loop, UV_RUN_DEFAULT);
}
