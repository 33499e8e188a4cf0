/* SPDX-License-Identifier: MIT */
/*
 * row -- see row.h.
 */
#include "postgres/row.h"

#include <string.h>

int64_t weir__row_number(struct weir__row row, int column)
{
    return weir__link_number(&row.engine->work, row.result, row.row, column, 0);
}

size_t weir__row_bytes(struct weir__row row, int column)
{
    const struct weir__libpq *pq = &row.engine->pq;

    if (pq->PQgetisnull(row.result, row.row, column))
        return 0;
    return (size_t)pq->PQgetlength(row.result, row.row, column) + 1;
}

const char *weir__row_copy(char **at, struct weir__row row, int column,
                           size_t *size)
{
    size_t bytes = weir__row_bytes(row, column);
    char *copy = *at;

    if (bytes == 0)
        return NULL;
    memcpy(copy, row.engine->pq.PQgetvalue(row.result, row.row, column),
           bytes - 1);
    copy[bytes - 1] = '\0';
    *at += bytes;
    if (size != NULL)
        *size = bytes - 1;
    return copy;
}
