/* SPDX-License-Identifier: MIT */
/*
 * records -- the answers of a DNS message as one block of memory.
 */
#ifndef WEIR_NET_NAMES_RECORDS_H
#define WEIR_NET_NAMES_RECORDS_H

#include <stddef.h>

#include "weir/error.h"
#include "weir/net/query.h"

struct weir__records {
    weir_query_result public; /* first: users have a pointer to it */
    size_t size;              /* of the block */
    /* Where a pointer to it is cleared when the user takes it; NULL: nowhere,
     * it is taken. */
    struct weir__records **owner;
};

/* Read the records of one type (WEIR_DNS_ANY: of all) from a message.
 * Returns 0, WEIR_ENAME (there are none), -EBADMSG, or -ENOMEM. */
WEIR_CHECKED int weir__records_read(struct weir__records **records,
                                    const unsigned char *message, size_t size,
                                    unsigned type);

void weir__records_free(struct weir__records *records);

#endif /* WEIR_NET_NAMES_RECORDS_H */
