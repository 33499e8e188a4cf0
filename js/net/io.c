/* SPDX-License-Identifier: MIT */
/*
 * io -- reading and writing through a handle.
 *
 * Tested by  test/js/net/net-*.js, test/js/net/handle.c
 */
#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "bytes/bytes.h"
#include "bytes/utf8.h"
#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "net/buffer.h"
#include "net/handle.h"
#include "weir/host/loop.h"

enum { PARTS_MAX = 1024 }; /* of weir_stream_write */
enum { NODE_EOF = -4095 }; /* UV_EOF */

int weir__js_net_status(int status)
{
    switch (status) {
    case WEIR_EEOF:
        return NODE_EOF;
    case WEIR_ECANCELED:
        return -ECANCELED;
    case WEIR_ECLOSED:
        return -EBADF;
    case WEIR_ELIMIT:
        return -ENOBUFS;
    default:
        return status;
    }
}

void weir__js_net_leave(weir_js *js)
{
    weir_loop *loop = js->loop;

    weir__js_leave(js);
    /* WEIR_EREENTRANT: the checkpoint that runs continues */
    (void)!weir_loop_checkpoint(loop);
}

/* ---- reading ---- */

/* Out of memory ends the connection: the bytes are lost. */
static void give_bytes(struct weir__js_handle *handle, weir_bytes bytes)
{
    JSContext *context = handle->js->context;
    JSValue buffer = weir__js_new_buffer(context, bytes.data, bytes.size);
    JSValue args[2] = {buffer, JS_NewInt32(context, 0)};

    if (JS_IsException(buffer)) {
        JS_FreeValue(context, JS_GetException(context));
        args[0] = JS_UNDEFINED;
        args[1] = JS_NewInt32(context, -ENOMEM);
    }
    weir__js_handle_tell(handle, WEIR__HANDLE_READ, 2, (JSValueConst *)args);
    JS_FreeValue(context, args[0]);
}

static void on_read(void *arg, weir_stream *stream, int status,
                    weir_bytes bytes)
{
    struct weir__js_handle *handle = arg;
    weir_js *js = handle->js;
    JSValue args[2] = {JS_UNDEFINED, JS_UNDEFINED};

    weir__js_handle_tell_news(handle);
    if (status != 0)
        handle->is_reading = handle->has_reader = false;
    else
        handle->bytes_read += bytes.size;
    weir__js_handle_keep(handle);
    if (handle->stream == NULL || weir__js_enter(js) != 0)
        return;
    weir__js_handle_receive(handle, stream);
    if (status == 0) {
        give_bytes(handle, bytes);
    } else {
        args[1] = JS_NewInt32(js->context, weir__js_net_status(status));
        weir__js_handle_tell(handle, WEIR__HANDLE_READ, 2,
                             (JSValueConst *)args);
    }
    weir__js_net_leave(js);
}

/* readStart(): 0, or the error that has ended the reading */
static JSValue read_start(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);
    int err = 0;

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->stream == NULL)
        return JS_NewInt32(context, -ENOTCONN);
    if (handle->is_reading)
        return JS_NewInt32(context, 0);
    if (handle->has_reader)
        weir_stream_resume(handle->stream);
    else
        err = weir_stream_read(handle->stream, on_read, handle);
    if (err == 0)
        handle->is_reading = handle->has_reader = true;
    weir__js_handle_keep(handle);
    return JS_NewInt32(context, weir__js_net_status(err));
}

static JSValue read_stop(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->stream == NULL || !handle->is_reading)
        return JS_NewInt32(context, 0);
    weir_stream_pause(handle->stream);
    handle->is_reading = false;
    weir__js_handle_keep(handle);
    return JS_NewInt32(context, 0);
}

/* ---- texts ---- */

/* The bytes of a string, in memory of the engine or of malloc. */
struct text {
    const char *engine;
    uint8_t *own;
    weir_bytes bytes;
};

static void free_text(JSContext *context, struct text *text)
{
    if (text->engine != NULL)
        JS_FreeCString(context, text->engine);
    free(text->own);
}

static bool is_ascii(const char *text, size_t size)
{
    for (size_t i = 0; i < size; i++)
        if ((text[i] & 0x80) != 0)
            return false;
    return true;
}

/* Replace lone surrogates, which are as long as what replaces them. */
static int repair(JSContext *context, struct text *text)
{
    const uint8_t *from = text->bytes.data;
    size_t size = text->bytes.size, units;

    if (weir__js_utf8_valid(from, size) == size)
        return 0;
    text->own = malloc(size);
    if (text->own == NULL) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    weir__js_utf8_copy(text->own, size, from, size, &units);
    text->bytes.data = text->own;
    return 0;
}

static int encode_latin1(JSContext *context, struct text *text,
                         JSValueConst value)
{
    size_t length;
    const uint16_t *units = JS_ToCStringLenUTF16(context, &length, value);

    if (units == NULL)
        return -1;
    text->own = malloc(length > 0 ? length : 1);
    if (text->own != NULL)
        for (size_t i = 0; i < length; i++)
            text->own[i] = (uint8_t)units[i];
    else
        JS_ThrowOutOfMemory(context);
    JS_FreeCStringUTF16(context, units);
    text->bytes = (weir_bytes){text->own, length};
    return text->own != NULL ? 0 : -1;
}

/* Returns 0, or -1 with an exception; free_text is needed either way. */
static int encode(JSContext *context, struct text *text, JSValueConst value,
                  bool is_latin1)
{
    size_t size;

    *text = (struct text){NULL, NULL, {NULL, 0}};
    text->engine = JS_ToCStringLen(context, &size, value);
    if (text->engine == NULL)
        return -1;
    text->bytes = (weir_bytes){text->engine, size};
    if (is_ascii(text->engine, size))
        return 0;
    return is_latin1 ? encode_latin1(context, text, value)
                     : repair(context, text);
}

/* ---- writing ---- */

/* Write parts that are valid during the call.  Returns 0 if the kernel has all
 * of them, 1 if some wait, or an error. */
static int write_parts(struct weir__js_handle *handle, const weir_bytes *parts,
                       size_t count)
{
    weir_stream *stream = handle->stream;
    int err = 0;

    for (size_t at = 0; at < count && err == 0; at += PARTS_MAX)
        err = weir_stream_write(stream, parts + at,
                                count - at < PARTS_MAX ? count - at
                                                       : (size_t)PARTS_MAX,
                                NULL, NULL);
    if (err != 0)
        return err;
    for (size_t i = 0; i < count; i++)
        handle->bytes_written += parts[i].size;
    return weir_stream_queued_bytes(stream) > 0;
}

static void on_written(void *arg, weir_stream *stream, int status)
{
    weir__js_handle_request_end(arg, WEIR__HANDLE_WRITTEN, status);
}

/* Bytes wait: an empty write behind them tells when they have been written. */
static JSValue await_written(JSContext *context, struct weir__js_handle *handle,
                             JSValueConst callback)
{
    struct weir__js_handle_request *request =
        weir__js_handle_request_new(handle, callback);
    int err;

    if (request == NULL)
        return JS_EXCEPTION;
    err = weir_stream_write(handle->stream, NULL, 0, on_written, request);
    if (err != 0) {
        weir__js_handle_request_free(request);
        return JS_NewInt32(context, weir__js_net_status(err));
    }
    weir__js_handle_keep(handle);
    return JS_NewInt32(context, 1);
}

static JSValue finish_write(JSContext *context, struct weir__js_handle *handle,
                            int result, JSValueConst callback)
{
    return result <= 0 ? JS_NewInt32(context, weir__js_net_status(result))
                       : await_written(context, handle, callback);
}

/* The handle, if it can be written to; otherwise NULL and *result. */
static struct weir__js_handle *
writable(JSContext *context, JSValueConst this_value, JSValue *result)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    *result = handle == NULL ? JS_EXCEPTION : JS_NewInt32(context, -EBADF);
    return handle != NULL && handle->stream != NULL ? handle : NULL;
}

/* write(bytes, callback): 0 if it is done, 1 if the WRITTEN hook will be
 * called, or an error */
static JSValue write_bytes(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    JSValue result;
    struct weir__js_handle *handle = writable(context, this_value, &result);
    weir_bytes part;

    if (handle == NULL)
        return result;
    if (weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    part = (weir_bytes){bytes.data, bytes.size};
    return finish_write(context, handle, write_parts(handle, &part, 1),
                        argv[1]);
}

enum { UTF8, LATIN1 };

/* writeUtf8(string, callback), writeLatin1(string, callback) */
static JSValue write_text(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv, int magic)
{
    struct text text;
    JSValue result;
    struct weir__js_handle *handle = writable(context, this_value, &result);
    int status = 0;

    if (handle == NULL)
        return result;
    if (!JS_IsString(argv[0])) /* its toString could close the handle */
        return JS_ThrowTypeError(context, "not a string");
    if (encode(context, &text, argv[0], magic == LATIN1) == 0)
        status = write_parts(handle, &text.bytes, 1);
    else
        result = JS_EXCEPTION;
    free_text(context, &text);
    return JS_IsException(result)
               ? result
               : finish_write(context, handle, status, argv[1]);
}

/* Several chunks: [chunk, isLatin1, ...] */
struct batch {
    size_t count;
    weir_bytes *parts;
    struct text *texts;
    size_t text_count;
};

static int add_chunk(JSContext *context, struct batch *batch,
                     JSValueConst chunk, JSValueConst is_latin1)
{
    struct weir__js_bytes bytes;
    struct text *text;

    if (!JS_IsString(chunk)) {
        if (weir__js_bytes(context, chunk, &bytes) < 0)
            return -1;
        batch->parts[batch->count++] = (weir_bytes){bytes.data, bytes.size};
        return 0;
    }
    text = &batch->texts[batch->text_count++];
    if (encode(context, text, chunk, JS_ToBool(context, is_latin1) > 0) < 0)
        return -1;
    batch->parts[batch->count++] = text->bytes;
    return 0;
}

/* Get the elements first: that may run JavaScript, which can detach buffers and
 * close the handle.  Returns NULL with an exception. */
static JSValue *get_elements(JSContext *context, JSValueConst list,
                             int64_t length)
{
    JSValue *values = calloc((size_t)length + 1, sizeof(*values));

    if (values == NULL) {
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    for (int64_t i = 0; i < length; i++) {
        values[i] = JS_GetPropertyInt64(context, list, i);
        if (!JS_IsException(values[i]))
            continue;
        while (i > 0)
            JS_FreeValue(context, values[--i]);
        free(values);
        return NULL;
    }
    return values;
}

/* Write the elements; no JavaScript runs.  Returns as write_parts, or INT_MIN
 * with an exception. */
static int write_elements(JSContext *context, struct weir__js_handle *handle,
                          JSValueConst *values, size_t count)
{
    struct batch batch = {0};
    int status = INT_MIN;
    bool is_whole;

    batch.parts = calloc(count + 1, sizeof(*batch.parts));
    batch.texts = calloc(count + 1, sizeof(*batch.texts));
    is_whole = batch.parts != NULL && batch.texts != NULL;
    if (!is_whole)
        JS_ThrowOutOfMemory(context);
    for (size_t i = 0; i < count && is_whole; i++)
        is_whole =
            add_chunk(context, &batch, values[2 * i], values[2 * i + 1]) == 0;
    if (is_whole)
        status = handle->stream != NULL
                     ? write_parts(handle, batch.parts, batch.count)
                     : -EBADF;
    for (size_t i = 0; i < batch.text_count; i++)
        free_text(context, &batch.texts[i]);
    free(batch.parts);
    free(batch.texts);
    return status;
}

/* writev([chunk, isLatin1, ...], callback) */
static JSValue write_list(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    enum { MOST = 1 << 24 };
    JSValue result, *values;
    struct weir__js_handle *handle = writable(context, this_value, &result);
    int64_t length;
    int status;

    if (handle == NULL)
        return result;
    if (JS_GetLength(context, argv[0], &length) < 0)
        return JS_EXCEPTION;
    if (length > MOST)
        return JS_ThrowRangeError(context, "too many chunks");
    values = get_elements(context, argv[0], length);
    if (values == NULL)
        return JS_EXCEPTION;
    status = write_elements(context, handle, (JSValueConst *)values,
                            (size_t)length / 2);
    for (int64_t i = 0; i < length; i++)
        JS_FreeValue(context, values[i]);
    free(values);
    return status == INT_MIN ? JS_EXCEPTION
                             : finish_write(context, handle, status, argv[1]);
}

/* shutdown(callback): 1 if the WRITTEN hook will be called, or an error */
static JSValue shut_down(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    JSValue result;
    struct weir__js_handle *handle = writable(context, this_value, &result);
    struct weir__js_handle_request *request;
    int err;

    if (handle == NULL)
        return JS_IsException(result) ? result
                                      : JS_NewInt32(context, -ENOTCONN);
    request = weir__js_handle_request_new(handle, argv[0]);
    if (request == NULL)
        return JS_EXCEPTION;
    err = weir_stream_shutdown(handle->stream, on_written, request);
    if (err != 0) {
        weir__js_handle_request_free(request);
        return JS_NewInt32(context, weir__js_net_status(err));
    }
    weir__js_handle_keep(handle);
    return JS_NewInt32(context, 1);
}

/* ---- counters ---- */

enum { BYTES_READ, BYTES_WRITTEN, QUEUED };

static JSValue get_count(JSContext *context, JSValueConst this_value, int magic)
{
    struct weir__js_handle *handle = weir__js_handle_of(context, this_value);

    if (handle == NULL)
        return JS_EXCEPTION;
    if (magic == QUEUED)
        return JS_NewInt64(
            context, handle->stream != NULL
                         ? (int64_t)weir_stream_queued_bytes(handle->stream)
                         : 0);
    return JS_NewInt64(context,
                       (int64_t)(magic == BYTES_READ ? handle->bytes_read
                                                     : handle->bytes_written));
}

const JSCFunctionListEntry weir__js_handle_io[] = {
    JS_CFUNC_DEF("readStart", 0, read_start),
    JS_CFUNC_DEF("readStop", 0, read_stop),
    JS_CFUNC_DEF("write", 2, write_bytes),
    JS_CFUNC_MAGIC_DEF("writeUtf8", 2, write_text, UTF8),
    JS_CFUNC_MAGIC_DEF("writeLatin1", 2, write_text, LATIN1),
    JS_CFUNC_DEF("writev", 2, write_list),
    JS_CFUNC_DEF("shutdown", 1, shut_down),
    JS_CGETSET_MAGIC_DEF("bytesRead", get_count, NULL, BYTES_READ),
    JS_CGETSET_MAGIC_DEF("bytesWritten", get_count, NULL, BYTES_WRITTEN),
    JS_CGETSET_MAGIC_DEF("writeQueueSize", get_count, NULL, QUEUED),
};
const int weir__js_handle_io_count =
    sizeof(weir__js_handle_io) / sizeof(*weir__js_handle_io);
