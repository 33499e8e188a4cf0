/* SPDX-License-Identifier: MIT */
/*
 * identity -- the user and the groups that the process runs as.
 *
 * libc changes them for all threads at once.
 *
 * Tested by  test/js/program/process-identity.js
 */
#include <errno.h>
#include <grp.h>
#include <pwd.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/property.h"
#include "system/syserror.h"

static JSValue get_uid(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewUint32(context, getuid());
}

static JSValue get_euid(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return JS_NewUint32(context, geteuid());
}

static JSValue get_gid(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewUint32(context, getgid());
}

static JSValue get_egid(JSContext *context, JSValueConst this_value, int argc,
                        JSValueConst *argv)
{
    return JS_NewUint32(context, getegid());
}

/* [errno, name, text] of a call that has failed; undefined if it has not. */
static JSValue outcome(JSContext *context, int result)
{
    int number = errno;
    const struct weir__js_syserror *known;
    JSValue values[3];

    if (result == 0)
        return JS_UNDEFINED;
    known = weir__js_syserror_find(number);
    values[0] = JS_NewInt32(context, number);
    values[1] = JS_NewString(context, known != NULL ? known->name : "");
    values[2] = JS_NewString(context, strerror(number));
    return weir__js_new_array(context, 3, values);
}

/* setId(what, id): the number of a function */
static JSValue set_id(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    static int (*const setters[])(uid_t) = {setuid, seteuid, setgid, setegid};
    uint32_t what, id;

    if (JS_ToUint32(context, &what, argv[0]) < 0 ||
        JS_ToUint32(context, &id, argv[1]) < 0)
        return JS_EXCEPTION;
    if (what >= sizeof(setters) / sizeof(*setters))
        return JS_ThrowRangeError(context, "what");
    return outcome(context, setters[what](id));
}

/* ---- groups ---- */

static JSValue list_groups(JSContext *context, const gid_t *groups, int count)
{
    JSValue list = JS_NewArray(context);
    gid_t own = getegid();
    bool has_own = false, is_done = !JS_IsException(list);

    for (int i = 0; is_done && i < count; i++) {
        has_own |= groups[i] == own;
        is_done = weir__js_set_element(context, list, (uint32_t)i,
                                       JS_NewUint32(context, groups[i])) >= 0;
    }
    if (is_done && !has_own)
        is_done = weir__js_set_element(context, list, (uint32_t)count,
                                       JS_NewUint32(context, own)) >= 0;
    if (is_done)
        return list;
    JS_FreeValue(context, list);
    return JS_EXCEPTION;
}

static JSValue get_groups(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    int count = getgroups(0, NULL);
    gid_t *groups = calloc((size_t)count + 1, sizeof(*groups));
    JSValue list;

    if (groups == NULL)
        return JS_ThrowOutOfMemory(context);
    list = list_groups(context, groups, getgroups(count, groups));
    free(groups);
    return list;
}

static JSValue set_groups(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    int64_t count;
    gid_t *groups;
    JSValue result;

    if (JS_GetLength(context, argv[0], &count) < 0)
        return JS_EXCEPTION;
    groups = calloc((size_t)count + 1, sizeof(*groups));
    if (groups == NULL)
        return JS_ThrowOutOfMemory(context);
    for (int64_t i = 0; i < count; i++) {
        JSValue group = JS_GetPropertyUint32(context, argv[0], (uint32_t)i);
        int err = JS_ToUint32(context, &groups[i], group);

        JS_FreeValue(context, group);
        if (err < 0) {
            free(groups);
            return JS_EXCEPTION;
        }
    }
    result = outcome(context, setgroups((size_t)count, groups));
    free(groups);
    return result;
}

/* initGroups(user, gid) */
static JSValue init_groups(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    uint32_t group;
    const char *user;
    JSValue result;

    if (JS_ToUint32(context, &group, argv[1]) < 0)
        return JS_EXCEPTION;
    user = JS_ToCString(context, argv[0]);
    if (user == NULL)
        return JS_EXCEPTION;
    result = outcome(context, initgroups(user, group));
    JS_FreeCString(context, user);
    return result;
}

/* ---- names ---- */

/* What a lookup in the system's database found. */
struct found {
    uint32_t id;
    char *name; /* of a user; the caller frees it */
};

/* One lookup with so much space.  Returns 0 or a number of errno. */
typedef int lookup_fn(const char *name, uint32_t id, char *space, size_t size,
                      struct found *found);

static int find_user(const char *name, uint32_t id, char *space, size_t size,
                     struct found *found)
{
    struct passwd user, *result = NULL;
    int err = getpwnam_r(name, &user, space, size, &result);

    if (err == 0 && result == NULL)
        return ENOENT;
    found->id = err == 0 ? user.pw_uid : 0;
    return err;
}

static int find_group(const char *name, uint32_t id, char *space, size_t size,
                      struct found *found)
{
    struct group group, *result = NULL;
    int err = getgrnam_r(name, &group, space, size, &result);

    if (err == 0 && result == NULL)
        return ENOENT;
    found->id = err == 0 ? group.gr_gid : 0;
    return err;
}

static int find_name(const char *name, uint32_t id, char *space, size_t size,
                     struct found *found)
{
    struct passwd user, *result = NULL;
    int err = getpwuid_r(id, &user, space, size, &result);

    if (err == 0 && result == NULL)
        return ENOENT;
    if (err == 0)
        found->name = strdup(user.pw_name);
    return err == 0 && found->name == NULL ? ENOMEM : err;
}

/* Look up with more and more space. */
static bool look_up(lookup_fn *lookup, const char *name, uint32_t id,
                    struct found *found)
{
    size_t size = 1024;
    char *space = NULL;
    int err = ERANGE;

    while (err == ERANGE) {
        char *more = realloc(space, size *= 2);

        if (more == NULL)
            break;
        space = more;
        err = lookup(name, id, space, size, found);
    }
    free(space);
    return err == 0;
}

/* findId(isGroup, name): undefined if there is none */
static JSValue find_id(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    const char *name = JS_ToCString(context, argv[1]);
    struct found found = {0};
    bool is_there;

    if (name == NULL)
        return JS_EXCEPTION;
    is_there = look_up(JS_ToBool(context, argv[0]) ? find_group : find_user,
                       name, 0, &found);
    JS_FreeCString(context, name);
    return is_there ? JS_NewUint32(context, found.id) : JS_UNDEFINED;
}

/* nameOf(uid): undefined if there is none */
static JSValue name_of(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct found found = {0};
    JSValue name = JS_UNDEFINED;
    uint32_t id;

    if (JS_ToUint32(context, &id, argv[0]) < 0)
        return JS_EXCEPTION;
    if (look_up(find_name, NULL, id, &found))
        name = JS_NewString(context, found.name);
    free(found.name);
    return name;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("getuid", 0, get_uid),
    JS_CFUNC_DEF("geteuid", 0, get_euid),
    JS_CFUNC_DEF("getgid", 0, get_gid),
    JS_CFUNC_DEF("getegid", 0, get_egid),
    JS_CFUNC_DEF("getgroups", 0, get_groups),
    JS_CFUNC_DEF("setId", 2, set_id),
    JS_CFUNC_DEF("setGroups", 1, set_groups),
    JS_CFUNC_DEF("initGroups", 2, init_groups),
    JS_CFUNC_DEF("findId", 2, find_id),
    JS_CFUNC_DEF("nameOf", 1, name_of),
};

const struct weir__js_builtin weir__js_identity_builtin = {
    WEIR__JS_LIBS("program/identity"),
    WEIR__JS_NATIVES(natives),
};
