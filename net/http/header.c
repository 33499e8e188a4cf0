/* SPDX-License-Identifier: MIT */
/*
 * header -- see header.h.  No state, no memory.
 *
 * Tested by  test/net/http/header.c, test/fuzz/fields.c
 */
#include "http/header.h"

#include <arpa/inet.h>
#include <string.h>

#include "http/class.h"

/* ---- names ---- */

/* Compare a name that has been checked, or a token, with small letters: eight
 * bytes at a time, where there are as many. */
static inline bool is_word(const char *text, const char *word, size_t size)
{
    const uint64_t small = UINT64_C(0x2020202020202020);
    uint64_t a, b;

    for (; size >= sizeof(a); size -= sizeof(a)) {
        memcpy(&a, text, sizeof(a));
        memcpy(&b, word, sizeof(b));
        if ((a | small) != b)
            return false;
        text += sizeof(a);
        word += sizeof(a);
    }
    for (size_t n = 0; n < size; n++)
        if ((text[n] | 0x20) != word[n])
            return false;
    return true;
}

/* For each size, the compiler keeps the comparisons with names of that size. */
enum weir__http_name weir__http_name_id(const char *name, size_t size)
{
#define X(id, text)                                                            \
    if (SIZE == sizeof(text) - 1 && is_word(name, text, sizeof(text) - 1))     \
        return WEIR__HTTP_NAME_##id;
#define OF_SIZE(size)                                                          \
    case size: {                                                               \
        enum { SIZE = size };                                                  \
        WEIR__HTTP_NAMES(X)                                                    \
        break;                                                                 \
    }
    switch (size) {
        OF_SIZE(4)
        OF_SIZE(6)
        OF_SIZE(7)
        OF_SIZE(10)
        OF_SIZE(12)
        OF_SIZE(14)
        OF_SIZE(17)
    }
#undef OF_SIZE
#undef X
    return WEIR__HTTP_NAME_OTHER;
}

static unsigned char lower(char byte)
{
    unsigned char value = (unsigned char)byte;

    return value >= 'A' && value <= 'Z' ? value | 0x20 : value;
}

bool weir__http_is_equal(weir_bytes one, weir_bytes other)
{
    const char *a = one.data;
    const char *b = other.data;

    if (one.size != other.size)
        return false;
    for (size_t n = 0; n < one.size; n++)
        if (a[n] != b[n] && lower(a[n]) != lower(b[n]))
            return false;
    return true;
}

bool weir__http_is_token(weir_bytes text)
{
    return text.size > 0 &&
           weir__http_is_made_of(text.data, text.size, WEIR__HTTP_IN_TOKEN);
}

/* ---- lists ---- */

static bool is_blank(char byte)
{
    return byte == ' ' || byte == '\t';
}

static weir_bytes trim(const char *from, const char *to)
{
    while (from < to && is_blank(*from))
        from++;
    while (from < to && is_blank(to[-1]))
        to--;
    return (weir_bytes){from, (size_t)(to - from)};
}

/* Find the end of an element: a comma outside of quotes, or the end. */
static const char *find_comma(const char *at, const char *end)
{
    bool is_quoted = false;

    for (; at < end; at++) {
        if (*at == '"')
            is_quoted = !is_quoted;
        else if (is_quoted && *at == '\\' && at + 1 < end)
            at++;
        else if (*at == ',' && !is_quoted)
            break;
    }
    return at;
}

bool weir__http_list_next(weir_bytes *list, weir_bytes *element)
{
    const char *at = list->data;
    const char *end = at + list->size;

    while (at < end) {
        const char *comma = find_comma(at, end);

        *element = trim(at, comma);
        at = comma < end ? comma + 1 : end;
        if (element->size > 0) {
            *list = (weir_bytes){at, (size_t)(end - at)};
            return true;
        }
    }
    list->size = 0;
    return false;
}

bool weir__http_list_has(weir_bytes list, weir_bytes token)
{
    weir_bytes element;

    while (weir__http_list_next(&list, &element))
        if (weir__http_is_equal(element, token))
            return true;
    return false;
}

/* Parse "0", "0.5", "1.000": at most three decimals, at most 1. */
static int parse_quality(weir_bytes text)
{
    const char *at = text.data;
    int value, scale = 100;

    if (text.size == 0 || text.size > 5 || (at[0] != '0' && at[0] != '1') ||
        (text.size > 1 && at[1] != '.'))
        return -1;
    value = (at[0] - '0') * 1000;
    for (size_t n = 2; n < text.size; n++, scale /= 10) {
        if (at[n] < '0' || at[n] > '9')
            return -1;
        value += (at[n] - '0') * scale;
    }
    return value <= 1000 ? value : -1;
}

int weir__http_quality(weir_bytes *element)
{
    const char *data = element->data;
    const char *end = data + element->size;
    const char *semicolon = memrchr(data, ';', element->size);
    weir_bytes last;

    if (semicolon == NULL)
        return 1000;
    last = trim(semicolon + 1, end);
    if (last.size < 2 || !is_word(last.data, "q=", 2))
        return 1000;
    *element = trim(data, semicolon);
    return parse_quality(
        (weir_bytes){(const char *)last.data + 2, last.size - 2});
}

int weir__http_accepts(weir_bytes accept, weir_bytes coding)
{
    static const weir_bytes any = WEIR_BYTES_OF("*");
    static const weir_bytes identity = WEIR_BYTES_OF("identity");
    weir_bytes element;
    int others = -1;

    if (accept.data == NULL)
        accept.size = 0;
    while (weir__http_list_next(&accept, &element)) {
        int quality = weir__http_quality(&element);

        if (quality < 0)
            continue;
        if (weir__http_is_equal(element, coding))
            return quality;
        if (weir__http_is_equal(element, any))
            others = quality;
    }
    if (others >= 0)
        return others;
    return weir__http_is_equal(coding, identity) ? 1 : 0;
}

/* ---- hosts ---- */

/* Check ":" and digits up to 65535, or nothing. */
static bool is_port(const char *at, const char *end)
{
    unsigned port = 0;

    if (at == end)
        return true;
    if (*at++ != ':')
        return false;
    for (; at < end; at++) {
        if (*at < '0' || *at > '9')
            return false;
        port = port * 10 + (unsigned)(*at - '0');
        if (port > 65535)
            return false;
    }
    return true;
}

/* Check what follows "[". */
static bool is_bracketed(const char *at, const char *end)
{
    const char *bracket = memchr(at, ']', (size_t)(end - at));
    char text[INET6_ADDRSTRLEN];
    struct in6_addr address;
    size_t size;

    if (bracket == NULL)
        return false;
    size = (size_t)(bracket - at);
    if (size >= sizeof(text) || memchr(at, 0, size) != NULL)
        return false;
    memcpy(text, at, size);
    text[size] = 0;
    return inet_pton(AF_INET6, text, &address) == 1 &&
           is_port(bracket + 1, end);
}

bool weir__http_is_host(weir_bytes text)
{
    const char *at = text.data;
    const char *end = at + text.size;

    if (text.size > 0 && *at == '[')
        return is_bracketed(at + 1, end);
    for (; at < end && *at != ':'; at++) {
        if (weir__http_is(*at, WEIR__HTTP_IN_HOST))
            continue;
        if (*at != '%' || end - at < 3 ||
            !weir__http_is_made_of(at + 1, 2, WEIR__HTTP_IN_HEX))
            return false;
        at += 2;
    }
    return at != text.data && is_port(at, end);
}

/* ---- validators ---- */

/* Take W/ off an entity tag. */
static bool strip_weak(weir_bytes *etag)
{
    const char *data = etag->data;

    if (etag->size < 2 || data[0] != 'W' || data[1] != '/')
        return false;
    *etag = (weir_bytes){data + 2, etag->size - 2};
    return true;
}

/* Take an entity tag off the front of a list.  It has no escapes. */
static bool take_etag(weir_bytes *list, weir_bytes *etag)
{
    const char *at = list->data;
    const char *end = at + list->size;
    const char *from, *quote;

    while (at < end && (is_blank(*at) || *at == ','))
        at++;
    from = at;
    if (end - at >= 2 && at[0] == 'W' && at[1] == '/')
        at += 2;
    if (at == end || *at != '"')
        return false;
    quote = memchr(at + 1, '"', (size_t)(end - at - 1));
    if (quote == NULL)
        return false;
    *etag = (weir_bytes){from, (size_t)(quote + 1 - from)};
    for (at = quote + 1; at < end && is_blank(*at); at++)
        continue;
    if (at < end && *at != ',')
        return false;
    *list = (weir_bytes){at, (size_t)(end - at)};
    return true;
}

bool weir__http_etag_match(weir_bytes list, weir_bytes etag, bool is_weak)
{
    weir_bytes all = trim(list.data, (const char *)list.data + list.size);
    bool mine = strip_weak(&etag);
    weir_bytes one;

    if (all.size == 1 && *(const char *)all.data == '*')
        return true;
    while (take_etag(&list, &one)) {
        bool theirs = strip_weak(&one);

        if (one.size == etag.size && (is_weak || (!mine && !theirs)) &&
            memcmp(one.data, etag.data, one.size) == 0)
            return true;
    }
    return false;
}
