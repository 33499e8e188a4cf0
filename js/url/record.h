/* SPDX-License-Identifier: MIT */
/*
 * record -- a URL: its serialization, and where its components are in it.
 *
 *     https://user:secret@host:8080/path?query#fragment
 *          ^      ^      ^^   ^    ^^   ^     ^        ^
 *          |      |      ||   |    ||   |     |        length
 *          |      |      ||   |    ||   |     query_end
 *          |      |      ||   |    ||   path_end
 *          |      |      ||   |    |path_start, port_end
 *          |      |      ||   host_end
 *          |      |      |host_start
 *          |      |      password_end
 *          |      username_end
 *          scheme_end
 *
 * The text is ASCII.  A component that is null, or empty where that is the same,
 * has no text, not even its delimiter.  A URL without a host has "/." before a
 * path that begins with "//".
 */
#ifndef WEIR_JS_RECORD_H
#define WEIR_JS_RECORD_H

#include <stdint.h>

#include "url/scheme.h"

struct weir__js_record {
    const char *text;
    uint32_t scheme_end, username_end, password_end, host_start, host_end,
        port_end, path_start, path_end, query_end, length;
    enum weir__js_scheme scheme;
    bool has_host;
    bool is_opaque; /* the path is not a list of segments */
};

/* The components without their delimiters. */
struct weir__js_parts {
    struct weir__js_piece scheme_name, username, password, host, port, path,
        query, fragment;
    enum weir__js_scheme scheme;
    bool has_host, is_opaque, has_query, has_fragment;
};

/* Without ":". */
static inline struct weir__js_piece
weir__js_record_scheme(const struct weir__js_record *record)
{
    return (struct weir__js_piece){record->text, record->scheme_end};
}

void weir__js_record_read(const struct weir__js_record *record,
                          struct weir__js_parts *parts);

/* The most that weir__js_record_write() writes. */
size_t weir__js_record_size(const struct weir__js_parts *parts);

/* Write a URL and set the record to it. */
void weir__js_record_write(struct weir__js_record *record, char *to,
                           const struct weir__js_parts *parts);

/* Begin the part between "scheme:" and the path, of which the first is written:
 * with "//", or without a host.  Returns the new end. */
char *weir__js_record_begin_host(struct weir__js_record *record, char *to,
                                 bool has_host);

/* Append the user name and the password, which are encoded, and set where the
 * host begins.  Returns the new end. */
char *weir__js_record_end_user(struct weir__js_record *record, char *to,
                               bool has_user);

/* Finish the path, which is written.  Returns the new end. */
char *weir__js_record_end_path(struct weir__js_record *record, char *start,
                               char *to);

#endif /* WEIR_JS_RECORD_H */
