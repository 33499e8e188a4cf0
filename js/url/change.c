/* SPDX-License-Identifier: MIT */
/*
 * change -- see change.h.
 *
 * A setter writes the new component behind the room for the result, and then
 * the URL with it.
 *
 * Tested by  test/js/url/url-setters.js, test/fuzz/weburl.c
 */
#include "url/change.h"

#include "url/parser.h"
#include "url/path.h"
#include "url/percent.h"

enum { MOST_PORT = 65535 };

struct change {
    struct weir__js_parts parts;
    struct weir__js_piece value; /* clean */
    bool is_empty;               /* before it was cleaned */
    char *to;                    /* the new component */
    const char *limit;
    const struct weir__js_idna *idna;
};

typedef enum weir__js_url_status status;

static size_t most_component(size_t length)
{
    return weir__js_host_most(length) + 1;
}

size_t weir__js_change_most(const struct weir__js_record *url, size_t length)
{
    return url->length + sizeof("://:@:/.?#") + 2 * most_component(length) +
           length;
}

static bool is_special(const struct change *change)
{
    return weir__js_scheme_is_special(change->parts.scheme);
}

static bool has_user(const struct change *change)
{
    return change->parts.username.length + change->parts.password.length > 0;
}

static bool cannot_have_user(const struct change *change)
{
    return change->parts.host.length == 0 ||
           change->parts.scheme == WEIR__JS_SCHEME_FILE;
}

/* The new component, from where it begins. */
static struct weir__js_piece written(const struct change *change, char *end)
{
    return weir__js_piece_between(change->to, end);
}

/* ---- the components ---- */

/* The port as a number; the scheme's own if there is none. */
static int port_of(const struct change *change)
{
    const char *end;

    return change->parts.port.length == 0
               ? weir__js_scheme_port(change->parts.scheme)
               : (int)weir__js_parser_port(change->parts.port, &end);
}

static status change_protocol(struct change *change)
{
    char *end = change->to;
    struct weir__js_parts *parts = &change->parts;
    enum weir__js_scheme scheme;

    if (weir__js_parser_scheme(&end, change->value) == NULL)
        return WEIR__JS_URL_INVALID;
    scheme = weir__js_scheme_of(written(change, end));
    if (weir__js_scheme_is_special(scheme) != is_special(change))
        return WEIR__JS_URL_INVALID;
    if (scheme == WEIR__JS_SCHEME_FILE &&
        (has_user(change) || parts->port.length > 0))
        return WEIR__JS_URL_INVALID;
    if (parts->scheme == WEIR__JS_SCHEME_FILE && parts->host.length == 0)
        return WEIR__JS_URL_INVALID;
    parts->scheme_name = written(change, end);
    if (parts->port.length > 0 &&
        port_of(change) == weir__js_scheme_port(scheme))
        parts->port.length = 0;
    parts->scheme = scheme;
    return WEIR__JS_URL_OK;
}

static status change_user(struct change *change, struct weir__js_piece *part)
{
    if (cannot_have_user(change))
        return WEIR__JS_URL_INVALID;
    *part = written(change, weir__js_percent_encode(change->to, change->value,
                                                    WEIR__JS_PERCENT_USERINFO));
    return WEIR__JS_URL_OK;
}

/* Set the port to the number at the start of a text, if there is one. */
static status set_port(struct change *change, char *to,
                       struct weir__js_piece text)
{
    const char *end;
    unsigned port = weir__js_parser_port(text, &end);
    char *start = to;

    if (end == text.start || port > MOST_PORT)
        return WEIR__JS_URL_INVALID;
    if ((int)port != weir__js_scheme_port(change->parts.scheme))
        to = weir__js_parser_print_port(to, port);
    change->parts.port = weir__js_piece_between(start, to);
    return WEIR__JS_URL_OK;
}

static status set_host(struct change *change, struct weir__js_piece text,
                       char **end)
{
    struct weir__js_host_room room = {change->to, change->limit};
    status result = text.length == 0
                        ? WEIR__JS_URL_OK
                        : weir__js_host_parse(&room, text, !is_special(change),
                                              change->idna);

    *end = room.to;
    if (result != WEIR__JS_URL_OK)
        return result;
    change->parts.host = written(change, room.to);
    change->parts.has_host = true;
    return WEIR__JS_URL_OK;
}

static status change_file_host(struct change *change)
{
    char *end;
    status result =
        set_host(change,
                 weir__js_piece_between(
                     change->value.start,
                     weir__js_parser_authority_end(change->value, true)),
                 &end);

    if (result == WEIR__JS_URL_OK &&
        weir__js_piece_is(change->parts.host, "localhost"))
        change->parts.host.length = 0;
    return result;
}

static status change_host(struct change *change, bool has_port)
{
    const char *start = change->value.start, *end, *colon;
    char *to;
    status result;

    if (change->parts.is_opaque)
        return WEIR__JS_URL_INVALID;
    if (change->parts.scheme == WEIR__JS_SCHEME_FILE)
        return change_file_host(change);
    end = weir__js_parser_authority_end(change->value, is_special(change));
    colon = weir__js_parser_host_end(weir__js_piece_between(start, end));
    if (colon < end && (colon == start || !has_port))
        return WEIR__JS_URL_INVALID;
    if (colon == start && (is_special(change) || has_user(change) ||
                           change->parts.port.length > 0))
        return WEIR__JS_URL_INVALID;
    result = set_host(change, weir__js_piece_between(start, colon), &to);
    if (result == WEIR__JS_URL_OK && colon < end)
        (void)set_port(change, to, weir__js_piece_between(colon + 1, end));
    return result;
}

static status change_port(struct change *change)
{
    if (cannot_have_user(change))
        return WEIR__JS_URL_INVALID;
    if (!change->is_empty)
        return set_port(change, change->to, change->value);
    change->parts.port.length = 0;
    return WEIR__JS_URL_OK;
}

static status change_pathname(struct change *change)
{
    struct weir__js_path path = {change->to, change->to, change->parts.scheme,
                                 true};
    struct weir__js_piece value = change->value;
    bool has_slash =
        value.length > 0 && (value.start[0] == '/' ||
                             (value.start[0] == '\\' && is_special(change)));

    if (change->parts.is_opaque)
        return WEIR__JS_URL_INVALID;
    value.start += has_slash;
    value.length -= has_slash;
    if (has_slash || value.length > 0 || is_special(change) ||
        !change->parts.has_host)
        weir__js_path_append(&path, value);
    change->parts.path = written(change, path.end);
    return WEIR__JS_URL_OK;
}

/* The query or the fragment. */
static status change_tail(struct change *change, struct weir__js_piece *part,
                          bool *has_part, enum weir__js_percent_set set)
{
    *has_part = !change->is_empty;
    *part = written(change,
                    weir__js_percent_encode(change->to, change->value, set));
    return WEIR__JS_URL_OK;
}

static status change_part(struct change *change, enum weir__js_change what)
{
    struct weir__js_parts *parts = &change->parts;

    switch (what) {
    case WEIR__JS_CHANGE_PROTOCOL:
        return change_protocol(change);
    case WEIR__JS_CHANGE_USERNAME:
        return change_user(change, &parts->username);
    case WEIR__JS_CHANGE_PASSWORD:
        return change_user(change, &parts->password);
    case WEIR__JS_CHANGE_HOST:
        return change_host(change, true);
    case WEIR__JS_CHANGE_HOSTNAME:
        return change_host(change, false);
    case WEIR__JS_CHANGE_PORT:
        return change_port(change);
    case WEIR__JS_CHANGE_PATHNAME:
        return change_pathname(change);
    case WEIR__JS_CHANGE_SEARCH:
        return change_tail(change, &parts->query, &parts->has_query,
                           is_special(change) ? WEIR__JS_PERCENT_SPECIAL_QUERY
                                              : WEIR__JS_PERCENT_QUERY);
    default:
        return change_tail(change, &parts->fragment, &parts->has_fragment,
                           WEIR__JS_PERCENT_FRAGMENT);
    }
}

/* ---- the setter ---- */

/* "?" and "#" in front are not part of what follows them. */
static struct weir__js_piece without_mark(struct weir__js_piece value,
                                          enum weir__js_change what)
{
    char mark = what == WEIR__JS_CHANGE_SEARCH ? '?' : '#';

    if ((what == WEIR__JS_CHANGE_SEARCH || what == WEIR__JS_CHANGE_HASH) &&
        value.length > 0 && value.start[0] == mark) {
        value.start++;
        value.length--;
    }
    return value;
}

enum weir__js_url_status weir__js_change_run(struct weir__js_record *changed,
                                             char *to, size_t room,
                                             const struct weir__js_record *url,
                                             enum weir__js_change what,
                                             struct weir__js_piece value,
                                             const struct weir__js_idna *idna)
{
    bool is_user =
        what == WEIR__JS_CHANGE_USERNAME || what == WEIR__JS_CHANGE_PASSWORD;
    char *copy = to + room - value.length;
    size_t half = (room - value.length - url->length) / 2;
    struct change change = {.is_empty = value.length == 0,
                            .to = copy - half,
                            .limit = copy - 1 - sizeof(":65535"),
                            .idna = idna};
    status result;

    weir__js_record_read(url, &change.parts);
    change.value =
        weir__js_parser_clean(copy, without_mark(value, what), is_user);
    result = change_part(&change, what);
    if (result == WEIR__JS_URL_OK)
        weir__js_record_write(changed, to, &change.parts);
    return result;
}
