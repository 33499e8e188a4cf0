/* SPDX-License-Identifier: MIT */
/*
 * record -- see record.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/record.h"

/* The part of the text between two offsets; empty if there is none between. */
static struct weir__js_piece piece(const struct weir__js_record *record,
                                   uint32_t start, uint32_t end)
{
    return (struct weir__js_piece){record->text + start,
                                   end > start ? end - start : 0};
}

void weir__js_record_read(const struct weir__js_record *record,
                          struct weir__js_parts *parts)
{
    uint32_t user = record->scheme_end + 1 + (record->has_host ? 2 : 0);

    *parts = (struct weir__js_parts){
        .scheme_name = piece(record, 0, record->scheme_end),
        .username = piece(record, user, record->username_end),
        .password =
            piece(record, record->username_end + 1, record->password_end),
        .host = piece(record, record->host_start, record->host_end),
        .port = piece(record, record->host_end + 1, record->port_end),
        .path = piece(record, record->path_start, record->path_end),
        .query = piece(record, record->path_end + 1, record->query_end),
        .fragment = piece(record, record->query_end + 1, record->length),
        .scheme = record->scheme,
        .has_host = record->has_host,
        .is_opaque = record->is_opaque,
        .has_query = record->query_end > record->path_end,
        .has_fragment = record->length > record->query_end,
    };
}

static uint32_t offset(const struct weir__js_record *record, const char *to)
{
    return (uint32_t)(to - record->text);
}

char *weir__js_record_begin_host(struct weir__js_record *record, char *to,
                                 bool has_host)
{
    record->has_host = has_host;
    if (has_host) {
        *to++ = '/';
        *to++ = '/';
    }
    record->username_end = record->password_end = record->host_start =
        record->host_end = record->port_end = offset(record, to);
    return to;
}

char *weir__js_record_end_user(struct weir__js_record *record, char *to,
                               bool has_user)
{
    if (has_user)
        *to++ = '@';
    record->host_start = record->host_end = record->port_end =
        offset(record, to);
    return to;
}

char *weir__js_record_end_path(struct weir__js_record *record, char *start,
                               char *to)
{
    record->path_start = offset(record, start);
    if (!record->has_host && !record->is_opaque && to - start >= 2 &&
        start[0] == '/' && start[1] == '/') {
        memmove(start + 2, start, (size_t)(to - start));
        start[1] = '.';
        record->path_start += 2;
        to += 2;
    }
    record->path_end = record->query_end = record->length = offset(record, to);
    return to;
}

size_t weir__js_record_size(const struct weir__js_parts *parts)
{
    return parts->scheme_name.length + parts->username.length +
           parts->password.length + parts->host.length + parts->port.length +
           parts->path.length + parts->query.length + parts->fragment.length +
           sizeof("://:@:/.?#");
}

/* The host, and what belongs to it. */
static char *write_host(struct weir__js_record *record, char *to,
                        const struct weir__js_parts *parts)
{
    bool has_user = parts->username.length + parts->password.length > 0;

    to = weir__js_piece_write(to, parts->username);
    record->username_end = record->password_end = offset(record, to);
    if (parts->password.length > 0) {
        *to++ = ':';
        to = weir__js_piece_write(to, parts->password);
        record->password_end = offset(record, to);
    }
    to = weir__js_record_end_user(record, to, has_user);
    to = weir__js_piece_write(to, parts->host);
    record->host_end = record->port_end = offset(record, to);
    if (parts->port.length > 0) {
        *to++ = ':';
        to = weir__js_piece_write(to, parts->port);
        record->port_end = offset(record, to);
    }
    return to;
}

void weir__js_record_write(struct weir__js_record *record, char *to,
                           const struct weir__js_parts *parts)
{
    char *start;

    *record = (struct weir__js_record){
        .text = to, .scheme = parts->scheme, .is_opaque = parts->is_opaque};
    to = weir__js_piece_write(to, parts->scheme_name);
    record->scheme_end = offset(record, to);
    *to++ = ':';
    to = weir__js_record_begin_host(record, to, parts->has_host);
    if (parts->has_host)
        to = write_host(record, to, parts);
    start = to;
    to = weir__js_piece_write(to, parts->path);
    to = weir__js_record_end_path(record, start, to);
    if (parts->has_query) {
        *to++ = '?';
        to = weir__js_piece_write(to, parts->query);
    }
    record->query_end = offset(record, to);
    if (parts->has_fragment) {
        *to++ = '#';
        to = weir__js_piece_write(to, parts->fragment);
    }
    record->length = offset(record, to);
}
