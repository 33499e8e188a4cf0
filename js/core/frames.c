/* SPDX-License-Identifier: MIT */
/*
 * frames -- see frames.h.
 *
 * A callback that has taken 0.1 ms is named after it: finding the name of a
 * function takes a microsecond.  A callback that runs for 10 ms has its stack
 * recorded, and again after 20, 40, 80 ms.  The time counts from the first look
 * of the engine, which comes after some thousand calls or jumps.
 *
 * Tested by  test/api/trace.py
 */
#include "core/frames.h"

#include <stdio.h>
#include <string.h>

#include "weir/clock.h"
#include "weir/host/recorder.h"

#ifdef JS_HAS_VISIT_FRAMES

enum { FIRST_NS = 10000000, FRAMES = 32, BYTES = 4096, NAME_BYTES = 512 };

/* Of a program's file; names of the host's own files ("node:fs/ops") stay. */
static const char *base_name(const char *path)
{
    const char *slash = *path == '/' ? strrchr(path, '/') : NULL;

    return slash != NULL && slash[1] != '\0' ? slash + 1 : path;
}

static bool format_name(void *opaque, const JSFrame *frame)
{
    const char *name =
        frame->name != NULL && *frame->name != '\0' ? frame->name : "anonymous";

    if (frame->file != NULL)
        snprintf(opaque, NAME_BYTES, "%s (%s:%d)", name, base_name(frame->file),
                 frame->line);
    else
        snprintf(opaque, NAME_BYTES, "%s", name);
    return false;
}

void weir__js_frames_name(weir_js *js, JSValueConst function)
{
    char name[NAME_BYTES] = "";

    if (js->depth != 1 || !weir_loop_wants_name(js->loop))
        return;
    JS_VisitFunction(js->context, function, format_name, name);
    if (name[0] != '\0')
        weir_loop_name_callback(js->loop, weir_recorder_intern(name, 100));
}

/* ---- stacks ---- */

struct text {
    size_t size;
    unsigned frames;
    char bytes[BYTES];
};

static bool append_frame(void *opaque, const JSFrame *frame)
{
    struct text *text = opaque;
    const char *name = frame->name != NULL && *frame->name != '\0'
                           ? frame->name
                           : "<anonymous>";
    size_t room = sizeof(text->bytes) - text->size;
    int size;

    if (frame->file != NULL)
        size =
            snprintf(text->bytes + text->size, room, "    at %s (%s:%d:%d)\n",
                     name, frame->file, frame->at_line, frame->at_column);
    else
        size = snprintf(text->bytes + text->size, room, "    at %s (native)\n",
                        name);
    if (size < 0 || (size_t)size >= room) {
        text->bytes[text->size] = '\0';
        return false;
    }
    text->size += (size_t)size;
    return ++text->frames < FRAMES;
}

void weir__js_frames_record(weir_js *js)
{
    struct text text = {0};
    int64_t now_ns;

    if (weir_recorder_begin() == 0)
        return;
    now_ns = weir_clock_now();
    if (js->watch.entry != js->begun) {
        js->watch.entry = js->begun;
        js->watch.delay_ns = FIRST_NS;
        js->watch.due_ns = now_ns + FIRST_NS;
        return;
    }
    if (now_ns < js->watch.due_ns)
        return;
    js->watch.due_ns = now_ns + js->watch.delay_ns;
    js->watch.delay_ns *= 2;
    JS_VisitFrames(js->context, append_frame, &text);
    if (text.size > 0)
        weir_recorder_end(
            0, &(weir_record){.type = WEIR_RECORD_STACK,
                              .kind = WEIR_KIND_OTHER,
                              .name = weir_recorder_intern(text.bytes, 100)});
}

#else

void weir__js_frames_name(weir_js *js, JSValueConst function)
{
}

void weir__js_frames_record(weir_js *js)
{
}

#endif
