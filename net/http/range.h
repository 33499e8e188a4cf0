/* SPDX-License-Identifier: MIT */
/*
 * range -- the Range field of RFC 9110, 14.2, applied to a size.
 */
#ifndef WEIR_NET_HTTP_RANGE_H
#define WEIR_NET_HTTP_RANGE_H

#include <stddef.h>
#include <stdint.h>

#include "weir/net/bytes.h"

struct weir__http_range {
    uint64_t first, size; /* size > 0 */
};

/* Parse the value of Range for content of `size` bytes, into at most `most`
 * ranges.  Returns how many there are, -ERANGE (none can be satisfied: 416), or
 * 0 (the field is ignored: another unit, malformed, more than `most`, or ranges
 * that overlap so much that they would send more than the content). */
int weir__http_range_parse(weir_bytes value, uint64_t size,
                           struct weir__http_range *ranges, int most);

/* Write "bytes 0-4/10", or "bytes [*]/10" without brackets if range is NULL.
 * Returns the end of what was written, at most WEIR__HTTP_RANGE_TEXT bytes. */
enum { WEIR__HTTP_RANGE_TEXT = 6 + 3 * 20 + 2 };
char *weir__http_range_write(char *to, const struct weir__http_range *range,
                             uint64_t size);

#endif /* WEIR_NET_HTTP_RANGE_H */
