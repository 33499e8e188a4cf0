/* SPDX-License-Identifier: MIT */
#include "response.h"

#include <stdlib.h>
#include <string.h>
#include <strings.h>

enum { HEAD, BODY, SIZE, CHUNK, CHUNK_END, TRAILER };

void response_begin(response *r, const unsigned char *body, uint64_t length)
{
    memset(r, 0, offsetof(response, line));
    r->expected = body;
    r->expected_length = length;
}

bool response_ends(const response *r)
{
    return r->part == BODY && r->until_end;
}

/* The value of a line if it is the named field. */
static const char *value_of(const char *line, const char *name)
{
    size_t length = strlen(name);
    if (strncasecmp(line, name, length) != 0 || line[length] != ':')
        return NULL;
    return line + length + 1 + strspn(line + length + 1, " \t");
}

static void read_field(response *r, const char *line, bool *has_length)
{
    const char *value;
    if ((value = value_of(line, "Connection")) != NULL)
        r->closes = r->closes || strcasestr(value, "close") != NULL;
    else if ((value = value_of(line, "Transfer-Encoding")) != NULL)
        r->chunked = strcasestr(value, "chunked") != NULL;
    else if ((value = value_of(line, "X-Id")) != NULL)
        r->id = strtoull(value, NULL, 10);
    else if ((value = value_of(line, "Content-Length")) != NULL) {
        r->left = strtoull(value, NULL, 10);
        *has_length = true;
    }
}

/* Read the head that r->line holds, and decide what follows. */
static int read_head(response *r)
{
    bool has_length = false;
    if (strncmp(r->line, "HTTP/1.", 7) != 0 || r->used < 16)
        return RESPONSE_BAD;
    r->status = atoi(r->line + 9);
    if (r->line[7] == '0')
        r->closes = true;
    r->line[r->used] = '\0';
    for (char *at = strstr(r->line, "\r\n"); at != NULL && at[2] != '\r';) {
        char *end = strstr(at + 2, "\r\n");
        *end = '\0';
        read_field(r, at + 2, &has_length);
        *end = '\r';
        at = end;
    }
    r->used = 0;
    if (r->status >= 100 && r->status < 200 && r->status != 101) {
        r->closes = r->chunked = false;
        return RESPONSE_PART; /* the next head follows */
    }
    if (r->status == 101 || r->status == 204 || r->status == 304)
        return RESPONSE_WHOLE;
    r->part = r->chunked ? SIZE : BODY;
    r->until_end = !r->chunked && !has_length;
    if (r->until_end)
        r->closes = true;
    return r->part == BODY && has_length && r->left == 0 ? RESPONSE_WHOLE
                                                         : RESPONSE_PART;
}

/* Collect a line up to its LF; 1 when it is there. */
static int collect(response *r, unsigned char byte)
{
    if (r->used + 1 >= sizeof r->line)
        return -1;
    r->line[r->used++] = (char)byte;
    return byte == '\n';
}

static int feed_head(response *r, unsigned char byte)
{
    int got = collect(r, byte);
    if (got < 0)
        return RESPONSE_BAD;
    bool ends = got == 1 && r->used >= 4 &&
                memcmp(r->line + r->used - 4, "\r\n\r\n", 4) == 0;
    return ends ? read_head(r) : RESPONSE_PART;
}

static int feed_size(response *r, unsigned char byte)
{
    int got = collect(r, byte);
    if (got <= 0)
        return got < 0 ? RESPONSE_BAD : RESPONSE_PART;
    char *end;
    r->line[r->used] = '\0';
    r->left = strtoull(r->line, &end, 16);
    if (end == r->line)
        return RESPONSE_BAD;
    r->used = 0;
    r->part = r->left == 0 ? TRAILER : CHUNK;
    return RESPONSE_PART;
}

static int feed_trailer(response *r, unsigned char byte)
{
    int got = collect(r, byte);
    if (got <= 0)
        return got < 0 ? RESPONSE_BAD : RESPONSE_PART;
    bool is_last = r->used == 2;
    r->used = 0;
    return is_last ? RESPONSE_WHOLE : RESPONSE_PART;
}

static int feed_chunk_end(response *r, unsigned char byte)
{
    if (byte != (r->left == 0 ? '\r' : '\n'))
        return RESPONSE_BAD;
    if (r->left == 0)
        r->left = 1; /* the LF is still to come */
    else
        r->part = SIZE;
    return RESPONSE_PART;
}

/* Take what belongs to the body, or to the chunk. */
static size_t take_body(response *r, const unsigned char *data, size_t size)
{
    if (!r->until_end && size > r->left)
        size = r->left;
    if (r->expected != NULL &&
        (r->length + size > r->expected_length ||
         memcmp(r->expected + r->length, data, size) != 0))
        r->wrong = true;
    r->length += size;
    if (!r->until_end)
        r->left -= size;
    return size;
}

static int feed_byte(response *r, unsigned char byte)
{
    switch (r->part) {
    case HEAD:
        return feed_head(r, byte);
    case SIZE:
        return feed_size(r, byte);
    case CHUNK_END:
        return feed_chunk_end(r, byte);
    default:
        return feed_trailer(r, byte);
    }
}

int response_feed(response *r, const unsigned char *data, size_t size,
                  size_t *taken)
{
    int got = RESPONSE_PART;
    size_t at = 0;
    while (at < size && got == RESPONSE_PART) {
        r->begun = true;
        if (r->part != BODY && r->part != CHUNK) {
            got = feed_byte(r, data[at++]);
            continue;
        }
        at += take_body(r, data + at, size - at);
        if (r->left == 0 && !r->until_end && r->part == BODY)
            got = RESPONSE_WHOLE;
        else if (r->left == 0 && r->part == CHUNK)
            r->part = CHUNK_END;
    }
    if (got == RESPONSE_WHOLE && r->expected != NULL &&
        r->length != r->expected_length)
        r->wrong = true;
    *taken = at;
    return got;
}
