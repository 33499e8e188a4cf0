/* SPDX-License-Identifier: MIT */
/*
 * row -- a row of a result on the connection for lists, and its columns.
 */
#ifndef WEIR_JOBS_POSTGRES_ROW_H
#define WEIR_JOBS_POSTGRES_ROW_H

#include "postgres/store.h"

struct weir__row {
    const struct weir__engine *engine;
    const PGresult *result;
    int row;
};

/* Read a number; 0 for NULL. */
int64_t weir__row_number(struct weir__row row, int column);

/* Get the bytes of a column and of the 0 behind them; 0 for NULL. */
size_t weir__row_bytes(struct weir__row row, int column);

/* Copy a column to *at, which moves behind it.  It becomes a string, or *size
 * bytes, with a 0 behind them.  Returns NULL for NULL. */
const char *weir__row_copy(char **at, struct weir__row row, int column,
                           size_t *size);

#endif /* WEIR_JOBS_POSTGRES_ROW_H */
