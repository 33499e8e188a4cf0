/* SPDX-License-Identifier: MIT */
/*
 * cell -- one value on its way between JavaScript and SQLite.
 *
 *     struct weir__js_cell cell;
 *     if (weir__js_cell_from(context, value, &cell) == WEIR__JS_CELL_OK)
 *         weir__js_cell_bind(statement, 1, &cell);
 *     weir__js_cell_free(context, &cell);
 *
 * A cell that comes from SQLite refers to SQLite's memory, and needs no free.
 */
#ifndef WEIR_JS_CELL_H
#define WEIR_JS_CELL_H

#include <sqlite3.h>

#include "bytes/block.h"
#include "core/host.h"

struct weir__js_cell {
    int type; /* SQLITE_NULL, _INTEGER, _FLOAT, _TEXT or _BLOB */
    int64_t integer;
    double real;
    const void *bytes; /* of a text or a blob; NULL: there was no memory */
    size_t size;
    const char *engine; /* for JS_FreeCString, or NULL */
    uint8_t *own;       /* for free, or NULL */
};

enum weir__js_cell_outcome {
    WEIR__JS_CELL_OK,
    WEIR__JS_CELL_THREW,     /* an exception is pending */
    WEIR__JS_CELL_FOREIGN,   /* SQLite has no such type */
    WEIR__JS_CELL_TOO_LARGE, /* a BigInt of more than 64 bits */
};

/* Convert a JavaScript value.  As in Node, a number is a float. */
enum weir__js_cell_outcome weir__js_cell_from(JSContext *context,
                                              JSValueConst value,
                                              struct weir__js_cell *cell);

/* Release what weir__js_cell_from has taken.  Has no effect on a cell of
 * SQLite. */
void weir__js_cell_free(JSContext *context, struct weir__js_cell *cell);

/* A column of the current row, and an argument of a function. */
struct weir__js_cell weir__js_cell_column(sqlite3_stmt *statement, int index);
struct weir__js_cell weir__js_cell_argument(sqlite3_value *value);

/* The JavaScript value, or an exception.  An integer that a number cannot
 * represent is an error, unless is_big asks for a BigInt. */
JSValue weir__js_cell_value(JSContext *context,
                            const struct weir__js_cell *cell, bool is_big);

/* SQLite copies the bytes.  Returns a result code. */
int weir__js_cell_bind(sqlite3_stmt *statement, int index,
                       const struct weir__js_cell *cell);
void weir__js_cell_result(sqlite3_context *call,
                          const struct weir__js_cell *cell);

/* Append a cell to a block.  Returns 0 or -ENOMEM.  Any thread. */
int weir__js_cell_append(struct weir__js_block *block,
                         const struct weir__js_cell *cell);

/* Read the cell at this position of a block.  Returns the next position. */
const char *weir__js_cell_read(const char *at, struct weir__js_cell *cell);

#endif /* WEIR_JS_CELL_H */
