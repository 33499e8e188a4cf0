/* SPDX-License-Identifier: MIT */
/*
 * ip -- see ip.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/ip.h"

#include "url/percent.h"

enum { IP4_NUMBERS = 4 };

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* ---- IPv4 ---- */

/* A number of an IPv4 address; one that is too large for any address becomes
 * UINT32_MAX + 1. */
static bool parse_number(struct weir__js_piece text, uint64_t *number)
{
    const char *at = text.start, *end = at + text.length;
    int radix = 10;

    *number = 0;
    if (at == end)
        return false;
    if (end - at >= 2 && *at == '0') {
        radix = (at[1] | 0x20) == 'x' ? 16 : 8;
        at += radix == 16 ? 2 : 1;
    }
    for (; at < end; at++) {
        int digit = weir__js_percent_digit(*at);

        if (digit < 0 || digit >= radix)
            return false;
        *number = *number * (uint64_t)radix + (uint64_t)digit;
        if (*number > UINT32_MAX)
            *number = (uint64_t)UINT32_MAX + 1;
    }
    return true;
}

/* Without a dot at the end, which only shows that the name is absolute. */
static struct weir__js_piece without_root(struct weir__js_piece domain)
{
    if (domain.length > 0 && domain.start[domain.length - 1] == '.')
        domain.length--;
    return domain;
}

bool weir__js_ip4_is_meant(struct weir__js_piece domain)
{
    const char *end, *label;
    uint64_t number;

    domain = without_root(domain);
    end = label = domain.start + domain.length;
    while (label > domain.start && label[-1] != '.')
        label--;
    if (label == end || !is_digit(*label))
        return false;
    if (parse_number(weir__js_piece_between(label, end), &number))
        return true;
    while (label < end && is_digit(*label))
        label++;
    return label == end; /* "08" */
}

bool weir__js_ip4_parse(struct weir__js_piece text, uint32_t *address)
{
    const char *at, *end;
    uint64_t sum = 0, number = 0;
    int count = 0;

    text = without_root(text);
    at = text.start;
    end = at + text.length;
    for (;; at++) {
        const char *dot = at;

        while (dot < end && *dot != '.')
            dot++;
        if (count == IP4_NUMBERS ||
            !parse_number(weir__js_piece_between(at, dot), &number))
            return false;
        count++;
        at = dot;
        if (dot == end)
            break;
        if (number > 255)
            return false;
        sum = sum << 8 | number;
    }
    /* The last number stands for all bytes that are left. */
    if (number >> (8 * (IP4_NUMBERS + 1 - count)) != 0)
        return false;
    *address = (uint32_t)(sum << (8 * (IP4_NUMBERS + 1 - count)) | number);
    return true;
}

char *weir__js_ip4_print(char *to, uint32_t address)
{
    for (int shift = 24; shift >= 0; shift -= 8) {
        unsigned byte = address >> shift & 255;

        if (byte >= 100)
            *to++ = (char)('0' + byte / 100);
        if (byte >= 10)
            *to++ = (char)('0' + byte / 10 % 10);
        *to++ = (char)('0' + byte % 10);
        if (shift > 0)
            *to++ = '.';
    }
    return to;
}

/* ---- IPv6 ---- */

struct groups {
    const char *at, *end;
    uint16_t *values;
    int count;
    int gap; /* the group before which "::" is; -1: none */
};

/* An IPv4 address at the end of an IPv6 address: here only four decimal
 * numbers, without zeros in front. */
static bool parse_embedded(struct groups *groups)
{
    if (groups->count > WEIR__JS_IP6_GROUPS - 2)
        return false;
    for (int i = 0; i < IP4_NUMBERS; i++) {
        const char *first;
        unsigned number = 0;

        if (i > 0 && (groups->at == groups->end || *groups->at++ != '.'))
            return false;
        first = groups->at;
        while (groups->at < groups->end && is_digit(*groups->at)) {
            if (groups->at > first && number == 0)
                return false;
            number = number * 10 + (unsigned)(*groups->at++ - '0');
            if (number > 255)
                return false;
        }
        if (groups->at == first)
            return false;
        groups->values[groups->count] =
            (uint16_t)(groups->values[groups->count] << 8 | number);
        if (i % 2 == 1)
            groups->count++;
    }
    return groups->at == groups->end;
}

static bool parse_group(struct groups *groups)
{
    const char *first = groups->at;
    unsigned value = 0;

    while (groups->at < groups->end && groups->at - first < 4 &&
           weir__js_percent_digit(*groups->at) >= 0)
        value = value << 4 | (unsigned)weir__js_percent_digit(*groups->at++);
    if (groups->at < groups->end && *groups->at == '.') {
        if (groups->at == first)
            return false;
        groups->at = first;
        return parse_embedded(groups);
    }
    if (groups->at < groups->end &&
        (*groups->at++ != ':' || groups->at == groups->end))
        return false;
    groups->values[groups->count++] = (uint16_t)value;
    return true;
}

/* Move the groups behind "::" to the end. */
static void spread(struct groups *groups)
{
    int moved = groups->count - groups->gap;

    memmove(groups->values + WEIR__JS_IP6_GROUPS - moved,
            groups->values + groups->gap, (size_t)moved * sizeof(uint16_t));
    memset(groups->values + groups->gap, 0,
           (size_t)(WEIR__JS_IP6_GROUPS - groups->count) * sizeof(uint16_t));
}

bool weir__js_ip6_parse(struct weir__js_piece text,
                        uint16_t values[WEIR__JS_IP6_GROUPS])
{
    struct groups groups = {text.start, text.start + text.length, values, 0,
                            -1};

    memset(values, 0, WEIR__JS_IP6_GROUPS * sizeof(*values));
    if (text.length > 0 && text.start[0] == ':') {
        if (text.length < 2 || text.start[1] != ':')
            return false;
        groups.at += 2;
        groups.gap = ++groups.count;
    }
    while (groups.at < groups.end) {
        if (groups.count == WEIR__JS_IP6_GROUPS)
            return false;
        if (*groups.at == ':') {
            if (groups.gap >= 0)
                return false;
            groups.at++;
            groups.gap = ++groups.count;
        } else if (!parse_group(&groups)) {
            return false;
        }
    }
    if (groups.gap >= 0)
        spread(&groups);
    return groups.gap >= 0 || groups.count == WEIR__JS_IP6_GROUPS;
}

/* The first of the longest runs of zeros, if it has two or more.  Returns where
 * it ends; *first is where it begins. */
static int find_run(const uint16_t groups[WEIR__JS_IP6_GROUPS], int *first)
{
    int end = -1, length = 1;

    *first = -1;
    for (int i = 0; i < WEIR__JS_IP6_GROUPS; i++) {
        int next = i;

        while (next < WEIR__JS_IP6_GROUPS && groups[next] == 0)
            next++;
        if (next - i > length) {
            length = next - i;
            *first = i;
            end = next;
        }
        if (next > i)
            i = next;
    }
    return end;
}

static char *print_group(char *to, unsigned value)
{
    bool has_digit = false;

    for (int shift = 12; shift >= 0; shift -= 4) {
        unsigned digit = value >> shift & 15;

        has_digit |= digit != 0 || shift == 0;
        if (has_digit)
            *to++ = "0123456789abcdef"[digit];
    }
    return to;
}

char *weir__js_ip6_print(char *to, const uint16_t groups[WEIR__JS_IP6_GROUPS])
{
    int first, end = find_run(groups, &first);

    for (int i = 0; i < WEIR__JS_IP6_GROUPS; i++) {
        if (i == first) {
            *to++ = ':';
            *to++ = ':';
            i = end - 1;
            continue;
        }
        if (i > 0 && i != end)
            *to++ = ':';
        to = print_group(to, groups[i]);
    }
    return to;
}
