/* SPDX-License-Identifier: MIT */
/*
 * list -- see list.h.
 */
#include "websocket/list.h"

#include <string.h>
#include <strings.h>

static char first(const weir_bytes *rest)
{
    return *(const char *)rest->data;
}

static void drop(weir_bytes *rest)
{
    rest->data = (const char *)rest->data + 1;
    rest->size--;
}

static bool is_token_character(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') ||
           (c >= '0' && c <= '9') ||
           (c != '\0' && strchr("!#$%&'*+-.^_`|~", c) != NULL);
}

void weir__list_take_space(weir_bytes *rest)
{
    while (rest->size > 0 && (first(rest) == ' ' || first(rest) == '\t'))
        drop(rest);
}

bool weir__list_take(weir_bytes *rest, char wanted)
{
    if (rest->size == 0 || first(rest) != wanted)
        return false;
    drop(rest);
    return true;
}

bool weir__list_take_token(weir_bytes *rest, weir_bytes *token)
{
    *token = (weir_bytes){rest->data, 0};
    while (rest->size > 0 && is_token_character(first(rest))) {
        drop(rest);
        token->size++;
    }
    return token->size > 0;
}

/* Empty elements are skipped. */
bool weir__list_next(weir_bytes *rest, weir_bytes *token, bool *is_valid)
{
    do
        weir__list_take_space(rest);
    while (weir__list_take(rest, ','));
    if (rest->size == 0)
        return false;
    if (!weir__list_take_token(rest, token)) {
        *is_valid = false;
        return false;
    }
    weir__list_take_space(rest);
    if (rest->size > 0 && !weir__list_take(rest, ',')) {
        *is_valid = false;
        return false;
    }
    return true;
}

bool weir__list_equals(weir_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) &&
           memcmp(bytes.data, text, bytes.size) == 0;
}

bool weir__list_equals_nocase(weir_bytes bytes, const char *text)
{
    return bytes.size == strlen(text) &&
           strncasecmp(bytes.data, text, bytes.size) == 0;
}
