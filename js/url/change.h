/* SPDX-License-Identifier: MIT */
/*
 * change -- the setters of the class URL: the parser with a state override.
 */
#ifndef WEIR_JS_CHANGE_H
#define WEIR_JS_CHANGE_H

#include "url/host.h"
#include "url/record.h"

enum weir__js_change {
    WEIR__JS_CHANGE_PROTOCOL,
    WEIR__JS_CHANGE_USERNAME,
    WEIR__JS_CHANGE_PASSWORD,
    WEIR__JS_CHANGE_HOST,
    WEIR__JS_CHANGE_HOSTNAME,
    WEIR__JS_CHANGE_PORT,
    WEIR__JS_CHANGE_PATHNAME,
    WEIR__JS_CHANGE_SEARCH,
    WEIR__JS_CHANGE_HASH,
};

/* The room that a change needs, unless weir__js_idna makes its host long. */
size_t weir__js_change_most(const struct weir__js_record *url, size_t length);

/* Set a component of a URL to a value of JavaScript.  The result is written to
 * `to`, and `changed` is set to it.  WEIR__JS_URL_INVALID: the URL stays as it
 * is. */
enum weir__js_url_status weir__js_change_run(struct weir__js_record *changed,
                                             char *to, size_t room,
                                             const struct weir__js_record *url,
                                             enum weir__js_change what,
                                             struct weir__js_piece value,
                                             const struct weir__js_idna *idna);

#endif /* WEIR_JS_CHANGE_H */
