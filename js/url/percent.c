/* SPDX-License-Identifier: MIT */
/*
 * percent -- see percent.h.
 *
 * Tested by  test/js/url/url-random.js, test/fuzz/weburl.c
 */
#include "url/percent.h"

/* The sets that contain a character.  Each set contains the one before it, but
 * the queries, which contain "#" and not "`", and which paths extend. */
enum {
    ALL = 63,
    BUT_C0 = ALL - WEIR__JS_PERCENT_C0, /* space " < > */
    HASH = BUT_C0 - WEIR__JS_PERCENT_FRAGMENT,
    QUOTE = WEIR__JS_PERCENT_SPECIAL_QUERY,
    USER = WEIR__JS_PERCENT_USERINFO,        /* / : ; = @ [ \ ] | */
    PATH = WEIR__JS_PERCENT_PATH + USER,     /* ? ^ { } */
    TICK = PATH + WEIR__JS_PERCENT_FRAGMENT, /* ` */
};

#define ROW_OF_ALL                                                             \
    ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, ALL, \
        ALL

/* clang-format off */
const uint8_t weir__js_percent_sets[256] = {
    ROW_OF_ALL, ROW_OF_ALL,
    /*  !"#$%&'()*+,-./ */
    BUT_C0, 0, BUT_C0, HASH, 0, 0, 0, QUOTE, 0, 0, 0, 0, 0, 0, 0, USER,
    /* 0123456789:;<=>? */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, USER, USER, BUT_C0, USER, BUT_C0, PATH,
    /* @ABCDEFGHIJKLMNO */
    USER, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* PQRSTUVWXYZ[\]^_ */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, USER, USER, USER, PATH, 0,
    /* `abcdefghijklmno */
    TICK, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0,
    /* pqrstuvwxyz{|}~  */
    0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, PATH, USER, PATH, 0, ALL,
    ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL,
    ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL, ROW_OF_ALL,
};
/* clang-format on */

char *weir__js_percent_write(char *to, char byte)
{
    static const char digits[] = "0123456789ABCDEF";

    *to++ = '%';
    *to++ = digits[(uint8_t)byte >> 4];
    *to++ = digits[(uint8_t)byte & 15];
    return to;
}

char *weir__js_percent_encode(char *to, struct weir__js_piece text,
                              enum weir__js_percent_set set)
{
    for (size_t i = 0; i < text.length; i++) {
        char c = text.start[i];

        if ((weir__js_percent_sets[(uint8_t)c] & set) != 0)
            to = weir__js_percent_write(to, c);
        else
            *to++ = c;
    }
    return to;
}

int weir__js_percent_digit(char c)
{
    if (c >= '0' && c <= '9')
        return c - '0';
    if (c >= 'a' && c <= 'f')
        return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

char *weir__js_percent_decode(char *to, struct weir__js_piece text)
{
    const char *at = text.start, *end = at + text.length;

    while (at < end) {
        int high = -1, low = -1;

        if (*at == '%' && end - at >= 3) {
            high = weir__js_percent_digit(at[1]);
            low = weir__js_percent_digit(at[2]);
        }
        if (high < 0 || low < 0) {
            *to++ = *at++;
            continue;
        }
        *to++ = (char)(high << 4 | low);
        at += 3;
    }
    return to;
}
