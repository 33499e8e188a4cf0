/* SPDX-License-Identifier: MIT */
/*
 * suspended -- see suspended.h.
 *
 * Tested by  test/js/jobs/jobs-stack.mjs
 */
#include "core/suspended.h"

#include <stdio.h>

#ifdef JS_HAS_VISIT_SUSPENDED

enum { FRAMES = 32, BYTES = 4096 };

struct text {
    size_t size;
    unsigned frames;
    char bytes[BYTES];
};

static int print_frame(char *to, size_t room, const JSFrame *frame)
{
    bool has_name = frame->name != NULL && *frame->name != '\0';

    if (frame->file == NULL)
        return snprintf(to, room, "\n    at async %s",
                        has_name ? frame->name : "<anonymous>");
    return snprintf(to, room,
                    has_name ? "\n    at async %s (%s:%d:%d)"
                             : "\n    at async %s%s:%d:%d",
                    has_name ? frame->name : "", frame->file, frame->at_line,
                    frame->at_column);
}

static bool append_frame(void *opaque, const JSFrame *frame)
{
    struct text *text = opaque;
    size_t room = sizeof(text->bytes) - text->size;
    int size = print_frame(text->bytes + text->size, room, frame);

    if (size < 0 || (size_t)size >= room)
        return false;
    text->size += (size_t)size;
    return ++text->frames < FRAMES;
}

JSValue weir__js_suspended_stack(JSContext *context, JSValueConst promise)
{
    struct text text = {0};

    JS_VisitSuspended(context, promise, append_frame, &text);
    if (text.size == 0)
        return JS_UNDEFINED;
    return JS_NewStringLen(context, text.bytes + 1, text.size - 1);
}

#else

JSValue weir__js_suspended_stack(JSContext *context, JSValueConst promise)
{
    return JS_UNDEFINED;
}

#endif
