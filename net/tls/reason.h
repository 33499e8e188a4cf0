/* SPDX-License-Identifier: MIT */
/*
 * reason -- what OpenSSL's error queue says, as a status and a text.
 */
#ifndef WEIR_NET_TLS_REASON_H
#define WEIR_NET_TLS_REASON_H

#include <stddef.h>

#include "weir/error.h"

/* Where a text goes; NULL and 0 for nowhere. */
struct weir__tls_reason {
    char *text;
    size_t size;
};

/* Write a text, and return the status. */
int weir__tls_reason_set(struct weir__tls_reason reason, int status,
                         const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Describe the first error of this thread's queue, and clear the queue.  Returns
 * `status`, or -ENOMEM if that was the cause.  what (or NULL) is a prefix. */
int weir__tls_reason_take(struct weir__tls_reason reason, int status,
                          const char *what);

/* Clear this thread's queue of errors, which other users of OpenSSL share. */
void weir__tls_reason_clear(void);

#endif /* WEIR_NET_TLS_REASON_H */
