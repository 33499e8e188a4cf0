/* SPDX-License-Identifier: MIT */
/*
 * os -- what `os` needs from the system and cannot read from a file.
 *
 * Tested by  test/js/system/os-basics.js
 */
#include <dlfcn.h>
#include <errno.h>
#include <pwd.h>
#include <sched.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/permission.h"
#include "core/property.h"
#include "system/syserror.h"

/* uname(): sysname, nodename, release, version, machine */
static JSValue name_system(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct utsname names;
    JSValue values[5];

    if (uname(&names) != 0)
        return weir__js_throw_system(context, -errno, "uv_os_uname", NULL,
                                     NULL);
    values[0] = JS_NewString(context, names.sysname);
    values[1] = JS_NewString(context, names.nodename);
    values[2] = JS_NewString(context, names.release);
    values[3] = JS_NewString(context, names.version);
    values[4] = JS_NewString(context, names.machine);
    return weir__js_new_array(context, 5, values);
}

static JSValue load_average(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    double loads[3] = {0, 0, 0};
    JSValue values[3];

    if (getloadavg(loads, 3) < 0)
        loads[0] = loads[1] = loads[2] = 0;
    for (int i = 0; i < 3; i++)
        values[i] = JS_NewFloat64(context, loads[i]);
    return weir__js_new_array(context, 3, values);
}

static JSValue count_cores(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    cpu_set_t cores;

    return JS_NewInt32(context, sched_getaffinity(0, sizeof(cores), &cores) == 0
                                    ? CPU_COUNT(&cores)
                                    : (int)sysconf(_SC_NPROCESSORS_ONLN));
}

static JSValue describe_user(JSContext *context, const struct passwd *user)
{
    JSValue info = JS_NewObjectProto(context, JS_NULL);

    if (weir__js_set_property(context, info, "uid",
                              JS_NewUint32(context, user->pw_uid)) >= 0 &&
        weir__js_set_property(context, info, "gid",
                              JS_NewUint32(context, user->pw_gid)) >= 0 &&
        weir__js_set_property(context, info, "username",
                              JS_NewString(context, user->pw_name)) >= 0 &&
        weir__js_set_property(context, info, "homedir",
                              JS_NewString(context, user->pw_dir)) >= 0 &&
        weir__js_set_property(context, info, "shell",
                              JS_NewString(context, user->pw_shell)) >= 0)
        return info;
    JS_FreeValue(context, info);
    return JS_EXCEPTION;
}

/* user(): the owner of the process */
static JSValue get_user(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    size_t size = 1024;
    char *space = NULL;
    struct passwd user, *found = NULL;
    JSValue info;
    int err = ERANGE;

    while (err == ERANGE) {
        char *more = realloc(space, size *= 2);

        if (more == NULL) {
            err = ENOMEM;
            break;
        }
        space = more;
        err = getpwuid_r(geteuid(), &user, space, size, &found);
    }
    if (err == 0 && found != NULL)
        info = describe_user(context, found);
    else
        info = weir__js_throw_system(context, err != 0 ? -err : -ENOENT,
                                     "uv_os_get_passwd", NULL, NULL);
    free(space);
    return info;
}

/* getPriority(pid) */
/* Whether it is this process, or others may be touched; or an exception. */
static bool may_touch(JSContext *context, int32_t pid)
{
    return pid == 0 || pid == getpid() ||
           weir__js_check_may(context, WEIR__JS_MAY_SPAWN);
}

static JSValue get_priority(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    int32_t pid;
    int priority;

    if (JS_ToInt32(context, &pid, argv[0]) < 0 || !may_touch(context, pid))
        return JS_EXCEPTION;
    errno = 0;
    priority = getpriority(PRIO_PROCESS, (id_t)pid);
    return errno != 0 ? weir__js_throw_system(context, -errno,
                                              "uv_os_getpriority", NULL, NULL)
                      : JS_NewInt32(context, priority);
}

/* setPriority(pid, priority) */
static JSValue set_priority(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    int32_t pid, priority;

    if (JS_ToInt32(context, &pid, argv[0]) < 0 ||
        JS_ToInt32(context, &priority, argv[1]) < 0 || !may_touch(context, pid))
        return JS_EXCEPTION;
    return setpriority(PRIO_PROCESS, (id_t)pid, priority) == 0
               ? JS_UNDEFINED
               : weir__js_throw_system(context, -errno, "uv_os_setpriority",
                                       NULL, NULL);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("uname", 0, name_system),
    JS_CFUNC_DEF("loadavg", 0, load_average),
    JS_CFUNC_DEF("cores", 0, count_cores),
    JS_CFUNC_DEF("user", 0, get_user),
    JS_CFUNC_DEF("getPriority", 1, get_priority),
    JS_CFUNC_DEF("setPriority", 2, set_priority),
};

#define NUMBER(name)                                                           \
    {                                                                          \
#name, name                                                            \
    }
static const struct number {
    const char *name;
    int value;
} signals[] =
    {
        NUMBER(SIGHUP),   NUMBER(SIGINT),    NUMBER(SIGQUIT),   NUMBER(SIGILL),
        NUMBER(SIGTRAP),  NUMBER(SIGABRT),   NUMBER(SIGIOT),    NUMBER(SIGBUS),
        NUMBER(SIGFPE),   NUMBER(SIGKILL),   NUMBER(SIGUSR1),   NUMBER(SIGSEGV),
        NUMBER(SIGUSR2),  NUMBER(SIGPIPE),   NUMBER(SIGALRM),   NUMBER(SIGTERM),
        NUMBER(SIGCHLD),  NUMBER(SIGSTKFLT), NUMBER(SIGCONT),   NUMBER(SIGSTOP),
        NUMBER(SIGTSTP),  NUMBER(SIGTTIN),   NUMBER(SIGTTOU),   NUMBER(SIGURG),
        NUMBER(SIGXCPU),  NUMBER(SIGXFSZ),   NUMBER(SIGVTALRM), NUMBER(SIGPROF),
        NUMBER(SIGWINCH), NUMBER(SIGIO),     NUMBER(SIGPOLL),   NUMBER(SIGPWR),
        NUMBER(SIGSYS),
},
  loading[] = {
      NUMBER(RTLD_LAZY),  NUMBER(RTLD_NOW),      NUMBER(RTLD_GLOBAL),
      NUMBER(RTLD_LOCAL), NUMBER(RTLD_DEEPBIND),
};
#undef NUMBER

/* An object without a prototype, in the order of the list. */
static JSValue new_numbers(JSContext *context, const struct number *list,
                           size_t count)
{
    JSValue object = JS_NewObjectProto(context, JS_NULL);

    for (size_t i = 0; i < count; i++)
        if (weir__js_set_property(context, object, list[i].name,
                                  JS_NewInt32(context, list[i].value)) < 0) {
            JS_FreeValue(context, object);
            return JS_EXCEPTION;
        }
    return object;
}

static JSValue new_errors(JSContext *context)
{
    JSValue object = JS_NewObjectProto(context, JS_NULL);
    const struct weir__js_syserror *error;

    for (int i = 0; (error = weir__js_syserror_at(i)) != NULL; i++)
        if (error->is_public &&
            weir__js_set_property(context, object, error->name,
                                  JS_NewInt32(context, error->number)) < 0) {
            JS_FreeValue(context, object);
            return JS_EXCEPTION;
        }
    return object;
}

static int add_tables(JSContext *context, JSValueConst native)
{
    if (weir__js_set_property(
            context, native, "signals",
            new_numbers(context, signals, sizeof(signals) / sizeof(*signals))) <
            0 ||
        weir__js_set_property(
            context, native, "dlopen",
            new_numbers(context, loading, sizeof(loading) / sizeof(*loading))) <
            0 ||
        weir__js_set_property(context, native, "errno", new_errors(context)) <
            0)
        return -1;
    return 0;
}

const struct weir__js_builtin weir__js_os_builtin = {
    WEIR__JS_LIBS("system/os"),
    WEIR__JS_NATIVES(natives),
    .add = add_tables,
};
