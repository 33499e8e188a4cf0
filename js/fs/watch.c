/* SPDX-License-Identifier: MIT */
/*
 * watch -- the kernel's notifications about files (js/lib/fs/watch.js).
 *
 * Data      One inotify descriptor for each host, opened with the first watch
 *           and closed by stop(), because the kernel allows few of them for a
 *           user.  It is in a block with the events that were read.
 * Owner     The block is counted: the open descriptor holds it, and so does a
 *           task that is posted, or a call into JavaScript.
 * Thread    The loop's.
 *
 * Each event is a separate callback, so that microtasks run between two of
 * them: the first one when the descriptor is readable, the rest as tasks.
 *
 * Tested by  test/js/fs/fs-watch.mjs
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/place.h"
#include "weir/fd.h"

enum {
    EVENTS = IN_ATTRIB | IN_CREATE | IN_MODIFY | IN_DELETE | IN_DELETE_SELF |
             IN_MOVE_SELF | IN_MOVED_FROM | IN_MOVED_TO,
    ROOM = 4096
};

struct watch {
    weir_js *js;
    int fd; /* -1: closed */
    unsigned refs;
    JSValue callback; /* (number, mask, name or undefined) */
    size_t size, at;  /* of `bytes`: those read, and those passed on */
    weir_task rest;   /* posted while at < size */
    bool is_posted;
    char bytes[ROOM];
};

struct watches {
    struct watch *open; /* NULL: nothing is watched */
};

static struct watches *watches_of(const weir_js *js)
{
    return js->states[WEIR__JS_WATCH];
}

static void unref(struct watch *watch)
{
    if (--watch->refs == 0)
        free(watch);
}

/* ---- events ---- */

static void pass_on(struct watch *watch);

static void on_rest(weir_task *task, int status)
{
    struct watch *watch =
        (struct watch *)((char *)task - offsetof(struct watch, rest));
    weir_js *js = watch->js;

    watch->is_posted = false;
    if (status == 0 && watch->fd >= 0)
        pass_on(watch);
    unref(watch);
    weir__js_let_go(js);
}

static void post_rest(struct watch *watch)
{
    weir_js *js = watch->js;

    if (watch->at >= watch->size || watch->fd < 0 || watch->is_posted ||
        !weir__js_hold(js))
        return;
    watch->refs++;
    watch->is_posted = true;
    watch->rest = (weir_task){.run = on_rest, .name = "fs.watch"};
    if (weir_loop_post(js->loop, &watch->rest) != 0)
        on_rest(&watch->rest, WEIR_ECANCELED); /* the loop ends */
}

static void tell(struct watch *watch, const struct inotify_event *event,
                 const char *name)
{
    weir_js *js = watch->js;
    JSContext *context = js->context;
    JSValue args[3], result;

    if (weir__js_enter(js) != 0)
        return;
    args[0] = JS_NewInt32(context, event->wd);
    args[1] = JS_NewUint32(context, event->mask);
    args[2] = event->len == 0
                  ? JS_UNDEFINED
                  : JS_NewArrayBufferCopy(context, (const uint8_t *)name,
                                          strnlen(name, event->len));
    result = JS_IsException(args[2])
                 ? JS_EXCEPTION
                 : JS_Call(context, watch->callback, JS_UNDEFINED, 3,
                           (JSValueConst *)args);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, args[2]);
    weir__js_leave(js);
}

/* The callback may stop everything, or end the host. */
static void pass_on(struct watch *watch)
{
    struct inotify_event event;
    const char *at = watch->bytes + watch->at;

    memcpy(&event, at, sizeof(event));
    watch->at += sizeof(event) + event.len;
    watch->refs++;
    tell(watch, &event, at + sizeof(event));
    post_rest(watch);
    unref(watch);
}

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    struct watch *watch = arg;
    weir_js *js = watch->js;
    ssize_t got;

    if (status != 0) { /* the loop ends; this is the last call */
        close(watch->fd);
        watch->fd = -1;
        weir__js_let_go(js);
        return;
    }
    if (watch->at < watch->size)
        return; /* the rest comes first */
    got = read(fd, watch->bytes, ROOM);
    watch->at = 0;
    watch->size = got > 0 ? (size_t)got : 0;
    if (got > 0)
        pass_on(watch);
}

/* ---- opening and closing ---- */

/* Takes what it gets only if it returns 0. */
static int open_watch(weir_js *js, JSValueConst callback)
{
    struct watch *watch = calloc(1, sizeof(*watch));
    int err;

    if (watch == NULL)
        return -ENOMEM;
    watch->js = js;
    watch->refs = 1;
    watch->fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);
    err = watch->fd < 0 ? -errno : weir__js_hold(js) ? 0 : WEIR_ECLOSED;
    if (err == 0) {
        err = weir_fd_add(js->loop, watch->fd, WEIR_FD_READABLE, on_readable,
                          watch);
        if (err != 0)
            weir__js_let_go(js);
    }
    if (err != 0) {
        if (watch->fd >= 0)
            close(watch->fd);
        free(watch);
        return err;
    }
    weir_fd_set_name(js->loop, watch->fd, "fs.watch");
    watch->callback = JS_DupValue(js->context, callback);
    watches_of(js)->open = watch;
    return 0;
}

static void close_watch(weir_js *js)
{
    struct watch *watch = watches_of(js)->open;

    if (watch == NULL)
        return;
    watches_of(js)->open = NULL;
    JS_FreeValue(js->context, watch->callback);
    watch->callback = JS_UNDEFINED;
    if (watch->fd >= 0) { /* or it went with the loop */
        (void)!weir_fd_remove(js->loop, watch->fd, NULL, NULL);
        close(watch->fd);
        watch->fd = -1;
        weir__js_let_go(js);
    }
    unref(watch);
}

/* ---- from JavaScript ---- */

/* add(path, callback): the number of the watch, or -errno.  All paths have the
 * callback of the first one. */
static JSValue add(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct weir__js_place place;
    const char *path;
    JSValue result;
    int err = 0, number;

    path = JS_ToCString(context, argv[0]);
    if (path == NULL)
        return JS_EXCEPTION;
    err = weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ);
    if (err == 0) {
        if (watches_of(js)->open == NULL)
            err = open_watch(js, argv[1]);
        if (err == 0) {
            number =
                inotify_add_watch(watches_of(js)->open->fd, place.path, EVENTS);
            err = number < 0 ? -errno : number;
        }
        weir__js_place_drop(&place);
    }
    result = place.missing != 0
                 ? weir__js_throw_denied(context, place.missing, path)
                 : JS_NewInt32(context, err);
    JS_FreeCString(context, path);
    return result;
}

/* remove(number): the kernel may have removed it, with its file */
static JSValue remove_number(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    struct watch *watch = watches_of(weir__js_of(context))->open;
    int32_t number;

    if (JS_ToInt32(context, &number, argv[0]) < 0)
        return JS_EXCEPTION;
    if (watch != NULL)
        (void)!inotify_rm_watch(watch->fd, number);
    return JS_UNDEFINED;
}

/* setRef(is ref) */
static JSValue set_ref(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct watch *watch = watches_of(js)->open;

    if (watch != NULL && watch->fd >= 0)
        (void)!(JS_ToBool(context, argv[0])
                    ? weir_fd_ref(js->loop, watch->fd)
                    : weir_fd_unref(js->loop, watch->fd));
    return JS_UNDEFINED;
}

/* stop(): nothing is watched anymore */
static JSValue stop(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    close_watch(weir__js_of(context));
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("add", 2, add),
    JS_CFUNC_DEF("remove", 1, remove_number),
    JS_CFUNC_DEF("setRef", 1, set_ref),
    JS_CFUNC_DEF("stop", 0, stop),
    JS_PROP_INT32_DEF("CONTENT", IN_ATTRIB | IN_MODIFY, 0),
};

const struct weir__js_builtin weir__js_watch_builtin = {
    WEIR__JS_LIBS("fs/watch"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct watches),
    .drop = close_watch,
};
