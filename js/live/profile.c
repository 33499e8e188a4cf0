/* SPDX-License-Identifier: MIT */
/*
 * profile -- a CPU profile of this thread for the page of the monitor.
 *
 * Tested by  test/api/live.py
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/error.h"
#include "weir/net/monitor.h"
#include "weir/profile.h"

struct text {
    char *bytes;
    size_t size, capacity;
};

static int append(void *arg, const char *bytes, size_t size)
{
    struct text *text = arg;

    if (text->size + size > text->capacity) {
        size_t capacity = 2 * (text->size + size) + 4096;
        char *larger = realloc(text->bytes, capacity);

        if (larger == NULL)
            return -ENOMEM;
        text->bytes = larger;
        text->capacity = capacity;
    }
    memcpy(text->bytes + text->size, bytes, size);
    text->size += size;
    return 0;
}

/* start(microseconds between two samples) */
static JSValue start(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    uint32_t interval_us;
    int err;

    if (JS_ToUint32(context, &interval_us, argv[0]) < 0)
        return JS_EXCEPTION;
    err = weir_js_profile_start(weir__js_of(context),
                                (int64_t)interval_us * 1000);
    return err == 0 ? JS_UNDEFINED : weir__js_throw_status(context, err);
}

/* stop() -> the size of the file "profile", which the page can download now */
static JSValue stop(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct text text = {0};
    int err = weir_js_profile_write(js, append, &text);

    (void)!weir_js_profile_stop(js);
    if (err == 0)
        err = weir_monitor_offer("profile", text.bytes, text.size);
    free(text.bytes);
    return err == 0 ? JS_NewInt64(context, (int64_t)text.size)
                    : weir__js_throw_status(context, err);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("start", 1, start),
    JS_CFUNC_DEF("stop", 0, stop),
};

const struct weir__js_builtin weir__js_profile_builtin = {
    WEIR__JS_LIBS("live/profile"),
    WEIR__JS_NATIVES(natives),
};
