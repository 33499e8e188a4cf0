/* SPDX-License-Identifier: MIT */
/*
 * pairs -- see pairs.h.
 *
 * A list is copied, and its elements are decoded in the copy, where they never
 * get longer.
 *
 * Tested by  test/net/otlp/pairs.c
 */
#include "otlp/pairs.h"

#include <errno.h>
#include <string.h>

#include "weir/host/memory.h"

static int digit_of(char c)
{
    return c >= '0' && c <= '9'   ? c - '0'
           : c >= 'a' && c <= 'f' ? c - 'a' + 10
           : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                  : -1;
}

static int decode(char *text)
{
    char *to = text;

    for (; *text != '\0'; text++, to++) {
        int high, low;

        if (*text != '%') {
            *to = *text;
            continue;
        }
        high = digit_of(text[1]);
        low = high < 0 ? -1 : digit_of(text[2]);
        if (low < 0 || (high == 0 && low == 0))
            return -EINVAL;
        *to = (char)(high * 16 + low);
        text += 2;
    }
    *to = '\0';
    return 0;
}

static char *trim(char *text)
{
    size_t length;

    text += strspn(text, " \t");
    length = strlen(text);
    while (length > 0 && strchr(" \t", text[length - 1]) != NULL)
        text[--length] = '\0';
    return text;
}

static int read_one(char *element, weir__pair_fn *fn, void *arg)
{
    char *value = strchr(element, '='), *name;
    int err;

    if (value == NULL)
        return *trim(element) == '\0' ? 0 : -EINVAL;
    *value++ = '\0';
    name = trim(element);
    value = trim(value);
    err = *name == '\0' ? -EINVAL : decode(value);
    return err != 0 ? err : fn(arg, name, value);
}

int weir__pairs_each(const char *text, weir__pair_fn *fn, void *arg)
{
    size_t bytes = text == NULL ? 0 : strlen(text) + 1;
    char *copy = bytes == 0 ? NULL : weir_memory_alloc(bytes), *next;
    int err = 0;

    if (text == NULL)
        return 0;
    if (copy == NULL)
        return -ENOMEM;
    memcpy(copy, text, bytes);
    for (char *at = copy; at != NULL && err == 0; at = next) {
        next = strchr(at, ',');
        if (next != NULL)
            *next++ = '\0';
        err = read_one(at, fn, arg);
    }
    weir_memory_free(copy, bytes);
    return err;
}
