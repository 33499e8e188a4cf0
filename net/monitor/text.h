/* SPDX-License-Identifier: MIT */
/*
 * text -- a text that grows, and JSON in it.
 *
 *     struct weir__text text = {0};
 *     weir__text_add(&text, "{\"name\":");
 *     weir__text_quote(&text, name);
 *     weir__text_add(&text, ",\"count\":%d}", count);
 *     if (!text.is_short) ... text.bytes, text.size
 *     weir__text_free(&text);
 */
#ifndef WEIR_NET_MONITOR_TEXT_H
#define WEIR_NET_MONITOR_TEXT_H

#include <stdbool.h>
#include <stddef.h>

struct weir__text {
    char *bytes;
    size_t size, capacity;
    bool is_short; /* of memory: something is missing */
};

void weir__text_put(struct weir__text *text, const char *bytes, size_t size);

__attribute__((format(printf, 2, 3))) void
weir__text_add(struct weir__text *text, const char *format, ...);

/* Add a string of JSON.  What is not UTF-8 is replaced. */
void weir__text_quote(struct weir__text *text, const char *string);

/* Add a comma, unless a list or an object has just begun. */
void weir__text_comma(struct weir__text *text);

/* Keep the memory for the next text. */
void weir__text_clear(struct weir__text *text);
void weir__text_free(struct weir__text *text);

#endif /* WEIR_NET_MONITOR_TEXT_H */
