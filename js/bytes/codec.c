/* SPDX-License-Identifier: MIT */
/*
 * codec -- hexadecimal and base64.
 *
 * Tested by  test/js/bytes/buffer-*.js
 */
#include "bytes/codec.h"

void weir__js_hex_print(char *to, const uint8_t *bytes, size_t size)
{
    static const char digits[] = "0123456789abcdef";

    for (size_t i = 0; i < size; i++) {
        to[2 * i] = digits[bytes[i] >> 4];
        to[2 * i + 1] = digits[bytes[i] & 15];
    }
}

static int hex_digit(uint16_t unit)
{
    if (unit >= '0' && unit <= '9')
        return unit - '0';
    unit |= 0x20;
    return unit >= 'a' && unit <= 'f' ? unit - 'a' + 10 : -1;
}

size_t weir__js_hex_read(uint8_t *to, size_t room, const uint16_t *text,
                         size_t length)
{
    size_t count = length / 2 < room ? length / 2 : room;

    for (size_t i = 0; i < count; i++) {
        int high = hex_digit(text[2 * i]), low = hex_digit(text[2 * i + 1]);

        if (high < 0 || low < 0)
            return i;
        to[i] = (uint8_t)(high << 4 | low);
    }
    return count;
}

size_t weir__js_base64_size(size_t size, bool is_url)
{
    return is_url ? size / 3 * 4 + (size % 3 != 0 ? size % 3 + 1 : 0)
                  : (size + 2) / 3 * 4;
}

void weir__js_base64_print(char *to, const uint8_t *bytes, size_t size,
                           bool is_url)
{
    static const char plain[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "abcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char url[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
                              "abcdefghijklmnopqrstuvwxyz0123456789-_";
    const char *digits = is_url ? url : plain;

    for (; size >= 3; size -= 3, bytes += 3) {
        *to++ = digits[bytes[0] >> 2];
        *to++ = digits[(bytes[0] & 3) << 4 | bytes[1] >> 4];
        *to++ = digits[(bytes[1] & 15) << 2 | bytes[2] >> 6];
        *to++ = digits[bytes[2] & 63];
    }
    if (size == 0)
        return;
    *to++ = digits[bytes[0] >> 2];
    *to++ = digits[(bytes[0] & 3) << 4 | (size == 2 ? bytes[1] >> 4 : 0)];
    if (size == 2)
        *to++ = digits[(bytes[1] & 15) << 2];
    else if (!is_url)
        *to++ = '=';
    if (!is_url)
        *to = '=';
}

static int base64_digit(uint16_t unit)
{
    if (unit >= 'A' && unit <= 'Z')
        return unit - 'A';
    if (unit >= 'a' && unit <= 'z')
        return unit - 'a' + 26;
    if (unit >= '0' && unit <= '9')
        return unit - '0' + 52;
    return unit == '+' || unit == '-'   ? 62
           : unit == '/' || unit == '_' ? 63
                                        : -1;
}

size_t weir__js_base64_read(uint8_t *to, size_t room, const uint16_t *text,
                            size_t length)
{
    uint32_t bits = 0;
    unsigned count = 0;
    size_t done = 0;

    for (size_t i = 0; i < length && done < room && text[i] != '='; i++) {
        int digit = base64_digit(text[i]);

        if (digit < 0)
            continue;
        bits = bits << 6 | (uint32_t)digit;
        count += 6;
        if (count >= 8) {
            count -= 8;
            to[done++] = (uint8_t)(bits >> count);
        }
    }
    return done;
}
