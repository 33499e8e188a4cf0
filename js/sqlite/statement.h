/* SPDX-License-Identifier: MIT */
/*
 * statement -- a prepared statement and the object of JavaScript that has it.
 */
#ifndef WEIR_JS_STATEMENT_H
#define WEIR_JS_STATEMENT_H

#include "sqlite/connection.h"

#include "bytes/block.h"

enum weir__js_statement_flags {
    WEIR__JS_BIG_INTS = 1,
    WEIR__JS_ARRAYS = 2,
    WEIR__JS_BARE_NAMES = 4,
    WEIR__JS_UNKNOWN_NAMES = 8,
};

struct weir__js_statement {
    struct weir__js_child child;            /* first */
    struct weir__js_connection *connection; /* entered */
    sqlite3_stmt *handle;                   /* NULL: finalized */
    JSValue database; /* the connection's object: its functions may be called */
    JSAtom *names;    /* of the columns, as of `prepared` */
    int name_count;
    int prepared; /* how often SQLite has prepared it again */
    uint32_t run; /* counts executions: older iterators are invalid */
    int flags;
    bool has_checked_names; /* no two bare names are equal */
    bool is_running;        /* on the stack */
};

/* Make an object with that prototype, and take the handle even on failure.
 * `database` is the connection's object. */
JSValue weir__js_statement_object(JSContext *context, JSValueConst database,
                                  JSValueConst prototype, sqlite3_stmt *handle,
                                  int flags);

/* The statement behind an object, or NULL with an exception if it is finalized,
 * or a job has its connection. */
struct weir__js_statement *weir__js_statement_of(JSContext *context,
                                                 JSValueConst object);

/* Bind the arguments of a call and begin a new execution.  Returns 0, or -1
 * with an exception. */
int weir__js_statement_bind(JSContext *context,
                            struct weir__js_statement *statement, int argc,
                            JSValueConst *argv);

/* Read the rows of a block, as an array. */
JSValue weir__js_statement_rows(JSContext *context,
                                struct weir__js_statement *statement,
                                const struct weir__js_block *block,
                                int column_count);

/* {lastInsertRowid, changes} */
JSValue weir__js_statement_changes(JSContext *context, int64_t rowid,
                                   int64_t changes, bool is_big);

#endif /* WEIR_JS_STATEMENT_H */
