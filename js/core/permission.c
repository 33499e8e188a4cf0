/* SPDX-License-Identifier: MIT */
/*
 * permission -- the table of grants, and comparisons with it.
 *
 * Shape     Three lists: names of files to read and to write, and names of
 *           variables; and a flag for each of the others.  A list is small, so
 *           it is searched from its beginning.
 * Roles     confine  the thread that begins the process's JavaScript, before
 *                    there is a host
 *           check    any thread, afterwards
 * Shared    All of it is const after confine; the threads of hosts and pools
 *           are started later, which publishes it.  It is never freed.
 *
 * A path that is granted is resolved once, at the start, as every path is that
 * a program uses later (place.c).  If it leads through a symbolic link, the
 * grant is for where the link led then; the link itself is granted, too.
 *
 * /proc holds the memory and the environment of this process.  They are not
 * granted by "*" or "/": no file there can be written unless a path below /proc
 * is granted, and mem and environ can be read only like that, or, environ, with
 * the whole environment.
 *
 * Tested by  test/js/program/permission-*.js, test/js/core/permission.c
 */
#include "core/permission.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/place.h"
#include "core/property.h"
#include "weir/host/sized.h"
#include "weir/js.h"

enum reach {
    EXACTLY,   /* this name */
    BELOW,     /* this directory and all that is in it */
    BEGINNING, /* every name that begins like this */
};

struct grant {
    enum reach reach;
    size_t length;
    char *text;
};

struct list {
    bool has_all;
    size_t count;
    struct grant *grants;
};

bool weir__js_is_confined;

static struct {
    struct list reads, writes, variables;
    bool spawns, works, connects;
} table;

/* ---- checks ---- */

static bool matches(const struct grant *grant, const char *name, size_t length)
{
    if (length < grant->length || memcmp(name, grant->text, grant->length) != 0)
        return false;
    return length == grant->length || grant->reach == BEGINNING ||
           (grant->reach == BELOW && name[grant->length] == '/');
}

static bool is_listed(const struct list *list, const char *name, size_t length)
{
    for (size_t i = 0; i < list->count; i++)
        if (matches(&list->grants[i], name, length))
            return true;
    return false;
}

static bool is_in_proc(const char *name)
{
    return strncmp(name, "/proc/", 6) == 0;
}

/* /proc/1/environ, /proc/1/task/2/mem */
static bool is_inside_of_process(const char *name)
{
    const char *last = strrchr(name, '/');

    return is_in_proc(name) &&
           (strcmp(last, "/mem") == 0 ||
            (strcmp(last, "/environ") == 0 && !table.variables.has_all));
}

static bool may_read(const char *name, size_t length)
{
    return (table.reads.has_all && !is_inside_of_process(name)) ||
           is_listed(&table.reads, name, length);
}

static bool may_write(const char *name, size_t length)
{
    return (table.writes.has_all && !is_in_proc(name)) ||
           is_listed(&table.writes, name, length);
}

int weir__js_missing_for_file(int wanted, const char *name)
{
    size_t length = strlen(name);

    return ((wanted & WEIR__JS_MAY_READ) != 0 && !may_read(name, length)
                ? WEIR__JS_MAY_READ
                : 0) |
           ((wanted & WEIR__JS_MAY_WRITE) != 0 && !may_write(name, length)
                ? WEIR__JS_MAY_WRITE
                : 0);
}

static const struct list *list_of(enum weir__js_may what)
{
    return what == WEIR__JS_MAY_READ    ? &table.reads
           : what == WEIR__JS_MAY_WRITE ? &table.writes
           : what == WEIR__JS_MAY_ENV   ? &table.variables
                                        : NULL;
}

bool weir__js_may(enum weir__js_may what)
{
    const struct list *list = list_of(what);

    if (list != NULL)
        return list->has_all;
    return what == WEIR__JS_MAY_SPAWN  ? table.spawns
           : what == WEIR__JS_MAY_WORK ? table.works
           : what == WEIR__JS_MAY_NET  ? table.connects
                                       : false;
}

bool weir__js_may_some(enum weir__js_may what)
{
    const struct list *list = list_of(what);

    return list != NULL ? list->has_all || list->count > 0 : weir__js_may(what);
}

bool weir__js_may_use_variable(const char *name, size_t length)
{
    return table.variables.has_all || is_listed(&table.variables, name, length);
}

/* ---- grants ---- */

static int add(struct list *list, enum reach reach, const char *text,
               size_t length)
{
    struct grant *grown =
        realloc(list->grants, (list->count + 1) * sizeof(*grown));
    char *copy;

    if (grown == NULL)
        return -ENOMEM;
    list->grants = grown;
    copy = strndup(text, length);
    if (copy == NULL)
        return -ENOMEM;
    grown[list->count++] = (struct grant){reach, length, copy};
    return 0;
}

/* Add what a path leads to.  A directory is granted with all that is in it. */
static int add_name(struct list *list, const char *path, bool follows,
                    enum reach reach)
{
    char name[PATH_MAX];
    struct stat about;
    int err = weir__js_place_name(path, follows, name);

    if (err != 0)
        return err;
    if (name[0] == '\0')
        return -EINVAL;
    if (strcmp(name, "/") == 0) {
        list->has_all = true;
        return 0;
    }
    if (lstat(name, &about) == 0 && S_ISDIR(about.st_mode))
        reach = BELOW;
    return add(list, reach, name, strlen(name));
}

/* "DIRECTORY/START*" */
static int add_beginning(struct list *list, const char *path, size_t length)
{
    char directory[PATH_MAX], name[PATH_MAX];
    size_t start = length, size;
    int err;

    while (start > 0 && path[start - 1] != '/')
        start--;
    memcpy(directory, path, start);
    strcpy(directory + start, start == 0 ? "." : "");
    if (start == length) /* a whole directory */
        return add_name(list, directory, true, BELOW);
    err = weir__js_place_name(directory, true, name);
    if (err != 0)
        return err;
    size = strlen(name);
    if (size == 0 || size + 1 + length - start >= sizeof(name))
        return -EINVAL;
    if (size > 1)
        name[size++] = '/';
    memcpy(name + size, path + start, length - start);
    return add(list, BEGINNING, name, size + length - start);
}

static int add_path(struct list *list, const char *path)
{
    size_t length = strlen(path);
    enum reach reach;
    int err;

    if (length == 0 || length >= PATH_MAX)
        return -EINVAL;
    if (strcmp(path, "*") == 0) {
        list->has_all = true;
        return 0;
    }
    if (path[length - 1] == '*')
        return add_beginning(list, path, length - 1);
    reach = path[length - 1] == '/' ? BELOW : EXACTLY;
    err = add_name(list, path, true, reach);
    return err != 0 ? err : add_name(list, path, false, reach);
}

static int add_variable(struct list *list, const char *text)
{
    size_t length = strlen(text);

    if (length == 0)
        return -EINVAL;
    if (strcmp(text, "*") == 0) {
        list->has_all = true;
        return 0;
    }
    return text[length - 1] == '*' ? add(list, BEGINNING, text, length - 1)
                                   : add(list, EXACTLY, text, length);
}

/* Only all of it can be granted.  Part of it would need a check of each address
 * that a name is resolved to. */
static int read_net(const char *const *texts, bool *connects)
{
    *connects = false;
    for (; texts != NULL && *texts != NULL; texts++) {
        if (strcmp(*texts, "*") != 0)
            return -EINVAL;
        *connects = true;
    }
    return 0;
}

static int add_all(struct list *list, const char *const *texts,
                   int (*add_one)(struct list *list, const char *text))
{
    int err = 0;

    for (; err == 0 && texts != NULL && *texts != NULL; texts++)
        err = add_one(list, *texts);
    return err;
}

static void clear(struct list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->grants[i].text);
    free(list->grants);
    *list = (struct list){0};
}

int weir_js_confine(const weir_js_permissions *permissions)
{
    weir_js_permissions all;
    int err = weir_sized_read(&all, sizeof(all), permissions);

    if (err != 0)
        return err;
    if (weir__js_is_confined)
        return -EALREADY;
    err = read_net(all.net, &table.connects);
    if (err == 0)
        err = add_all(&table.reads, all.fs_read, add_path);
    if (err == 0)
        err = add_all(&table.writes, all.fs_write, add_path);
    if (err == 0)
        err = add_all(&table.variables, all.env, add_variable);
    if (err != 0) {
        clear(&table.reads);
        clear(&table.writes);
        clear(&table.variables);
        return err;
    }
    table.spawns = all.child;
    table.works = all.worker;
    weir__js_is_confined = true;
    return 0;
}

/* ---- errors ---- */

static const char *name_of(int missing)
{
    return (missing & WEIR__JS_MAY_READ) != 0    ? "FileSystemRead"
           : (missing & WEIR__JS_MAY_WRITE) != 0 ? "FileSystemWrite"
           : (missing & WEIR__JS_MAY_SPAWN) != 0 ? "ChildProcess"
           : (missing & WEIR__JS_MAY_WORK) != 0  ? "WorkerThreads"
           : (missing & WEIR__JS_MAY_NET) != 0   ? "Net"
           : (missing & WEIR__JS_MAY_ENV) != 0   ? "Environment"
                                                 : "Addons";
}

static bool set_text(JSContext *context, JSValueConst error, const char *name,
                     const char *text)
{
    return weir__js_set_property(context, error, name,
                                 JS_NewString(context, text)) >= 0;
}

JSValue weir__js_throw_denied(JSContext *context, int missing,
                              const char *resource)
{
    JSValue error = JS_NewPlainError(context, "%s",
                                     "Access to this API has been restricted");

    if (JS_IsException(error))
        return error;
    if ((set_text(context, error, "code", "ERR_ACCESS_DENIED") &&
         set_text(context, error, "permission", name_of(missing)) &&
         set_text(context, error, "resource", resource)))
        return JS_Throw(context, error);
    JS_FreeValue(context, error);
    return JS_EXCEPTION;
}

/* Whether there is a ".." in the part of a name that is missing.  The kernel
 * finds nothing there, but a library may resolve it as text, as SQLite does. */
static bool leads_up(const char *name)
{
    for (;;) {
        size_t length = strcspn(name, "/");

        if (length == 2 && name[0] == '.' && name[1] == '.')
            return true;
        if (name[length] == '\0')
            return false;
        name += length + 1;
    }
}

/* SQLite may be built to take "file:" for a URI wherever it takes a name. */
int weir__js_missing_for_path(int wanted, const char *path)
{
    char name[PATH_MAX];

    if (strncmp(path, "file:", 5) == 0 ||
        weir__js_place_name(path, true, name) != 0 || leads_up(name))
        name[0] = '\0';
    return weir__js_missing_for_file(wanted, name);
}

char *weir__js_resolve_path(const char *path)
{
    char name[PATH_MAX];

    return weir__js_is_confined && weir__js_place_name(path, true, name) == 0 &&
                   name[0] != '\0'
               ? strdup(name)
               : strdup(path);
}

bool weir__js_check_path(JSContext *context, int wanted, const char *path)
{
    int missing;

    if (!weir__js_is_confined)
        return true;
    missing = weir__js_missing_for_path(wanted, path);
    if (missing != 0)
        weir__js_throw_denied(context, missing, path);
    return missing == 0;
}
