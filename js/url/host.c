/* SPDX-License-Identifier: MIT */
/*
 * host -- see host.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/host.h"

#include "url/ip.h"
#include "url/percent.h"

size_t weir__js_host_most(size_t length)
{
    return WEIR__JS_PERCENT_GROWTH * length + WEIR__JS_IP6_TEXT + 2;
}

/* ---- forbidden characters ---- */

static bool is_forbidden(char c)
{
    static const char forbidden[] = "\t\n\r #/:<>?@[\\]^|"; /* and NUL */

    return memchr(forbidden, c, sizeof(forbidden)) != NULL;
}

static bool is_forbidden_in_domain(char c)
{
    return (unsigned char)c <= 0x20 || c == '%' || c == 0x7f ||
           (!((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '.' ||
              c == '-') &&
            is_forbidden(c));
}

/* ---- domains ---- */

static bool is_ascii(struct weir__js_piece text)
{
    unsigned char all = 0;

    for (size_t i = 0; i < text.length; i++)
        all |= (unsigned char)text.start[i];
    return all < 0x80;
}

static void lower(struct weir__js_piece text, char *to)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.start[i];

        to[i] = c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
    }
}

/* Finish a domain in ASCII, which has been written. */
static enum weir__js_url_status check_domain(struct weir__js_host_room *room,
                                             struct weir__js_piece domain)
{
    uint32_t address;

    if (domain.length == 0)
        return WEIR__JS_URL_INVALID;
    for (size_t i = 0; i < domain.length; i++)
        if (is_forbidden_in_domain(domain.start[i]))
            return WEIR__JS_URL_INVALID;
    if (!weir__js_ip4_is_meant(domain)) {
        room->to += domain.length;
        return WEIR__JS_URL_OK;
    }
    if (!weir__js_ip4_parse(domain, &address))
        return WEIR__JS_URL_INVALID;
    room->to = weir__js_ip4_print(room->to, address);
    return WEIR__JS_URL_OK;
}

static enum weir__js_url_status parse_domain(struct weir__js_host_room *room,
                                             struct weir__js_piece text,
                                             const struct weir__js_idna *idna)
{
    enum weir__js_url_status status;
    struct weir__js_piece domain = weir__js_piece_between(
        room->to, weir__js_percent_decode(room->to, text));

    if (is_ascii(domain)) { /* even if a label begins with "xn--" */
        lower(domain, room->to);
        return check_domain(room, domain);
    }
    status = idna->convert(idna, domain, room->to,
                           (size_t)(room->limit - room->to), &domain.length);
    return status != WEIR__JS_URL_OK ? status : check_domain(room, domain);
}

/* ---- the others ---- */

static enum weir__js_url_status parse_address(struct weir__js_host_room *room,
                                              struct weir__js_piece text)
{
    uint16_t groups[WEIR__JS_IP6_GROUPS];

    if (text.length < 2 || text.start[text.length - 1] != ']')
        return WEIR__JS_URL_INVALID;
    text.start++;
    text.length -= 2;
    if (!weir__js_ip6_parse(text, groups))
        return WEIR__JS_URL_INVALID;
    *room->to++ = '[';
    room->to = weir__js_ip6_print(room->to, groups);
    *room->to++ = ']';
    return WEIR__JS_URL_OK;
}

static enum weir__js_url_status parse_opaque(struct weir__js_host_room *room,
                                             struct weir__js_piece text)
{
    for (size_t i = 0; i < text.length; i++)
        if (is_forbidden(text.start[i]))
            return WEIR__JS_URL_INVALID;
    room->to = weir__js_percent_encode(room->to, text, WEIR__JS_PERCENT_C0);
    return WEIR__JS_URL_OK;
}

enum weir__js_url_status weir__js_host_parse(struct weir__js_host_room *room,
                                             struct weir__js_piece text,
                                             bool is_opaque,
                                             const struct weir__js_idna *idna)
{
    if (text.length > 0 && text.start[0] == '[')
        return parse_address(room, text);
    return is_opaque ? parse_opaque(room, text)
                     : parse_domain(room, text, idna);
}
