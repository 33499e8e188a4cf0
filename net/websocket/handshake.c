/* SPDX-License-Identifier: MIT */
/*
 * handshake -- the HTTP messages that open a WebSocket (RFC 6455, 4), without
 * I/O.
 *
 * The caller owns a handshake, which allocates nothing.  The key of the request
 * is 16 random bytes in base64.  The answer contains the SHA-1 of the key and a
 * fixed text, which proves that its sender has understood the request.  key_
 * holds the key in a client's handshake, and that hash in a server's.
 */
#include <errno.h>
#include <openssl/evp.h>
#include <string.h>

#include "os/random.h"
#include "websocket/extension.h"
#include "websocket/list.h"
#include "weir/host/sized.h"
#include "weir/net/websocket.h"

enum {
    NONCE = 16,      /* random bytes of a key */
    KEY_LENGTH = 24, /* their base64 */
    KEY_DIGITS = 22,
    ACCEPT_LENGTH = 28,
    SHA1 = 20,

    SWITCHING = 101,
    BAD_REQUEST = 400,
    BAD_METHOD = 405,
    UPGRADE_REQUIRED = 426,
};

static const char guid[] = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

struct headers {
    const weir_http_field *table;
    size_t count;
};

/* ---- headers ---- */

/* Find the next header with this name, from *index on. */
static bool find(struct headers headers, const char *name, size_t *index,
                 weir_bytes *value)
{
    for (; *index < headers.count; (*index)++) {
        if (!weir__list_equals_nocase(headers.table[*index].name, name))
            continue;
        *value = headers.table[(*index)++].value;
        return true;
    }
    return false;
}

static bool has_header(struct headers headers, const char *name)
{
    weir_bytes value;
    size_t index = 0;

    return find(headers, name, &index, &value);
}

/* Get a header that must appear exactly once, without space around it. */
static bool find_only(struct headers headers, const char *name,
                      weir_bytes *value)
{
    weir_bytes other;
    size_t index = 0;

    if (!find(headers, name, &index, value) ||
        find(headers, name, &index, &other))
        return false;
    weir__list_take_space(value);
    while (value->size > 0 &&
           strchr(" \t", ((const char *)value->data)[value->size - 1]) != NULL)
        value->size--;
    return true;
}

static bool has_token(struct headers headers, const char *name,
                      const char *wanted)
{
    weir_bytes value, token;
    size_t index = 0;
    bool is_valid = true;

    while (find(headers, name, &index, &value))
        while (weir__list_next(&value, &token, &is_valid))
            if (weir__list_equals_nocase(token, wanted))
                return true;
    return false;
}

/* ---- the key ---- */

static bool is_base64(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') || c == '+' || c == '/';
}

static bool is_key(weir_bytes value)
{
    const char *text = value.data;

    if (value.size != KEY_LENGTH)
        return false;
    for (size_t i = 0; i < KEY_DIGITS; i++)
        if (!is_base64(text[i]))
            return false;
    return text[KEY_DIGITS] == '=' && text[KEY_DIGITS + 1] == '=';
}

/* Write ACCEPT_LENGTH characters and a NUL. */
static int answer_key(char *answer, const char *key)
{
    char text[KEY_LENGTH + sizeof(guid)];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned size;

    memcpy(text, key, KEY_LENGTH);
    memcpy(text + KEY_LENGTH, guid, sizeof(guid));
    if (EVP_Digest(text, sizeof(text) - 1, digest, &size, EVP_sha1(), NULL) !=
        1)
        return -ENOMEM;
    EVP_EncodeBlock((unsigned char *)answer, digest, SHA1);
    return 0;
}

/* ---- subprotocols ---- */

static bool is_offered(struct headers headers, weir_bytes wanted)
{
    weir_bytes value, token;
    size_t index = 0;
    bool is_valid = true;

    while (find(headers, "sec-websocket-protocol", &index, &value))
        while (weir__list_next(&value, &token, &is_valid))
            if (token.size == wanted.size &&
                memcmp(token.data, wanted.data, token.size) == 0)
                return true;
    return false;
}

static weir_bytes list_of(const char *subprotocols)
{
    return (weir_bytes){subprotocols,
                        subprotocols == NULL ? 0 : strlen(subprotocols)};
}

/* The first one of the server's that the client has offered. */
static void choose_subprotocol(weir_websocket_handshake *handshake,
                               struct headers headers)
{
    weir_bytes rest = list_of(handshake->subprotocols_), token;
    bool is_valid = true;

    while (handshake->subprotocol.size == 0 &&
           weir__list_next(&rest, &token, &is_valid))
        if (is_offered(headers, token))
            handshake->subprotocol = token;
}

/* The server's choice must be one that the client has offered. */
static bool check_subprotocol(weir_websocket_handshake *handshake,
                              struct headers headers)
{
    weir_bytes rest = list_of(handshake->subprotocols_), token, chosen;
    bool is_valid = true;

    if (!has_header(headers, "sec-websocket-protocol"))
        return true;
    if (!find_only(headers, "sec-websocket-protocol", &chosen))
        return false;
    while (weir__list_next(&rest, &token, &is_valid))
        if (token.size == chosen.size &&
            memcmp(token.data, chosen.data, token.size) == 0) {
            handshake->subprotocol = token;
            return true;
        }
    return false;
}

/* ---- options ---- */

static bool are_bits_valid(uint8_t bits)
{
    return bits == 0 || (bits >= 9 && bits <= 15);
}

static int begin(weir_websocket_handshake *handshake, weir_websocket_role role,
                 const weir_websocket_handshake_options *given)
{
    weir_websocket_handshake_options options;
    weir_bytes rest, token;
    bool is_valid = true;
    int err = weir_sized_read(&options, sizeof(options), given);

    if (err != 0)
        return err;
    rest = list_of(options.subprotocols);
    while (weir__list_next(&rest, &token, &is_valid))
        ;
    if (!is_valid || !are_bits_valid(options.deflate.server_max_window_bits) ||
        !are_bits_valid(options.deflate.client_max_window_bits))
        return -EINVAL;
    memset(handshake, 0, sizeof(*handshake));
    handshake->role = role;
    handshake->subprotocols_ = options.subprotocols;
    handshake->wanted_ = options.deflate;
    return 0;
}

/* ---- the server ---- */

static int refuse(weir_websocket_handshake *handshake, int status)
{
    handshake->status = status;
    return WEIR_EWEBSOCKET;
}

static int accept_extensions(weir_websocket_handshake *handshake,
                             struct headers headers)
{
    weir_bytes value;
    size_t index = 0;

    while (find(headers, "sec-websocket-extensions", &index, &value))
        if (weir__extension_accept(&handshake->wanted_, value,
                                   &handshake->deflate) != 0)
            return refuse(handshake, BAD_REQUEST);
    weir__extension_answer(&handshake->deflate, handshake->extensions_,
                           sizeof(handshake->extensions_));
    return 0;
}

static int check_request(weir_websocket_handshake *handshake, weir_bytes method,
                         struct headers headers, weir_bytes *key)
{
    weir_bytes version;

    if (!weir__list_equals(method, "GET"))
        return refuse(handshake, BAD_METHOD);
    if (!has_token(headers, "upgrade", "websocket") ||
        !has_token(headers, "connection", "upgrade"))
        return refuse(handshake, BAD_REQUEST);
    if (!find_only(headers, "sec-websocket-version", &version))
        return refuse(handshake, BAD_REQUEST);
    if (!weir__list_equals(version, "13"))
        return refuse(handshake, UPGRADE_REQUIRED);
    if (!find_only(headers, "sec-websocket-key", key) || !is_key(*key))
        return refuse(handshake, BAD_REQUEST);
    return 0;
}

int weir_websocket_accept(weir_websocket_handshake *handshake,
                          weir_bytes method, const weir_http_field *headers,
                          size_t count,
                          const weir_websocket_handshake_options *options)
{
    struct headers request = {headers, count};
    weir_bytes key;
    int err;

    if (handshake == NULL || (headers == NULL && count > 0))
        return -EINVAL;
    err = begin(handshake, WEIR_WEBSOCKET_SERVER, options);
    if (err == 0)
        err = check_request(handshake, method, request, &key);
    if (err == 0)
        err = accept_extensions(handshake, request);
    if (err == 0)
        err = answer_key(handshake->key_, key.data);
    if (err != 0)
        return err;
    choose_subprotocol(handshake, request);
    handshake->status = SWITCHING;
    return 0;
}

/* ---- the client ---- */

int weir_websocket_request(weir_websocket_handshake *handshake,
                           const weir_websocket_handshake_options *options)
{
    uint8_t nonce[NONCE];
    int err;

    if (handshake == NULL)
        return -EINVAL;
    err = weir__random_fill(nonce, sizeof(nonce));
    if (err == 0)
        err = begin(handshake, WEIR_WEBSOCKET_CLIENT, options);
    if (err != 0)
        return err;
    EVP_EncodeBlock((unsigned char *)handshake->key_, nonce, NONCE);
    weir__extension_offer(&handshake->wanted_, handshake->extensions_,
                          sizeof(handshake->extensions_));
    return 0;
}

static int check_extensions(weir_websocket_handshake *handshake,
                            struct headers headers)
{
    weir_bytes value;
    size_t index = 0;

    while (find(headers, "sec-websocket-extensions", &index, &value))
        if (weir__extension_check(&handshake->wanted_, value,
                                  &handshake->deflate) != 0)
            return WEIR_EWEBSOCKET;
    return 0;
}

int weir_websocket_check(weir_websocket_handshake *handshake, int status,
                         const weir_http_field *headers, size_t count)
{
    struct headers answer = {headers, count};
    char expected[WEIR_WEBSOCKET_KEY];
    weir_bytes key;
    int err;

    if (handshake == NULL || handshake->role != WEIR_WEBSOCKET_CLIENT ||
        (headers == NULL && count > 0))
        return -EINVAL;
    err = answer_key(expected, handshake->key_);
    if (err != 0)
        return err;
    handshake->status = status;
    memset(&handshake->deflate, 0, sizeof(handshake->deflate));
    handshake->subprotocol = (weir_bytes){0};
    if (status != SWITCHING || !has_token(answer, "upgrade", "websocket") ||
        !has_token(answer, "connection", "upgrade") ||
        !find_only(answer, "sec-websocket-accept", &key) ||
        !weir__list_equals(key, expected) ||
        !check_subprotocol(handshake, answer))
        return WEIR_EWEBSOCKET;
    return check_extensions(handshake, answer);
}

/* ---- the message ---- */

static void add(weir_http_field *headers, size_t *count, const char *name,
                weir_bytes value)
{
    headers[(*count)++] =
        (weir_http_field){.name = {name, strlen(name)}, .value = value};
}

static void add_text(weir_http_field *headers, size_t *count, const char *name,
                     const char *text)
{
    if (text != NULL && text[0] != '\0')
        add(headers, count, name, (weir_bytes){text, strlen(text)});
}

/* The headers of a refusal say how to do better. */
static size_t refusal_headers(const weir_websocket_handshake *handshake,
                              weir_http_field *headers)
{
    size_t count = 0;

    if (handshake->status == BAD_METHOD)
        add_text(headers, &count, "Allow", "GET");
    if (handshake->status == UPGRADE_REQUIRED) {
        add_text(headers, &count, "Upgrade", "websocket");
        add_text(headers, &count, "Connection", "Upgrade");
        add_text(headers, &count, "Sec-WebSocket-Version", "13");
    }
    return count;
}

size_t weir_websocket_headers(const weir_websocket_handshake *handshake,
                              weir_http_field headers[WEIR_WEBSOCKET_HEADERS])
{
    bool is_client = handshake->role == WEIR_WEBSOCKET_CLIENT;
    size_t count = 0;

    if (!is_client && handshake->status != SWITCHING)
        return refusal_headers(handshake, headers);
    add_text(headers, &count, "Upgrade", "websocket");
    add_text(headers, &count, "Connection", "Upgrade");
    if (is_client) {
        add_text(headers, &count, "Sec-WebSocket-Version", "13");
        add_text(headers, &count, "Sec-WebSocket-Key", handshake->key_);
        add_text(headers, &count, "Sec-WebSocket-Protocol",
                 handshake->subprotocols_);
    } else {
        add_text(headers, &count, "Sec-WebSocket-Accept", handshake->key_);
        if (handshake->subprotocol.size > 0)
            add(headers, &count, "Sec-WebSocket-Protocol",
                handshake->subprotocol);
    }
    add_text(headers, &count, "Sec-WebSocket-Extensions",
             handshake->extensions_);
    return count;
}
