/* SPDX-License-Identifier: MIT */
/*
 * component -- see component.h.
 *
 * Tested by  test/js/url/url-class.js, test/js/url/url-random.js
 */
#include "url/component.h"

static JSValue text_between(JSContext *context,
                            const struct weir__js_record *url, uint32_t start,
                            uint32_t end)
{
    return JS_NewStringLen(context, url->text + start,
                           end > start ? end - start : 0);
}

/* A query or a fragment; the delimiter alone is not shown. */
static JSValue tail_between(JSContext *context,
                            const struct weir__js_record *url, uint32_t start,
                            uint32_t end)
{
    return text_between(context, url, start, end - start > 1 ? end : start);
}

JSValue weir__js_component(JSContext *context,
                           const struct weir__js_record *url,
                           enum weir__js_change what)
{
    switch (what) {
    case WEIR__JS_CHANGE_PROTOCOL:
        return text_between(context, url, 0, url->scheme_end + 1);
    case WEIR__JS_CHANGE_USERNAME:
        return text_between(context, url,
                            url->scheme_end + (url->has_host ? 3 : 1),
                            url->username_end);
    case WEIR__JS_CHANGE_PASSWORD:
        return text_between(context, url, url->username_end + 1,
                            url->password_end);
    case WEIR__JS_CHANGE_HOST:
        return text_between(context, url, url->host_start, url->port_end);
    case WEIR__JS_CHANGE_HOSTNAME:
        return text_between(context, url, url->host_start, url->host_end);
    case WEIR__JS_CHANGE_PORT:
        return text_between(context, url, url->host_end + 1, url->port_end);
    case WEIR__JS_CHANGE_PATHNAME:
        return text_between(context, url, url->path_start, url->path_end);
    case WEIR__JS_CHANGE_SEARCH:
        return tail_between(context, url, url->path_end, url->query_end);
    default:
        return tail_between(context, url, url->query_end, url->length);
    }
}

JSValue weir__js_component_query(JSContext *context,
                                 const struct weir__js_record *url)
{
    return text_between(context, url, url->path_end + 1, url->query_end);
}

JSValue weir__js_component_origin(JSContext *context,
                                  const struct weir__js_record *url)
{
    const char *start = url->text;
    uint32_t slashes = url->scheme_end + sizeof("://") - 1;
    JSValue origin;
    char *text, *to;

    if (url->scheme == WEIR__JS_SCHEME_OTHER ||
        url->scheme == WEIR__JS_SCHEME_FILE)
        return JS_NewString(context, "null");
    if (url->host_start == slashes) /* no user is in between */
        return text_between(context, url, 0, url->port_end);
    text = js_malloc(context, url->port_end);
    if (text == NULL)
        return JS_EXCEPTION;
    to = weir__js_piece_write(text,
                              weir__js_piece_between(start, start + slashes));
    to =
        weir__js_piece_write(to, weir__js_piece_between(start + url->host_start,
                                                        start + url->port_end));
    origin = JS_NewStringLen(context, text, (size_t)(to - text));
    js_free(context, text);
    return origin;
}
