/* SPDX-License-Identifier: MIT */
/*
 * conversation -- random conversations between a client and a server, in memory
 * and in random pieces: each message, ping and pong arrives once, in order.
 */
#include "net/support/websocket_fixture.h"
#include "support/random.h"

enum { LARGEST = 9000, QUEUE = 64 };

/* What was sent and has not arrived. */
struct sent {
    uint8_t type; /* enum weir__codec_type */
    weir_websocket_kind kind;
    uint64_t seed; /* of the bytes */
    size_t size;
};

struct side {
    struct weir__codec codec;
    struct wire wire; /* from this side */
    size_t read;      /* bytes of it that have arrived */
    struct sent messages[QUEUE], controls[QUEUE];
    size_t message_first, message_count, control_first, control_count;
    size_t left;               /* bytes of the open message to be sent */
    uint8_t message[LARGEST];  /* the open message */
    uint8_t received[LARGEST]; /* by this side, so far */
    size_t received_size;
    uint64_t arrived;
};

static struct random dice;
static uint64_t actions[6];

static void fill(uint8_t *bytes, const struct sent *sent)
{
    struct random random = {sent->seed};

    for (size_t i = 0; i < sent->size; i++)
        bytes[i] = sent->kind == WEIR_WEBSOCKET_BINARY && i % 3 == 0
                       ? (uint8_t)random_next(&random)
                       : (uint8_t)("abcdefgh"[random_below(&random, 8)]);
}

static struct sent *push_control(struct side *side, uint8_t type)
{
    size_t index = side->control_first + side->control_count++;
    struct sent *sent = &side->controls[index % QUEUE];

    *sent = (struct sent){.type = type,
                          .seed = random_next(&dice),
                          .size = random_below(&dice, 126)};
    return sent;
}

static void send_control(struct side *side)
{
    uint8_t bytes[125];
    struct weir__codec_frame made;
    bool is_ping = random_below(&dice, 2) == 0;
    struct sent *sent;

    if (side->control_count == QUEUE)
        return;
    sent = push_control(side, is_ping ? WEIR__CODEC_PING : WEIR__CODEC_PONG);
    fill(bytes, sent);
    expect_status(weir__codec_control(&side->codec, &made,
                                      is_ping ? PING : PONG,
                                      (weir_bytes){bytes, sent->size}),
                  0);
    wire_made(&side->wire, &side->codec, &made);
}

static struct sent *last_message(struct side *side)
{
    return &side->messages[(side->message_first + side->message_count - 1) %
                           QUEUE];
}

/* Continue the open message, or begin one. */
static void send_message(struct side *side, bool is_whole)
{
    bool is_open = weir__codec_is_inside(&side->codec);
    struct sent *sent;
    size_t part;
    bool is_last;

    if (!is_open) {
        if (side->message_count == QUEUE)
            return;
        side->message_count++;
        sent = last_message(side);
        *sent = (struct sent){
            .type = WEIR__CODEC_MESSAGE,
            .kind = random_below(&dice, 2) == 0 ? WEIR_WEBSOCKET_TEXT
                                                : WEIR_WEBSOCKET_BINARY,
            .seed = random_next(&dice),
            .size = random_below(&dice,
                                 random_below(&dice, 4) == 0 ? LARGEST : 200),
        };
        fill(side->message, sent);
        side->left = sent->size;
    }
    sent = last_message(side);
    part = is_whole ? side->left : random_below(&dice, side->left + 1);
    is_last = is_whole || random_below(&dice, 3) == 0;
    if (is_last)
        part = side->left;
    wire_send(&side->wire, &side->codec, sent->kind,
              side->message + sent->size - side->left, part, is_last);
    side->left -= part;
}

static void expect_equal(const struct sent *sent, const uint8_t *bytes,
                         size_t size)
{
    uint8_t expected[LARGEST];

    expect_int(size, sent->size);
    fill(expected, sent);
    expect(size == 0 || memcmp(expected, bytes, size) == 0);
}

static void receive_message(struct side *from, struct side *to,
                            const struct weir__codec_event *event)
{
    struct sent *sent = &from->messages[from->message_first % QUEUE];

    expect(from->message_count > 0);
    expect_int(event->kind, sent->kind);
    expect(to->received_size + event->bytes.size <= LARGEST);
    if (event->bytes.size > 0)
        memcpy(to->received + to->received_size, event->bytes.data,
               event->bytes.size);
    to->received_size += event->bytes.size;
    if (!event->is_last)
        return;
    expect_equal(sent, to->received, to->received_size);
    to->received_size = 0;
    from->message_first++;
    from->message_count--;
    to->arrived++;
}

static void receive_event(struct side *from, struct side *to,
                          const struct weir__codec_event *event)
{
    struct sent *sent = &from->controls[from->control_first % QUEUE];

    if (event->type == WEIR__CODEC_MESSAGE) {
        receive_message(from, to, event);
        return;
    }
    expect(from->control_count > 0);
    expect_int(event->type, sent->type);
    expect_equal(sent, event->bytes.data, event->bytes.size);
    from->control_first++;
    from->control_count--;
    to->arrived++;
}

/* Some bytes arrive, in a block of their own. */
static void deliver(struct side *from, struct side *to, size_t limit)
{
    size_t size = from->wire.size - from->read;
    struct weir__codec_event event;
    uint8_t *copy;
    int result;

    if (size > limit)
        size = limit;
    copy = malloc(size + 1);
    if (size > 0)
        memcpy(copy, from->wire.data + from->read, size);
    from->read += size;
    weir__codec_feed(&to->codec, (weir_bytes){copy, size});
    while ((result = weir__codec_next(&to->codec, &event)) == 1)
        receive_event(from, to, &event);
    expect_status(result, 0);
    free(copy);
    if (from->read == from->wire.size)
        from->read = from->wire.size = 0;
}

static void act(struct side *from, struct side *to)
{
    switch (random_choose(&dice, actions)) {
    case 0:
        send_control(from);
        break;
    case 1:
        if (!weir__codec_is_inside(&from->codec))
            send_message(from, true);
        break;
    case 2:
        send_message(from, false);
        break;
    case 3:
        deliver(from, to, 1 + random_below(&dice, 4));
        break;
    case 4:
        deliver(from, to, random_below(&dice, 300));
        break;
    default:
        deliver(from, to, random_below(&dice, 30000));
        break;
    }
}

static void finish(struct side *from, struct side *to)
{
    if (weir__codec_is_inside(&from->codec))
        send_message(from, true);
    deliver(from, to, SIZE_MAX);
    expect_int(from->message_count, 0);
    expect_int(from->control_count, 0);
}

static void converse(weir_websocket_deflate deflate, bool is_streaming)
{
    struct side *server = calloc(1, sizeof(*server));
    struct side *client = calloc(1, sizeof(*client));

    codec_make_with(&server->codec, CODEC_OPTIONS(.deflate = deflate,
                                                  .is_streaming = is_streaming,
                                                  .min_deflate_bytes = 50));
    codec_make_with(&client->codec,
                    CODEC_OPTIONS(.is_client = true, .deflate = deflate,
                                  .is_streaming = !is_streaming,
                                  .min_deflate_bytes = 50));
    for (int i = 0; i < 1000; i++) {
        if (random_below(&dice, 2) == 0)
            act(client, server);
        else
            act(server, client);
    }
    finish(client, server);
    finish(server, client);
    expect(client->arrived > 50 && server->arrived > 50);
    weir__codec_fini(&server->codec);
    weir__codec_fini(&client->codec);
    wire_free(&server->wire);
    wire_free(&client->wire);
    free(server);
    free(client);
}

CASE(random_conversations_arrive_once_and_in_order)
{
    dice.state = random_seed();
    for (int i = 0; i < 60; i++)
        converse((weir_websocket_deflate){0}, i & 1);
    expect_all_taken(actions);
}

CASE(random_compressed_conversations_arrive_once_and_in_order)
{
    dice.state = random_seed();
    for (int i = 0; i < 60; i++) {
        weir_websocket_deflate deflate = {
            .is_on = true,
            .server_no_context_takeover = random_below(&dice, 2),
            .client_no_context_takeover = random_below(&dice, 2),
            .server_max_window_bits = (uint8_t)(9 + random_below(&dice, 7)),
            .client_max_window_bits = (uint8_t)(9 + random_below(&dice, 7)),
        };

        converse(deflate, i & 1);
    }
    expect_all_taken(actions);
}

/* Whatever bytes arrive, a codec refuses them or goes on; it never reads or
 * keeps more than it may. */
CASE(random_bytes_never_confuse_a_codec)
{
    uint64_t results[2] = {0, 0};

    dice.state = random_seed();
    for (int i = 0; i < 20000; i++) {
        struct weir__codec codec;
        struct wire wire = {0};
        size_t size = random_below(&dice, 200);
        int result;

        codec_make_with(&codec, CODEC_OPTIONS(.is_client = i & 1,
                                              .max_message_bytes = 1000,
                                              .is_streaming = i & 2,
                                              .deflate = {.is_on = i & 4}));
        if (random_below(&dice, 2) == 0)
            wire_header(&wire, FINAL | (unsigned)random_below(&dice, 128),
                        random_below(&dice, 300), !codec.is_client);
        for (size_t k = 0; k < size; k++)
            wire_byte(&wire, (unsigned)random_below(&dice, 256));
        result = codec_take(&codec, &wire, 1 + random_below(&dice, 20));
        expect(result == 0 || result == WEIR_EWEBSOCKET);
        if (result != 0)
            expect(codec.code == 1002 || codec.code == 1007 ||
                   codec.code == 1009);
        results[result == 0]++;
        (void)take_events();
        weir__codec_fini(&codec);
        wire_free(&wire);
    }
    expect_all_taken(results);
}
