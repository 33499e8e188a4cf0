/* SPDX-License-Identifier: MIT */
/*
 * fs -- system calls for `fs`, made on this thread or on the pool.
 *
 * A request is a row of the table in fs.c with a copy of its arguments.  The
 * function that carries it out never touches JavaScript, so it can run on
 * either side.
 */
#ifndef WEIR_JS_FS_H
#define WEIR_JS_FS_H

#include <quickjs.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/stat.h>

#include "bytes/block.h"
#include "weir/js.h"

/* The form in which JavaScript receives the result. */
enum weir__js_fs_answer {
    WEIR__JS_FS_NOTHING,
    WEIR__JS_FS_NUMBER, /* `number` */
    WEIR__JS_FS_TEXT,   /* the bytes as a string; undefined if there are none */
    WEIR__JS_FS_BYTES,  /* the bytes as an ArrayBuffer */
    WEIR__JS_FS_CONTENT, /* a string or an ArrayBuffer, as argument 2 says */
    WEIR__JS_FS_STAT,    /* the numbers of `stat`; BigInts if argument 1 */
    WEIR__JS_FS_ENTRIES, /* [names, types, directories] */
    WEIR__JS_FS_NUMBERS, /* int64_t's in the bytes; BigInts if argument 1 */
};

struct weir__js_fs_request {
    const weir_js_value *args; /* as many as the table says */
    int64_t number;
    struct statx stat;
    struct weir__js_block block; /* the bytes of the result */
    /* The cause of a failure: the system call, if it is not the one in the row;
     * and the path, if it is not among the first arguments. */
    const char *syscall;
    char *path;   /* from malloc */
    bool is_bare; /* the error names no path */
    int missing;  /* the permissions that a refusal names; 0: none */
};

/* Make one or more system calls.  Returns 0 or -errno. */
typedef int weir__js_fs_fn(struct weir__js_fs_request *request);

/* Record that a part of the request failed with errno. */
int weir__js_fs_failed(struct weir__js_fs_request *request, const char *syscall,
                       const char *path);

/* Record that permissions are missing, for a path that is not among the first
 * arguments, or NULL.  Returns -EACCES. */
int weir__js_fs_denied(struct weir__js_fs_request *request, int missing,
                       const char *path);

/* open(2) of a path; a descriptor or -errno. */
int weir__js_fs_open(struct weir__js_fs_request *request, const char *path,
                     int flags, mode_t mode);

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

/* Convert the result of a request that succeeded.  The value may take over its
 * bytes.  In answer.c. */
JSValue weir__js_fs_answer(JSContext *context, enum weir__js_fs_answer kind,
                           struct weir__js_fs_request *request);

/* Whole files, in file.c. */
int weir__js_fs_read_file(struct weir__js_fs_request *request);
int weir__js_fs_write_file(struct weir__js_fs_request *request);
int weir__js_fs_copy_file(struct weir__js_fs_request *request);

/* Directories, in tree.c. */
int weir__js_fs_list(struct weir__js_fs_request *request);
int weir__js_fs_read_entries(struct weir__js_fs_request *request);
int weir__js_fs_make_path(struct weir__js_fs_request *request);
int weir__js_fs_remove(struct weir__js_fs_request *request);

#endif /* WEIR_JS_FS_H */
