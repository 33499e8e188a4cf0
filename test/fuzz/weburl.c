/* SPDX-License-Identifier: MIT */
/*
 * weburl -- random URLs of the web, relative to a base, and setters: the parser of
 * the class URL.  For libFuzzer; test/fuzz/run runs it.
 *
 * The first byte chooses a setter, the second the length of the base, the third that
 * of the setter's value, and the fourth what becomes of domains that are not ASCII.
 * The rest is the input.  A URL that is parsed must survive being parsed again.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "url/change.h"
#include "url/parser.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

enum { HEAD = 4, CHANGES = WEIR__JS_CHANGE_HASH + 1 };

static void check(int holds)
{
    if (!holds)
        abort();
}

/* A URL in memory of its own, so that the sanitizer knows its end. */
struct url {
    struct weir__js_record record;
    char *bytes;
};

/* Make a domain longer, so that there may be too little room, or refuse it. */
static enum weir__js_url_status convert(const struct weir__js_idna *idna,
                                        struct weir__js_piece domain, char *to,
                                        size_t room, size_t *length)
{
    const uint8_t *how = idna->opaque;

    *length = domain.length * (1 + *how % 8);
    if (*how % 16 == 15)
        return WEIR__JS_URL_INVALID;
    if (*length > room)
        return WEIR__JS_URL_NO_ROOM;
    memset(to, 'x', *length);
    return WEIR__JS_URL_OK;
}

/* The record reads and writes the same text, which is ASCII. */
static void check_record(const struct url *url, size_t room)
{
    struct weir__js_parts parts;
    struct weir__js_record again;
    char *copy;

    check(url->record.text == url->bytes && url->record.length <= room);
    for (size_t i = 0; i < url->record.length; i++)
        check(url->bytes[i] >= ' ' && url->bytes[i] < 0x7f);
    weir__js_record_read(&url->record, &parts);
    copy = malloc(weir__js_record_size(&parts));
    weir__js_record_write(&again, copy, &parts);
    check(again.length == url->record.length &&
          memcmp(copy, url->bytes, again.length) == 0);
    again.text = url->record.text;
    check(again.path_start == url->record.path_start &&
          again.host_end == url->record.host_end &&
          again.query_end == url->record.query_end);
    free(copy);
}

/* Returns whether it is valid; then url->bytes is to be freed. */
static int parse(struct url *url, struct weir__js_piece input,
                 const struct weir__js_record *base,
                 const struct weir__js_idna *idna)
{
    enum weir__js_url_status status;
    char *copy = malloc(input.length + 1);
    size_t room;

    input = weir__js_parser_clean(copy, weir__js_parser_trim(input), false);
    room = weir__js_parser_most(input.length, base);
    url->bytes = NULL;
    do {
        free(url->bytes);
        url->bytes = malloc(room);
        status = weir__js_parser_run(&url->record, url->bytes, room, input,
                                     base, idna);
        room *= 2;
    } while (status == WEIR__JS_URL_NO_ROOM);
    free(copy);
    if (status == WEIR__JS_URL_OK)
        check_record(url, room);
    else
        free(url->bytes);
    return status == WEIR__JS_URL_OK;
}

static void parse_again(const struct url *url, const struct weir__js_idna *idna)
{
    struct weir__js_piece text = {url->record.text, url->record.length};
    struct url again;

    check(parse(&again, text, NULL, idna));
    check(again.record.length == url->record.length &&
          memcmp(again.bytes, url->bytes, again.record.length) == 0);
    free(again.bytes);
}

static void change(const struct url *url, enum weir__js_change what,
                   struct weir__js_piece value,
                   const struct weir__js_idna *idna)
{
    size_t room = weir__js_change_most(&url->record, value.length);
    struct url changed = {.bytes = NULL};
    enum weir__js_url_status status;

    do {
        free(changed.bytes);
        changed.bytes = malloc(room);
        status = weir__js_change_run(&changed.record, changed.bytes, room,
                                     &url->record, what, value, idna);
        room *= 2;
    } while (status == WEIR__JS_URL_NO_ROOM);
    if (status == WEIR__JS_URL_OK) {
        check_record(&changed, room);
        parse_again(&changed, idna);
    }
    free(changed.bytes);
}

/* Take a piece of at most that length. */
static struct weir__js_piece take(struct weir__js_piece *rest, size_t length)
{
    struct weir__js_piece piece = {
        rest->start, length < rest->length ? length : rest->length};

    rest->start += piece.length;
    rest->length -= piece.length;
    return piece;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct weir__js_piece rest, base_text, value;
    struct weir__js_idna idna;
    struct url base, url;
    int has_base;

    if (size < HEAD)
        return 0;
    rest = (struct weir__js_piece){(const char *)data + HEAD, size - HEAD};
    idna = (struct weir__js_idna){convert, (void *)(uintptr_t)(data + 3)};
    base_text = take(&rest, data[1]);
    value = take(&rest, data[2]);
    has_base = parse(&base, base_text, NULL, &idna);
    if (parse(&url, rest, has_base ? &base.record : NULL, &idna)) {
        parse_again(&url, &idna);
        change(&url, (enum weir__js_change)(data[0] % CHANGES), value, &idna);
        free(url.bytes);
    }
    if (has_base)
        free(base.bytes);
    return 0;
}
