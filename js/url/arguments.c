/* SPDX-License-Identifier: MIT */
/*
 * arguments -- see arguments.h.
 *
 * Tested by  test/js/url/url-class.js
 */
#include "url/arguments.h"

struct weir__js_piece weir__js_url_text(JSContext *context, JSValueConst value)
{
    struct weir__js_piece text;

    text.start = JS_ToCStringLen(context, &text.length, value);
    return text;
}

int weir__js_url_arguments_read(JSContext *context,
                                struct weir__js_url_arguments *arguments,
                                int argc, JSValueConst *argv)
{
    int count = argc > 1 && !JS_IsUndefined(argv[1]) ? 2 : 1;

    arguments->count = 0;
    for (int i = 0; i < count; i++) {
        JSValue value = JS_ToString(context, argv[i]);

        if (JS_IsException(value))
            return -1;
        arguments->texts[i] = weir__js_url_text(context, value);
        if (arguments->texts[i].start == NULL) {
            JS_FreeValue(context, value);
            return -1;
        }
        arguments->values[arguments->count++] = value;
    }
    return 0;
}

void weir__js_url_arguments_free(JSContext *context,
                                 struct weir__js_url_arguments *arguments)
{
    for (int i = 0; i < arguments->count; i++) {
        JS_FreeCString(context, arguments->texts[i].start);
        JS_FreeValue(context, arguments->values[i]);
    }
}
