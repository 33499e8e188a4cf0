/* SPDX-License-Identifier: MIT */
/*
 * parse -- parse the common form of a URL.
 *
 * Almost every URL of a program is one of http, https, ws, wss, ftp, or file
 * without a host, that needs no percent-encoding and no IDNA; or it is relative
 * to such a URL.  Those are parsed here, in a hundredth of the time.  For every other input, valid or
 * not, these functions return undefined, and js/lib/url/url.js asks npm's
 * whatwg-url, so that this file need not be complete: it must only never accept
 * what the URL Standard would change or reject.
 *
 * Tested by  test/js/url/url-common.js, which compares both
 */
#include <stdint.h>
#include <string.h>

#include "core/builtin.h"

struct piece {
    const char *start;
    size_t length;
};

struct parts {
    struct piece scheme, username, password, host, path, query, fragment;
    bool is_address, has_query, has_fragment;
    uint32_t address; /* IPv4 */
    int port;         /* -1: none, or the default */
    const char *authority_end;
};

static const struct {
    const char *name;
    int port;
} schemes[] = {{"http", 80}, {"https", 443}, {"ws", 80},
               {"wss", 443}, {"ftp", 21},    {"file", -1}};

enum { FILE_SCHEME = 5 }; /* in the table */

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

static bool is_alphanumeric(char c)
{
    return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z');
}

/* Whether all characters are letters, digits, or in `others`. */
static bool consists_of(struct piece piece, const char *others)
{
    for (size_t i = 0; i < piece.length; i++)
        if (!is_alphanumeric(piece.start[i]) &&
            (piece.start[i] == '\0' || strchr(others, piece.start[i]) == NULL))
            return false;
    return true;
}

/* Printable ASCII without `excluded`. */
static bool is_plain(struct piece piece, const char *excluded)
{
    for (size_t i = 0; i < piece.length; i++)
        if (piece.start[i] < 0x21 || piece.start[i] > 0x7e ||
            strchr(excluded, piece.start[i]) != NULL)
            return false;
    return true;
}

static struct piece between(const char *start, const char *end)
{
    return (struct piece){start, (size_t)(end - start)};
}

/* The first of `c` in the piece, or its end. */
static const char *find(struct piece piece, char c)
{
    const char *found =
        piece.length > 0 ? memchr(piece.start, c, piece.length) : NULL;

    return found != NULL ? found : piece.start + piece.length;
}

static int scheme_index(struct piece scheme)
{
    for (int i = 0; i < (int)(sizeof(schemes) / sizeof(*schemes)); i++)
        if (strlen(schemes[i].name) == scheme.length &&
            memcmp(schemes[i].name, scheme.start, scheme.length) == 0)
            return i;
    return -1;
}

/* ---- the authority ---- */

/* "192.0.2.1", in the form that a URL shows. */
static bool parse_address(struct piece host, uint32_t *address)
{
    const char *at = host.start, *end = host.start + host.length;

    *address = 0;
    for (int i = 0; i < 4; i++) {
        const char *first = at;
        uint32_t number = 0;

        while (at < end && is_digit(*at) && at - first < 3)
            number = number * 10 + (uint32_t)(*at++ - '0');
        if (at == first || number > 255 || (*first == '0' && at - first > 1))
            return false;
        *address = *address << 8 | number;
        if (i < 3 && (at == end || *at++ != '.'))
            return false;
    }
    return at == end;
}

/* A domain in lower case that neither IDNA nor the IPv4 parser would change. */
static bool is_domain(struct piece host)
{
    const char *end = host.start + host.length, *label = host.start;

    if (host.length == 0 || host.length > 253)
        return false;
    for (const char *at = host.start; at <= end; at++) {
        if (at < end && *at != '.') {
            if (!(*at >= 'a' && *at <= 'z') && !is_digit(*at) && *at != '-' &&
                *at != '_')
                return false;
            continue;
        }
        if (at == label || at - label > 63 ||
            (at - label >= 4 && memcmp(label, "xn--", 4) == 0))
            return false;
        if (at == end && is_digit(*label))
            return false; /* a number must be an address */
        label = at + 1;
    }
    return true;
}

static bool parse_port(struct piece text, int default_port, int *port)
{
    int number = 0;

    *port = -1;
    if (text.length == 0)
        return true;
    if (text.length > 5)
        return false;
    for (size_t i = 0; i < text.length; i++) {
        if (!is_digit(text.start[i]))
            return false;
        number = number * 10 + (text.start[i] - '0');
    }
    if (number > 65535)
        return false;
    if (number != default_port)
        *port = number;
    return true;
}

static bool parse_credentials(struct piece text, struct parts *parts)
{
    static const char kept[] = "-._~!$&'()*+,%";
    const char *end = text.start + text.length, *colon = find(text, ':');

    parts->username = between(text.start, colon);
    if (colon < end)
        parts->password = between(colon + 1, end);
    return parts->username.length > 0 && consists_of(parts->username, kept) &&
           consists_of(parts->password, kept);
}

static bool parse_authority(struct piece text, int default_port,
                            struct parts *parts)
{
    const char *end = text.start + text.length, *at = find(text, '@');
    const char *colon;

    if (at < end) {
        if (!parse_credentials(between(text.start, at), parts))
            return false;
        text = between(at + 1, end);
    }
    colon = find(text, ':');
    parts->host = between(text.start, colon);
    parts->is_address = parse_address(parts->host, &parts->address);
    if (!parts->is_address && !is_domain(parts->host))
        return false;
    return colon == end
               ? parse_port(between(end, end), default_port, &parts->port)
               : parse_port(between(colon + 1, end), default_port,
                            &parts->port);
}

/* ---- the rest ---- */

/* ".", "..", or one with "%2e" for a dot. */
static bool is_dot_segment(struct piece segment)
{
    size_t dots = 0;

    for (size_t i = 0; i < segment.length; dots++) {
        const char *at = segment.start + i;

        if (*at == '.')
            i++;
        else if (segment.length - i >= 3 && at[0] == '%' && at[1] == '2' &&
                 (at[2] == 'e' || at[2] == 'E'))
            i += 3;
        else
            return false;
    }
    return dots == 1 || dots == 2;
}

static bool has_dot_segment(struct piece path)
{
    const char *end = path.start + path.length;

    for (const char *at = path.start; at < end; at++)
        if (*at == '/' &&
            is_dot_segment(between(at + 1, find(between(at + 1, end), '/'))))
            return true;
    return false;
}

static bool parse_path(struct piece path, struct parts *parts)
{
    parts->path = path;
    return consists_of(path, "-._~!$&'()*+,;=:@%/") && !has_dot_segment(path);
}

/* A file has no host here, and no ":": it may be a drive letter. */
static bool parse_file(struct piece path, struct parts *parts)
{
    return path.length > 0 && find(path, ':') == path.start + path.length &&
           parse_path(path, parts);
}

/* Returns whether the input is in the common form. */
static bool parse(struct piece input, struct parts *parts)
{
    const char *end = input.start + input.length, *at = find(input, ':');
    const char *hash, *question;
    struct piece path;
    int index;

    *parts = (struct parts){.port = -1};
    parts->scheme = between(input.start, at);
    index = scheme_index(parts->scheme);
    if (index < 0 || end - at < 3 || at[1] != '/' || at[2] != '/')
        return false;
    at += 3;
    hash = find(between(at, end), '#');
    parts->has_fragment = hash < end;
    if (parts->has_fragment)
        parts->fragment = between(hash + 1, end);
    question = find(between(at, hash), '?');
    parts->has_query = question < hash;
    if (parts->has_query)
        parts->query = between(question + 1, hash);
    parts->authority_end = find(between(at, question), '/');
    path = between(parts->authority_end, question);
    if (index == FILE_SCHEME
            ? parts->authority_end != at || !parse_file(path, parts)
            : !parse_authority(between(at, parts->authority_end),
                               schemes[index].port, parts) ||
                  !parse_path(path, parts))
        return false;
    return is_plain(parts->query, "\"<>'\\") &&
           is_plain(parts->fragment, "\"<>`\\");
}

/* ---- relative to a base ---- */

/* Where the path of the input ends. */
static const char *path_end(struct piece input)
{
    const char *hash = find(input, '#');

    return find(between(input.start, hash), '?');
}

/* Remove the last segment of a path.  NULL if it has characters with a meaning
 * that is lost with them: "\\" is "/" as well, "%2e" is a dot, white space is
 * ignored, and a drive letter is never removed. */
static char *remove_segment(char *path, char *end)
{
    char *slash = end;

    while (slash > path && *--slash != '/')
        continue;
    return consists_of(between(slash, end), "-._~!$&'()*+,;=@/") ? slash : NULL;
}

/* Remove "." and ".." from a path, which begins with "/".  Returns its end, or
 * NULL if the path is not in the common form. */
static char *remove_dots(char *path, char *end)
{
    char *out = path, *next;

    for (char *at = path; at < end; at = next) {
        size_t length;
        bool is_up, is_dot;

        next = memchr(at + 1, '/', (size_t)(end - at - 1));
        if (next == NULL)
            next = end;
        length = (size_t)(next - at);
        is_dot = length == 2 && at[1] == '.';
        is_up = length == 3 && at[1] == '.' && at[2] == '.';
        if (is_up && (out = remove_segment(path, out)) == NULL)
            return NULL;
        if (!is_dot && !is_up) {
            memmove(out, at, length);
            out += length;
        } else if (next == end) {
            *out++ = '/';
        }
    }
    return out;
}

/* What the base contributes to the result. */
static struct piece kept_of(const struct parts *parts, struct piece base,
                            struct piece input)
{
    const char *end = parts->path.start + parts->path.length;
    char first = input.length > 0 ? input.start[0] : '#';

    if (find(between(input.start, path_end(input)), ':') < path_end(input) &&
        find(input, ':') < find(input, '/'))
        return between(base.start, base.start); /* it has a scheme */
    if (first == '#')
        return between(base.start, parts->has_query ? parts->query.start +
                                                          parts->query.length
                                                    : end);
    if (first == '?')
        return between(base.start, end);
    if (first == '/' && input.length > 1 && input.start[1] == '/')
        return between(base.start,
                       parts->scheme.start + parts->scheme.length + 1);
    if (first == '/')
        return between(base.start, parts->authority_end);
    while (end > parts->authority_end && end[-1] != '/')
        end--;
    return between(base.start, end);
}

/* A URL that is relative to a base, as an absolute one, for js_free().  What is
 * not in the common form is left for parse() to reject, unless it would not be
 * seen there.  NULL if the base or such a part is not in the common form, or
 * there is no memory. */
static char *resolve(JSContext *context, struct piece input, struct piece base,
                     size_t *length)
{
    struct parts parts;
    struct piece kept;
    size_t size, path;
    char *text, *end, *new_end;
    bool has_slash;

    if (!parse(base, &parts))
        return NULL;
    kept = kept_of(&parts, base, input);
    path = (size_t)(parts.authority_end - base.start);
    /* "http://host" and a relative path */
    has_slash = kept.length != path || input.length == 0 ||
                strchr("/?#", input.start[0]) != NULL;
    size = kept.length + !has_slash + input.length;
    text = js_malloc(context, size + 1);
    if (text == NULL)
        return NULL;
    memcpy(text, kept.start, kept.length);
    if (!has_slash)
        text[kept.length] = '/';
    memcpy(text + kept.length + !has_slash, input.start, input.length + 1);
    if (kept.length >= path && path < size && text[path] == '/') {
        end = text + (path_end((struct piece){text, size}) - text);
        new_end = remove_dots(text + path, end);
        if (new_end == NULL) {
            js_free(context, text);
            return NULL;
        }
        memmove(new_end, end, size - (size_t)(end - text) + 1);
        size -= (size_t)(end - new_end);
    }
    *length = size;
    return text;
}

/* ---- for JavaScript ---- */

static JSValue text_of(JSContext *context, struct piece piece)
{
    return JS_NewStringLen(context, piece.start, piece.length);
}

static int add(JSContext *context, JSValueConst url, const char *name,
               JSValue value)
{
    return JS_IsException(value)
               ? -1
               : JS_DefinePropertyValueStr(context, url, name, value,
                                           JS_PROP_C_W_E);
}

static JSValue path_of(JSContext *context, struct piece path)
{
    JSValue list = JS_NewArray(context);
    const char *end = path.start + path.length, *at = path.start;

    if (path.length == 0) {
        if (!JS_IsException(list) &&
            JS_DefinePropertyValueUint32(
                context, list, 0, JS_NewString(context, ""), JS_PROP_C_W_E) < 0)
            goto fail;
        return list;
    }
    for (uint32_t i = 0; at < end && !JS_IsException(list); i++) {
        struct piece segment = between(at + 1, find(between(at + 1, end), '/'));

        if (JS_DefinePropertyValueUint32(
                context, list, i, text_of(context, segment), JS_PROP_C_W_E) < 0)
            goto fail;
        at = segment.start + segment.length;
    }
    return list;
fail:
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

/* The record that whatwg-url uses. */
static JSValue record_of(JSContext *context, const struct parts *parts)
{
    JSValue url = JS_NewObject(context);

    if (JS_IsException(url))
        return url;
    if (add(context, url, "scheme", text_of(context, parts->scheme)) < 0 ||
        add(context, url, "username", text_of(context, parts->username)) < 0 ||
        add(context, url, "password", text_of(context, parts->password)) < 0 ||
        add(context, url, "host",
            parts->is_address ? JS_NewUint32(context, parts->address)
                              : text_of(context, parts->host)) < 0 ||
        add(context, url, "port",
            parts->port < 0 ? JS_NULL : JS_NewInt32(context, parts->port)) <
            0 ||
        add(context, url, "path", path_of(context, parts->path)) < 0 ||
        add(context, url, "query",
            parts->has_query ? text_of(context, parts->query) : JS_NULL) < 0 ||
        add(context, url, "fragment",
            parts->has_fragment ? text_of(context, parts->fragment) : JS_NULL) <
            0) {
        JS_FreeValue(context, url);
        return JS_EXCEPTION;
    }
    return url;
}

enum { PARSE, CAN_PARSE };

/* parse(input, base) and canParse(input, base): the record, or true; undefined
 * if this parser cannot tell.  `base` is undefined if there is none. */
static JSValue parse_common(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv, int magic)
{
    struct piece input, base = {NULL, 0};
    struct parts parts;
    char *joined = NULL;
    JSValue result = JS_UNDEFINED;
    bool is_common;

    input.start = JS_ToCStringLen(context, &input.length, argv[0]);
    if (input.start == NULL)
        return JS_EXCEPTION;
    if (!JS_IsUndefined(argv[1])) {
        base.start = JS_ToCStringLen(context, &base.length, argv[1]);
        if (base.start == NULL) {
            JS_FreeCString(context, input.start);
            return JS_EXCEPTION;
        }
        joined = resolve(context, input, base, &input.length);
    }
    is_common = base.start == NULL
                    ? parse(input, &parts)
                    : joined != NULL &&
                          parse((struct piece){joined, input.length}, &parts);
    if (is_common)
        result = magic == PARSE ? record_of(context, &parts) : JS_TRUE;
    js_free(context, joined);
    JS_FreeCString(context, base.start);
    JS_FreeCString(context, input.start);
    return result;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("parse", 2, parse_common, PARSE),
    JS_CFUNC_MAGIC_DEF("canParse", 2, parse_common, CAN_PARSE),
};

const struct weir__js_builtin weir__js_url_builtin = {
    WEIR__JS_LIBS("url/url"),
    WEIR__JS_NATIVES(natives),
};
