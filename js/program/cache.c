/* SPDX-License-Identifier: MIT */
/*
 * cache -- a directory of files that can be made again.
 *
 * The directory and its files belong to the user and only the user can write to
 * them; what does not look like that is not read, because the program runs it.
 * A file is written under another name and then renamed, so that each reader
 * finds all of it.  Every failure means that there is no such file.
 *
 * A confined process has no cache: the program chooses the directory, by an
 * environment variable, and it could be one that it must not write to.
 *
 * Tested by  test/js/program/typescript-cache.js
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/builtin.h"
#include "core/permission.h"

enum { OTHERS_CAN_WRITE = S_IWGRP | S_IWOTH };

static bool is_ours(const struct stat *found, mode_t type)
{
    return (found->st_mode & S_IFMT) == type && found->st_uid == geteuid() &&
           (found->st_mode & OTHERS_CAN_WRITE) == 0;
}

/* Read at most `size` bytes.  Returns their number. */
static size_t read_whole(int fd, char *to, size_t size)
{
    size_t done = 0;

    while (done < size) {
        ssize_t got = read(fd, to + done, size - done);

        if (got < 0 && errno == EINTR)
            continue;
        if (got <= 0)
            break;
        done += (size_t)got;
    }
    return done;
}

/* The text of an open file, or undefined. */
static JSValue read_text(JSContext *context, int fd)
{
    struct stat found;
    JSValue result = JS_UNDEFINED;
    char *text;

    if (fstat(fd, &found) != 0 || !is_ours(&found, S_IFREG))
        return JS_UNDEFINED;
    text = js_malloc(context, (size_t)found.st_size + 1);
    if (text == NULL)
        return JS_EXCEPTION;
    if (read_whole(fd, text, (size_t)found.st_size) == (size_t)found.st_size)
        result = JS_NewStringLen(context, text, (size_t)found.st_size);
    js_free(context, text);
    return result;
}

/* read(directory, name): the text, or undefined */
static JSValue cache_read(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    const char *directory = JS_ToCString(context, argv[0]);
    const char *name = JS_ToCString(context, argv[1]);
    JSValue result = JS_UNDEFINED;
    struct stat found;
    int at = -1, fd = -1;

    if (weir__js_is_confined) {
        JS_FreeCString(context, name);
        JS_FreeCString(context, directory);
        return JS_UNDEFINED;
    }
    if (directory == NULL || name == NULL)
        result = JS_EXCEPTION;
    else
        at = open(directory, O_DIRECTORY | O_PATH | O_CLOEXEC);
    if (at >= 0 && fstat(at, &found) == 0 && is_ours(&found, S_IFDIR))
        fd = openat(at, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (fd >= 0) {
        result = read_text(context, fd);
        close(fd);
    }
    if (at >= 0)
        close(at);
    JS_FreeCString(context, name);
    JS_FreeCString(context, directory);
    return result;
}

/* Make the directory and those above it. */
static void make_directories(char *path)
{
    for (char *slash = strchr(path + 1, '/'); slash != NULL;
         slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        (void)mkdir(path, S_IRWXU);
        *slash = '/';
    }
    (void)mkdir(path, S_IRWXU);
}

static bool write_whole(int fd, const char *text, size_t size)
{
    while (size > 0) {
        ssize_t put = write(fd, text, size);

        if (put < 0 && errno == EINTR)
            continue;
        if (put < 0)
            return false;
        text += put;
        size -= (size_t)put;
    }
    return true;
}

/* Returns whether the file is there now. */
static bool replace_file(int at, const char *name, const char *text,
                         size_t size)
{
    char temporary[NAME_MAX];
    bool is_written;
    int fd;

    /* Two threads that write the same file write the same text. */
    snprintf(temporary, sizeof(temporary), ".%ld-%s", (long)getpid(), name);
    fd = openat(at, temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC,
                S_IRUSR | S_IWUSR);
    if (fd < 0)
        return false;
    is_written = write_whole(fd, text, size);
    if (close(fd) != 0) /* some file systems write only now */
        is_written = false;
    if (is_written && renameat(at, temporary, at, name) == 0)
        return true;
    (void)unlinkat(at, temporary, 0);
    return false;
}

/* write(directory, name, text): whether it is there now */
static JSValue cache_write(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    size_t size = 0;
    const char *directory = JS_ToCString(context, argv[0]);
    const char *name = JS_ToCString(context, argv[1]);
    const char *text = JS_ToCStringLen(context, &size, argv[2]);
    char *path = directory != NULL && name != NULL && text != NULL &&
                         !weir__js_is_confined
                     ? strdup(directory)
                     : NULL;
    struct stat found;
    bool is_written = false;
    int at = -1;

    if (path != NULL) {
        make_directories(path);
        at = open(path, O_DIRECTORY | O_PATH | O_CLOEXEC);
    }
    if (at >= 0) {
        is_written = fstat(at, &found) == 0 && is_ours(&found, S_IFDIR) &&
                     replace_file(at, name, text, size);
        close(at);
    }
    free(path);
    JS_FreeCString(context, text);
    JS_FreeCString(context, name);
    JS_FreeCString(context, directory);
    return directory != NULL && name != NULL && text != NULL
               ? JS_NewBool(context, is_written)
               : JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("readCached", 2, cache_read),
    JS_CFUNC_DEF("writeCached", 3, cache_write),
};

const struct weir__js_builtin weir__js_cache_builtin = {
    WEIR__JS_LIBS("program/typescript"),
    WEIR__JS_NATIVES(natives),
};
