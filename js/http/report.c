/* SPDX-License-Identifier: MIT */
/*
 * report -- see report.h.
 *
 * Tested by  test/js/http/serve-drain.mjs
 */
#include "http/report.h"

#include <string.h>

#include "core/property.h"
#include "http/fields.h"

static int set_count(JSContext *context, JSValueConst object, const char *name,
                     uint64_t count)
{
    return weir__js_set_property(context, object, name,
                                 JS_NewInt64(context, (int64_t)count));
}

JSValue weir__js_report_counts(JSContext *context,
                               const weir_http_counts *counts)
{
    JSValue object = JS_NewObject(context);

    if (JS_IsException(object) ||
        set_count(context, object, "connections", counts->connections) < 0 ||
        set_count(context, object, "requests", counts->requests) < 0 ||
        set_count(context, object, "responses", counts->responses) < 0 ||
        set_count(context, object, "refused", counts->refused) < 0 ||
        set_count(context, object, "cut", counts->cut) < 0 ||
        set_count(context, object, "crossed", counts->crossed) < 0) {
        JS_FreeValue(context, object);
        return JS_EXCEPTION;
    }
    return object;
}

JSValue weir__js_report_holder(JSContext *context,
                               const weir_http_holder *holder)
{
    JSValue object = JS_NewObject(context);
    const struct {
        const char *name, *text;
    } texts[] = {{"phase", holder->phase},
                 {"method", holder->method},
                 {"target", holder->target},
                 {"remoteAddress", holder->peer}};

    if (JS_IsException(object))
        return object;
    for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
        if (weir__js_set_property(
                context, object, texts[i].name,
                weir__js_byte_string(
                    context, (weir_bytes){texts[i].text, strlen(texts[i].text)},
                    false)) < 0)
            goto fail;
    if (set_count(context, object, "age",
                  (uint64_t)(holder->age_ns / 1000000)) < 0 ||
        set_count(context, object, "received", holder->received_bytes) < 0 ||
        set_count(context, object, "sent", holder->sent_bytes) < 0)
        goto fail;
    return object;
fail:
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}
