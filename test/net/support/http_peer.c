/* SPDX-License-Identifier: MIT */
#include "net/support/http_peer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/loop_fixture.h"
#include "weir/net/listener.h"

enum { ANSWERS = 256, PEERS = 64, RECEIVED = 1 << 20 };

struct answer {
    const void *data;
    size_t size;
    unsigned flags;
};

struct peer {
    weir_stream *stream; /* NULL: closed */
    char *input;         /* of the request */
    size_t size;
    bool is_answered; /* early: the rest of the request is ignored */
};

unsigned peer_accepted, peer_requests, peer_gone;
static struct answer answers[ANSWERS];
static unsigned answer_first, answer_count;
static struct peer peers[PEERS];
static struct peer *last_peer;
static weir_listener *listener;
static weir_address where;
static char received[RECEIVED + 1];
static size_t received_size;
static bool is_deaf;

static void close_peer(struct peer *peer)
{
    weir_stream_close(peer->stream, NULL, NULL);
    peer->stream = NULL;
    free(peer->input);
    peer->input = NULL;
    peer->size = 0;
}

/* The size of the first request in the input, or 0 if it is not complete. */
static size_t request_size(const struct peer *peer, bool is_early)
{
    const char *end, *length;
    size_t size;

    if (peer->size == 0)
        return 0;
    end = strstr(peer->input, "\r\n\r\n");
    if (end == NULL)
        return 0;
    size = (size_t)(end + 4 - peer->input);
    if (is_early)
        return peer->size;
    length = strstr(peer->input, "Content-Length: ");
    if (length != NULL && length < end)
        size += strtoul(length + 16, NULL, 10);
    if (strstr(peer->input, "Transfer-Encoding: chunked\r\n") != NULL) {
        const char *last = strstr(end, "\r\n0\r\n");

        if (last == NULL || strstr(last + 3, "\r\n\r\n") == NULL)
            return 0;
        size = (size_t)(strstr(last + 3, "\r\n\r\n") + 4 - peer->input);
    }
    return peer->size >= size ? size : 0;
}

static void answer(struct peer *peer)
{
    struct answer *next = &answers[answer_first % ANSWERS];
    weir_bytes bytes = {next->data, next->size};
    size_t size;

    if (answer_count == 0 || peer->is_answered)
        return;
    size = request_size(peer, next->flags & PEER_EARLY);
    if (size == 0)
        return;
    answer_first++;
    answer_count--;
    peer_requests++;
    last_peer = peer;
    peer->is_answered = next->flags & PEER_EARLY;
    memmove(peer->input, peer->input + size, peer->size - size + 1);
    peer->size -= size;
    if (next->flags & PEER_RESETS) {
        weir_stream_reset(peer->stream, NULL, NULL);
        peer->stream = NULL;
        free(peer->input);
        peer->input = NULL;
        return;
    }
    if (bytes.size > 0)
        (void)!weir_stream_write(peer->stream, &bytes, 1, NULL, NULL);
    if (next->flags & PEER_CLOSES) {
        weir_stream_finish(peer->stream, WEIR_S(5), NULL, NULL);
        peer->stream = NULL;
        free(peer->input);
        peer->input = NULL;
    }
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct peer *peer = arg;

    if (status != 0) {
        peer_gone++;
        close_peer(peer);
        return;
    }
    if (received_size + bytes.size <= RECEIVED) {
        memcpy(received + received_size, bytes.data, bytes.size);
        received_size += bytes.size;
        received[received_size] = '\0';
    }
    peer->input = realloc(peer->input, peer->size + bytes.size + 1);
    expect(peer->input != NULL);
    memcpy(peer->input + peer->size, bytes.data, bytes.size);
    peer->size += bytes.size;
    peer->input[peer->size] = '\0';
    answer(peer);
}

static void on_stream(void *arg, weir_stream *stream)
{
    struct peer *peer = peers;

    while (peer < peers + PEERS && peer->stream != NULL)
        peer++;
    expect(peer < peers + PEERS);
    peer_accepted++;
    *peer = (struct peer){.stream = stream};
    weir_stream_set_ref(stream, false);
    expect_status(weir_stream_read(stream, on_read, peer), 0);
    if (is_deaf)
        weir_stream_pause(stream);
}

void peer_start(void)
{
    weir_listener_options options = {.size = sizeof(options),
                                     .on_stream = on_stream};

    expect_status(weir_address_parse(&options.address, "127.0.0.1:0", 0), 0);
    expect_status(weir_listener_open(&listener, loop, &options), 0);
    weir_listener_address(listener, &where);
}

void peer_stop(void)
{
    for (struct peer *peer = peers; peer < peers + PEERS; peer++)
        if (peer->stream != NULL)
            close_peer(peer);
    weir_listener_close(listener, NULL, NULL);
}

void peer_will_bytes(const void *data, size_t size, unsigned flags)
{
    expect(answer_count < ANSWERS);
    answers[(answer_first + answer_count++) % ANSWERS] =
        (struct answer){data, size, flags};
}

void peer_will(const char *text, unsigned flags)
{
    peer_will_bytes(text, strlen(text), flags);
}

void peer_send(const char *text)
{
    weir_bytes bytes = {text, strlen(text)};

    expect(last_peer != NULL && last_peer->stream != NULL);
    expect_status(weir_stream_write(last_peer->stream, &bytes, 1, NULL, NULL),
                  0);
}

void peer_close_last(void)
{
    close_peer(last_peer);
}

void peer_reset_last(void)
{
    weir_stream_reset(last_peer->stream, NULL, NULL);
    last_peer->stream = NULL;
    free(last_peer->input);
    last_peer->input = NULL;
    last_peer->size = 0;
}

void peer_close_idle(void)
{
    for (struct peer *peer = peers; peer < peers + PEERS; peer++)
        if (peer->stream != NULL && peer->size == 0)
            close_peer(peer);
}

const char *peer_url(const char *path)
{
    static char texts[4][512];
    static unsigned next;
    char *text = texts[next++ % 4];

    snprintf(text, sizeof(texts[0]), "http://127.0.0.1:%u%s", peer_port(),
             path);
    return text;
}

unsigned peer_port(void)
{
    return weir_address_port(&where);
}

const char *peer_received(void)
{
    return received;
}

void peer_forget(void)
{
    received_size = 0;
    received[0] = '\0';
}

void peer_set_deaf(bool deaf)
{
    is_deaf = deaf;
}

void peer_hear(void)
{
    is_deaf = false;
    for (struct peer *peer = peers; peer < peers + PEERS; peer++)
        if (peer->stream != NULL)
            weir_stream_resume(peer->stream);
}

void peer_will_nothing(void)
{
    answer_count = 0;
}
