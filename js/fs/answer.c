/* SPDX-License-Identifier: MIT */
/*
 * answer -- results of `fs` requests as JavaScript values.
 *
 * Tested by  test/js/fs/fs-*.js
 */
#include <quickjs.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>

#include "bytes/block.h"
#include "bytes/bytes.h"
#include "core/host.h"
#include "core/property.h"
#include "fs/fs.h"

static JSValue new_number(JSContext *context, int64_t number, bool is_big)
{
    return is_big ? JS_NewBigInt64(context, number)
                  : JS_NewInt64(context, number);
}

static JSValue new_stat(JSContext *context, const struct statx *stat,
                        bool is_big)
{
    int64_t fields[] = {
        (int64_t)makedev(stat->stx_dev_major, stat->stx_dev_minor),
        stat->stx_mode,
        stat->stx_nlink,
        stat->stx_uid,
        stat->stx_gid,
        (int64_t)makedev(stat->stx_rdev_major, stat->stx_rdev_minor),
        stat->stx_blksize,
        (int64_t)stat->stx_ino,
        (int64_t)stat->stx_size,
        (int64_t)stat->stx_blocks,
        stat->stx_atime.tv_sec,
        stat->stx_atime.tv_nsec,
        stat->stx_mtime.tv_sec,
        stat->stx_mtime.tv_nsec,
        stat->stx_ctime.tv_sec,
        stat->stx_ctime.tv_nsec,
        stat->stx_btime.tv_sec,
        stat->stx_btime.tv_nsec,
    };
    enum { COUNT = sizeof(fields) / sizeof(*fields) };
    JSValue values[COUNT];

    for (int i = 0; i < COUNT; i++)
        values[i] = new_number(context, fields[i], is_big);
    return weir__js_new_array(context, COUNT, values);
}

static JSValue new_numbers(JSContext *context,
                           const struct weir__js_fs_request *request)
{
    const char *at = request->block.bytes;
    JSValue list = JS_NewArray(context);

    for (uint32_t i = 0;
         i < request->block.size / sizeof(int64_t) && !JS_IsException(list);
         i++) {
        int64_t number;

        memcpy(&number, at + i * sizeof(number), sizeof(number));
        weir__js_put_element(
            context, &list, i,
            new_number(context, number, request->args[1].boolean));
    }
    return list;
}

/* A name as text, or as bytes where it might not be text. */
static JSValue new_name(JSContext *context, const char *name, bool is_raw)
{
    return is_raw ? JS_NewArrayBufferCopy(context, (const uint8_t *)name,
                                          strlen(name))
                  : weir__js_utf8_string(context, name, strlen(name));
}

/* [names, types, directories] */
static JSValue new_entries(JSContext *context,
                           const struct weir__js_fs_request *request)
{
    bool is_raw = request->args[3].boolean, failed = false;
    JSValue lists[3], all;
    const char *at = request->block.bytes;

    for (int i = 0; i < 3; i++)
        lists[i] = JS_NewArray(context);
    for (uint32_t i = 0; i < request->number && !failed; i++) {
        const char *below = at + 1, *name = below + strlen(below) + 1;

        failed = weir__js_set_element(context, lists[0], i,
                                      new_name(context, name, is_raw)) < 0 ||
                 weir__js_set_element(context, lists[1], i,
                                      JS_NewInt32(context, *at)) < 0 ||
                 weir__js_set_element(
                     context, lists[2], i,
                     weir__js_utf8_string(context, below, strlen(below))) < 0;
        at = name + strlen(name) + 1;
    }
    all = weir__js_new_array(context, 3, lists); /* takes them */
    if (!failed)
        return all;
    JS_FreeValue(context, all);
    return JS_EXCEPTION;
}

JSValue weir__js_fs_answer(JSContext *context, enum weir__js_fs_answer kind,
                           struct weir__js_fs_request *request)
{
    const char *text = request->block.bytes != NULL ? request->block.bytes : "";

    switch (kind) {
    case WEIR__JS_FS_NUMBER:
        return JS_NewInt64(context, request->number);
    case WEIR__JS_FS_TEXT:
        return request->block.size == 0
                   ? JS_UNDEFINED
                   : weir__js_utf8_string(context, text, request->block.size);
    case WEIR__JS_FS_CONTENT:
        if (request->args[2].boolean)
            return weir__js_utf8_string(context, text, request->block.size);
        return weir__js_block_buffer(context, &request->block);
    case WEIR__JS_FS_BYTES:
        return weir__js_block_buffer(context, &request->block);
    case WEIR__JS_FS_STAT:
        return new_stat(context, &request->stat, request->args[1].boolean);
    case WEIR__JS_FS_ENTRIES:
        return new_entries(context, request);
    case WEIR__JS_FS_NUMBERS:
        return new_numbers(context, request);
    case WEIR__JS_FS_NOTHING:
        break;
    }
    return JS_UNDEFINED;
}
