/* SPDX-License-Identifier: MIT */
/*
 * stream -- what stdin, stdout and stderr need: writing, watched descriptors,
 * terminals.
 *
 * Tested by  test/js/program/stdio-*.js, test/api/stdio.sh
 */
#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <termios.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "weir/fd.h"

struct streams {
    struct weir__js_link watches; /* descriptors: watch.link */
    struct raw *raw;              /* a terminal to be reset */
};

static struct streams *streams_of(const weir_js *js)
{
    return js->states[WEIR__JS_STREAM];
}

/* ---- writing ---- */

/* Write all of it, even to a full non-blocking pipe. */
static int write_all(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t done = write(fd, text, size);

        if (done >= 0) {
            text += done;
            size -= (size_t)done;
        } else if (errno == EAGAIN) {
            struct pollfd ready = {.fd = fd, .events = POLLOUT};

            poll(&ready, 1, -1);
        } else if (errno != EINTR) {
            return -errno;
        }
    }
    return 0;
}

/* write(fd, string): 0 or -errno */
static JSValue write_text(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    int32_t fd;
    size_t size;
    const char *text;
    int err;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    text = JS_ToCStringLen(context, &size, argv[1]);
    if (text == NULL)
        return JS_EXCEPTION;
    err = write_all(fd, text, size);
    JS_FreeCString(context, text);
    return JS_NewInt32(context, err);
}

/* writeBytes(fd, buffer, offset, length): 0 or -errno */
static JSValue write_bytes(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    int32_t fd;
    uint64_t offset, length;
    size_t size;
    uint8_t *bytes;

    if (JS_ToInt32(context, &fd, argv[0]) < 0 ||
        JS_ToIndex(context, &offset, argv[2]) < 0 ||
        JS_ToIndex(context, &length, argv[3]) < 0)
        return JS_EXCEPTION;
    bytes = JS_GetArrayBuffer(context, &size, argv[1]);
    if (bytes == NULL)
        return JS_EXCEPTION;
    if (offset > size || length > size - offset)
        return JS_ThrowRangeError(context, "out of the buffer");
    return JS_NewInt32(context,
                       write_all(fd, (const char *)bytes + offset, length));
}

/* fail(err, syscall): throw a system error */
static JSValue fail(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    int32_t err;
    const char *syscall;

    if (JS_ToInt32(context, &err, argv[0]) < 0)
        return JS_EXCEPTION;
    syscall = JS_ToCString(context, argv[1]);
    if (syscall == NULL)
        return JS_EXCEPTION;
    weir__js_throw_system(context, err, syscall, NULL, NULL);
    JS_FreeCString(context, syscall);
    return JS_EXCEPTION;
}

/* ---- watching ---- */

struct watch {
    struct weir__js_link link;
    weir_js *js;
    int fd;
    JSValue function;
};

static void drop(struct watch *watch)
{
    weir_js *js = watch->js;

    weir__js_list_remove(&watch->link);
    JS_FreeValue(js->context, watch->function);
    free(watch);
    weir__js_let_go(js);
}

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    struct watch *watch = arg;
    weir_js *js = watch->js;
    JSValue function, result;

    if (status != 0) { /* the loop ends; this is the last call */
        drop(watch);
        return;
    }
    if (weir__js_enter(js) != 0)
        return;
    function = JS_DupValue(js->context, watch->function); /* it may unwatch */
    result = JS_Call(js->context, function, JS_UNDEFINED, 0, NULL);
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    JS_FreeValue(js->context, function);
    weir__js_leave(js);
}

static int start_watching(weir_js *js, int fd, JSValueConst function)
{
    struct watch *watch = malloc(sizeof(*watch));
    int err;

    if (watch == NULL)
        return -ENOMEM;
    if (!weir__js_hold(js)) {
        free(watch);
        return WEIR_ECLOSED;
    }
    watch->js = js;
    watch->fd = fd;
    watch->function = JS_DupValue(js->context, function);
    weir__js_list_add(&streams_of(js)->watches, &watch->link);
    err = weir_fd_add(js->loop, fd, WEIR_FD_READABLE, on_readable, watch);
    if (err != 0)
        drop(watch);
    return err;
}

static struct watch *find(const weir_js *js, int fd)
{
    struct streams *streams = streams_of(js);

    for (struct weir__js_link *at = streams->watches.next;
         at != &streams->watches; at = at->next)
        if (((struct watch *)at)->fd == fd)
            return (struct watch *)at;
    return NULL;
}

/* No callback begins after this, if it is called on the loop's thread or while
 * no thread runs the loop. */
static void stop_watching(struct watch *watch)
{
    (void)!weir_fd_remove(watch->js->loop, watch->fd, NULL, NULL);
    drop(watch);
}

/* watch(fd, function): true, or false if such a file cannot be watched */
static JSValue watch_fd(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    int32_t fd;
    int err;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    err = start_watching(weir__js_of(context), fd, argv[1]);
    if (err == 0 || err == -EPERM)
        return JS_NewBool(context, err == 0);
    return weir__js_throw_status(context, err);
}

enum { UNWATCH, REF, UNREF };

/* unwatch(fd), ref(fd), unref(fd); no effect if it is not watched */
static JSValue change(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv, int magic)
{
    weir_js *js = weir__js_of(context);
    struct watch *watch;
    int32_t fd;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    watch = find(js, fd);
    if (watch == NULL)
        return JS_UNDEFINED;
    if (magic == UNWATCH)
        stop_watching(watch);
    else
        (void)!(magic == REF ? weir_fd_ref(js->loop, fd)
                             : weir_fd_unref(js->loop, fd));
    return JS_UNDEFINED;
}

/* ---- terminals ---- */

struct raw {
    int fd;
    struct termios before;
};

static JSValue is_tty(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    int32_t fd;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    return JS_NewBool(context, isatty(fd) == 1);
}

/* kindOf(fd): "tty", "file", "pipe" (or a socket), or undefined */
static JSValue kind_of(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct stat stat;
    int32_t fd;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    if (isatty(fd) == 1)
        return JS_NewString(context, "tty");
    if (fstat(fd, &stat) != 0)
        return JS_UNDEFINED;
    if (S_ISREG(stat.st_mode) || S_ISCHR(stat.st_mode))
        return JS_NewString(context, "file");
    if (S_ISFIFO(stat.st_mode) || S_ISSOCK(stat.st_mode))
        return JS_NewString(context, "pipe");
    return JS_UNDEFINED;
}

/* windowSize(fd): [columns, rows], or undefined */
static JSValue window_size(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct winsize size;
    JSValue values[2];
    int32_t fd;

    if (JS_ToInt32(context, &fd, argv[0]) < 0)
        return JS_EXCEPTION;
    if (ioctl(fd, TIOCGWINSZ, &size) != 0)
        return JS_UNDEFINED;
    values[0] = JS_NewInt32(context, size.ws_col);
    values[1] = JS_NewInt32(context, size.ws_row);
    return JS_NewArrayFrom(context, 2, values);
}

static void reset_terminal(weir_js *js)
{
    struct streams *streams = streams_of(js);

    if (streams->raw == NULL)
        return;
    tcsetattr(streams->raw->fd, TCSADRAIN, &streams->raw->before);
    free(streams->raw);
    streams->raw = NULL;
}

/* Save the terminal's state before the first change. */
static int save_terminal(weir_js *js, int fd)
{
    struct streams *streams = streams_of(js);
    struct raw *raw;

    if (streams->raw != NULL)
        return streams->raw->fd == fd ? 0 : -EBUSY;
    raw = malloc(sizeof(*raw));
    if (raw == NULL)
        return -ENOMEM;
    raw->fd = fd;
    if (tcgetattr(fd, &raw->before) != 0) {
        free(raw);
        return -errno;
    }
    streams->raw = raw;
    return 0;
}

enum { COOKED, RAW, RAW_WITH_SIGNALS };

/* Deliver each key at once and without special meaning, except those that send
 * signals if `how` keeps them.  The terminal is reset when the host ends. */
static int make_raw(weir_js *js, int fd, int how)
{
    struct termios mode;
    int err = save_terminal(js, fd);

    if (err != 0)
        return err;
    mode = streams_of(js)->raw->before;
    mode.c_iflag &= ~(tcflag_t)(BRKINT | ICRNL | INPCK | ISTRIP | IXON);
    mode.c_cflag |= CS8;
    mode.c_lflag &= ~(tcflag_t)(ECHO | ICANON | IEXTEN);
    if (how == RAW)
        mode.c_lflag &= ~(tcflag_t)ISIG;
    mode.c_cc[VMIN] = 1;
    mode.c_cc[VTIME] = 0;
    return tcsetattr(fd, TCSADRAIN, &mode) == 0 ? 0 : -errno;
}

/* setRaw(fd, how): 0 or -errno */
static JSValue set_raw(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    int32_t fd, how;
    int err = 0;

    if (JS_ToInt32(context, &fd, argv[0]) < 0 ||
        JS_ToInt32(context, &how, argv[1]) < 0)
        return JS_EXCEPTION;
    if (how != COOKED)
        err = make_raw(js, fd, how);
    else
        reset_terminal(js);
    return JS_NewInt32(context, err);
}

static int init_streams(weir_js *js)
{
    weir__js_list_init(&streams_of(js)->watches);
    return 0;
}

static void drop_streams(weir_js *js)
{
    struct streams *streams = streams_of(js);

    while (!weir__js_list_is_empty(&streams->watches))
        stop_watching((struct watch *)streams->watches.next);
    reset_terminal(js);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("write", 2, write_text),
    JS_CFUNC_DEF("writeBytes", 4, write_bytes),
    JS_CFUNC_DEF("fail", 2, fail),
    JS_CFUNC_DEF("watch", 2, watch_fd),
    JS_CFUNC_MAGIC_DEF("unwatch", 1, change, UNWATCH),
    JS_CFUNC_MAGIC_DEF("ref", 1, change, REF),
    JS_CFUNC_MAGIC_DEF("unref", 1, change, UNREF),
    JS_CFUNC_DEF("isTTY", 1, is_tty),
    JS_CFUNC_DEF("kindOf", 1, kind_of),
    JS_CFUNC_DEF("windowSize", 1, window_size),
    JS_CFUNC_DEF("setRaw", 2, set_raw),
};

const struct weir__js_builtin weir__js_stream_builtin = {
    WEIR__JS_LIBS("program/stdio", "program/input", "program/output",
                  "program/tty", "program/ttystreams", "program/repl",
                  "program/process"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct streams),
    .init = init_streams,
    .drop = drop_streams,
};
