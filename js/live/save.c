/* SPDX-License-Identifier: MIT */
/*
 * save -- the flight recorder's content as a file, written on the pool.
 *
 * Tested by  test/js/live/live-save.mjs
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/place.h"
#include "weir/clock.h"
#include "weir/recorder.h"

struct saving {
    struct weir__js_work work; /* first */
    int64_t since_ns;
    int err, missing;
    char path[];
};

static void run(struct weir__js_work *work, int status)
{
    struct saving *saving = (struct saving *)work;
    struct weir__js_place place;

    saving->err = status;
    if (status != 0)
        return;
    saving->err = weir__js_place_find(&place, saving->path, WEIR__JS_ENTRY,
                                      WEIR__JS_MAY_WRITE);
    saving->missing = place.missing;
    if (saving->err != 0)
        return;
    saving->err = weir_recorder_save(place.path, saving->since_ns);
    weir__js_place_drop(&place);
}

static JSValue finish(struct weir__js_work *work, JSContext *context)
{
    struct saving *saving = (struct saving *)work;

    if (saving->missing != 0)
        return weir__js_throw_denied(context, saving->missing, saving->path);
    return saving->err == 0 ? JS_NewString(context, saving->path)
                            : weir__js_throw_status(context, saving->err);
}

static void free_saving(struct weir__js_work *work)
{
    free(work);
}

static const struct weir__js_work_kind kind = {"save", run, finish,
                                               free_saving};

static struct saving *new_saving(JSContext *context, JSValueConst path,
                                 double last_s)
{
    size_t length;
    const char *text = JS_ToCStringLen(context, &length, path);
    struct saving *saving;

    if (text == NULL)
        return NULL;
    saving = calloc(1, sizeof(*saving) + length + 1);
    if (saving != NULL) {
        memcpy(saving->path, text, length);
        saving->since_ns =
            last_s >= 0 ? weir_clock_now() - (int64_t)(last_s * 1e9) : 0;
    } else {
        JS_ThrowOutOfMemory(context);
    }
    JS_FreeCString(context, text);
    return saving;
}

/* save(resolve, reject, path, seconds); negative seconds: everything */
static JSValue save(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct saving *saving;
    double last_s;
    int err;

    if (JS_ToFloat64(context, &last_s, argv[3]) < 0)
        return JS_EXCEPTION;
    saving = new_saving(context, argv[2], last_s);
    if (saving == NULL)
        return JS_EXCEPTION;
    err = weir__js_work_start(weir__js_of(context), &saving->work, &kind, NULL,
                              argv[0], argv[1]);
    if (err == 0)
        return JS_UNDEFINED;
    free(saving);
    return weir__js_throw_status_as(
        context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("save", 4, save),
};

const struct weir__js_builtin weir__js_save_builtin = {
    WEIR__JS_LIBS("live/live"),
    WEIR__JS_NATIVES(natives),
};
