/* SPDX-License-Identifier: MIT */
/*
 * process -- how a program ends, and what it must not do.
 */
#include <assert.h>
#include <dlfcn.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "program.h"
#include "report.h"
#include "site.h"

#define NATIVE(name) ((__typeof__(&name))(uintptr_t)dlsym(RTLD_NEXT, #name))

enum { WIPED_BYTES = 768 }; /* more than the frames of shadow.c take */

void program_refuse(const char *what, uintptr_t pc)
{
    char here[200] = "";

    if (execution != NULL)
        execution->self = NULL;
    if (pc != 0)
        site_print(here, sizeof(here), site_get(site_of(pc)));
    report_refusal(what, here);
}

__attribute__((noinline)) void program_wipe_stack(void)
{
    char below[WIPED_BYTES];

    memset(below, 0, sizeof(below));
    __asm__ volatile("" : : "r"(below) : "memory"); /* it is not for nothing */
}

struct actor *program_pause(void)
{
    struct actor *self = execution->self;

    execution->self = NULL;
    return self;
}

void program_go_on(struct actor *self)
{
    execution->self = self;
}

void program_end_thread(void)
{
    execution->self->co.is_done = true;
    coroutine_leave();
    abort(); /* not reached */
}

INTERPOSED void __assert_fail(const char *text, const char *file, unsigned line,
                              const char *function)
{
    const char *slash = strrchr(file, '/');

    if (!is_exploring()) {
        fprintf(stderr, "%s:%u: %s: assertion '%s' failed\n", file, line,
                function, text);
        abort();
    }
    execution_fail(MODEL_ASSERTION, "%s: %s:%u: %s", execution->self->name,
                   slash != NULL ? slash + 1 : file, line, text);
    abort(); /* not reached */
}

static void fail_at(const char *what, uintptr_t pc)
{
    struct actor *self = program_pause();
    char here[200];

    site_print(here, sizeof(here), site_get(site_of(pc)));
    program_go_on(self);
    execution_fail(MODEL_ASSERTION, "%s calls %s at %s", execution->self->name,
                   what, here);
}

INTERPOSED void abort(void)
{
    if (is_exploring())
        fail_at("abort()", CALLER);
    NATIVE(abort)();
    __builtin_unreachable();
}

static _Noreturn void end(int status, uintptr_t pc)
{
    char what[40];

    snprintf(what, sizeof(what), "exit(%d)", status);
    if (status != 0)
        fail_at(what, pc);
    execution->is_over = true;
    program_end_thread();
}

INTERPOSED void exit(int status)
{
    if (is_exploring())
        end(status, CALLER);
    NATIVE(exit)(status);
    __builtin_unreachable();
}

INTERPOSED void _exit(int status)
{
    if (is_exploring())
        end(status, CALLER);
    NATIVE(_exit)(status);
    __builtin_unreachable();
}

INTERPOSED void quick_exit(int status)
{
    if (is_exploring())
        end(status, CALLER);
    NATIVE(quick_exit)(status);
    __builtin_unreachable();
}

INTERPOSED pid_t fork(void)
{
    if (!is_exploring())
        return NATIVE(fork)();
    program_refuse("fork()", CALLER);
}
