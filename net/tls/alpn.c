/* SPDX-License-Identifier: MIT */
/*
 * alpn -- see alpn.h.
 */
#include "tls/alpn.h"

#include <errno.h>
#include <stdint.h>
#include <string.h>

#include "weir/host/memory.h"

enum { NAME_MAX_SIZE = 255 };

static size_t block_size(size_t size)
{
    return sizeof(struct weir__tls_alpn) + size + size + 1;
}

/* Whether every name between the commas has a valid length. */
static int check(const char *text)
{
    if (strlen(text) >= UINT16_MAX)
        return -EINVAL; /* it does not fit the extension */
    for (;;) {
        size_t length = strcspn(text, ",");

        if (length == 0 || length > NAME_MAX_SIZE)
            return -EINVAL;
        if (text[length] == '\0')
            return 0;
        text += length + 1;
    }
}

int weir__tls_alpn_parse(struct weir__tls_alpn **list, const char *text)
{
    struct weir__tls_alpn *made;
    size_t size, at = 0;

    *list = NULL;
    if (text == NULL)
        return 0;
    if (check(text) != 0)
        return -EINVAL;
    size = strlen(text) + 1; /* a length instead of each comma, and one more */
    made = weir_memory_alloc(block_size(size));
    if (made == NULL)
        return -ENOMEM;
    made->size = size;
    made->names = made->wire + size;
    while (at < size) {
        size_t length = strcspn(text + at, ",");

        made->wire[at] = (unsigned char)length;
        made->names[at] = '\0';
        memcpy(made->wire + at + 1, text + at, length);
        memcpy(made->names + at + 1, text + at, length);
        at += length + 1;
    }
    made->names[size] = '\0';
    *list = made;
    return 0;
}

void weir__tls_alpn_free(struct weir__tls_alpn *list)
{
    if (list != NULL)
        weir_memory_free(list, block_size(list->size));
}

/* The offset of a name in names as sent, or `total`. */
static size_t offset_of(const unsigned char *wire, size_t total,
                        const unsigned char *name, size_t size)
{
    size_t at = 0;

    while (at < total) {
        if (wire[at] >= total - at)
            return total; /* cut off: the peer's fault */
        if (wire[at] == size && memcmp(wire + at + 1, name, size) == 0)
            return at;
        at += wire[at] + 1;
    }
    return total;
}

const char *weir__tls_alpn_find(const struct weir__tls_alpn *list,
                                const unsigned char *name, size_t size)
{
    size_t at;

    if (list == NULL)
        return NULL;
    at = offset_of(list->wire, list->size, name, size);
    return at < list->size ? (const char *)list->names + at + 1 : NULL;
}

const char *weir__tls_alpn_choose(const struct weir__tls_alpn *list,
                                  const unsigned char *offered, size_t size)
{
    for (size_t at = 0; at < list->size; at += list->wire[at] + 1)
        if (offset_of(offered, size, list->wire + at + 1, list->wire[at]) <
            size)
            return (const char *)list->names + at + 1;
    return NULL;
}
