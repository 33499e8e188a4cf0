/* SPDX-License-Identifier: MIT */
/*
 * head -- see head.h.  It has no state.
 *
 * It is stricter than the RFCs.  These are refused, because legitimate clients
 * do not send them and proxies interpret them differently: an empty Host; a
 * Content-Length with leading zeros; a repeated Content-Length, even with the
 * same value; Content-Length beside Transfer-Encoding; Transfer-Encoding in
 * HTTP/1.0; a # in the target; Content-Length, Host and the like in trailers.
 *
 * Tested by  test/net/http/requests.c, chunks.c, responses.c
 */
#include "http/head.h"

#include <errno.h>
#include <string.h>

#include "http/class.h"
#include "http/header.h"
#include "weir/error.h"

typedef struct weir__http_refusal refusal;

static const refusal accepted = {0};

static refusal refuse(uint16_t status, const char *text)
{
    return (refusal){WEIR_EHTTP, status, text};
}

static refusal refuse_unsupported(uint16_t status, const char *text)
{
    return (refusal){-EOPNOTSUPP, status, text};
}

/* ---- fields ---- */

/* What the fields of a head say. */
struct findings {
    const struct weir__http_field *host;
    unsigned hosts, codings;
    bool has_close, has_keep_alive, names_upgrade, has_upgrade;
};

static weir_bytes value_of(const struct weir__http_message *message,
                           const struct weir__http_field *field)
{
    return (weir_bytes){message->head.data + field->value, field->value_size};
}

static void read_connection(struct findings *found, weir_bytes value)
{
    static const weir_bytes close = WEIR_BYTES_OF("close");
    static const weir_bytes keep = WEIR_BYTES_OF("keep-alive");
    static const weir_bytes upgrade = WEIR_BYTES_OF("upgrade");
    weir_bytes token;

    while (weir__http_list_next(&value, &token)) {
        found->has_close |= weir__http_is_equal(token, close);
        found->has_keep_alive |= weir__http_is_equal(token, keep);
        found->names_upgrade |= weir__http_is_equal(token, upgrade);
    }
}

/* Check Transfer-Encoding.  Only "chunked" is understood.  A list that ends
 * with it is lawful; any other leaves the end of the body unknown. */
static refusal check_coding(weir_bytes value)
{
    static const weir_bytes chunked = WEIR_BYTES_OF("chunked");
    const char *comma = memrchr(value.data, ',', value.size);
    weir_bytes first, last = {NULL, 0};

    if (weir__http_is_equal(value, chunked))
        return accepted;
    if (comma == NULL || !weir__http_list_next(&value, &first) ||
        weir__http_is_equal(first, chunked))
        return refuse(400, "Transfer-Encoding does not end with chunked");
    while (weir__http_list_next(&value, &last))
        continue;
    if (!weir__http_is_equal(last, chunked))
        return refuse(400, "Transfer-Encoding does not end with chunked");
    return refuse_unsupported(501, "a transfer coding other than chunked");
}

/* llhttp has checked that there is one, of digits that fit into 64 bits. */
static refusal check_length(const struct weir__http_message *message,
                            weir_bytes value)
{
    if (value.size > 1 && *(const char *)value.data == '0')
        return refuse(400, "Content-Length with leading zeros");
    if (message->content_length > INT64_MAX)
        return refuse(400, "Content-Length is out of range");
    return accepted;
}

static refusal check_expect(struct weir__http_message *message,
                            weir_bytes value)
{
    static const weir_bytes known = WEIR_BYTES_OF("100-continue");

    /* HTTP/1.0 ignores it (RFC 9110, 10.1.1), and so do responses. */
    if (message->minor == 0 || message->status != 0)
        return accepted;
    if (!weir__http_is_equal(value, known))
        return message->any_expect
                   ? accepted
                   : refuse_unsupported(417,
                                        "Expect with an unknown expectation");
    message->flags |= WEIR__HTTP_CONTINUE;
    return accepted;
}

static refusal read_field(struct weir__http_message *message,
                          struct findings *found,
                          const struct weir__http_field *field)
{
    weir_bytes value = value_of(message, field);

    switch (field->id) {
    case WEIR__HTTP_NAME_HOST:
        found->host = field;
        found->hosts++;
        break;
    case WEIR__HTTP_NAME_CONNECTION:
        read_connection(found, value);
        break;
    case WEIR__HTTP_NAME_UPGRADE:
        found->has_upgrade |= value.size > 0;
        break;
    case WEIR__HTTP_NAME_TRANSFER_ENCODING:
        if (++found->codings > 1)
            return refuse(400, "Transfer-Encoding twice");
        return check_coding(value);
    case WEIR__HTTP_NAME_CONTENT_LENGTH:
        return check_length(message, value);
    case WEIR__HTTP_NAME_EXPECT:
        return check_expect(message, value);
    }
    return accepted;
}

/* Take the whitespace off the end of a value, and classify the name. */
static void finish_field(const char *text, struct weir__http_field *field)
{
    const char *value = text + field->value;

    while (field->value_size > 0 && (value[field->value_size - 1] == ' ' ||
                                     value[field->value_size - 1] == '\t'))
        field->value_size--;
    field->id = weir__http_name_id(text + field->name, field->name_size);
}

static refusal read_fields(struct weir__http_message *message,
                           struct findings *found)
{
    for (unsigned n = 0; n < message->field_count; n++) {
        struct weir__http_field *field = &message->fields[n];
        refusal no;

        finish_field(message->head.data, field);
        if (field->id == WEIR__HTTP_NAME_OTHER)
            continue;
        no = read_field(message, found, field);
        if (no.error != 0)
            return no;
    }
    return accepted;
}

/* ---- targets ---- */

static struct weir__http_span span_of(const struct weir__http_message *message,
                                      const char *from, const char *to)
{
    return (struct weir__http_span){(uint32_t)(from - message->head.data),
                                    (uint32_t)(to - from)};
}

/* Check a path with an optional query. */
static bool is_path(const char *at, const char *end)
{
    while (at < end && weir__http_is(*at, WEIR__HTTP_IN_PATH))
        at++;
    return at == end ||
           (*at == '?' &&
            weir__http_is_made_of(at, (size_t)(end - at), WEIR__HTTP_IN_QUERY));
}

/* Get the length of "http://" or "https://" at the front, or 0. */
static size_t scheme_size(weir_bytes target)
{
    static const weir_bytes schemes[] = {WEIR_BYTES_OF("http://"),
                                         WEIR_BYTES_OF("https://")};

    for (size_t n = 0; n < 2; n++) {
        weir_bytes front = {target.data, schemes[n].size};

        if (target.size >= front.size && weir__http_is_equal(front, schemes[n]))
            return front.size;
    }
    return 0;
}

static refusal check_absolute(struct weir__http_message *message,
                              weir_bytes target)
{
    const char *end = (const char *)target.data + target.size;
    size_t scheme = scheme_size(target);
    const char *host = (const char *)target.data + scheme;
    const char *path = host;

    if (scheme == 0)
        return refuse(400, "the target is neither a path nor a URI of HTTP");
    while (path < end && *path != '/' && *path != '?')
        path++;
    message->authority = span_of(message, host, path);
    message->path = span_of(message, path, end);
    message->flags |= WEIR__HTTP_ABSOLUTE;
    if (!weir__http_is_host(weir__http_authority(message)))
        return refuse(400, "the target has an invalid host");
    if (!is_path(path, end))
        return refuse(400, "the target has an invalid character");
    return accepted;
}

/* Check "host:port" of CONNECT. */
static refusal check_authority(struct weir__http_message *message,
                               weir_bytes target)
{
    const char *colon = memrchr(target.data, ':', target.size);
    const char *end = (const char *)target.data + target.size;

    if (colon == NULL || colon + 1 == end || !weir__http_is_host(target) ||
        end[-1] == ']')
        return refuse(400, "the target of CONNECT is not a host with a port");
    message->authority = message->target;
    message->flags |= WEIR__HTTP_ABSOLUTE;
    return accepted;
}

static refusal check_target(struct weir__http_message *message)
{
    weir_bytes target = weir__http_target(message);
    const char *text = target.data;

    if (message->method == WEIR__HTTP_CONNECT)
        return check_authority(message, target);
    if (text[0] == '*' && target.size == 1) {
        message->path = message->target;
        return message->method == WEIR__HTTP_OPTIONS
                   ? accepted
                   : refuse(400, "the target * without OPTIONS");
    }
    if (text[0] != '/')
        return check_absolute(message, target);
    message->path = message->target;
    return is_path(text, text + target.size)
               ? accepted
               : refuse(400, "the target has an invalid character");
}

/* ---- requests ---- */

/* RFC 9112, 3.2: exactly one, which the host of the target overrides. */
static refusal check_host(struct weir__http_message *message,
                          const struct findings *found)
{
    if (found->hosts > 1)
        return refuse(400, "Host twice");
    if (found->hosts == 0)
        return message->minor == 0 || message->no_host
                   ? accepted
                   : refuse(400, "Host is missing");
    if (!weir__http_is_host(value_of(message, found->host)))
        return refuse(400, "Host is invalid");
    if ((message->flags & WEIR__HTTP_ABSOLUTE) == 0)
        message->authority = (struct weir__http_span){found->host->value,
                                                      found->host->value_size};
    return accepted;
}

static refusal check_framing(const struct weir__http_message *message,
                             const struct findings *found, bool has_coding)
{
    bool is_chunked = (message->flags & WEIR__HTTP_CHUNKED) != 0;

    if (has_coding != (found->codings > 0) || is_chunked != has_coding)
        return refuse(400, "Transfer-Encoding does not end with chunked");
    if (has_coding && message->minor == 0)
        return refuse(400, "Transfer-Encoding in HTTP/1.0");
    if (has_coding && (message->flags & WEIR__HTTP_LENGTH) != 0)
        return refuse(400, "Transfer-Encoding and Content-Length");
    return accepted;
}

static void set_keep_alive(struct weir__http_message *message,
                           const struct findings *found)
{
    if (found->has_close)
        message->flags |= WEIR__HTTP_CLOSE;
    else if (message->minor > 0 || found->has_keep_alive)
        message->flags |= WEIR__HTTP_KEEP_ALIVE;
}

static refusal check_body(struct weir__http_message *message,
                          const struct findings *found)
{
    if ((message->flags & WEIR__HTTP_CHUNKED) != 0 ||
        message->content_length > 0)
        message->flags |= WEIR__HTTP_BODY;
    else
        message->flags &=
            ~WEIR__HTTP_CONTINUE; /* there is nothing to wait for */
    if (message->method == WEIR__HTTP_CONNECT) {
        if ((message->flags & WEIR__HTTP_BODY) != 0)
            return refuse(400, "CONNECT with a body");
        message->flags |= WEIR__HTTP_UPGRADE;
    } else if (found->has_upgrade && found->names_upgrade &&
               message->minor > 0) {
        message->flags |= WEIR__HTTP_UPGRADE;
    }
    return accepted;
}

struct weir__http_refusal
weir__http_head_check_request(struct weir__http_message *message,
                              bool has_coding)
{
    struct findings found = {0};
    refusal no = read_fields(message, &found);

    if (no.error == 0)
        no = check_framing(message, &found, has_coding);
    if (no.error == 0)
        no = check_target(message);
    if (no.error == 0)
        no = check_host(message, &found);
    if (no.error == 0)
        no = check_body(message, &found);
    set_keep_alive(message, &found);
    return no;
}

/* ---- responses ---- */

/* RFC 9112, 6.3. */
static void frame_response(struct weir__http_message *message,
                           enum weir__http_method method)
{
    unsigned status = message->status;

    if (status == 101 || (method == WEIR__HTTP_CONNECT && status / 100 == 2))
        message->flags |= WEIR__HTTP_UPGRADE;
    else if (status < 200 || status == 204 || status == 304 ||
             method == WEIR__HTTP_HEAD)
        return;
    else if ((message->flags & WEIR__HTTP_CHUNKED) != 0)
        message->flags |= WEIR__HTTP_BODY;
    else if ((message->flags & WEIR__HTTP_LENGTH) == 0)
        message->flags |= WEIR__HTTP_BODY | WEIR__HTTP_UNTIL_END;
    else if (message->content_length > 0)
        message->flags |= WEIR__HTTP_BODY;
}

struct weir__http_refusal
weir__http_head_check_response(struct weir__http_message *message,
                               bool has_coding, enum weir__http_method method)
{
    struct findings found = {0};
    refusal no = read_fields(message, &found);

    if (no.error == 0)
        no = check_framing(message, &found, has_coding);
    if (no.error == 0 && message->status < 100)
        no = refuse(502, "a status below 100");
    frame_response(message, method);
    set_keep_alive(message, &found);
    if ((message->flags & WEIR__HTTP_UNTIL_END) != 0)
        message->flags &= ~WEIR__HTTP_KEEP_ALIVE;
    return no;
}

/* ---- trailers ---- */

static bool is_forbidden(weir_bytes name)
{
    static const weir_bytes names[] = {
        WEIR_BYTES_OF("authorization"),
        WEIR_BYTES_OF("cache-control"),
        WEIR_BYTES_OF("content-encoding"),
        WEIR_BYTES_OF("content-range"),
        WEIR_BYTES_OF("cookie"),
        WEIR_BYTES_OF("max-forwards"),
        WEIR_BYTES_OF("range"),
        WEIR_BYTES_OF("set-cookie"),
        WEIR_BYTES_OF("te"),
    };

    for (size_t n = 0; n < sizeof(names) / sizeof(*names); n++)
        if (weir__http_is_equal(names[n], name))
            return true;
    return false;
}

struct weir__http_refusal
weir__http_head_check_trailers(struct weir__http_message *message)
{
    unsigned end = message->field_count + message->trailer_count;

    for (unsigned n = message->field_count; n < end; n++) {
        struct weir__http_field *field = &message->fields[n];

        finish_field(message->trailer.data, field);
        /* All names with an id except Date are about the framing, the routing
         * or the type. */
        if ((field->id != WEIR__HTTP_NAME_OTHER &&
             field->id != WEIR__HTTP_NAME_DATE) ||
            is_forbidden(weir__http_name(message, n)))
            return refuse(400, "a field that may not be a trailer");
    }
    return accepted;
}
