/* SPDX-License-Identifier: MIT */
/*
 * fs -- requests of `fs` to the system: one at a time on this thread, or on the
 * pool.
 *
 * A request is a row of the table in fs.c and its arguments, copied.  What does
 * the work knows nothing of JavaScript, so it can be done on either side.
 */
#ifndef WEIR_JS_FS_H
#define WEIR_JS_FS_H

#include <quickjs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "weir/budget.h"
#include "weir/js.h"

/* What JavaScript gets for it. */
enum weir__js_fs_answer {
    WEIR__JS_FS_NOTHING,
    WEIR__JS_FS_NUMBER, /* `number` */
    WEIR__JS_FS_TEXT,   /* the bytes as a string; undefined if there are none */
    WEIR__JS_FS_BYTES,  /* the bytes as an ArrayBuffer */
    WEIR__JS_FS_CONTENT, /* a string if argument 2 says so, else an ArrayBuffer */
    WEIR__JS_FS_STAT,    /* the numbers of `stat`, if argument 1: as BigInts */
    WEIR__JS_FS_ENTRIES, /* [names, types, directories] */
};

struct weir__js_fs_request {
    const weir_js_value *args; /* as many as the table says */
    int64_t number;
    struct statx stat;
    char *bytes; /* of malloc */
    size_t size, capacity;
    weir_budget *budget; /* of the host, to which the capacity is charged ... */
    size_t spare_bytes;  /* ... and how much of it that leaves to others */
    /* Why it failed: which call, if it was not the one that the row names; and
     * on what, if not on the first arguments. */
    const char *syscall;
    char *path;   /* of malloc */
    bool is_bare; /* the error names no path */
};

/* One or more system calls.  0, or -errno. */
typedef int weir__js_fs_fn(struct weir__js_fs_request *request);

/* More bytes for the answer; 0 or -ENOMEM.  Any thread. */
int weir__js_fs_reserve(struct weir__js_fs_request *request, size_t more);
int weir__js_fs_append(struct weir__js_fs_request *request, const char *bytes,
                       size_t size);

/* A part of the request has failed, with errno. */
int weir__js_fs_failed(struct weir__js_fs_request *request, const char *syscall,
                       const char *path);

static inline const char *weir__js_fs_path(const struct weir__js_fs_request *r,
                                           int index)
{
    return r->args[index].text;
}

static inline int64_t weir__js_fs_int(const struct weir__js_fs_request *r,
                                      int index)
{
    return (int64_t)r->args[index].number;
}

/* The request has succeeded; its bytes may become the value's: answer.c. */
JSValue weir__js_fs_answer(JSContext *context, enum weir__js_fs_answer kind,
                           struct weir__js_fs_request *request);

/* Whole files: file.c. */
int weir__js_fs_read_file(struct weir__js_fs_request *request);
int weir__js_fs_write_file(struct weir__js_fs_request *request);
int weir__js_fs_copy_file(struct weir__js_fs_request *request);

/* Directories: tree.c. */
int weir__js_fs_list(struct weir__js_fs_request *request);
int weir__js_fs_make_path(struct weir__js_fs_request *request);
int weir__js_fs_remove(struct weir__js_fs_request *request);

#endif /* WEIR_JS_FS_H */
