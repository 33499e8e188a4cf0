/* SPDX-License-Identifier: MIT */
/*
 * hello -- random bytes of a client for a TLS server: it neither crashes nor
 * leaks, and finds the name and the protocol that the client asks for, whatever
 * the pieces in which they arrive.  For libFuzzer; test/fuzz/run runs it.
 *
 * The first byte says what the others are, and the second one the size of the
 * pieces:
 *
 *     RECORDS      all that the client sends
 *     BODY         the body of a ClientHello
 *     EXTENSIONS   the extensions of a ClientHello
 *     NAME         a byte with the size of the data of server_name, these data,
 *                  and the data of ALPN; the rest of the ClientHello is right
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/seeds.h"
#include "net/support/identity.h"
#include "tls/engine.h"
#include "weir/error.h"

enum { RECORDS, BODY, EXTENSIONS, NAME, KINDS };
enum { SETTINGS = 2, MOST = 4096 };

#define PROTOCOLS "h2,http/1.1"

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

static void must(int holds)
{
    if (!holds)
        abort();
}

/* ---- making a ClientHello ---- */

struct buffer {
    uint8_t bytes[MOST + 512];
    size_t size;
};

static void put(struct buffer *to, const void *bytes, size_t size)
{
    must(size <= sizeof(to->bytes) - to->size);
    memcpy(to->bytes + to->size, bytes, size);
    to->size += size;
}

/* Put a number of `width` bytes. */
static void put_number(struct buffer *to, size_t number, int width)
{
    while (width-- > 0)
        put(to, &(uint8_t){(uint8_t)(number >> 8 * width)}, 1);
}

static void put_extension(struct buffer *to, unsigned type, const void *data,
                          size_t size)
{
    put_number(to, type, 2);
    put_number(to, size, 2);
    put(to, data, size);
}

/* Put what a client of TLS 1.2 says before its extensions. */
static void put_beginning(struct buffer *to)
{
    static const uint8_t random[32] = {1};

    put_number(to, 0x0303, 2);
    put(to, random, sizeof(random));
    put_number(to, 0, 1);      /* no session */
    put_number(to, 2, 2);      /* a cipher: */
    put_number(to, 0xc02b, 2); /* ECDHE-ECDSA-AES128-GCM-SHA256 */
    put_number(to, 0x0100, 2); /* no compression */
}

static void put_name(struct buffer *to, weir_bytes name, weir_bytes alpn)
{
    static const uint8_t groups[] = {0, 2, 0, 23};    /* P-256 */
    static const uint8_t algorithms[] = {0, 2, 4, 3}; /* with SHA-256 */
    static const uint8_t formats[] = {1, 0};          /* uncompressed */
    struct buffer all = {.size = 0};

    put_extension(&all, TLSEXT_TYPE_server_name, name.data, name.size);
    put_extension(&all, TLSEXT_TYPE_supported_groups, groups, sizeof(groups));
    put_extension(&all, TLSEXT_TYPE_signature_algorithms, algorithms,
                  sizeof(algorithms));
    put_extension(&all, TLSEXT_TYPE_ec_point_formats, formats, sizeof(formats));
    put_extension(&all, TLSEXT_TYPE_application_layer_protocol_negotiation,
                  alpn.data, alpn.size);
    put_number(to, all.size, 2);
    put(to, all.bytes, all.size);
}

/* Put a record with one message of a handshake. */
static void put_record(struct buffer *to, const struct buffer *body)
{
    put_number(to, SSL3_RT_HANDSHAKE, 1);
    put_number(to, 0x0301, 2);
    put_number(to, 4 + body->size, 2);
    put_number(to, SSL3_MT_CLIENT_HELLO, 1);
    put_number(to, body->size, 3);
    put(to, body->bytes, body->size);
}

/* Take the data of server_name off the front. */
static weir_bytes take_name(weir_bytes *bytes)
{
    const uint8_t *data = bytes->data;
    size_t size;

    if (bytes->size == 0)
        return (weir_bytes){data, 0};
    size = data[0] < bytes->size ? data[0] : bytes->size - 1;
    *bytes = (weir_bytes){data + 1 + size, bytes->size - 1 - size};
    return (weir_bytes){data + 1, size};
}

static void make_input(struct buffer *to, int kind, weir_bytes bytes)
{
    struct buffer body = {.size = 0};

    to->size = 0;
    if (kind == RECORDS) {
        put(to, bytes.data, bytes.size);
        return;
    }
    if (kind != BODY)
        put_beginning(&body);
    if (kind == NAME) {
        weir_bytes name = take_name(&bytes);

        put_name(&body, name, bytes);
    } else {
        if (kind == EXTENSIONS)
            put_number(&body, bytes.size, 2);
        put(&body, bytes.data, bytes.size);
    }
    put_record(to, &body);
}

/* ---- seeds ---- */

#define SEED(kind, text)                                                       \
    {                                                                          \
        kind, WEIR_BYTES_OF(text)                                              \
    }

static const struct {
    int kind;
    weir_bytes bytes;
} seeds[] = {
    SEED(NAME, "\14\0\12\0\0\7a.EXAMP\0\14\2h2\10http/1.1"),
    SEED(NAME, "\7\0\5\0\0\2a.\0\3\2h3"),
    SEED(NAME, "\7\0\5\1\0\2a.\0\2\2h2"),
    SEED(NAME, "\6\0\4\0\0\1\1\0\0"),
    SEED(EXTENSIONS, "\0\0\0\10\0\6\0\0\3abc\0\20\0\5\0\3\2h2"),
    SEED(BODY, "\3\3\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0\0"
               "\0\0\0\0\0\2\300\53\1\0\0\14\0\0\0\10\0\6\0\0\3abc"),
    SEED(RECORDS, "\26\3\1\0\5\1\0\0\1\3"),
    SEED(RECORDS, "GET / HTTP/1.1\r\n\r\n"),
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = seeds_folder();

    (void)argc;
    (void)argv;
    if (folder == NULL)
        return 0;
    for (size_t n = 0; n < sizeof(seeds) / sizeof(*seeds); n++) {
        const char settings[SETTINGS] = {(char)seeds[n].kind, 3};

        seeds_write(folder, 'h', n, (weir_bytes){settings, SETTINGS},
                    seeds[n].bytes);
    }
    exit(0);
}

/* ---- the server ---- */

struct outcome {
    char name[WEIR__TLS_NAME + 1]; /* that on_server_name was called with */
    char alpn[8];
    unsigned calls;
    int status;
    bool has_answered; /* beyond an alert */
};

static struct outcome *current;

static int on_server_name(void *arg, const char *name, weir_tls **use)
{
    (void)arg;
    (void)use;
    must(name[0] != '\0' && strlen(name) <= WEIR__TLS_NAME);
    for (const char *at = name; *at != '\0'; at++)
        must(*at > ' ' && *at <= '~' && !(*at >= 'A' && *at <= 'Z'));
    strcpy(current->name, name);
    current->calls++;
    return 0;
}

static weir_tls *make_server(void)
{
    weir_tls_certificate certificate = {.size = sizeof(certificate)};
    weir_tls_options options = {.size = sizeof(options),
                                .certificate = &certificate,
                                .alpn = PROTOCOLS,
                                .on_server_name = on_server_name};
    weir_tls *made;

    identities_make();
    certificate.chain = leaf.chain_pem;
    certificate.key = leaf.key_pem;
    must(weir_tls_new(&made, WEIR_TLS_SERVER, &options, NULL, 0) == 0);
    return made;
}

/* Drop what the server sends, and look what it is. */
static void take_output(struct weir__tls_engine *engine,
                        struct outcome *outcome)
{
    weir_bytes output = engine->filter.output(&engine->filter);

    if (output.size > 0 && *(const uint8_t *)output.data == SSL3_RT_HANDSHAKE)
        outcome->has_answered = true;
    engine->filter.sent(&engine->filter, output.size);
}

static void run(struct outcome *outcome, const struct buffer *input,
                size_t piece)
{
    static weir_tls *server;
    struct weir__tls_engine engine;
    const char *alpn;

    if (server == NULL)
        server = make_server();
    memset(outcome, 0, sizeof(*outcome));
    current = outcome;
    must(weir__tls_engine_init(&engine, server, &(struct weir__tls_start){0}) ==
         0);
    for (size_t at = 0; at < input->size && outcome->status == 0; at += piece) {
        size_t size = input->size - at < piece ? input->size - at : piece;

        must(engine.filter.feed(&engine.filter, input->bytes + at, size) == 0);
        outcome->status = (int)engine.filter.read(&engine.filter, NULL, 0);
        take_output(&engine, outcome);
    }
    must(outcome->status <= 0 && outcome->calls <= 1);
    alpn = weir__tls_engine_alpn(&engine);
    if (outcome->status == 0 && alpn != NULL)
        strcpy(outcome->alpn, alpn);
    must((engine.name != NULL) == (outcome->calls == 1));
    weir__tls_engine_fini(&engine);
}

/* ---- what it must find ---- */

/* Whether data of server_name are a host name, and which. */
static bool read_name(weir_bytes data, char *name)
{
    const uint8_t *at = data.data;
    size_t size = data.size < 5 ? 0 : data.size - 5;

    if (size == 0 || (size_t)(at[0] << 8 | at[1]) != size + 3 || at[2] != 0 ||
        (size_t)(at[3] << 8 | at[4]) != size)
        return false;
    at += 5;
    size -= at[size - 1] == '.';
    if (size == 0 || size > WEIR__TLS_NAME)
        return false;
    for (size_t i = 0; i < size; i++) {
        if (at[i] <= ' ' || at[i] > '~')
            return false;
        *name++ = (char)(at[i] >= 'A' && at[i] <= 'Z' ? at[i] | 32 : at[i]);
    }
    *name = '\0';
    return true;
}

/* Whether the data of ALPN have a protocol. */
static bool has_protocol(weir_bytes data, const char *protocol)
{
    const uint8_t *at = data.data, *end = at + data.size;

    for (at += 2; at < end; at += 1 + *at)
        if (*at == strlen(protocol) && memcmp(at + 1, protocol, *at) == 0)
            return true;
    return false;
}

static void check_name(const struct outcome *outcome, weir_bytes bytes)
{
    char name[WEIR__TLS_NAME + 1] = "";
    weir_bytes data = take_name(&bytes);

    must(read_name(data, name) == (outcome->calls == 1));
    must(outcome->calls == 0 || strcmp(outcome->name, name) == 0);
    if (!outcome->has_answered) /* OpenSSL has refused it */
        return;
    must(strcmp(outcome->alpn, has_protocol(bytes, "h2") ? "h2" : "http/1.1") ==
         0);
    must(has_protocol(bytes, outcome->alpn));
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    static struct buffer input;
    struct outcome whole, pieces;
    weir_bytes rest;
    int kind;

    if (count < SETTINGS || count > MOST)
        return 0;
    kind = bytes[0] % KINDS;
    rest = (weir_bytes){bytes + SETTINGS, count - SETTINGS};
    make_input(&input, kind, rest);
    run(&whole, &input, input.size);
    run(&pieces, &input, 1 + bytes[1] % 16);
    must(whole.calls == pieces.calls && whole.status == pieces.status);
    must(strcmp(whole.name, pieces.name) == 0);
    must(strcmp(whole.alpn, pieces.alpn) == 0);
    if (kind == NAME)
        check_name(&whole, rest);
    return 0;
}
