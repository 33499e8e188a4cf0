/* SPDX-License-Identifier: MIT */
/*
 * date -- parses the three date formats of RFC 9110, 5.6.7, and formats the
 * Date field at most once a second.
 */
#ifndef WEIR_NET_HTTP_DATE_H
#define WEIR_NET_HTTP_DATE_H

#include <stdint.h>

#include "http/format.h"
#include "weir/net/bytes.h"

/* One for each loop.  Zeros are an empty one. */
struct weir__http_date {
    int64_t second;
    char text[WEIR__HTTP_DATE_SIZE + 3]; /* ends with a NUL */
};

/* Get the text of a time, which is written anew if it is not the last one.
 * The result is valid until the next call. */
const char *weir__http_date_at(struct weir__http_date *cache, int64_t second);

/* Write the text of a time in seconds since 1970, which is between the years 0
 * and 9999 (others become the nearest).  No NUL is written. */
void weir__http_date_write(char to[WEIR__HTTP_DATE_SIZE], int64_t second);

/* Parse "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT" or
 * "Sun Nov  6 08:49:37 1994".  `now` decides on the century of the second form:
 * no date is more than 50 years in the future.  Returns 0 or -EINVAL. */
int weir__http_date_parse(weir_bytes text, int64_t now, int64_t *second);

#endif /* WEIR_NET_HTTP_DATE_H */
