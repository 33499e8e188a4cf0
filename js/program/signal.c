/* SPDX-License-Identifier: MIT */
/*
 * signal -- signals as events of `process`, through a descriptor of the loop.
 *
 * A signal that has listeners is blocked on this thread and read from a
 * signalfd, which does not keep the loop alive.  Only one thread of a program
 * does this.  All other threads must be started with the signal blocked, or one
 * of them receives it.  kill() is here as well.
 *
 * When the host ends, the signals that it has blocked are unblocked.
 *
 * Tested by  test/js/program/process-signals.js, test/js/program/signal.c
 */
#include <errno.h>
#include <signal.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/lib.h"
#include "weir/fd.h"
#include "weir/host/thread.h"

struct signals {
    int fd;           /* -1: no listener, or the loop has ended */
    sigset_t set;     /* those that have listeners */
    sigset_t blocked; /* those that were not blocked before */
};

static struct signals *signals_of(const weir_js *js)
{
    return js->states[WEIR__JS_SIGNAL];
}

static void call_listeners(weir_js *js, uint32_t number)
{
    JSValue result;

    if (weir__js_enter(js) != 0)
        return;
    result = weir__js_call_hook(js, WEIR__JS_HOOK_SIGNAL,
                                JS_NewInt32(js->context, (int32_t)number));
    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(js->context, result);
    weir__js_leave(js);
}

static void on_readable(void *arg, int status, int fd, unsigned events)
{
    weir_js *js = arg;
    struct signals *signals = signals_of(js);
    struct signalfd_siginfo info;

    if (status != 0) { /* the loop ends; this is the last call */
        close(signals->fd);
        signals->fd = -1;
        weir__js_let_go(js);
        return;
    }
    if (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info))
        call_listeners(js, info.ssi_signo); /* one signal per turn */
}

static int open_fd(weir_js *js)
{
    struct signals *signals = signals_of(js);
    int err, fd = signalfd(-1, &signals->set, SFD_NONBLOCK | SFD_CLOEXEC);

    if (fd < 0)
        return -errno;
    if (!weir__js_hold(js)) {
        close(fd);
        return WEIR_ECLOSED;
    }
    err = weir_fd_add(js->loop, fd, WEIR_FD_READABLE, on_readable, js);
    if (err != 0) {
        weir__js_let_go(js);
        close(fd);
        return err;
    }
    signals->fd = fd;
    return weir_fd_unref(js->loop, fd);
}

static int apply_set(weir_js *js, bool needs_fd)
{
    struct signals *signals = signals_of(js);

    if (signals->fd < 0)
        return needs_fd ? open_fd(js) : 0;
    return signalfd(signals->fd, &signals->set, 0) < 0 ? -errno : 0;
}

static int block(struct signals *signals, int number)
{
    bool was_blocked;
    int err = weir_thread_block_signal(number, true, &was_blocked);

    if (err == 0 && !was_blocked)
        sigaddset(&signals->blocked, number);
    return err;
}

static int unblock(struct signals *signals, int number)
{
    if (sigismember(&signals->blocked, number) != 1)
        return 0;
    sigdelset(&signals->blocked, number);
    return weir_thread_block_signal(number, false, NULL);
}

static int init_signals(weir_js *js)
{
    struct signals *signals = signals_of(js);

    signals->fd = -1;
    sigemptyset(&signals->set);
    sigemptyset(&signals->blocked);
    return 0;
}

/* The descriptor may be gone already, with the loop. */
static void drop_signals(weir_js *js)
{
    struct signals *signals = signals_of(js);

    if (signals->fd >= 0) {
        (void)!weir_fd_remove(js->loop, signals->fd, NULL, NULL);
        close(signals->fd);
        signals->fd = -1;
        weir__js_let_go(js);
    }
    for (int number = 1; number < NSIG; number++)
        (void)!unblock(signals, number);
}

enum { WATCH, UNWATCH };

static int set_watched(weir_js *js, int number, bool is_watched)
{
    struct signals *signals = signals_of(js);
    sigset_t before = signals->set;
    int err;

    if ((is_watched ? sigaddset : sigdelset)(&signals->set, number) != 0)
        return -EINVAL;
    err = apply_set(js, is_watched);
    if (err == 0)
        err = (is_watched ? block : unblock)(signals, number);
    if (err != 0)
        signals->set = before;
    return err;
}

/* watch(number), unwatch(number) */
static JSValue watch(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv, int magic)
{
    int32_t number;
    int err;

    if (JS_ToInt32(context, &number, argv[0]) < 0)
        return JS_EXCEPTION;
    err = set_watched(weir__js_of(context), number, magic == WATCH);
    return err != 0 ? weir__js_throw_status(context, err) : JS_UNDEFINED;
}

/* kill(pid, number) */
static JSValue send(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    int32_t pid, number;

    if (JS_ToInt32(context, &pid, argv[0]) < 0 ||
        JS_ToInt32(context, &number, argv[1]) < 0)
        return JS_EXCEPTION;
    return kill(pid, number) == 0 ? JS_TRUE
                                  : weir__js_throw_status(context, -errno);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("watch", 1, watch, WATCH),
    JS_CFUNC_MAGIC_DEF("unwatch", 1, watch, UNWATCH),
    JS_CFUNC_DEF("kill", 2, send),
#define NUMBER(name) JS_PROP_INT32_DEF(#name, name, JS_PROP_ENUMERABLE)
    NUMBER(SIGHUP),
    NUMBER(SIGINT),
    NUMBER(SIGQUIT),
    NUMBER(SIGILL),
    NUMBER(SIGTRAP),
    NUMBER(SIGABRT),
    NUMBER(SIGBUS),
    NUMBER(SIGFPE),
    NUMBER(SIGKILL),
    NUMBER(SIGUSR1),
    NUMBER(SIGSEGV),
    NUMBER(SIGUSR2),
    NUMBER(SIGPIPE),
    NUMBER(SIGALRM),
    NUMBER(SIGTERM),
    NUMBER(SIGCHLD),
    NUMBER(SIGCONT),
    NUMBER(SIGSTOP),
    NUMBER(SIGTSTP),
    NUMBER(SIGTTIN),
    NUMBER(SIGTTOU),
    NUMBER(SIGURG),
    NUMBER(SIGXCPU),
    NUMBER(SIGXFSZ),
    NUMBER(SIGVTALRM),
    NUMBER(SIGPROF),
    NUMBER(SIGWINCH),
    NUMBER(SIGIO),
    NUMBER(SIGSYS),
#undef NUMBER
};

const struct weir__js_builtin weir__js_signal_builtin = {
    WEIR__JS_LIBS("program/signals"),
    WEIR__JS_NATIVES(natives),
    .state_bytes = sizeof(struct signals),
    .init = init_signals,
    .drop = drop_signals,
};
