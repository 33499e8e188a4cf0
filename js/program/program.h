/* SPDX-License-Identifier: MIT */
/*
 * program -- a host that runs one program from its start to its exit code.
 */
#ifndef WEIR_JS_PROGRAM_H
#define WEIR_JS_PROGRAM_H

#include "core/host.h"
#include "weir/host/virtual.h"

/* Note that `process` was loaded: it may have listeners from now on. */
void weir__js_watch_process(weir_js *js);

/* process.exit: run no more JavaScript and end the loop. */
void weir__js_stop(weir_js *js, int code);

/* Take part in virtual time (weir/host/virtual.h), or no longer.  weir_js_run
 * does both, except for a worker, which does it itself. */
void weir__js_join_time(weir_js *js);
void weir__js_leave_time(weir_js *js);

/* Its part of a host. */
struct weir__js_program {
    weir_virtual_member member;
    const weir_js_program *given; /* while weir_js_run runs */
    size_t text_length;           /* of given->text; 0: up to its first NUL */
    int argc;                     /* ... like these */
    const char *const *argv;
    int exec_argc;
    const char *const *exec_argv;
    size_t begun_by_exit; /* `begun` after beforeExit */
    bool has_process;     /* `process` was used: it may have listeners */
    bool has_exited;
    bool is_hopeless; /* a listener of uncaughtException has thrown */
    int exit_code;
};

static inline struct weir__js_program *weir__js_program(const weir_js *js)
{
    return js->states[WEIR__JS_PROGRAM];
}

#endif /* WEIR_JS_PROGRAM_H */
