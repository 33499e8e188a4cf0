/* SPDX-License-Identifier: MIT */
/*
 * handshake -- both sides of RFC 6455, 4, and of RFC 7692, 7.1.
 */
#include <errno.h>
#include <openssl/crypto.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"
#include "weir/net/websocket.h"

enum { MOST = 16 };

static weir_websocket_handshake handshake;
static weir_http_field headers[MOST];
static size_t header_count;

static weir_bytes bytes_of(const char *text)
{
    return (weir_bytes){text, strlen(text)};
}

static void add(const char *name, const char *value)
{
    expect(header_count < MOST);
    headers[header_count++] =
        (weir_http_field){bytes_of(name), bytes_of(value)};
}

static void drop(const char *name)
{
    size_t kept = 0;

    for (size_t i = 0; i < header_count; i++)
        if (headers[i].name.size != strlen(name) ||
            memcmp(headers[i].name.data, name, strlen(name)) != 0)
            headers[kept++] = headers[i];
    expect(kept < header_count);
    header_count = kept;
}

static void change(const char *name, const char *value)
{
    drop(name);
    add(name, value);
}

/* The request of RFC 6455, 1.3. */
static void begin_request(void)
{
    header_count = 0;
    add("Host", "server.example.com");
    add("Upgrade", "websocket");
    add("Connection", "Upgrade");
    add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    add("Sec-WebSocket-Version", "13");
}

#define OPTIONS(...)                                                           \
    (&(weir_websocket_handshake_options){                                      \
        .size = sizeof(weir_websocket_handshake_options), __VA_ARGS__})

static int accept_with(const weir_websocket_handshake_options *options)
{
    return weir_websocket_accept(&handshake, bytes_of("GET"), headers,
                                 header_count, options);
}

/* All headers of a handshake's message, as text. */
static const char *made_headers(const weir_websocket_handshake *from)
{
    static char text[1000];
    weir_http_field made[WEIR_WEBSOCKET_HEADERS];
    size_t count = weir_websocket_headers(from, made), length = 0;

    text[0] = '\0';
    for (size_t i = 0; i < count; i++)
        length += (size_t)snprintf(
            text + length, sizeof(text) - length, "%s%.*s: %.*s",
            i > 0 ? "\n" : "", (int)made[i].name.size,
            (const char *)made[i].name.data, (int)made[i].value.size,
            (const char *)made[i].value.data);
    return text;
}

/* ---- the server ---- */

CASE(the_request_of_the_rfc_is_answered)
{
    begin_request();
    expect_status(accept_with(NULL), 0);
    expect_int(handshake.status, 101);
    expect_int(handshake.role, WEIR_WEBSOCKET_SERVER);
    expect_string(made_headers(&handshake),
                  "Upgrade: websocket\nConnection: Upgrade\n"
                  "Sec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
}

CASE(names_and_tokens_are_found_in_any_case_and_in_lists)
{
    begin_request();
    drop("Upgrade");
    drop("Connection");
    add("upgrade", "h2c, WebSocket");
    add("CONNECTION", "keep-alive");
    add("connection", "foo,\tUPGRADE ,bar");
    change("Sec-WebSocket-Version", " 13 ");
    expect_status(accept_with(NULL), 0);
}

/* covers: weir_websocket_accept WEIR_EWEBSOCKET */
static void expect_refused(int status)
{
    expect_status(accept_with(NULL), WEIR_EWEBSOCKET);
    expect_int(handshake.status, status);
    begin_request();
}

CASE(a_request_that_is_not_valid_is_refused)
{
    static const char *const needed[] = {
        "Upgrade", "Connection", "Sec-WebSocket-Key", "Sec-WebSocket-Version"};

    for (size_t i = 0; i < 4; i++) {
        begin_request();
        drop(needed[i]);
        expect_refused(400);
        change(needed[i], "");
        expect_refused(i == 3 ? 426 : 400);
    }
    change("Upgrade", "websockets");
    expect_refused(400);
    change("Upgrade", "web socket");
    expect_refused(400);
    change("Connection", "keep-alive");
    expect_refused(400);
    change("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ=");
    expect_refused(400);
    change("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ===");
    expect_refused(400);
    change("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZ-==");
    expect_refused(400);
    change("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQAA");
    expect_refused(400);
    add("Sec-WebSocket-Key", "dGhlIHNhbXBsZSBub25jZQ==");
    expect_refused(400);
    add("Sec-WebSocket-Extensions", "permessage-deflate; =");
    expect_refused(400);
    add("Sec-WebSocket-Extensions", "one two");
    expect_refused(400);
}

CASE(another_version_or_method_is_refused_with_a_hint)
{
    begin_request();
    change("Sec-WebSocket-Version", "8");
    expect_status(accept_with(NULL), WEIR_EWEBSOCKET);
    expect_int(handshake.status, 426);
    expect_string(made_headers(&handshake),
                  "Upgrade: websocket\nConnection: Upgrade\n"
                  "Sec-WebSocket-Version: 13");
    begin_request();
    expect_status(weir_websocket_accept(&handshake, bytes_of("POST"), headers,
                                        header_count, NULL),
                  WEIR_EWEBSOCKET);
    expect_int(handshake.status, 405);
    expect_string(made_headers(&handshake), "Allow: GET");
}

CASE(the_servers_first_subprotocol_that_the_client_speaks_is_chosen)
{
    begin_request();
    add("Sec-WebSocket-Protocol", "soap, chat");
    add("Sec-WebSocket-Protocol", "chat.v2");
    expect_status(accept_with(OPTIONS(.subprotocols = "mqtt, chat.v2, chat")),
                  0);
    expect_int(handshake.subprotocol.size, 7);
    expect(strstr(made_headers(&handshake),
                  "Sec-WebSocket-Protocol: chat.v2") != NULL);
    expect_status(accept_with(OPTIONS(.subprotocols = "Chat, mqtt")), 0);
    expect_int(handshake.subprotocol.size, 0);
    expect(strstr(made_headers(&handshake), "Protocol") == NULL);
}

/* ---- compression, the server's side ---- */

static void expect_answer(const char *offer, weir_websocket_deflate wanted,
                          const char *answer)
{
    char expected[200] = "";
    const char *found;

    wanted.is_on = true;
    begin_request();
    add("Sec-WebSocket-Extensions", offer);
    expect_status(accept_with(OPTIONS(.deflate = wanted)), 0);
    found = strstr(made_headers(&handshake), "\nSec-WebSocket-Extensions: ");
    if (answer != NULL)
        snprintf(expected, sizeof(expected),
                 "\nSec-WebSocket-Extensions: permessage-deflate%s", answer);
    expect_string(found == NULL ? "" : found, expected);
    expect(handshake.deflate.is_on == (answer != NULL));
}

CASE(an_offer_of_compression_is_answered)
{
    weir_websocket_deflate any = {0};

    expect_answer("permessage-deflate", any, "");
    expect_answer("Permessage-Deflate", any, "");
    expect_answer("permessage-deflate; client_max_window_bits", any, "");
    expect_answer("permessage-deflate; client_max_window_bits=10", any,
                  "; client_max_window_bits=10");
    expect_answer("permessage-deflate; server_max_window_bits=10", any,
                  "; server_max_window_bits=10");
    expect_answer("permessage-deflate; server_max_window_bits=\"15\"", any,
                  "; server_max_window_bits=15");
    expect_answer("permessage-deflate ; server_no_context_takeover;"
                  "client_no_context_takeover",
                  any,
                  "; server_no_context_takeover; client_no_context_takeover");
    expect_answer("x-other; a=b, , permessage-deflate", any, "");
}

CASE(an_answer_restricts_as_the_server_wants)
{
    weir_websocket_deflate small = {.server_max_window_bits = 11,
                                    .client_max_window_bits = 12,
                                    .server_no_context_takeover = true,
                                    .client_no_context_takeover = true};

    expect_answer("permessage-deflate; client_max_window_bits", small,
                  "; server_no_context_takeover; client_no_context_takeover"
                  "; server_max_window_bits=11; client_max_window_bits=12");
    expect_int(handshake.deflate.server_max_window_bits, 11);
    expect_int(handshake.deflate.client_max_window_bits, 12);
    /* a client that has not offered to restrict itself cannot be told to */
    expect_answer("permessage-deflate; server_max_window_bits=9", small,
                  "; server_no_context_takeover; client_no_context_takeover"
                  "; server_max_window_bits=9");
    expect_int(handshake.deflate.client_max_window_bits, 0);
}

CASE(an_offer_that_cannot_be_accepted_is_declined)
{
    static const char *const offers[] = {
        "permessage-deflate; unknown",
        "permessage-deflate; server_no_context_takeover=1",
        ("permessage-deflate; server_no_context_takeover; "
         "server_no_context_takeover"),
        "permessage-deflate; server_max_window_bits",
        "permessage-deflate; server_max_window_bits=7",
        "permessage-deflate; server_max_window_bits=8", /* zlib has none */
        "permessage-deflate; server_max_window_bits=16",
        "permessage-deflate; server_max_window_bits=010",
        "permessage-deflate; server_max_window_bits=1a",
        "permessage-deflate; client_max_window_bits=100",
        "permessage-deflate; client_max_window_bits; client_max_window_bits",
        "permessage-bzip2",
    };
    char both[300];

    for (size_t i = 0; i < sizeof(offers) / sizeof(offers[0]); i++) {
        expect_answer(offers[i], (weir_websocket_deflate){0}, NULL);
        snprintf(both, sizeof(both), "%s, permessage-deflate", offers[i]);
        expect_answer(both, (weir_websocket_deflate){0}, "");
    }
}

CASE(compression_that_nobody_wants_is_not_agreed_on)
{
    begin_request();
    add("Sec-WebSocket-Extensions", "permessage-deflate");
    expect_status(accept_with(NULL), 0);
    expect(!handshake.deflate.is_on);
    expect(strstr(made_headers(&handshake), "Extensions") == NULL);
}

/* ---- the client ---- */

/* Let a server answer the client's request. */
static weir_websocket_handshake
answer_with(const weir_websocket_handshake_options *options)
{
    weir_websocket_handshake server;
    weir_http_field request[WEIR_WEBSOCKET_HEADERS];
    size_t count = weir_websocket_headers(&handshake, request);

    expect_status(weir_websocket_accept(&server, bytes_of("GET"), request,
                                        count, options),
                  0);
    return server;
}

static void take_answer(const weir_websocket_handshake *server)
{
    header_count = weir_websocket_headers(server, headers);
}

static int check(int status)
{
    return weir_websocket_check(&handshake, status, headers, header_count);
}

CASE(a_client_and_a_server_agree)
{
    weir_websocket_handshake server;

    expect_status(
        weir_websocket_request(&handshake, OPTIONS(.subprotocols = "a, b",
                                                   .deflate = {.is_on = true})),
        0);
    server = answer_with(
        OPTIONS(.subprotocols = "b",
                .deflate = {.is_on = true, .client_max_window_bits = 10}));
    take_answer(&server);
    expect_status(check(101), 0);
    expect_int(handshake.status, 101);
    expect_int(handshake.subprotocol.size, 1);
    expect(memcmp(handshake.subprotocol.data, "b", 1) == 0);
    expect(handshake.deflate.is_on);
    expect_int(handshake.deflate.client_max_window_bits, 10);
}

CASE(the_keys_of_two_requests_differ)
{
    weir_websocket_handshake other;

    expect_status(weir_websocket_request(&handshake, NULL), 0);
    expect_status(weir_websocket_request(&other, NULL), 0);
    expect(strcmp(made_headers(&handshake), made_headers(&other)) == 0 ||
           memcmp(handshake.key_, other.key_, 24) != 0);
    expect(memcmp(handshake.key_, other.key_, 24) != 0);
}

/* covers: weir_websocket_check WEIR_EWEBSOCKET */
CASE(an_answer_that_is_not_valid_is_refused)
{
    weir_websocket_handshake server, other;

    expect_status(weir_websocket_request(&other, NULL), 0);
    expect_status(
        weir_websocket_request(&handshake, OPTIONS(.subprotocols = "a")), 0);
    server = answer_with(OPTIONS(.subprotocols = "a"));
    take_answer(&server);
    expect_status(check(200), WEIR_EWEBSOCKET);
    expect_status(weir_websocket_check(&other, 101, headers, header_count),
                  WEIR_EWEBSOCKET); /* another key */
    drop("Upgrade");
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    drop("Connection");
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    drop("Sec-WebSocket-Accept");
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    change("Sec-WebSocket-Protocol", "b"); /* not offered */
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    add("Sec-WebSocket-Protocol", "a"); /* twice */
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    add("Sec-WebSocket-Extensions", "permessage-deflate"); /* not offered */
    expect_status(check(101), WEIR_EWEBSOCKET);
    take_answer(&server);
    expect_status(check(101), 0);
}

CASE(an_answer_about_compression_must_fit_the_offer)
{
    static const char *const wrong[] = {
        "permessage-deflate", /* no server_max_window_bits */
        "permessage-deflate; server_max_window_bits=13; "
        "server_no_context_takeover",
        "permessage-deflate; server_max_window_bits=12", /* with takeover */
        "permessage-deflate; server_max_window_bits=12; "
        "server_no_context_takeover; client_max_window_bits",
        "permessage-deflate; server_max_window_bits=12; "
        "server_no_context_takeover; unknown",
        "permessage-deflate; server_max_window_bits=12; "
        "server_no_context_takeover, permessage-deflate; "
        "server_max_window_bits=12; server_no_context_takeover",
        "x-other",
        "permessage-deflate;",
    };
    weir_websocket_handshake server;

    expect_status(weir_websocket_request(
                      &handshake,
                      OPTIONS(.deflate = {.is_on = true,
                                          .server_max_window_bits = 12,
                                          .server_no_context_takeover = true})),
                  0);
    expect(strstr(made_headers(&handshake),
                  "permessage-deflate; server_no_context_takeover; "
                  "server_max_window_bits=12; client_max_window_bits") != NULL);
    server = answer_with(NULL);
    for (size_t i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
        take_answer(&server);
        add("Sec-WebSocket-Extensions", wrong[i]);
        expect_status(check(101), WEIR_EWEBSOCKET);
    }
    take_answer(&server);
    expect_status(check(101), 0); /* the server may decline */
    expect(!handshake.deflate.is_on);
    add("Sec-WebSocket-Extensions",
        "permessage-deflate; server_max_window_bits=10; "
        "server_no_context_takeover; client_max_window_bits=9");
    expect_status(check(101), 0);
    expect(handshake.deflate.is_on);
    expect_int(handshake.deflate.server_max_window_bits, 10);
    expect_int(handshake.deflate.client_max_window_bits, 9);
}

/* ---- nonsense ---- */

/* covers: weir_websocket_accept -EINVAL
 * covers: weir_websocket_request -EINVAL
 * covers: weir_websocket_check -EINVAL */
CASE(a_handshake_refuses_nonsense)
{
    weir_websocket_handshake_options wrong = {.size = 1};

    begin_request();
    expect_status(weir_websocket_accept(NULL, bytes_of("GET"), headers,
                                        header_count, NULL),
                  -EINVAL);
    expect_status(
        weir_websocket_accept(&handshake, bytes_of("GET"), NULL, 1, NULL),
        -EINVAL);
    expect_status(accept_with(&wrong), -EINVAL);
    expect_status(accept_with(OPTIONS(.subprotocols = "a b")), -EINVAL);
    expect_status(accept_with(OPTIONS(.deflate.server_max_window_bits = 8)),
                  -EINVAL);
    expect_status(accept_with(OPTIONS(.deflate.client_max_window_bits = 16)),
                  -EINVAL);
    expect_status(weir_websocket_request(NULL, NULL), -EINVAL);
    expect_status(
        weir_websocket_request(&handshake, OPTIONS(.subprotocols = "a;")),
        -EINVAL);
    expect_status(weir_websocket_check(NULL, 101, headers, 0), -EINVAL);
    expect_status(accept_with(NULL), 0);
    expect_status(check(101), -EINVAL); /* a server's */
    expect_status(weir_websocket_request(&handshake, NULL), 0);
    expect_status(weir_websocket_check(&handshake, 101, NULL, 1), -EINVAL);
}

/* covers: weir_websocket_accept -E2BIG
 * covers: weir_websocket_request -E2BIG */
CASE(a_handshake_refuses_options_that_it_does_not_know)
{
    struct {
        weir_websocket_handshake_options options;
        int newer;
    } later = {.options.size = sizeof(later), .newer = 1};

    begin_request();
    expect_status(accept_with(&later.options), -E2BIG);
    expect_status(weir_websocket_request(&handshake, &later.options), -E2BIG);
    later.newer = 0;
    expect_status(accept_with(&later.options), 0);
}

static bool is_memory_left;

static void *allocate(size_t size, const char *file, int line)
{
    return is_memory_left ? malloc(size) : NULL;
}

static void *reallocate(void *block, size_t size, const char *file, int line)
{
    return is_memory_left ? realloc(block, size) : NULL;
}

static void release(void *block, const char *file, int line)
{
    free(block);
}

/* covers: weir_websocket_accept -ENOMEM
 * covers: weir_websocket_check -ENOMEM */
CASE(a_handshake_fails_if_openssl_has_no_memory)
{
    weir_websocket_handshake server;

    expect_int(CRYPTO_set_mem_functions(allocate, reallocate, release), 1);
    is_memory_left = true;
    expect_status(weir_websocket_request(&handshake, NULL), 0);
    server = answer_with(NULL);
    take_answer(&server);
    is_memory_left = false;
    expect_status(check(101), -ENOMEM);
    begin_request();
    expect_status(weir_websocket_accept(&server, bytes_of("GET"), headers,
                                        header_count, NULL),
                  -ENOMEM);
    is_memory_left = true;
}
