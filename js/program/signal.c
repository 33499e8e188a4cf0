/* SPDX-License-Identifier: MIT */
/*
 * signal -- signals as events of `process`, through a descriptor of the loop.
 *
 * A signal that has listeners is blocked on this thread and read from a
 * signalfd, which does not keep the loop alive.  Only one thread of a program
 * does this.  All other threads must be started with the signal blocked, or one
 * of them receives it.  kill() is here as well.
 *
 * A signal can be final: the program ends at the second one at the latest, even
 * if JavaScript does not return to the loop (lib/program/term.js).  Final
 * signals are also taken while JavaScript runs, when the engine checks for
 * interrupts.  The first one waits for the loop, and the second one ends the
 * process.
 *
 * When the host ends, the signals that it has blocked are unblocked.  If the
 * program ends with it, those that arrived too late for their listeners are
 * discarded first.
 *
 * Tested by  test/js/program/process-signals.js,
 *            test/js/program/signal-at-exit.js, test/js/program/signal.c
 */
#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/signalfd.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/lib.h"
#include "core/permission.h"
#include "weir/fd.h"
#include "weir/host/thread.h"

enum { LOOK_EVERY = 16 }; /* checks for interrupts */

struct signals {
    int fd;           /* -1: no listener, or the loop has ended */
    sigset_t set;     /* those that have listeners */
    sigset_t blocked; /* those that were not blocked before */
    sigset_t final;   /* of `set`: a second one ends the process */
    unsigned taken;   /* final ones that have arrived */
    unsigned looks;
    int waiting;    /* final one that arrived while JavaScript ran; or 0 */
    weir_js *js;    /* whose listeners ... */
    weir_task task; /* ... are called by this for `waiting` */
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
    if (read(fd, &info, sizeof(info)) == (ssize_t)sizeof(info)) {
        signals->taken += sigismember(&signals->final, (int)info.ssi_signo) > 0;
        call_listeners(js, info.ssi_signo); /* one signal per turn */
    }
}

/* ---- final signals ---- */

static void on_waiting(weir_task *task, int status)
{
    struct signals *signals =
        (struct signals *)((char *)task - offsetof(struct signals, task));
    weir_js *js = signals->js;
    int number = signals->waiting;

    signals->waiting = 0;
    if (status == 0 && !js->has_ended)
        call_listeners(js, (uint32_t)number);
    weir__js_let_go(js);
}

static void let_wait(weir_js *js, int number)
{
    struct signals *signals = signals_of(js);

    signals->taken++;
    signals->js = js;
    signals->waiting = number;
    signals->task = (weir_task){.run = on_waiting, .name = "signal"};
    if (!weir__js_hold(js))
        signals->waiting = 0;
    else if (weir_loop_post(js->loop, &signals->task) != 0)
        on_waiting(&signals->task, WEIR_ECANCELED); /* the loop ends */
}

/* Take final signals while JavaScript keeps the loop from doing so. */
static void look_for_final(weir_js *js)
{
    static const struct timespec no_time = {0, 0};
    struct signals *signals = signals_of(js);
    int number;

    if (++signals->looks % LOOK_EVERY != 0)
        return;
    while ((number = sigtimedwait(&signals->final, NULL, &no_time)) > 0) {
        if (signals->taken == 0) {
            let_wait(js, number);
            continue;
        }
        fprintf(stderr,
                "weir: ended by a second signal (%s), in a callback that did "
                "not return\n",
                strsignal(number));
        _exit(128 + number);
    }
}

static void set_final(weir_js *js, int number, bool is_final)
{
    struct signals *signals = signals_of(js);

    (void)(is_final ? sigaddset : sigdelset)(&signals->final, number);
    if (sigisemptyset(&signals->final)) {
        js->on_busy = NULL;
        signals->taken = 0;
    } else {
        js->on_busy = look_for_final;
    }
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
    sigemptyset(&signals->final);
    return 0;
}

/* A signal that has listeners must not replace the program's exit code.  (A host
 * that runs no program leaves the signal to its embedder.) */
static void discard_pending(const struct signals *signals)
{
    static const struct timespec no_time = {0, 0};

    while (sigtimedwait(&signals->blocked, NULL, &no_time) > 0)
        ;
}

/* The descriptor may be gone already, with the loop. */
static void drop_signals(weir_js *js)
{
    struct signals *signals = signals_of(js);

    js->on_busy = NULL;
    if (signals->fd >= 0) {
        (void)!weir_fd_remove(js->loop, signals->fd, NULL, NULL);
        close(signals->fd);
        signals->fd = -1;
        weir__js_let_go(js);
    }
    if (js->is_program)
        discard_pending(signals);
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
    else if (!is_watched)
        set_final(js, number, false);
    return err;
}

/* setFinal(number, isFinal), of a signal that is watched */
static JSValue set_final_of(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    int32_t number;

    if (JS_ToInt32(context, &number, argv[0]) < 0)
        return JS_EXCEPTION;
    set_final(js, number, js->is_program && JS_ToBool(context, argv[1]) > 0);
    return JS_UNDEFINED;
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
    if (pid != getpid() && !weir__js_check_may(context, WEIR__JS_MAY_SPAWN))
        return JS_EXCEPTION;
    return kill(pid, number) == 0 ? JS_TRUE
                                  : weir__js_throw_status(context, -errno);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_MAGIC_DEF("watch", 1, watch, WATCH),
    JS_CFUNC_MAGIC_DEF("unwatch", 1, watch, UNWATCH),
    JS_CFUNC_DEF("setFinal", 2, set_final_of),
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
