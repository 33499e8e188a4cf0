/* SPDX-License-Identifier: MIT */
/*
 * file -- operations on whole files: read, write, copy.
 *
 * Tested by  test/js/fs/fs-*.js
 */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/fs.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/sendfile.h>
#include <unistd.h>

#include "core/place.h"
#include "fs/fs.h"

enum { CHUNK = 64 * 1024 };

/* Argument 0 is a path, which is opened, or a descriptor, which is used as it
 * is. */
static int open_first(struct weir__js_fs_request *request, int flags,
                      mode_t mode)
{
    int fd;

    if (request->args[0].type == WEIR_JS_TYPE_NUMBER)
        return (int)request->args[0].number;
    do
        fd = weir__js_fs_open(request, weir__js_fs_path(request, 0), flags,
                              mode);
    while (fd == -EINTR);
    return fd >= 0 ? fd : weir__js_fs_failed(request, "open", NULL);
}

static void close_first(const struct weir__js_fs_request *request, int fd)
{
    if (request->args[0].type != WEIR_JS_TYPE_NUMBER)
        close(fd);
}

static int read_all(struct weir__js_fs_request *request, int fd)
{
    for (;;) {
        size_t room = request->block.capacity - request->block.size;
        ssize_t got;

        if (room == 0) {
            int err = weir__js_block_reserve(
                &request->block,
                request->block.size > CHUNK ? request->block.size : CHUNK);

            if (err != 0)
                return err;
            continue;
        }
        got = read(fd, request->block.bytes + request->block.size, room);
        if (got == 0)
            return 0;
        if (got > 0)
            request->block.size += (size_t)got;
        else if (errno != EINTR)
            return weir__js_fs_failed(request, "read", NULL);
        if (request->block.size > INT_MAX)
            return -EFBIG;
    }
}

/* readFile(path or descriptor, flags, as text) */
int weir__js_fs_read_file(struct weir__js_fs_request *request)
{
    int fd = open_first(request, (int)weir__js_fs_int(request, 1), 0666);
    struct stat stat;
    int err = 0;

    if (fd < 0)
        return fd;
    request->is_bare = true;
    if (fstat(fd, &stat) != 0)
        err = weir__js_fs_failed(request, "fstat", NULL);
    else if (S_ISREG(stat.st_mode) && stat.st_size > INT_MAX) {
        request->number = stat.st_size;
        err = -EFBIG;
    } else if (S_ISREG(stat.st_mode)) /* one more byte, to detect the end */
        err = weir__js_block_reserve(&request->block, (size_t)stat.st_size + 1);
    if (err == 0)
        err = read_all(request, fd);
    close_first(request, fd);
    return err;
}

static int write_all(struct weir__js_fs_request *request, int fd,
                     const weir_js_value *data)
{
    size_t done = 0;

    while (done < data->length) {
        ssize_t wrote = write(fd, data->text + done, data->length - done);

        if (wrote >= 0)
            done += (size_t)wrote;
        else if (errno != EINTR)
            return weir__js_fs_failed(request, "write", NULL);
    }
    return 0;
}

/* An interruption must not end the request, which would be made again and write
 * the data twice.  Returns 0, or -1 with errno. */
static int sync_file(int fd)
{
    int result;

    do
        result = fsync(fd);
    while (result != 0 && errno == EINTR);
    return result;
}

/* writeFile(path or descriptor, data, flags, mode, flush) */
int weir__js_fs_write_file(struct weir__js_fs_request *request)
{
    int fd = open_first(request, (int)weir__js_fs_int(request, 2),
                        (mode_t)weir__js_fs_int(request, 3));
    int err;

    if (fd < 0)
        return fd;
    request->is_bare = true;
    err = write_all(request, fd, &request->args[1]);
    if (err == 0 && request->args[4].boolean && sync_file(fd) != 0)
        err = weir__js_fs_failed(request, "fsync", NULL);
    close_first(request, fd);
    return err;
}

/* ---- copies ---- */

enum { EXCLUSIVE = 1, CLONE = 2, CLONE_OR_FAIL = 4 };

static int copy_content(int from, int to, int mode)
{
    ssize_t done;

    if ((mode & (CLONE | CLONE_OR_FAIL)) != 0) {
        if (ioctl(to, FICLONE, from) == 0)
            return 0;
        if ((mode & CLONE_OR_FAIL) != 0)
            return errno == ENOTTY || errno == EOPNOTSUPP ? -ENOTSUP : -errno;
    }
    do
        done = sendfile(to, from, NULL, INT_MAX);
    while (done > 0 || (done < 0 && errno == EINTR));
    return done < 0 ? -errno : 0;
}

static bool is_same(const struct stat *a, const struct stat *b)
{
    return a->st_dev == b->st_dev && a->st_ino == b->st_ino;
}

/* Remove what could not be completed. */
static void remove_target(const char *path)
{
    struct weir__js_place place;

    if (weir__js_place_find(&place, path, WEIR__JS_ENTRY, WEIR__JS_MAY_WRITE) !=
        0)
        return;
    unlink(place.path);
    weir__js_place_drop(&place);
}

/* A file that is copied onto itself must not be truncated. */
static int copy_into(struct weir__js_fs_request *request, int from,
                     const struct stat *source, int mode)
{
    const char *path = weir__js_fs_path(request, 1);
    int to = weir__js_fs_open(request, path,
                              O_WRONLY | O_CREAT |
                                  ((mode & EXCLUSIVE) != 0 ? O_EXCL : 0),
                              source->st_mode & 07777);
    struct stat target;
    int err = 0;

    if (to < 0)
        return to;
    if (fstat(to, &target) != 0)
        err = -errno;
    else if (!is_same(source, &target)) {
        if (ftruncate(to, 0) != 0 || fchmod(to, source->st_mode & 07777) != 0)
            err = -errno;
        else
            err = copy_content(from, to, mode);
        if (err != 0)
            remove_target(path);
    }
    close(to);
    return err;
}

/* copyFile(from, to, mode) */
int weir__js_fs_copy_file(struct weir__js_fs_request *request)
{
    int from = open(weir__js_fs_path(request, 0), O_RDONLY | O_CLOEXEC);
    struct stat source;
    int err;

    if (from < 0)
        return -errno;
    if (fstat(from, &source) != 0)
        err = -errno;
    else if (S_ISDIR(source.st_mode))
        err = -EISDIR;
    else
        err =
            copy_into(request, from, &source, (int)weir__js_fs_int(request, 2));
    close(from);
    return err;
}
