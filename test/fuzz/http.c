/* SPDX-License-Identifier: MIT */
/*
 * http -- random messages: the parser neither crashes nor leaks, and
 * understands them in the same way whatever the pieces in which they arrive.
 * For libFuzzer; test/fuzz/run runs it.
 *
 * The first byte says what is parsed and within which limits, the second how
 * many cuts there are, the next ones how far apart they are; the rest are the
 * bytes.  Each input is parsed whole, byte by byte, and cut.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/seeds.h"
#include "net/support/transcript.h"

enum { CUTS_MOST = 15, HEADER = 2 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* ---- seeds ---- */

#define HOST "Host: a\r\n"

static const char *const requests[] = {
    "GET / HTTP/1.1\r\n" HOST "\r\n",
    "GET http://b:80/c?d HTTP/1.1\r\n" HOST "Connection: close\r\n\r\n",
    "OPTIONS * HTTP/1.1\r\n" HOST "\r\n",
    "CONNECT [::1]:443 HTTP/1.1\r\n" HOST "\r\nrest",
    "GET / HTTP/1.0\r\nConnection: keep-alive\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Content-Length: 5\r\n\r\nhello"
    "GET /2 HTTP/1.1\r\n" HOST "\r\n",
    "POST / HTTP/1.1\r\n" HOST "Transfer-Encoding: chunked\r\n\r\n"
    "5;a=\"b\"\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "POST / HTTP/1.1\r\n" HOST "Expect: 100-continue\r\n"
    "Content-Length: 1\r\n\r\nx",
    "GET / HTTP/1.1\r\n" HOST "Connection: upgrade\r\nUpgrade: x\r\n\r\nrest",
    "\r\nFOO / HTTP/1.1\r\n" HOST "\r\n",
    "GET / HTTP/1.1\r\n" HOST "Content-Length: 1\r\n"
    "Transfer-Encoding: chunked\r\n\r\n",
};

static const char *const responses[] = {
    "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nhello",
    "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 204 No Content\r\n\r\n",
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"
    "5\r\nhello\r\n0\r\nA: b\r\n\r\n",
    "HTTP/1.0 200\r\n\r\nuntil the end",
    "HTTP/1.1 101 Switching Protocols\r\nConnection: upgrade\r\n"
    "Upgrade: x\r\n\r\nrest",
};

static void write_seeds(const char *folder, int kind, const char *const *texts,
                        size_t count)
{
    const char settings[] = {(char)kind, 1, 20};

    for (size_t n = 0; n < count; n++)
        seeds_write(folder, kind == TRANSCRIPT_REQUESTS ? 'q' : 's', n,
                    (weir_bytes){settings, sizeof(settings)},
                    (weir_bytes){texts[n], strlen(texts[n])});
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = seeds_folder();

    (void)argc;
    (void)argv;
    if (folder == NULL)
        return 0;
    write_seeds(folder, TRANSCRIPT_REQUESTS, requests,
                sizeof(requests) / sizeof(*requests));
    write_seeds(folder, TRANSCRIPT_RESPONSES, responses,
                sizeof(responses) / sizeof(*responses));
    exit(0);
}

/* ---- running ---- */

static void compare(const struct transcript *whole,
                    const struct transcript *other)
{
    if (strcmp(whole->text, other->text) == 0)
        return;
    fprintf(stderr, "http: whole:\n%sin pieces:\n%s", whole->text, other->text);
    abort();
}

static void set_limits(struct transcript *transcript, uint8_t choice)
{
    static struct weir__http_limits small = {.head_bytes = 64,
                                             .target_bytes = 8,
                                             .fields = 2,
                                             .trailer_bytes = 16,
                                             .chunk_bytes = 4};

    if ((choice & 4) != 0) {
        transcript->limits = &small;
        transcript->body_limit = 4;
    }
    transcript->ends = (choice & 8) != 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    struct transcript whole = {0};
    struct transcript other = {0};
    size_t cuts[CUTS_MOST];
    size_t cut_count, at = 0, kind;

    if (count < HEADER)
        return 0;
    kind = bytes[0] & 3;
    cut_count = bytes[1] % (CUTS_MOST + 1);
    if (count < HEADER + cut_count)
        return 0;
    set_limits(&whole, bytes[0]);
    set_limits(&other, bytes[0]);
    bytes += HEADER;
    count -= HEADER + cut_count;
    for (size_t n = 0; n < cut_count; n++) {
        at += bytes[n];
        cuts[n] = at < count ? at : count;
    }
    bytes += cut_count;
    transcript_make(&whole, kind, bytes, count, NULL, 0);
    transcript_make(&other, kind, bytes, count, cuts, cut_count);
    compare(&whole, &other);
    transcript_make_bytewise(&other, kind, bytes, count);
    compare(&whole, &other);
    transcript_free(&whole);
    transcript_free(&other);
    return 0;
}
