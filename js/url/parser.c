/* SPDX-License-Identifier: MIT */
/*
 * parser -- see parser.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/parser.h"

#include "url/path.h"
#include "url/percent.h"

enum {
    MOST_PORT = 65535,
    SPARE = 2, /* behind a host: the "/" that no input asks for */
};

struct parser {
    const char *at, *end; /* the rest of the input */
    char *start, *to;     /* the output */
    const char *limit;
    struct weir__js_record *url;
    const struct weir__js_record *base; /* or NULL */
    const struct weir__js_idna *idna;
};

typedef enum weir__js_url_status status;

/* ---- the input ---- */

struct weir__js_piece weir__js_parser_trim(struct weir__js_piece input)
{
    while (input.length > 0 && (unsigned char)*input.start <= ' ') {
        input.start++;
        input.length--;
    }
    while (input.length > 0 &&
           (unsigned char)input.start[input.length - 1] <= ' ')
        input.length--;
    return input;
}

static bool is_white(char c)
{
    return c == '\t' || c == '\n' || c == '\r';
}

/* The engine encodes U+D800 to U+DFFF as ED A0 80 to ED BF BF. */
enum { SURROGATE_LEAD = 0xED, FIRST_SURROGATE = 0xA0 };

bool weir__js_parser_is_unclean(struct weir__js_piece input)
{
    bool is_unclean = false;

    for (size_t i = 0; i < input.length; i++) {
        unsigned char c = (unsigned char)input.start[i];

        is_unclean |= c < ' ' || c == SURROGATE_LEAD;
    }
    return is_unclean;
}

struct weir__js_piece
weir__js_parser_clean(char *to, struct weir__js_piece input, bool keeps_white)
{
    const char *at = input.start, *end = at + input.length, *start = to;

    while (at < end) {
        if (is_white(*at) && !keeps_white) {
            at++;
        } else if (end - at >= 3 && (unsigned char)at[0] == SURROGATE_LEAD &&
                   (unsigned char)at[1] >= FIRST_SURROGATE) {
            memcpy(to, "\xEF\xBF\xBD", 3);
            to += 3;
            at += 3;
        } else {
            *to++ = *at++;
        }
    }
    return weir__js_piece_between(start, to);
}

size_t weir__js_parser_most(size_t input_length,
                            const struct weir__js_record *base)
{
    return weir__js_host_most(input_length) +
           (base != NULL ? base->length : 0) + sizeof("file://:@/.//");
}

/* ---- the output ---- */

static uint32_t offset(const struct parser *parser)
{
    return (uint32_t)(parser->to - parser->start);
}

static bool is_special(const struct parser *parser)
{
    return weir__js_scheme_is_special(parser->url->scheme);
}

/* Begin with the base's text up to an offset, and with its offsets. */
static void copy_base(struct parser *parser, uint32_t end)
{
    *parser->url = *parser->base;
    parser->url->text = parser->start;
    memcpy(parser->start, parser->base->text, end);
    parser->to = parser->start + end;
}

static struct weir__js_path begin_path(const struct parser *parser)
{
    return (struct weir__js_path){parser->to, parser->to, parser->url->scheme,
                                  false};
}

/* ---- the states, from the last to the first ---- */

/* What follows the path. */
static status parse_query(struct parser *parser)
{
    const char *at = parser->at, *end = parser->end, *hash;

    if (at < end && *at == '?') {
        hash = memchr(at, '#', (size_t)(end - at));
        if (hash == NULL)
            hash = end;
        *parser->to++ = '?';
        parser->to = weir__js_percent_encode(
            parser->to, weir__js_piece_between(at + 1, hash),
            is_special(parser) ? WEIR__JS_PERCENT_SPECIAL_QUERY
                               : WEIR__JS_PERCENT_QUERY);
        parser->url->query_end = offset(parser);
        at = hash;
    }
    if (at < end) {
        *parser->to++ = '#';
        parser->to = weir__js_percent_encode(
            parser->to, weir__js_piece_between(at + 1, end),
            WEIR__JS_PERCENT_FRAGMENT);
    }
    parser->url->length = offset(parser);
    return WEIR__JS_URL_OK;
}

static status end_path(struct parser *parser, const struct weir__js_path *path)
{
    parser->to = weir__js_record_end_path(parser->url, path->start, path->end);
    return parse_query(parser);
}

/* Append segments, the first of which begins here. */
static status parse_path(struct parser *parser, struct weir__js_path path)
{
    parser->at = weir__js_path_append(
        &path, weir__js_piece_between(parser->at, parser->end));
    return end_path(parser, &path);
}

static bool is_slash(const struct parser *parser, const char *at)
{
    return at < parser->end &&
           (*at == '/' || (*at == '\\' && is_special(parser)));
}

static status parse_path_start(struct parser *parser)
{
    struct weir__js_path path = begin_path(parser);

    if (is_slash(parser, parser->at))
        parser->at++;
    else if (!is_special(parser))
        return end_path(parser, &path); /* here is no path */
    return parse_path(parser, path);
}

const char *weir__js_parser_opaque(char **to, struct weir__js_piece input,
                                   bool is_whole)
{
    const char *at = input.start, *end = at + input.length;

    for (; at < end && (is_whole || (*at != '?' && *at != '#')); at++) {
        bool is_last =
            *at == ' ' && end - at >= 2 && (at[1] == '?' || at[1] == '#');

        if (is_last || (weir__js_percent_sets[(unsigned char)*at] &
                        WEIR__JS_PERCENT_C0) != 0)
            *to = weir__js_percent_write(*to, *at);
        else
            *(*to)++ = *at;
    }
    return at;
}

static status parse_opaque(struct parser *parser)
{
    struct weir__js_path path;

    parser->to = weir__js_record_begin_host(parser->url, parser->to, false);
    parser->url->is_opaque = true;
    path = begin_path(parser);
    parser->at = weir__js_parser_opaque(
        &path.end, weir__js_piece_between(parser->at, parser->end), false);
    return end_path(parser, &path);
}

/* ---- the authority ---- */

const char *weir__js_parser_authority_end(struct weir__js_piece input,
                                          bool is_special)
{
    const char *at = input.start, *end = at + input.length;

    while (at < end && *at != '/' && *at != '?' && *at != '#' &&
           !(*at == '\\' && is_special))
        at++;
    return at;
}

const char *weir__js_parser_host_end(struct weir__js_piece authority)
{
    const char *at = authority.start, *end = at + authority.length;
    bool is_inside = false;

    for (; at < end && (*at != ':' || is_inside); at++)
        if (*at == '[' || *at == ']')
            is_inside = *at == '[';
    return at;
}

unsigned weir__js_parser_port(struct weir__js_piece text, const char **end)
{
    unsigned port = 0;

    for (*end = text.start; *end < text.start + text.length; (*end)++) {
        if (**end < '0' || **end > '9')
            break;
        port = port * 10 + (unsigned)(**end - '0');
        if (port > MOST_PORT)
            port = MOST_PORT + 1;
    }
    return port;
}

char *weir__js_parser_print_port(char *to, unsigned port)
{
    char digits[5];
    int count = 0;

    do
        digits[count++] = (char)('0' + port % 10);
    while ((port /= 10) > 0);
    while (count > 0)
        *to++ = digits[--count];
    return to;
}

/* User name and password, before the last "@". */
static void write_user(struct parser *parser, struct weir__js_piece text)
{
    const char *end = text.start + text.length, *colon;
    struct weir__js_record *url = parser->url;
    bool has_user;

    colon = memchr(text.start, ':', text.length);
    if (colon == NULL)
        colon = end;
    has_user = colon > text.start || end - colon > 1;
    parser->to = weir__js_percent_encode(
        parser->to, weir__js_piece_between(text.start, colon),
        WEIR__JS_PERCENT_USERINFO);
    url->username_end = url->password_end = offset(parser);
    if (end - colon > 1) {
        *parser->to++ = ':';
        parser->to = weir__js_percent_encode(
            parser->to, weir__js_piece_between(colon + 1, end),
            WEIR__JS_PERCENT_USERINFO);
        url->password_end = offset(parser);
    }
    parser->to = weir__js_record_end_user(url, parser->to, has_user);
}

static status write_host(struct parser *parser, struct weir__js_piece text)
{
    /* The rest of the input keeps its room. */
    size_t rest = (size_t)(parser->end - text.start - (ptrdiff_t)text.length);
    struct weir__js_host_room room = {
        parser->to, parser->limit - WEIR__JS_PERCENT_GROWTH * rest - SPARE};
    status result =
        weir__js_host_parse(&room, text, !is_special(parser), parser->idna);

    parser->to = room.to;
    parser->url->host_end = parser->url->port_end = offset(parser);
    return result;
}

static status write_port(struct parser *parser, struct weir__js_piece text)
{
    const char *end;
    unsigned port = weir__js_parser_port(text, &end);

    if (end != text.start + text.length || port > MOST_PORT)
        return WEIR__JS_URL_INVALID;
    if (text.length > 0 &&
        (int)port != weir__js_scheme_port(parser->url->scheme)) {
        *parser->to++ = ':';
        parser->to = weir__js_parser_print_port(parser->to, port);
        parser->url->port_end = offset(parser);
    }
    return WEIR__JS_URL_OK;
}

/* The last "@" of an authority, or NULL. */
static const char *find_at_sign(const char *start, const char *end)
{
    while (end > start)
        if (*--end == '@')
            return end;
    return NULL;
}

static status parse_authority(struct parser *parser)
{
    const char *start = parser->at, *end, *colon, *sign;
    status result;

    end = weir__js_parser_authority_end(
        weir__js_piece_between(start, parser->end), is_special(parser));
    sign = find_at_sign(start, end);
    parser->to = weir__js_record_begin_host(parser->url, parser->to, true);
    if (sign != NULL) {
        write_user(parser, weir__js_piece_between(start, sign));
        start = sign + 1;
    }
    colon = weir__js_parser_host_end(weir__js_piece_between(start, end));
    if (colon == start && (sign != NULL || colon < end || is_special(parser)))
        return WEIR__JS_URL_INVALID;
    result = write_host(parser, weir__js_piece_between(start, colon));
    if (result == WEIR__JS_URL_OK && colon < end)
        result = write_port(parser, weir__js_piece_between(colon + 1, end));
    parser->at = end;
    return result != WEIR__JS_URL_OK ? result : parse_path_start(parser);
}

/* "Special authority slashes": any number of them. */
static status skip_slashes(struct parser *parser)
{
    while (is_slash(parser, parser->at))
        parser->at++;
    return parse_authority(parser);
}

/* ---- relative to a base ---- */

/* The base's path, without what may be in front of it. */
static struct weir__js_path copy_path(struct parser *parser)
{
    struct weir__js_path path;
    const struct weir__js_record *base = parser->base;

    copy_base(parser, base->port_end);
    path = begin_path(parser);
    path.end = weir__js_piece_write(
        path.end, weir__js_piece_between(base->text + base->path_start,
                                         base->text + base->path_end));
    return path;
}

/* An input that is empty, or begins with a query or a fragment. */
static status keep_path(struct parser *parser)
{
    const struct weir__js_record *base = parser->base;
    struct weir__js_path path = copy_path(parser);

    if (parser->at < parser->end && *parser->at == '?')
        return end_path(parser, &path);
    parser->to = weir__js_record_end_path(parser->url, path.start, path.end);
    parser->to = weir__js_piece_write(
        parser->to, weir__js_piece_between(base->text + base->path_end,
                                           base->text + base->query_end));
    parser->url->query_end = offset(parser);
    return parse_query(parser);
}

static bool keeps_path(const struct parser *parser)
{
    return parser->at == parser->end || *parser->at == '?' ||
           *parser->at == '#';
}

static status parse_relative(struct parser *parser)
{
    struct weir__js_path path;

    copy_base(parser, parser->base->scheme_end + 1);
    if (keeps_path(parser))
        return keep_path(parser);
    if (!is_slash(parser, parser->at)) {
        path = copy_path(parser);
        weir__js_path_shorten(&path);
        return parse_path(parser, path);
    }
    parser->at++;
    if (is_slash(parser, parser->at)) {
        parser->at++;
        return is_special(parser) ? skip_slashes(parser)
                                  : parse_authority(parser);
    }
    copy_base(parser, parser->base->port_end);
    return parse_path(parser, begin_path(parser));
}

/* ---- files ---- */

static struct weir__js_piece rest_of(const struct parser *parser)
{
    return weir__js_piece_between(parser->at, parser->end);
}

static bool has_file_base(const struct parser *parser)
{
    return parser->base != NULL && parser->base->scheme == WEIR__JS_SCHEME_FILE;
}

/* A path without a host. */
static status parse_local_path(struct parser *parser)
{
    parser->to = weir__js_record_begin_host(parser->url, parser->to, true);
    return parse_path(parser, begin_path(parser));
}

/* "file://" and a host, which may be empty or "localhost". */
static status parse_file_host(struct parser *parser)
{
    const char *end = weir__js_parser_authority_end(rest_of(parser), true);
    struct weir__js_piece host = weir__js_piece_between(parser->at, end);
    struct weir__js_record *url = parser->url;
    status result = WEIR__JS_URL_OK;

    if (weir__js_path_is_drive(host))
        return parse_local_path(parser);
    parser->to = weir__js_record_begin_host(url, parser->to, true);
    if (host.length > 0)
        result = write_host(parser, host);
    if (result != WEIR__JS_URL_OK)
        return result;
    if (weir__js_piece_is(
            weir__js_piece_between(parser->start + url->host_start, parser->to),
            "localhost")) {
        parser->to = parser->start + url->host_start;
        url->host_end = url->port_end = url->host_start;
    }
    parser->at = end;
    return parse_path_start(parser);
}

/* "file:/" and what is not a slash. */
static status parse_file_slash(struct parser *parser)
{
    const struct weir__js_record *base = parser->base;
    struct weir__js_path path;

    if (!has_file_base(parser))
        return parse_local_path(parser);
    path = copy_path(parser);
    path.end = path.start;
    if (!weir__js_path_begins_with_drive(rest_of(parser)) &&
        weir__js_path_has_drive(weir__js_piece_between(
            base->text + base->path_start, base->text + base->path_end)))
        path.end += 3; /* "/C:" of the base */
    return parse_path(parser, path);
}

/* After "file:", which is written. */
static status parse_file(struct parser *parser)
{
    struct weir__js_path path;

    if (is_slash(parser, parser->at)) {
        parser->at++;
        if (!is_slash(parser, parser->at))
            return parse_file_slash(parser);
        parser->at++;
        return parse_file_host(parser);
    }
    if (!has_file_base(parser))
        return parse_local_path(parser);
    if (keeps_path(parser))
        return keep_path(parser);
    path = copy_path(parser);
    if (weir__js_path_begins_with_drive(rest_of(parser)))
        path.end = path.start;
    else
        weir__js_path_shorten(&path);
    return parse_path(parser, path);
}

/* ---- the scheme ---- */

const char *weir__js_parser_scheme(char **to, struct weir__js_piece input)
{
    const char *at = input.start, *end = at + input.length;

    for (; at < end && *at != ':'; at++) {
        char c = *at;

        if (c >= 'A' && c <= 'Z')
            c |= 0x20;
        if (!(c >= 'a' && c <= 'z') &&
            (at == input.start ||
             !((c >= '0' && c <= '9') || c == '+' || c == '-' || c == '.')))
            return NULL;
        *(*to)++ = c;
    }
    return at == input.start ? NULL : at;
}

static status parse_without_scheme(struct parser *parser)
{
    const struct weir__js_record *base = parser->base;

    if (base == NULL)
        return WEIR__JS_URL_INVALID;
    if (base->is_opaque) {
        if (parser->at == parser->end || *parser->at != '#')
            return WEIR__JS_URL_INVALID;
        copy_base(parser, base->query_end);
        return parse_query(parser);
    }
    if (base->scheme != WEIR__JS_SCHEME_FILE)
        return parse_relative(parser);
    copy_base(parser, base->scheme_end + 1);
    return parse_file(parser);
}

/* After "scheme:", which is written. */
static status parse_after_scheme(struct parser *parser)
{
    const char *at = parser->at, *end = parser->end;

    if (parser->url->scheme == WEIR__JS_SCHEME_FILE)
        return parse_file(parser);
    if (is_special(parser)) {
        bool has_slashes = end - at >= 2 && at[0] == '/' && at[1] == '/';

        return parser->base != NULL && !has_slashes &&
                       parser->base->scheme == parser->url->scheme
                   ? parse_relative(parser)
                   : skip_slashes(parser);
    }
    if (at == end || *at != '/')
        return parse_opaque(parser);
    parser->at++;
    if (is_slash(parser, parser->at)) {
        parser->at++;
        return parse_authority(parser);
    }
    parser->to = weir__js_record_begin_host(parser->url, parser->to, false);
    return parse_path(parser, begin_path(parser));
}

enum weir__js_url_status weir__js_parser_run(struct weir__js_record *url,
                                             char *to, size_t room,
                                             struct weir__js_piece input,
                                             const struct weir__js_record *base,
                                             const struct weir__js_idna *idna)
{
    struct parser parser = {
        input.start, input.start + input.length, to, to, to + room, url, base,
        idna};
    const char *colon = weir__js_parser_scheme(&parser.to, input);

    *url = (struct weir__js_record){.text = to};
    if (colon == NULL || colon == parser.end) {
        parser.to = to;
        return parse_without_scheme(&parser);
    }
    url->scheme_end = offset(&parser);
    url->scheme = weir__js_scheme_of(weir__js_piece_between(to, parser.to));
    *parser.to++ = ':';
    parser.at = colon + 1;
    return parse_after_scheme(&parser);
}
