/* SPDX-License-Identifier: MIT */
/*
 * control -- see control.h.
 *
 * Tested by  test/js/http/serve-drain.mjs, test/js/http/node-http-close.js
 */
#include "http/control.h"

#include "http/report.h"
#include "weir/host/http.h"

JSValue weir__js_control_drain(JSContext *context, weir_http_server *http,
                               JSValueConst deadline)
{
    int64_t ms;

    if (JS_ToInt64(context, &ms, deadline) < 0)
        return JS_EXCEPTION;
    if (http != NULL)
        (void)weir_http_server_drain(
            http, ms > INT64_MAX / 1000000 ? INT64_MAX : ms * 1000000);
    return JS_UNDEFINED;
}

JSValue weir__js_control_set_ref(JSContext *context, weir_http_server *http,
                                 JSValueConst is_ref)
{
    if (http != NULL)
        weir_http_server_set_ref(http, JS_ToBool(context, is_ref) == 1);
    return JS_UNDEFINED;
}

JSValue weir__js_control_counts(JSContext *context, weir_http_server *http,
                                const weir_http_counts *last)
{
    weir_http_counts counts = {.size = sizeof(counts)};

    if (http == NULL)
        return weir__js_report_counts(context, last);
    (void)!weir_http_server_counts(http, &counts);
    return weir__js_report_counts(context, &counts);
}
