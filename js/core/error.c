/* SPDX-License-Identifier: MIT */
/*
 * error -- exceptions as text, stack and position.
 *
 * Reading a thrown value can run JavaScript, such as a getter or toString.  If
 * that throws in turn, a fixed text replaces what could not be read.
 *
 * Tested by  test/js/core/call.c, test/js/core/limits.c,
 *            test/js/core/errors-*.js
 */
#include "core/error.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/context.h"
#include "core/lib.h"
#include "core/property.h"

void weir__js_clear_error(weir_js *js)
{
    free(js->error.text);
    free(js->error.report);
    memset(&js->error, 0, sizeof(js->error));
    js->error.value.text = js->error.value.stack = "";
}

const weir_js_error *weir_js_last_error(const weir_js *js)
{
    return &js->error.value;
}

/* A copy for free(); NULL if reading it threw or there is no memory. */
static char *text_of(JSContext *context, JSValueConst value)
{
    const char *text = JS_ToCString(context, value);
    char *copy;

    if (text == NULL) {
        JS_FreeValue(context, JS_GetException(context));
        return NULL;
    }
    copy = strdup(text);
    JS_FreeCString(context, text);
    return copy;
}

/* Remove the error's own text from the front of its stack, and end each frame
 * with a newline. */
static void keep_frames(char *stack)
{
    char *frames = strstr(stack, "    at ");

    while (frames != NULL && frames != stack && frames[-1] != '\n')
        frames = strstr(frames + 1, "    at ");
    if (frames == NULL)
        stack[0] = '\0';
    else if (frames != stack) { /* there is room, since something was removed */
        size_t length = strlen(frames);

        memmove(stack, frames, length);
        if (frames[length - 1] != '\n')
            stack[length++] = '\n';
        stack[length] = '\0';
    }
}

static char *stack_of(JSContext *context, JSValueConst thrown)
{
    JSValue stack;
    char *text = NULL;

    if (!JS_IsError(thrown))
        return NULL;
    stack = JS_GetPropertyStr(context, thrown, "stack");
    if (JS_IsException(stack))
        JS_FreeValue(context, JS_GetException(context));
    else if (JS_IsString(stack))
        text = text_of(context, stack);
    JS_FreeValue(context, stack);
    if (text != NULL)
        keep_frames(text);
    return text;
}

/* Parse ":12" at the end of [begin, end); return the number and move end before
 * it. */
static int take_number(const char *begin, const char **end)
{
    const char *at = *end;

    while (at > begin && at[-1] >= '0' && at[-1] <= '9')
        at--;
    if (at == *end || at == begin || at[-1] != ':')
        return 0;
    *end = at - 1;
    return atoi(at);
}

/* Parse the position from a line "    at name (file:line:column)", or one
 * without a name.  The line is left unchanged; the file is copied to `file`. */
static bool find_place(weir_js_error *error, char *line, char *end, char *file)
{
    const char *begin = memchr(line, '(', (size_t)(end - line));
    const char *stop = end;
    int column;

    if (strncmp(line, "    at ", 7) != 0)
        return false;
    if (begin != NULL && end[-1] == ')') {
        begin++;
        stop--;
    } else {
        begin = line + 7;
    }
    column = take_number(begin, &stop);
    error->line = take_number(begin, &stop);
    if (column == 0 || error->line == 0)
        return false;
    error->column = column;
    memcpy(file, begin, (size_t)(stop - begin));
    file[stop - begin] = '\0';
    error->file = file;
    return true;
}

static void find_innermost(weir_js_error *error, char *stack, char *file)
{
    char *end;

    for (char *line = stack; (end = strchr(line, '\n')) != NULL; line = end + 1)
        if (end > line && find_place(error, line, end, file))
            return;
    error->line = error->column = 0;
}

/* Store the text, the stack and the file's name in one block. */
static void store(weir_js *js, weir_js_failure kind, const char *text,
                  const char *stack)
{
    size_t text_size = strlen(text) + 1, stack_size = strlen(stack) + 1;
    char *block = malloc(text_size + 2 * stack_size);

    weir__js_clear_error(js);
    js->error.value.kind = kind;
    if (block == NULL) {
        js->error.value.text = "out of memory";
        return;
    }
    js->error.text = block;
    js->error.value.text = memcpy(block, text, text_size);
    js->error.value.stack = memcpy(block + text_size, stack, stack_size);
    find_innermost(&js->error.value, block + text_size,
                   block + text_size + stack_size);
}

/* What console.error would print, or NULL. */
static char *report_of(weir_js *js, JSValueConst thrown)
{
    JSContext *context = js->context;
    JSValue result;
    char *text = NULL;

    if (!js->is_program || (js->heap.has_run_out && JS_IsNull(thrown)))
        return NULL;
    result = weir__js_call_hook(js, WEIR__JS_HOOK_REPORT, thrown);
    if (JS_IsException(result))
        JS_FreeValue(context, JS_GetException(context));
    else
        text = text_of(context, result);
    JS_FreeValue(context, result);
    return text;
}

static void describe(weir_js *js, weir_js_failure kind, JSValueConst thrown)
{
    /* The engine throws null if there is no memory for an error. */
    char *text = js->heap.has_run_out && JS_IsNull(thrown)
                     ? strdup("InternalError: out of memory")
                     : text_of(js->context, thrown);
    char *stack = stack_of(js->context, thrown);
    char own[64];

    if (kind == WEIR_JS_FAILURE_TERMINATED)
        snprintf(own, sizeof(own), "terminated");
    else if (kind == WEIR_JS_FAILURE_TIMED_OUT)
        snprintf(own, sizeof(own), "the time limit of %.10g ms is over",
                 (double)js->options.time_limit_ns / 1e6);
    else
        snprintf(own, sizeof(own), "an exception without a text");
    store(js, kind,
          kind == WEIR_JS_FAILURE_THROWN || kind == WEIR_JS_FAILURE_REJECTED
              ? (text != NULL ? text : own)
              : own,
          stack != NULL ? stack : "");
    if (js->on.described != NULL &&
        (kind == WEIR_JS_FAILURE_THROWN || kind == WEIR_JS_FAILURE_REJECTED))
        js->on.described(js, thrown);
    else if (kind == WEIR_JS_FAILURE_THROWN || kind == WEIR_JS_FAILURE_REJECTED)
        js->error.value.report = js->error.report = report_of(js, thrown);
    free(text);
    free(stack);
}

/* Whether it was thrown because the host or the entry ends. */
static bool is_end(weir_js *js, JSValueConst thrown)
{
    return JS_IsUncatchableError(thrown) || js->heap.has_denied;
}

int weir__js_catch(weir_js *js)
{
    JSValue thrown = JS_GetException(js->context);
    bool is_ours = is_end(js, thrown);
    int err = WEIR_ETHROWN;

    if (is_ours && weir_state_load(&js->life) != 0) {
        describe(js, WEIR_JS_FAILURE_TERMINATED, thrown);
        err = WEIR_ECANCELED;
    } else if (is_ours && js->is_late) {
        describe(js, WEIR_JS_FAILURE_TIMED_OUT, thrown);
        err = -ETIMEDOUT;
    } else {
        describe(js, WEIR_JS_FAILURE_THROWN, thrown);
    }
    JS_FreeValue(js->context, thrown);
    return err;
}

void weir__js_set_terminated(weir_js *js)
{
    store(js, WEIR_JS_FAILURE_TERMINATED, "terminated", "");
}

/* Whether the program ends without a report. */
static bool ends_silently(weir_js *js)
{
    return js->on.failing != NULL && js->on.failing(js);
}

/* Report js->error and end the program, if it is one. */
static void tell(weir_js *js)
{
    if (js->options.on_uncaught != NULL)
        js->options.on_uncaught(js->options.arg, js, &js->error.value);
    else
        fprintf(stderr, "weir: uncaught %s\n%s", js->error.value.text,
                js->error.value.stack);
    if (js->on.failed != NULL)
        js->on.failed(js);
}

/* Tell listeners, in the async context of the code that threw. */
static bool is_heard(weir_js *js, JSValueConst thrown)
{
    JSValue before =
        weir__js_context_swap(js, weir__js_context_take_thrown(js));
    bool is_handled = !is_end(js, thrown) && js->on.uncaught != NULL &&
                      js->on.uncaught(js, thrown);

    JS_FreeValue(js->context, weir__js_context_swap(js, before));
    return is_handled;
}

void weir__js_report(weir_js *js)
{
    JSValue thrown = JS_GetException(js->context);

    if (is_heard(js, thrown)) {
        JS_FreeValue(js->context, thrown);
        return;
    }
    if (js->was_interrupted) { /* the user who did it knows */
        js->was_interrupted = false;
        JS_FreeValue(js->context, thrown);
        return;
    }
    JS_Throw(js->context, thrown);
    weir__js_report_last(js);
}

void weir__js_report_last(weir_js *js)
{
    JSValue thrown = JS_GetException(js->context);

    if (!is_end(js, thrown) && ends_silently(js)) {
        JS_FreeValue(js->context, thrown);
        return;
    }
    JS_Throw(js->context, thrown);
    if (weir__js_catch(js) == WEIR_ECANCELED)
        return;
    tell(js);
}

/* A reason that is not an error reaches listeners as an error with Node's
 * message. */
static JSValue told_as(weir_js *js, JSValueConst reason)
{
    JSValue error;

    if (!js->is_program || js->heap.has_run_out)
        return JS_DupValue(js->context, reason);
    error = weir__js_call_hook(js, WEIR__JS_HOOK_REJECTED, reason);
    if (!JS_IsException(error))
        return error;
    JS_FreeValue(js->context, JS_GetException(js->context));
    return JS_DupValue(js->context, reason);
}

void weir__js_report_rejection(weir_js *js, JSValueConst reason)
{
    JSValue error = told_as(js, reason);
    bool is_over = ends_silently(js);

    if (!is_over)
        describe(js, WEIR_JS_FAILURE_REJECTED, error);
    JS_FreeValue(js->context, error);
    if (is_over)
        return;
    tell(js);
}

int weir_js_throw(weir_js *js, weir_js_throwable type, const char *format, ...)
{
    char text[512];
    va_list args;

    va_start(args, format);
    vsnprintf(text, sizeof(text), format, args);
    va_end(args);
    if (type == WEIR_JS_THROW_TYPE_ERROR)
        JS_ThrowTypeError(js->context, "%s", text);
    else if (type == WEIR_JS_THROW_RANGE_ERROR)
        JS_ThrowRangeError(js->context, "%s", text);
    else
        JS_ThrowPlainError(js->context, "%s", text);
    return WEIR_ETHROWN;
}

JSValue weir__js_throw_status(JSContext *context, int err)
{
    return weir__js_throw_status_as(context, err, NULL);
}

JSValue weir__js_throw_status_as(JSContext *context, int err,
                                 const char *message)
{
    return weir__js_throw_status_with(
        context, err,
        message != NULL ? JS_NewString(context, message) : JS_UNDEFINED);
}

/* Define own data properties: an inherited setter would run user code.  The
 * message is set separately, because the engine's format truncates it. */
JSValue weir__js_throw_status_with(JSContext *context, int err, JSValue message)
{
    JSValue error = JS_NewPlainError(context, "%s", weir_error_text(err));

    if (JS_IsException(error) || JS_IsException(message)) {
        JS_FreeValue(context, message);
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    if ((!JS_IsUndefined(message) &&
         JS_DefinePropertyValueStr(context, error, "message", message,
                                   JS_PROP_CONFIGURABLE | JS_PROP_WRITABLE) <
             0) ||
        weir__js_set_property(context, error, "code",
                              JS_NewString(context, weir_error_name(err))) <
            0) {
        JS_FreeValue(context, error);
        return JS_EXCEPTION;
    }
    return JS_Throw(context, error);
}
