/* SPDX-License-Identifier: MIT */
/*
 * alpn -- a list of protocols, as text and as it is sent.
 */
#ifndef WEIR_NET_TLS_ALPN_H
#define WEIR_NET_TLS_ALPN_H

#include <stddef.h>

/* wire has `size` bytes: each name after a byte with its length.  names has the
 * same, but with each name ended by a NUL: the byte of the next length. */
struct weir__tls_alpn {
    size_t size;
    unsigned char *names;
    unsigned char wire[];
};

/* Parse "h2,http/1.1".  *list is NULL if text is NULL.  Returns 0, -EINVAL (an
 * empty name, or one of more than 255 bytes), or -ENOMEM. */
int weir__tls_alpn_parse(struct weir__tls_alpn **list, const char *text);
void weir__tls_alpn_free(struct weir__tls_alpn *list);

/* Find a name.  Returns it as a string of the list, or NULL. */
const char *weir__tls_alpn_find(const struct weir__tls_alpn *list,
                                const unsigned char *name, size_t size);

/* Find the first name of a list that the peer has, whose names are as sent.
 * Returns NULL if there is none. */
const char *weir__tls_alpn_choose(const struct weir__tls_alpn *list,
                                  const unsigned char *offered, size_t size);

#endif /* WEIR_NET_TLS_ALPN_H */
