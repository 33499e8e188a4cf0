/* SPDX-License-Identifier: MIT */
/*
 * fields -- random values of header fields, and targets: Range, Accept-Encoding,
 * entity tags, Host, dates, the offers of a WebSocket, and the names of files.
 * For libFuzzer; test/fuzz/run runs it.
 *
 * The first byte chooses the size of the content and what is wanted; the rest
 * is the value.  Each parser gets all of them, and the other side is asked
 * whether the result makes sense.
 */
#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "fuzz/seeds.h"
#include "http/date.h"
#include "http/header.h"
#include "http/media.h"
#include "http/path.h"
#include "http/range.h"
#include "websocket/extension.h"
#include "websocket/list.h"

enum { RANGES = 8, ANSWER = 160 };

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count);

/* ---- seeds ---- */

static const char *const seeds[] = {
    "bytes=0-4, 6-, -2",
    "bytes=18446744073709551614-18446744073709551615",
    "gzip;q=0.5, br;q=1.000, *;q=0, identity",
    "W/\"a\", \"b,c\" , *",
    "[::1]:443",
    "a%41-b.example:80",
    "Sun, 06 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-94 08:49:37 GMT",
    "Sun Nov  6 08:49:37 1994",
    "permessage-deflate; client_max_window_bits=\"10\"; "
    "server_no_context_takeover, permessage-deflate",
    "/a/%2e%2e/../b//./c.html?d=%41",
};

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    const char *folder = seeds_folder();

    (void)argc;
    (void)argv;
    if (folder == NULL)
        return 0;
    for (size_t n = 0; n < sizeof(seeds) / sizeof(*seeds); n++)
        seeds_write(folder, 'f', n, (weir_bytes){"\3", 1},
                    (weir_bytes){seeds[n], strlen(seeds[n])});
    exit(0);
}

/* ---- running ---- */

static void must(int holds)
{
    if (!holds)
        abort();
}

static int is_inside(weir_bytes part, weir_bytes whole)
{
    const char *at = part.data, *from = whole.data;

    return at >= from && at + part.size <= from + whole.size;
}

static void read_range(weir_bytes text, uint8_t choice)
{
    static const uint64_t sizes[] = {0, 1, 2, 10, 1000, INT64_MAX, UINT64_MAX};
    uint64_t size = sizes[choice % 7], total = 0;
    int most = 1 + choice % RANGES;
    struct weir__http_range ranges[RANGES];
    int count = weir__http_range_parse(text, size, ranges, most);

    must(count == -ERANGE || (count >= 0 && count <= most));
    for (int i = 0; i < count; i++) {
        char written[WEIR__HTTP_RANGE_TEXT];

        must(ranges[i].size > 0 && ranges[i].first < size &&
             ranges[i].size <= size - ranges[i].first);
        must(ranges[i].size <= size - total);
        total += ranges[i].size;
        must(weir__http_range_write(written, &ranges[i], size) <=
             written + sizeof(written));
    }
}

static void read_list(weir_bytes text)
{
    static const weir_bytes codings[] = {WEIR_BYTES_OF("gzip"),
                                         WEIR_BYTES_OF("identity")};
    weir_bytes rest = text, element;
    size_t total = 0;

    while (weir__http_list_next(&rest, &element)) {
        weir_bytes name = element;
        int quality = weir__http_quality(&name);

        must(element.size > 0 && is_inside(element, text));
        must(quality >= -1 && quality <= 1000);
        must(is_inside(name, element));
        must(weir__http_list_has(text, element));
        total += element.size;
    }
    must(rest.size == 0 && total <= text.size);
    for (size_t i = 0; i < sizeof(codings) / sizeof(*codings); i++) {
        int quality = weir__http_accepts(text, codings[i]);

        must(quality >= 0 && quality <= 1000);
    }
}

static void read_etags(weir_bytes text)
{
    static const weir_bytes strong = WEIR_BYTES_OF("\"a\"");
    static const weir_bytes weak = WEIR_BYTES_OF("W/\"a\"");

    /* What matches strongly matches weakly, and a weak tag only by "*". */
    must(!weir__http_etag_match(text, strong, false) ||
         weir__http_etag_match(text, strong, true));
    must(weir__http_etag_match(text, strong, true) ==
         weir__http_etag_match(text, weak, true));
    must(!weir__http_etag_match(text, weak, false) ||
         memchr(text.data, '*', text.size) != NULL);
}

static void read_date(weir_bytes text)
{
    char written[WEIR__HTTP_DATE_SIZE];
    int64_t second, again;

    if (weir__http_date_parse(text, INT64_C(1760000000), &second) != 0)
        return;
    weir__http_date_write(written, second);
    must(weir__http_date_parse((weir_bytes){written, sizeof(written)},
                               INT64_C(1760000000), &again) == 0);
    must(again == second);
}

/* 0 is the largest. */
static int is_window(unsigned bits)
{
    return bits == 0 || (bits >= 8 && bits <= 15);
}

static void check_deflate(const weir_websocket_deflate *agreed)
{
    char answer[ANSWER];

    if (!agreed->is_on)
        return;
    must(is_window(agreed->server_max_window_bits));
    must(is_window(agreed->client_max_window_bits));
    weir__extension_answer(agreed, answer, sizeof(answer));
    must(strlen(answer) < sizeof(answer) - 1);
}

static void read_extensions(weir_bytes text, uint8_t choice)
{
    weir_websocket_deflate wanted = {
        .is_on = true,
        .server_no_context_takeover = choice & 1,
        .client_no_context_takeover = choice & 2,
        .server_max_window_bits = 8 + (choice >> 2) % 8,
        .client_max_window_bits = 8 + (choice >> 5) % 8};
    weir_websocket_deflate agreed = {0};
    weir_bytes rest = text, token;
    bool is_valid = true;

    if (weir__extension_accept(&wanted, text, &agreed) == 0)
        check_deflate(&agreed);
    agreed = (weir_websocket_deflate){0};
    if (weir__extension_check(&wanted, text, &agreed) == 0)
        check_deflate(&agreed);
    while (weir__list_next(&rest, &token, &is_valid))
        must(token.size > 0 && is_inside(token, text));
}

/* No name leaves the folder in which it is opened. */
static void read_target(weir_bytes text)
{
    char *to = malloc(text.size + 1);
    weir_bytes path, query;
    ssize_t size = weir__http_percent_decode(to, text);

    must(size <= (ssize_t)text.size);
    weir__http_target_split(text, &path, &query);
    must(query.data == NULL ? path.size == text.size
                            : path.size + 1 + query.size == text.size);
    size = weir__http_path_normalize(to, path);
    must(size <= (ssize_t)path.size + 1);
    must(size != 0);
    if (size > 0) {
        must(strlen(to) == (size_t)size && to[0] != '/');
        for (const char *at = to; *at != '\0';) {
            size_t length = strcspn(at, "/");

            must(length > 0);
            must(length != 2 || memcmp(at, "..", 2) != 0);
            at += length + (at[length] == '/');
        }
    }
    must(weir__http_media_type(path).size > 0);
    free(to);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t count)
{
    weir_bytes text;
    char *copy; /* with its own bounds */

    if (count == 0)
        return 0;
    copy = malloc(count);
    memcpy(copy, bytes + 1, count - 1);
    copy = realloc(copy, count > 1 ? count - 1 : 1);
    text = (weir_bytes){copy, count - 1};
    read_range(text, bytes[0]);
    read_list(text);
    read_etags(text);
    read_date(text);
    read_extensions(text, bytes[0]);
    read_target(text);
    (void)weir__http_is_host(text);
    (void)weir__http_is_token(text);
    free(copy);
    return 0;
}
