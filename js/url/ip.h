/* SPDX-License-Identifier: MIT */
/*
 * ip -- IPv4 and IPv6 addresses as the hosts of URLs, by the URL Standard.
 *
 * An IPv4 address may have one to four numbers, each of them decimal, octal or
 * hexadecimal.
 */
#ifndef WEIR_JS_IP_H
#define WEIR_JS_IP_H

#include <stdint.h>

#include "url/piece.h"

enum {
    WEIR__JS_IP4_TEXT = 15, /* "255.255.255.255" */
    WEIR__JS_IP6_TEXT = 39, /* eight groups of four digits */
    WEIR__JS_IP6_GROUPS = 8,
};

/* Whether a domain must be an IPv4 address, because its last label is a
 * number. */
bool weir__js_ip4_is_meant(struct weir__js_piece domain);

/* Parse an address; returns whether it is one. */
bool weir__js_ip4_parse(struct weir__js_piece text, uint32_t *address);
bool weir__js_ip6_parse(struct weir__js_piece text,
                        uint16_t groups[WEIR__JS_IP6_GROUPS]);

/* Append an address in the form that the standard requires; return the new
 * end. */
char *weir__js_ip4_print(char *to, uint32_t address);
char *weir__js_ip6_print(char *to, const uint16_t groups[WEIR__JS_IP6_GROUPS]);

#endif /* WEIR_JS_IP_H */
