/* SPDX-License-Identifier: MIT */
/*
 * handle -- codecs for JavaScript, on this thread or on the pool.
 *
 * Data      A handle behind each object, with its codec.  A job has a copy of
 *           its input: JavaScript may change or detach the original meanwhile.
 * Owner     The codec belongs to the handle, or to the job while one is under
 *           way.  finish_job gives it back.  If the host ends first, the job
 *           frees it.
 * Thread    The loop's, except run_job and free_job.
 *
 * finish_job may use the handle, because the functions of the job are closures
 * over its object (js/lib/zlib/engine.js).
 *
 * A job ends when its input is used up, or its output has reached the size that
 * was asked for.  What is left of the input waits in the handle.
 *
 * Tested by  test/js/zlib
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include "bytes/block.h"
#include "bytes/bytes.h"
#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"
#include "zlib/codec.h"

enum { FIRST_BYTES = 1024, MOST_GROWTH = 16 << 20 };

struct handle {
    struct weir__js_codec *codec; /* NULL: closed, or a job has it */
    struct weir__js_block input;  /* of the last job */
    size_t charged;               /* for the codec, to the host's budget */
    bool is_busy, is_closed, wants_reset;
};

/* A piece of work: on the stack, or in a job. */
struct piece {
    struct weir__js_codec *codec;
    struct weir__js_block output;
    int flush;
    size_t limit;  /* of the output; it is full then */
    bool is_whole; /* the output grows up to the limit; beyond it is an error */
    int status;    /* -ENOMEM, -EFBIG (beyond the limit), or 0 */
};

struct job {
    struct weir__js_work work;   /* first */
    struct handle *handle;       /* loop only, in finish_job */
    struct weir__js_block input; /* the handle's, in the meantime */
    struct piece piece;
};

/* ---- the work itself, on any thread ---- */

/* Make room for more output.  Returns whether there is any. */
static bool grow(struct piece *piece)
{
    struct weir__js_block *output = &piece->output;
    size_t more = output->size > 0 ? output->size : FIRST_BYTES;
    /* One byte beyond the limit shows that there is more. */
    size_t most = piece->is_whole ? piece->limit + 1 : piece->limit;

    if (!piece->is_whole)
        more = piece->limit;
    else if (more < piece->codec->in_left / 2)
        more = piece->codec->in_left / 2;
    if (more > MOST_GROWTH && piece->is_whole)
        more = MOST_GROWTH;
    if (more > most - output->size)
        more = most - output->size;
    if (more > 0 && weir__js_block_reserve(output, more) != 0) {
        piece->status = -ENOMEM;
        return false;
    }
    return more > 0;
}

/* Compress everything by one call.  Returns whether that was possible. */
static bool run_once(struct piece *piece)
{
    struct weir__js_codec *codec = piece->codec;
    struct weir__js_block *output = &piece->output;
    size_t bound =
        piece->is_whole ? weir__js_codec_bound(codec, piece->flush) : 0;

    if (bound == 0 || bound > piece->limit ||
        weir__js_block_reserve(output, bound) != 0)
        return false;
    codec->out = (uint8_t *)output->bytes;
    codec->out_left = output->capacity;
    if (!weir__js_codec_run_once(codec))
        return false;
    output->size = output->capacity - codec->out_left;
    return true;
}

static void run_piece(struct piece *piece)
{
    struct weir__js_codec *codec = piece->codec;
    struct weir__js_block *output = &piece->output;

    if (run_once(piece))
        return;
    do {
        if (!grow(piece))
            break;
        codec->out = (uint8_t *)output->bytes + output->size;
        codec->out_left = output->capacity - output->size;
        weir__js_codec_run(codec, piece->flush);
        output->size = output->capacity - codec->out_left;
    } while (piece->is_whole && codec->out_left == 0 &&
             codec->error.message == NULL);
    if (piece->is_whole && piece->status == 0 && output->size > piece->limit)
        piece->status = -EFBIG;
}

/* ---- results ---- */

static JSValue describe_error(JSContext *context,
                              const struct weir__js_codec_error *error)
{
    JSValue parts[] = {JS_NewString(context, error->message),
                       JS_NewString(context, error->code),
                       JS_NewInt32(context, error->number)};

    return weir__js_new_array(context, 3, parts);
}

/* The output, with how much input is left and whether the output is full;
 * [message, code, errno]; or null if the output exceeds the limit. */
static JSValue answer(JSContext *context, struct piece *piece)
{
    struct weir__js_codec *codec = piece->codec;
    JSValue parts[3];

    if (piece->status == -ENOMEM)
        return JS_ThrowOutOfMemory(context);
    if (piece->status == -EFBIG)
        return JS_NULL;
    if (codec->error.message != NULL)
        return describe_error(context, &codec->error);
    parts[0] = weir__js_block_buffer(context, &piece->output);
    if (JS_IsException(parts[0]))
        return JS_EXCEPTION;
    parts[1] = JS_NewInt64(context, (int64_t)codec->in_left);
    parts[2] = JS_NewBool(context, codec->out_left == 0);
    return JS_NewArrayFrom(context, 3, parts);
}

/* ---- handles ---- */

static void release(weir_js *js, struct handle *handle)
{
    weir__js_codec_free(handle->codec);
    handle->codec = NULL;
    weir__js_block_free(&handle->input);
    if (handle->charged > 0)
        weir_budget_refund(js->heap.budget, handle->charged);
    handle->charged = 0;
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    JSClassID id;
    struct handle *handle = JS_GetAnyOpaque(value, &id);

    if (handle != NULL) {
        release(JS_GetRuntimeOpaque(runtime), handle);
        free(handle);
    }
}

static struct handle *handle_of(JSContext *context, JSValueConst value)
{
    struct handle *handle =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_ZLIB);

    if (handle == NULL)
        JS_ThrowTypeError(context, "not a codec");
    return handle;
}

/* A handle whose codec can be used now, or NULL with an exception. */
static struct handle *idle_handle(JSContext *context, JSValueConst value)
{
    struct handle *handle = handle_of(context, value);

    if (handle == NULL || handle->codec != NULL)
        return handle;
    JS_ThrowTypeError(context, handle->is_busy ? "write already in progress"
                                               : "already finalized");
    return NULL;
}

/* Read [key, value, key, value, ...].  Returns -1 with an exception. */
static int read_parameters(JSContext *context, JSValueConst list,
                           struct weir__js_codec *to)
{
    int64_t length;

    if (JS_GetLength(context, list, &length) < 0)
        return -1;
    for (int64_t i = 0;
         i + 1 < length && to->parameter_count < WEIR__JS_CODEC_PARAMETERS;
         i += 2) {
        struct weir__js_codec_parameter *next =
            &to->parameters[to->parameter_count++];
        JSValue key = JS_GetPropertyInt64(context, list, i);
        JSValue value = JS_GetPropertyInt64(context, list, i + 1);

        if (JS_ToInt32(context, &next->key, key) < 0 ||
            JS_ToInt32(context, &next->value, value) < 0)
            return -1; /* numbers only: nothing to free */
    }
    return 0;
}

static JSValue new_object(JSContext *context, struct weir__js_codec *codec)
{
    weir_js *js = weir__js_of(context);
    JSValue object = JS_NewObjectClass(context, js->classes[WEIR__JS_ZLIB]);
    struct handle *handle = NULL;

    if (!JS_IsException(object))
        handle = calloc(1, sizeof(*handle));
    if (handle == NULL) {
        weir__js_codec_free(codec);
        if (JS_IsException(object))
            return object;
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    handle->codec = codec;
    handle->input = weir__js_block_of(js);
    JS_SetOpaque(object, handle);
    handle->charged = weir__js_codec_weight(codec);
    if (!weir__js_heap_charge(&js->heap, handle->charged)) {
        handle->charged = 0;
        JS_FreeValue(context, object);
        return JS_ThrowOutOfMemory(context);
    }
    return object;
}

/* open(mode, parameters, dictionary or undefined, size or -1): undefined if a
 * parameter is refused */
static JSValue zlib_open(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct weir__js_codec like = {0}, *codec;
    struct weir__js_bytes dictionary;
    int32_t mode;
    int err;

    if (JS_ToInt32(context, &mode, argv[0]) < 0 ||
        read_parameters(context, argv[1], &like) < 0 ||
        JS_ToInt64(context, &like.source_size, argv[3]) < 0)
        return JS_EXCEPTION;
    like.mode = (enum weir__js_codec_mode)mode;
    if (!JS_IsUndefined(argv[2])) {
        if (weir__js_bytes(context, argv[2], &dictionary) < 0)
            return JS_EXCEPTION;
        like.dictionary = dictionary.data;
        like.dictionary_size = dictionary.size;
    }
    err = weir__js_codec_new(&codec, &like);
    if (err == -EINVAL)
        return JS_UNDEFINED;
    return err != 0 ? JS_ThrowOutOfMemory(context) : new_object(context, codec);
}

/* ---- jobs ---- */

static void run_job(struct weir__js_work *work, int status)
{
    struct job *job = (struct job *)work;

    if (status != 0)
        job->piece.status = -ENOMEM;
    else
        run_piece(&job->piece);
}

/* Give the codec back, and do what was asked for meanwhile. */
static void return_codec(weir_js *js, struct job *job)
{
    struct handle *handle = job->handle;

    handle->is_busy = false;
    handle->codec = job->piece.codec;
    handle->input = job->input;
    job->piece.codec = NULL;
    job->input = weir__js_block_of(js);
    if (handle->is_closed) {
        release(js, handle);
    } else if (handle->wants_reset) {
        handle->wants_reset = false;
        (void)handle->codec->kind->reset(handle->codec);
        handle->codec->in_left = 0;
    }
}

static JSValue finish_job(struct weir__js_work *work, JSContext *context)
{
    struct job *job = (struct job *)work;
    JSValue value = answer(context, &job->piece);

    return_codec(work->js, job);
    return value;
}

static void free_job(struct weir__js_work *work)
{
    struct job *job = (struct job *)work;

    weir__js_codec_free(job->piece.codec);
    weir__js_block_free(&job->input);
    weir__js_block_free(&job->piece.output);
    free(job);
}

static const struct weir__js_work_kind job_kind = {"zlib", run_job, finish_job,
                                                   free_job};

/* Returns -1 with an exception. */
static int start_job(JSContext *context, struct handle *handle,
                     const struct piece *piece, JSValueConst *functions)
{
    weir_js *js = weir__js_of(context);
    struct job *job = malloc(sizeof(*job));
    int err;

    if (job == NULL) {
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    job->handle = handle;
    job->input = handle->input;
    job->piece = *piece;
    handle->codec = NULL;
    handle->input = weir__js_block_of(js);
    handle->is_busy = true;
    err = weir__js_work_start(js, &job->work, &job_kind, NULL, functions[0],
                              functions[1]);
    if (err == 0)
        return 0;
    return_codec(js, job);
    free_job(&job->work);
    weir__js_throw_status_as(context, err,
                             err == -ENOTSUP ? "the host has no pool" : NULL);
    return -1;
}

/* Set the codec's input: a copy, unless nothing can change it before the piece
 * is done.  Returns -1 with an exception. */
static int take_input(JSContext *context, struct handle *handle,
                      JSValueConst value, bool is_copied)
{
    struct weir__js_bytes bytes;

    if (JS_IsUndefined(value)) /* the rest of the last one */
        return 0;
    if (weir__js_bytes(context, value, &bytes) < 0)
        return -1;
    handle->codec->in = bytes.data;
    handle->codec->in_left = bytes.size;
    if (!is_copied && !bytes.is_shared)
        return 0;
    handle->input.size = 0;
    if (weir__js_block_append(&handle->input, bytes.data, bytes.size) != 0) {
        handle->codec->in_left = 0; /* the bytes are not ours */
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    if (bytes.size > 0)
        handle->codec->in = (const uint8_t *)handle->input.bytes;
    return 0;
}

/* Copy what is left of an input that is not the handle's own.  Returns -1 with
 * an exception. */
static int keep_rest(JSContext *context, struct handle *handle)
{
    struct weir__js_codec *codec = handle->codec;
    const char *in = (const char *)codec->in;

    if (codec->in_left == 0 ||
        (handle->input.bytes != NULL && in >= handle->input.bytes &&
         in < handle->input.bytes + handle->input.capacity))
        return 0;
    handle->input.size = 0;
    if (weir__js_block_append(&handle->input, codec->in, codec->in_left) != 0) {
        codec->in_left = 0; /* the bytes are not ours */
        JS_ThrowOutOfMemory(context);
        return -1;
    }
    codec->in = (const uint8_t *)handle->input.bytes;
    return 0;
}

/* run(handle, flush, input or undefined, limit, is whole, resolve, reject):
 * without functions, at once.  An input that is undefined means the rest of the
 * last one. */
static JSValue zlib_run(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    struct handle *handle = idle_handle(context, argv[0]);
    bool is_job = JS_IsFunction(context, argv[5]);
    struct piece piece = {.output = weir__js_block_of(weir__js_of(context))};
    JSValue value;
    int64_t limit;

    if (handle == NULL || JS_ToInt32(context, &piece.flush, argv[1]) < 0 ||
        JS_ToInt64(context, &limit, argv[3]) < 0 ||
        take_input(context, handle, argv[2], is_job) < 0)
        return JS_EXCEPTION;
    piece.codec = handle->codec;
    piece.limit = (size_t)limit;
    piece.is_whole = JS_ToBool(context, argv[4]);
    if (is_job)
        return start_job(context, handle, &piece, argv + 5) < 0 ? JS_EXCEPTION
                                                                : JS_UNDEFINED;
    run_piece(&piece);
    value = answer(context, &piece);
    weir__js_block_free(&piece.output);
    if (piece.is_whole)
        handle->codec->in_left = 0;
    if (keep_rest(context, handle) < 0) {
        JS_FreeValue(context, value);
        value = JS_EXCEPTION;
    }
    return value;
}

/* ---- the rest ---- */

/* reset(handle) */
static JSValue zlib_reset(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct handle *handle = handle_of(context, argv[0]);
    int err;

    if (handle == NULL)
        return JS_EXCEPTION;
    if (handle->is_busy)
        handle->wants_reset = true;
    if (handle->codec == NULL)
        return JS_UNDEFINED;
    err = handle->codec->kind->reset(handle->codec);
    handle->codec->in_left = 0;
    return err == -ENOMEM ? JS_ThrowOutOfMemory(context) : JS_UNDEFINED;
}

/* setLevel(handle, level, strategy): undefined, or [message, code, errno] */
static JSValue zlib_set_level(JSContext *context, JSValueConst this_value,
                              int argc, JSValueConst *argv)
{
    struct handle *handle = idle_handle(context, argv[0]);
    int32_t level, strategy;

    if (handle == NULL || JS_ToInt32(context, &level, argv[1]) < 0 ||
        JS_ToInt32(context, &strategy, argv[2]) < 0)
        return JS_EXCEPTION;
    weir__js_codec_set_level(handle->codec, level, strategy);
    return handle->codec->error.message == NULL
               ? JS_UNDEFINED
               : describe_error(context, &handle->codec->error);
}

/* close(handle): once the job that is under way has returned */
static JSValue zlib_close(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct handle *handle = handle_of(context, argv[0]);

    if (handle == NULL)
        return JS_EXCEPTION;
    handle->is_closed = true;
    if (!handle->is_busy)
        release(weir__js_of(context), handle);
    return JS_UNDEFINED;
}

/* crc32(bytes, first value) */
static JSValue zlib_crc32(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct weir__js_bytes bytes;
    uint32_t value;

    if (JS_ToUint32(context, &value, argv[1]) < 0 ||
        weir__js_bytes(context, argv[0], &bytes) < 0)
        return JS_EXCEPTION;
    return JS_NewUint32(context,
                        (uint32_t)crc32_z(value, bytes.data, bytes.size));
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("open", 4, zlib_open),
    JS_CFUNC_DEF("run", 7, zlib_run),
    JS_CFUNC_DEF("reset", 1, zlib_reset),
    JS_CFUNC_DEF("setLevel", 3, zlib_set_level),
    JS_CFUNC_DEF("close", 1, zlib_close),
    JS_CFUNC_DEF("crc32", 2, zlib_crc32),
    JS_PROP_INT32_DEF("ZLIB_VERNUM", ZLIB_VERNUM, JS_PROP_ENUMERABLE),
};

static const JSClassDef class_definition = {"Zlib", .finalizer = finalize};

const struct weir__js_builtin weir__js_zlib_builtin = {
    WEIR__JS_LIBS("zlib/engine"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &class_definition,
};
