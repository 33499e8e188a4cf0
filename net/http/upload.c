/* SPDX-License-Identifier: MIT */
/*
 * upload -- the body of a request that its owner writes in pieces.
 *
 * on_writable is called when there is a connection, and later whenever the
 * queue was full and is empty again.  The server may answer before the body has
 * ended; then the fetch ends, and writing returns WEIR_ECLOSED.
 */
#include <errno.h>
#include <stddef.h>
#include <string.h>

#include "http/client.h"
#include "http/format.h"
#include "weir/host/loop.h"
#include "weir/host/memory.h"

/* A piece whose owner wants to know when it has left. */
struct piece {
    weir_fetch *fetch;
    weir_fetch_fn *done;
    void *arg;
    char head[WEIR__HTTP_CHUNK_HEAD];
};

static void call_writable(void *arg, int status)
{
    weir_fetch *fetch = arg;

    fetch->on_writable(fetch->arg, fetch, status);
}

static void run_writable(weir_task *task, int status)
{
    weir_fetch *fetch =
        (weir_fetch *)((char *)task - offsetof(weir_fetch, writable_task));

    fetch->is_telling = false;
    if (status == 0 && fetch->link != NULL && !fetch->has_body_over)
        weir__fetch_call(fetch, call_writable);
    weir_fetch_unref(fetch);
}

void weir__fetch_tell_writable(weir_fetch *fetch)
{
    if (fetch->is_telling || fetch->has_body_over)
        return;
    fetch->is_telling = true;
    weir_fetch_ref(fetch);
    fetch->writable_task = (weir_task){.run = run_writable, .name = "fetch"};
    if (weir_loop_post(fetch->client->loop, &fetch->writable_task) != 0)
        run_writable(&fetch->writable_task, WEIR_ECANCELED);
}

static int check_upload(const weir_fetch *fetch)
{
    if (!fetch->is_streaming)
        return -EINVAL;
    if (fetch->phase == WEIR__FETCH_ENDED)
        return WEIR_ECLOSED;
    if (fetch->has_body_over)
        return -EALREADY;
    return fetch->link == NULL ? -EAGAIN : 0;
}

/* An error of the stream means that the server reads no more. */
static int write_parts(const weir_fetch *fetch, const weir_bytes *parts,
                       size_t count, weir_stream_fn *done, void *arg)
{
    int err = weir_stream_write(fetch->link->stream, parts, count, done, arg);

    return err == 0 || err == -ENOMEM ? err : WEIR_ECLOSED;
}

static void call_done(void *arg, int status)
{
    struct piece *piece = arg;

    piece->done(piece->arg, piece->fetch, status);
}

static void on_piece_left(void *arg, weir_stream *stream, int status)
{
    struct piece piece = *(struct piece *)arg;

    weir_memory_free(arg, sizeof(piece));
    if (!weir_loop_contain(call_done, &piece, status))
        weir_fetch_abort(piece.fetch);
    weir_fetch_unref(piece.fetch);
}

static int write_piece(weir_fetch *fetch, weir_bytes bytes, struct piece *piece)
{
    char head[WEIR__HTTP_CHUNK_HEAD];
    char *to = piece != NULL ? piece->head : head;
    weir_bytes parts[3] = {{to, 0}, bytes, WEIR_BYTES_OF("\r\n")};
    weir_stream_fn *done = piece != NULL ? on_piece_left : NULL;

    if (!fetch->is_chunked || bytes.size == 0)
        return write_parts(fetch, &bytes, 1, done, piece);
    parts[0].size = (size_t)(weir__http_chunk_write(to, bytes.size) - to);
    return write_parts(fetch, parts, 3, done, piece);
}

int weir_fetch_write(weir_fetch *fetch, weir_bytes bytes, weir_fetch_fn *done,
                     void *arg)
{
    struct piece *piece = NULL;
    int err;

    if (fetch == NULL || (bytes.data == NULL && bytes.size > 0))
        return -EINVAL;
    err = check_upload(fetch);
    if (err != 0)
        return err;
    if (!fetch->is_chunked && (uint64_t)fetch->stream_left < bytes.size)
        return -EMSGSIZE;
    if (done != NULL) {
        piece = weir_memory_alloc(sizeof(*piece));
        if (piece == NULL)
            return -ENOMEM;
        *piece = (struct piece){.fetch = fetch, .done = done, .arg = arg};
    }
    err = write_piece(fetch, bytes, piece);
    if (err != 0) {
        weir_memory_free(piece, sizeof(*piece));
        return err;
    }
    if (piece != NULL)
        weir_fetch_ref(fetch);
    if (!fetch->is_chunked)
        fetch->stream_left -= (int64_t)bytes.size;
    return 0;
}

static int write_last(weir_fetch *fetch, const weir_http_field *trailers,
                      size_t count)
{
    size_t size = weir__http_last_size(trailers, count);
    char *text;
    weir_bytes bytes;
    int err;

    if (!fetch->is_chunked)
        return 0;
    text = weir_memory_alloc(size);
    if (text == NULL)
        return -ENOMEM;
    bytes.data = text;
    bytes.size = (size_t)(weir__http_last_write(trailers, count, text) - text);
    err = write_parts(fetch, &bytes, 1, NULL, NULL);
    weir_memory_free(text, size);
    return err;
}

int weir_fetch_finish(weir_fetch *fetch, const weir_http_field *trailers,
                      size_t count)
{
    int err;

    if (fetch == NULL || (trailers == NULL && count > 0) ||
        (count > 0 && weir__http_fields_check(trailers, count) < 0))
        return -EINVAL;
    err = check_upload(fetch);
    if (err != 0)
        return err;
    if (!fetch->is_chunked && fetch->stream_left > 0) {
        weir__fetch_stop(fetch, -EMSGSIZE);
        return -EMSGSIZE;
    }
    err = write_last(fetch, trailers, count);
    if (err != 0)
        return err;
    fetch->has_body_over = true;
    weir__http_exchange_sent(fetch->link);
    return 0;
}

bool weir_fetch_is_full(const weir_fetch *fetch)
{
    return fetch->link != NULL && weir_stream_is_full(fetch->link->stream);
}
