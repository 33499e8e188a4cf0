/* SPDX-License-Identifier: MIT */
/*
 * cell -- one value on its way between JavaScript and SQLite.
 *
 * Tested by  test/js/sqlite/sqlite-values.js
 */
#include "sqlite/cell.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "bytes/utf8.h"
#include "sqlite/failure.h"

enum { MAX_SAFE_BITS = 53 };

/* ---- from JavaScript ---- */

/* SQLite's text is UTF-8, so lone surrogates are replaced.  They are as long as
 * what replaces them. */
static enum weir__js_cell_outcome repair_text(JSContext *context,
                                              struct weir__js_cell *cell)
{
    size_t units;

    if (weir__js_utf8_valid(cell->bytes, cell->size) == cell->size)
        return WEIR__JS_CELL_OK;
    cell->own = malloc(cell->size);
    if (cell->own == NULL) {
        JS_ThrowOutOfMemory(context);
        return WEIR__JS_CELL_THREW;
    }
    weir__js_utf8_copy(cell->own, cell->size, cell->bytes, cell->size, &units);
    cell->bytes = cell->own;
    return WEIR__JS_CELL_OK;
}

static enum weir__js_cell_outcome
from_text(JSContext *context, JSValueConst value, struct weir__js_cell *cell)
{
    cell->type = SQLITE_TEXT;
    cell->engine = JS_ToCStringLen(context, &cell->size, value);
    if (cell->engine == NULL)
        return WEIR__JS_CELL_THREW;
    cell->bytes = cell->engine;
    return repair_text(context, cell);
}

static enum weir__js_cell_outcome
from_big(JSContext *context, JSValueConst value, struct weir__js_cell *cell)
{
    JSValue back;
    bool is_same;

    cell->type = SQLITE_INTEGER;
    if (JS_ToBigInt64(context, &cell->integer, value) < 0)
        return WEIR__JS_CELL_THREW;
    back = JS_NewBigInt64(context, cell->integer);
    if (JS_IsException(back))
        return WEIR__JS_CELL_THREW;
    is_same = JS_IsStrictEqual(context, back, value);
    JS_FreeValue(context, back);
    return is_same ? WEIR__JS_CELL_OK : WEIR__JS_CELL_TOO_LARGE;
}

/* The bytes of a DataView, which the engine offers no function for.  A program
 * may have replaced its properties, so they must fit the buffer. */
static int view_bytes(JSContext *context, JSValueConst view,
                      struct weir__js_bytes *bytes)
{
    JSValue buffer = JS_GetPropertyStr(context, view, "buffer");
    JSValue start = JS_GetPropertyStr(context, view, "byteOffset");
    JSValue length = JS_GetPropertyStr(context, view, "byteLength");
    int64_t offset, size;
    int status = -1;

    if (!JS_IsException(buffer) && JS_ToInt64(context, &offset, start) == 0 &&
        JS_ToInt64(context, &size, length) == 0 &&
        weir__js_bytes(context, buffer, bytes) == 0) {
        if (offset >= 0 && size >= 0 && (uint64_t)offset <= bytes->size &&
            (uint64_t)size <= bytes->size - (uint64_t)offset) {
            status = 0;
            bytes->data += offset;
            bytes->size = (size_t)size;
        } else {
            JS_ThrowTypeError(context, "Invalid DataView");
        }
    }
    JS_FreeValue(context, length);
    JS_FreeValue(context, start);
    JS_FreeValue(context, buffer); /* the view holds it */
    return status;
}

static enum weir__js_cell_outcome
from_view(JSContext *context, JSValueConst value, struct weir__js_cell *cell)
{
    struct weir__js_bytes bytes;
    int status;

    if (JS_IsDataView(value))
        status = view_bytes(context, value, &bytes);
    else if (JS_GetTypedArrayType(value) >= 0)
        status = weir__js_bytes(context, value, &bytes);
    else
        return WEIR__JS_CELL_FOREIGN;
    if (status < 0)
        return WEIR__JS_CELL_THREW;
    cell->type = SQLITE_BLOB;
    cell->bytes = bytes.data;
    cell->size = bytes.size;
    return WEIR__JS_CELL_OK;
}

enum weir__js_cell_outcome weir__js_cell_from(JSContext *context,
                                              JSValueConst value,
                                              struct weir__js_cell *cell)
{
    *cell = (struct weir__js_cell){.type = SQLITE_NULL};
    if (JS_IsNull(value))
        return WEIR__JS_CELL_OK;
    if (JS_IsString(value))
        return from_text(context, value, cell);
    if (JS_IsBigInt(value))
        return from_big(context, value, cell);
    if (!JS_IsNumber(value))
        return from_view(context, value, cell);
    cell->type = SQLITE_FLOAT;
    return JS_ToFloat64(context, &cell->real, value) < 0 ? WEIR__JS_CELL_THREW
                                                         : WEIR__JS_CELL_OK;
}

void weir__js_cell_free(JSContext *context, struct weir__js_cell *cell)
{
    JS_FreeCString(context, cell->engine);
    free(cell->own);
    cell->engine = NULL;
    cell->own = NULL;
}

/* ---- from SQLite ---- */

struct weir__js_cell weir__js_cell_column(sqlite3_stmt *statement, int index)
{
    struct weir__js_cell cell = {.type = sqlite3_column_type(statement, index)};

    /* The pointer first: only then is the size that of this encoding. */
    if (cell.type == SQLITE_INTEGER)
        cell.integer = sqlite3_column_int64(statement, index);
    else if (cell.type == SQLITE_FLOAT)
        cell.real = sqlite3_column_double(statement, index);
    else if (cell.type == SQLITE_TEXT)
        cell.bytes = sqlite3_column_text(statement, index);
    else if (cell.type == SQLITE_BLOB)
        cell.bytes = sqlite3_column_blob(statement, index);
    if (cell.type == SQLITE_TEXT || cell.type == SQLITE_BLOB)
        cell.size = (size_t)sqlite3_column_bytes(statement, index);
    return cell;
}

struct weir__js_cell weir__js_cell_argument(sqlite3_value *value)
{
    struct weir__js_cell cell = {.type = sqlite3_value_type(value)};

    if (cell.type == SQLITE_INTEGER)
        cell.integer = sqlite3_value_int64(value);
    else if (cell.type == SQLITE_FLOAT)
        cell.real = sqlite3_value_double(value);
    else if (cell.type == SQLITE_TEXT)
        cell.bytes = sqlite3_value_text(value);
    else if (cell.type == SQLITE_BLOB)
        cell.bytes = sqlite3_value_blob(value);
    if (cell.type == SQLITE_TEXT || cell.type == SQLITE_BLOB)
        cell.size = (size_t)sqlite3_value_bytes(value);
    return cell;
}

static JSValue integer_value(JSContext *context, int64_t integer, bool is_big)
{
    const int64_t most = (INT64_C(1) << MAX_SAFE_BITS) - 1;

    if (is_big)
        return JS_NewBigInt64(context, integer);
    if (integer >= -most && integer <= most)
        return JS_NewInt64(context, integer);
    return weir__js_sqlite_refuse(
        context, WEIR__JS_RANGE_ERROR, "ERR_OUT_OF_RANGE",
        "Value is too large to be represented as a JavaScript number: %" PRId64,
        integer);
}

JSValue weir__js_cell_value(JSContext *context,
                            const struct weir__js_cell *cell, bool is_big)
{
    switch (cell->type) {
    case SQLITE_INTEGER:
        return integer_value(context, cell->integer, is_big);
    case SQLITE_FLOAT:
        return JS_NewFloat64(context, cell->real);
    case SQLITE_TEXT:
        return cell->bytes == NULL
                   ? JS_ThrowOutOfMemory(context)
                   : weir__js_utf8_string(context, cell->bytes, cell->size);
    case SQLITE_BLOB:
        return cell->bytes == NULL && cell->size > 0
                   ? JS_ThrowOutOfMemory(context)
                   : JS_NewUint8ArrayCopy(context, cell->bytes, cell->size);
    default:
        return JS_NULL;
    }
}

/* ---- to SQLite ---- */

/* A pointer that is NULL would mean the value NULL. */
static const void *bytes_of(const struct weir__js_cell *cell)
{
    return cell->bytes != NULL ? cell->bytes : "";
}

int weir__js_cell_bind(sqlite3_stmt *statement, int index,
                       const struct weir__js_cell *cell)
{
    switch (cell->type) {
    case SQLITE_INTEGER:
        return sqlite3_bind_int64(statement, index, cell->integer);
    case SQLITE_FLOAT:
        return sqlite3_bind_double(statement, index, cell->real);
    case SQLITE_TEXT:
        return sqlite3_bind_text64(statement, index, bytes_of(cell), cell->size,
                                   SQLITE_TRANSIENT, SQLITE_UTF8);
    case SQLITE_BLOB:
        return sqlite3_bind_blob64(statement, index, bytes_of(cell), cell->size,
                                   SQLITE_TRANSIENT);
    default:
        return sqlite3_bind_null(statement, index);
    }
}

void weir__js_cell_result(sqlite3_context *call,
                          const struct weir__js_cell *cell)
{
    switch (cell->type) {
    case SQLITE_INTEGER:
        sqlite3_result_int64(call, cell->integer);
        break;
    case SQLITE_FLOAT:
        sqlite3_result_double(call, cell->real);
        break;
    case SQLITE_TEXT:
        sqlite3_result_text64(call, bytes_of(cell), cell->size,
                              SQLITE_TRANSIENT, SQLITE_UTF8);
        break;
    case SQLITE_BLOB:
        sqlite3_result_blob64(call, bytes_of(cell), cell->size,
                              SQLITE_TRANSIENT);
        break;
    default:
        sqlite3_result_null(call);
    }
}

/* ---- between threads ---- */

/* The type, then a number or a size with as many bytes. */
int weir__js_cell_append(struct weir__js_block *block,
                         const struct weir__js_cell *cell)
{
    char head[1 + sizeof(int64_t)] = {(char)cell->type};
    uint64_t size = cell->size;
    bool has_bytes = cell->type == SQLITE_TEXT || cell->type == SQLITE_BLOB;
    int err;

    if (has_bytes && cell->bytes == NULL &&
        (cell->type == SQLITE_TEXT || size > 0))
        return -ENOMEM;
    if (cell->type == SQLITE_FLOAT)
        memcpy(head + 1, &cell->real, sizeof(cell->real));
    else if (cell->type == SQLITE_INTEGER)
        memcpy(head + 1, &cell->integer, sizeof(cell->integer));
    else
        memcpy(head + 1, &size, sizeof(size));
    err = weir__js_block_append(block, head,
                                cell->type == SQLITE_NULL ? 1 : sizeof(head));
    if (err == 0 && has_bytes)
        err = weir__js_block_append(block, cell->bytes, cell->size);
    return err;
}

const char *weir__js_cell_read(const char *at, struct weir__js_cell *cell)
{
    uint64_t size;

    *cell = (struct weir__js_cell){.type = *at++};
    if (cell->type == SQLITE_NULL)
        return at;
    memcpy(&size, at, sizeof(size));
    at += sizeof(size);
    if (cell->type == SQLITE_FLOAT) {
        memcpy(&cell->real, &size, sizeof(size));
        return at;
    }
    if (cell->type == SQLITE_INTEGER) {
        memcpy(&cell->integer, &size, sizeof(size));
        return at;
    }
    cell->bytes = at;
    cell->size = size;
    return at + size;
}
