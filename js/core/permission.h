/* SPDX-License-Identifier: MIT */
/*
 * permission -- what the process's JavaScript may reach outside of itself.
 *
 *     if (weir__js_is_confined && !weir__js_may(WEIR__JS_MAY_SPAWN))
 *         return weir__js_throw_denied(context, WEIR__JS_MAY_SPAWN, "");
 *
 * There is one table of grants in a process.  weir_js_confine() fills it before
 * the first host is made, and nothing changes it afterwards, so that workers
 * and the threads of a pool read it without a lock, and no JavaScript can widen
 * it.  While weir__js_is_confined is false, everything is granted, and a check
 * costs the one branch that looks at it.
 *
 * Checks are made in C by the function that makes the system call, on the name
 * that the kernel has found (core/place.h), never on the text that the program
 * has passed.
 */
#ifndef WEIR_JS_PERMISSION_H
#define WEIR_JS_PERMISSION_H

#include <quickjs.h>
#include <stdbool.h>
#include <stddef.h>

/* Bits; a check may ask for several. */
enum weir__js_may {
    WEIR__JS_MAY_READ = 1,
    WEIR__JS_MAY_WRITE = 2,
    WEIR__JS_MAY_SPAWN = 4,
    WEIR__JS_MAY_WORK = 8, /* start workers */
    WEIR__JS_MAY_NET = 16,
    WEIR__JS_MAY_ENV = 32,
    WEIR__JS_MAY_LOAD = 64, /* native code; nothing grants it */
};

/* const after weir_js_confine, which comes before the first host */
extern bool weir__js_is_confined;

/* Returns the bits of `wanted` that are not granted for this name, which is
 * absolute, with no symbolic link and no ".." in it; 0: all are granted. */
int weir__js_missing_for_file(int wanted, const char *name);

/* For a whole permission: spawn, work; or all of the files, the network or the
 * environment. */
bool weir__js_may(enum weir__js_may what);

/* Whether something is granted at all, for process.permission.has("fs.read"). */
bool weir__js_may_some(enum weir__js_may what);

/* Whether a variable of the environment can be seen and set. */
bool weir__js_may_use_variable(const char *name, size_t length);

/* Throw unless a path is granted that a library opens by its name.  Returns
 * whether it is.  What the path leads to can change until the library opens
 * it. */
bool weir__js_check_path(JSContext *context, int wanted, const char *path);

/* The bits that are not granted for such a path. */
int weir__js_missing_for_path(int wanted, const char *path);

/* The path itself, or in a confined process the name that was checked, which
 * does not depend on the working directory: for a library that opens it later.
 * From malloc; NULL: no memory. */
char *weir__js_resolve_path(const char *path);

/* Throw Node's ERR_ACCESS_DENIED for the first of these bits. */
JSValue weir__js_throw_denied(JSContext *context, int missing,
                              const char *resource);

/* Throw it unless it is granted.  Returns whether it is. */
static inline bool weir__js_check_may(JSContext *context,
                                      enum weir__js_may what)
{
    if (!weir__js_is_confined || weir__js_may(what))
        return true;
    weir__js_throw_denied(context, what, "");
    return false;
}

#endif /* WEIR_JS_PERMISSION_H */
