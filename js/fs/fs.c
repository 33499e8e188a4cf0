/* SPDX-License-Identifier: MIT */
/*
 * fs -- the system calls behind `fs`: one table, and one way to call each row.
 *
 *     native.open(resolve, reject, path, flags, mode)    on the pool
 *     native.open(undefined, undefined, path, ...)       synchronously
 *
 * js/lib/fs/fs.js has checked the arguments: strings without NULs, integers.
 *
 * In a confined process (core/permission.h) a row says what its paths need.
 * The function is then called with paths that lead to the files which were
 * checked, through descriptors (core/place.h); errors name those of the
 * program.  A row without needs has a function that checks by itself.
 *
 * Tested by  test/js/fs/fs-*.js
 */
#include "fs/fs.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "core/async.h"
#include "core/builtin.h"
#include "core/error.h"
#include "core/interrupt.h"
#include "core/place.h"
#include "core/plain.h"
#include "system/syserror.h"

enum { MAX_ARGS = 6 };

/* ---- system calls ---- */

#define PATH(index) weir__js_fs_path(request, index)
#define INT(index) ((int)weir__js_fs_int(request, index))

static int status(int result)
{
    return result >= 0 ? 0 : -errno;
}

static int numbered(struct weir__js_fs_request *request, ssize_t result)
{
    request->number = result;
    return result >= 0 ? 0 : -errno;
}

static int do_open(struct weir__js_fs_request *request)
{
    int fd = weir__js_fs_open(request, PATH(0), INT(1), (mode_t)INT(2));

    request->number = fd;
    return fd < 0 ? fd : 0;
}

/* The descriptor is closed even if the call was interrupted. */
static int do_close(struct weir__js_fs_request *request)
{
    int err = status(close(INT(0)));

    return err == -EINTR || err == -EINPROGRESS ? 0 : err;
}

/* read(fd, length, position): position -1 means the file's current one */
static int do_read(struct weir__js_fs_request *request)
{
    size_t length = (size_t)weir__js_fs_int(request, 1);
    off_t position = weir__js_fs_int(request, 2);
    int err = weir__js_block_reserve(&request->block, length);
    ssize_t got;

    if (err != 0)
        return err;
    got = position < 0 ? read(INT(0), request->block.bytes, length)
                       : pread(INT(0), request->block.bytes, length, position);
    request->block.size = got > 0 ? (size_t)got : 0;
    return status(got < 0 ? -1 : 0);
}

/* write(fd, data, position) */
static int do_write(struct weir__js_fs_request *request)
{
    const weir_js_value *data = &request->args[1];
    off_t position = weir__js_fs_int(request, 2);

    return numbered(request,
                    position < 0
                        ? write(INT(0), data->text, data->length)
                        : pwrite(INT(0), data->text, data->length, position));
}

static int look(struct weir__js_fs_request *request, int fd, const char *path,
                int flags)
{
    return status(statx(fd, path, flags, STATX_BASIC_STATS | STATX_BTIME,
                        &request->stat));
}

static int do_stat(struct weir__js_fs_request *request)
{
    return look(request, AT_FDCWD, PATH(0), 0);
}

static int do_lstat(struct weir__js_fs_request *request)
{
    return look(request, AT_FDCWD, PATH(0), AT_SYMLINK_NOFOLLOW);
}

static int do_fstat(struct weir__js_fs_request *request)
{
    return look(request, INT(0), "", AT_EMPTY_PATH);
}

static int do_access(struct weir__js_fs_request *request)
{
    return status(access(PATH(0), INT(1)));
}

/* Replace the X's at the end of a path. */
static int make_unique(struct weir__js_fs_request *request, char *path)
{
    struct weir__js_place place;
    char *end = path + strlen(path) - 6, *made;
    int err =
        weir__js_place_find(&place, path, WEIR__JS_ENTRY, WEIR__JS_MAY_WRITE);

    if (err == -EACCES && place.missing != 0)
        return weir__js_fs_denied(request, place.missing, path);
    if (err == 0) {
        made = place.path == path ? path : place.buffer;
        err = mkdtemp(made) != NULL ? 0 : -errno;
        memcpy(end, err == 0 ? made + strlen(made) - 6 : "XXXXXX", 6);
        weir__js_place_drop(&place);
    }
    errno = -err;
    return err == 0 ? 0 : weir__js_fs_failed(request, "mkdtemp", path);
}

static int do_mkdtemp(struct weir__js_fs_request *request)
{
    int err = weir__js_block_append(&request->block, PATH(0), strlen(PATH(0)));

    if (err == 0)
        err = weir__js_block_append(&request->block, "XXXXXX", 7);
    if (err != 0)
        return err;
    request->block.size--; /* without the NUL */
    return make_unique(request, request->block.bytes);
}

static int do_rmdir(struct weir__js_fs_request *request)
{
    return status(rmdir(PATH(0)));
}

static int do_unlink(struct weir__js_fs_request *request)
{
    return status(unlink(PATH(0)));
}

static int do_rename(struct weir__js_fs_request *request)
{
    return status(rename(PATH(0), PATH(1)));
}

static int do_link(struct weir__js_fs_request *request)
{
    return status(link(PATH(0), PATH(1)));
}

static int do_symlink(struct weir__js_fs_request *request)
{
    return status(symlink(PATH(0), PATH(1)));
}

static int do_readlink(struct weir__js_fs_request *request)
{
    char target[PATH_MAX];
    ssize_t length = readlink(PATH(0), target, sizeof(target));

    return length < 0
               ? -errno
               : weir__js_block_append(&request->block, target, (size_t)length);
}

/* Cut the path behind the first part that cannot be examined. */
static void cut_at_failure(char *path)
{
    struct stat at;

    for (char *end = path; (end = strchr(end + 1, '/')) != NULL; *end = '/') {
        *end = '\0';
        if (lstat(path, &at) != 0)
            return;
    }
}

/* Node's own realpath examines one part after another, and names the one that
 * failed.  For some errors the C library leaves that part in the buffer. */
static int fail_as_lstat(struct weir__js_fs_request *request, char *resolved)
{
    char path[2 * PATH_MAX], base[PATH_MAX];
    int err = errno;

    if (*resolved == '\0') {
        if (*PATH(0) == '/' || getcwd(base, sizeof(base)) == NULL)
            base[0] = '\0';
        snprintf(path, sizeof(path), "%s%s%s", base, *base != '\0' ? "/" : "",
                 PATH(0));
        cut_at_failure(path);
        resolved = path;
    }
    errno = err;
    return weir__js_fs_failed(request, "lstat", resolved);
}

/* realpath(path, as lstat) */
static int do_realpath(struct weir__js_fs_request *request)
{
    char path[PATH_MAX] = "";

    if (realpath(PATH(0), path) != NULL)
        return weir__js_block_append(&request->block, path, strlen(path));
    return request->args[1].boolean ? fail_as_lstat(request, path) : -errno;
}

static int do_chmod(struct weir__js_fs_request *request)
{
    return status(chmod(PATH(0), (mode_t)INT(1)));
}

/* A descriptor to read from must not change what only a writer may. */
static int check_change(struct weir__js_fs_request *request)
{
    int missing = weir__js_is_confined
                      ? weir__js_missing_for_fd(WEIR__JS_MAY_WRITE, INT(0))
                      : 0;

    return missing != 0 ? weir__js_fs_denied(request, missing, NULL) : 0;
}

static int do_fchmod(struct weir__js_fs_request *request)
{
    if (check_change(request) != 0)
        return -EACCES;
    return status(fchmod(INT(0), (mode_t)INT(1)));
}

/* An id of 2^32 - 1 means "do not change", so ids have the full range. */
static int do_chown(struct weir__js_fs_request *request)
{
    return status(chown(PATH(0), (uid_t)weir__js_fs_int(request, 1),
                        (gid_t)weir__js_fs_int(request, 2)));
}

static int do_lchown(struct weir__js_fs_request *request)
{
    return status(lchown(PATH(0), (uid_t)weir__js_fs_int(request, 1),
                         (gid_t)weir__js_fs_int(request, 2)));
}

static int do_fchown(struct weir__js_fs_request *request)
{
    if (check_change(request) != 0)
        return -EACCES;
    return status(fchown(INT(0), (uid_t)weir__js_fs_int(request, 1),
                         (gid_t)weir__js_fs_int(request, 2)));
}

/* Beyond what any file system can store; each clamps it to its own limit. */
#define FAR_S 9e15

/* Convert seconds with a fraction, to the microsecond: a number holds no
 * more. */
static void times(const struct weir__js_fs_request *request,
                  struct timespec out[2])
{
    for (int i = 0; i < 2; i++) {
        double seconds = fmax(-FAR_S, fmin(request->args[i + 1].number, FAR_S));
        time_t whole = (time_t)seconds;
        long micro = (long)((seconds - (double)whole) * 1e6);

        if (micro < 0) {
            whole--;
            micro += 1000000;
        }
        out[i] = (struct timespec){whole, micro * 1000};
    }
}

static int do_utimes(struct weir__js_fs_request *request)
{
    struct timespec at[2];

    times(request, at);
    return status(utimensat(AT_FDCWD, PATH(0), at, 0));
}

static int do_lutimes(struct weir__js_fs_request *request)
{
    struct timespec at[2];

    times(request, at);
    return status(utimensat(AT_FDCWD, PATH(0), at, AT_SYMLINK_NOFOLLOW));
}

static int do_futimes(struct weir__js_fs_request *request)
{
    struct timespec at[2];

    if (check_change(request) != 0)
        return -EACCES;
    times(request, at);
    return status(futimens(INT(0), at));
}

static int do_ftruncate(struct weir__js_fs_request *request)
{
    return status(ftruncate(INT(0), weir__js_fs_int(request, 1)));
}

static int do_truncate(struct weir__js_fs_request *request)
{
    int fd = open(PATH(0), O_RDWR | O_CLOEXEC), err;

    if (fd < 0)
        return weir__js_fs_failed(request, "open", NULL);
    request->is_bare = true;
    err = status(ftruncate(fd, weir__js_fs_int(request, 1)));
    close(fd);
    return err;
}

static int do_fsync(struct weir__js_fs_request *request)
{
    return status(fsync(INT(0)));
}

static int do_fdatasync(struct weir__js_fs_request *request)
{
    return status(fdatasync(INT(0)));
}

static int do_opendir(struct weir__js_fs_request *request)
{
    return numbered(request, open(PATH(0), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
}

/* statfs(path, is big): Node's seven numbers */
static int do_statfs(struct weir__js_fs_request *request)
{
    struct statfs at;
    int64_t numbers[7];

    if (statfs(PATH(0), &at) != 0)
        return -errno;
    numbers[0] = at.f_type;
    numbers[1] = at.f_bsize;
    numbers[2] = (int64_t)at.f_blocks;
    numbers[3] = (int64_t)at.f_bfree;
    numbers[4] = (int64_t)at.f_bavail;
    numbers[5] = (int64_t)at.f_files;
    numbers[6] = (int64_t)at.f_ffree;
    return weir__js_block_append(&request->block, numbers, sizeof(numbers));
}

/* ---- the table ---- */

static const struct op {
    const char *name;    /* native.NAME */
    const char *syscall; /* name in errors */
    weir__js_fs_fn *run;
    enum weir__js_fs_answer answer;
    int args;
    int paths; /* how many leading arguments are paths that errors name */
    struct need {
        int wanted; /* enum weir__js_may; 0: the function checks by itself */
        enum weir__js_follow follow;
    } needs[2];
} table[] = {
#define OWN                                                                    \
    {                                                                          \
        {                                                                      \
            0, WEIR__JS_FOLLOW                                                 \
        }                                                                      \
    }
#define READ(follow)                                                           \
    {                                                                          \
        WEIR__JS_MAY_READ, WEIR__JS_##follow                                   \
    }
#define WRITE(follow)                                                          \
    {                                                                          \
        WEIR__JS_MAY_WRITE, WEIR__JS_##follow                                  \
    }
#define BOTH(follow)                                                           \
    {                                                                          \
        WEIR__JS_MAY_READ | WEIR__JS_MAY_WRITE, WEIR__JS_##follow              \
    }
    {"open", "open", do_open, WEIR__JS_FS_NUMBER, 3, 1, OWN},
    {"close", "close", do_close, WEIR__JS_FS_NOTHING, 1, 0, OWN},
    {"read", "read", do_read, WEIR__JS_FS_BYTES, 3, 0, OWN},
    {"write", "write", do_write, WEIR__JS_FS_NUMBER, 3, 0, OWN},
    {"stat", "stat", do_stat, WEIR__JS_FS_STAT, 2, 1, {READ(FOLLOW)}},
    {"lstat", "lstat", do_lstat, WEIR__JS_FS_STAT, 2, 1, {READ(LOOK)}},
    {"fstat", "fstat", do_fstat, WEIR__JS_FS_STAT, 2, 0, OWN},
    {"access", "access", do_access, WEIR__JS_FS_NOTHING, 2, 1, {READ(FOLLOW)}},
    {"mkdir", "mkdir", weir__js_fs_make_path, WEIR__JS_FS_TEXT, 3, 1, OWN},
    {"mkdtemp", "mkdtemp", do_mkdtemp, WEIR__JS_FS_BYTES, 1, 1, OWN},
    {"readdir", "scandir", weir__js_fs_list, WEIR__JS_FS_ENTRIES, 4, 1, OWN},
    {"opendir",
     "opendir",
     do_opendir,
     WEIR__JS_FS_NUMBER,
     1,
     1,
     {READ(FOLLOW)}},
    {"readEntries", "scandir", weir__js_fs_read_entries, WEIR__JS_FS_ENTRIES, 4,
     0, OWN},
    {"statfs", "statfs", do_statfs, WEIR__JS_FS_NUMBERS, 2, 1, {READ(FOLLOW)}},
    {"rm", "rm", weir__js_fs_remove, WEIR__JS_FS_NOTHING, 6, 1, OWN},
    {"rmdir", "rmdir", do_rmdir, WEIR__JS_FS_NOTHING, 1, 1, {WRITE(ENTRY)}},
    {"unlink", "unlink", do_unlink, WEIR__JS_FS_NOTHING, 1, 1, {WRITE(ENTRY)}},
    {"rename",
     "rename",
     do_rename,
     WEIR__JS_FS_NOTHING,
     2,
     2,
     {BOTH(ENTRY), WRITE(ENTRY)}},
    {"link",
     "link",
     do_link,
     WEIR__JS_FS_NOTHING,
     2,
     2,
     {BOTH(ENTRY), WRITE(ENTRY)}},
    {"symlink",
     "symlink",
     do_symlink,
     WEIR__JS_FS_NOTHING,
     2,
     2,
     {{0}, WRITE(ENTRY)}},
    {"readlink",
     "readlink",
     do_readlink,
     WEIR__JS_FS_BYTES,
     1,
     1,
     {READ(LOOK)}},
    {"realpath",
     "realpath",
     do_realpath,
     WEIR__JS_FS_BYTES,
     2,
     1,
     {READ(FOLLOW)}},
    {"copyFile",
     "copyfile",
     weir__js_fs_copy_file,
     WEIR__JS_FS_NOTHING,
     3,
     2,
     {READ(FOLLOW)}},
    {"chmod", "chmod", do_chmod, WEIR__JS_FS_NOTHING, 2, 1, {WRITE(FOLLOW)}},
    {"fchmod", "fchmod", do_fchmod, WEIR__JS_FS_NOTHING, 2, 0, OWN},
    {"chown", "chown", do_chown, WEIR__JS_FS_NOTHING, 3, 1, {WRITE(FOLLOW)}},
    {"lchown", "lchown", do_lchown, WEIR__JS_FS_NOTHING, 3, 1, {WRITE(LOOK)}},
    {"fchown", "fchown", do_fchown, WEIR__JS_FS_NOTHING, 3, 0, OWN},
    {"utimes", "utime", do_utimes, WEIR__JS_FS_NOTHING, 3, 1, {WRITE(FOLLOW)}},
    {"lutimes", "lutime", do_lutimes, WEIR__JS_FS_NOTHING, 3, 1, {WRITE(LOOK)}},
    {"futimes", "futime", do_futimes, WEIR__JS_FS_NOTHING, 3, 0, OWN},
    {"truncate",
     "ftruncate",
     do_truncate,
     WEIR__JS_FS_NOTHING,
     2,
     1,
     {WRITE(FOLLOW)}},
    {"ftruncate", "ftruncate", do_ftruncate, WEIR__JS_FS_NOTHING, 2, 0, OWN},
    {"fsync", "fsync", do_fsync, WEIR__JS_FS_NOTHING, 1, 0, OWN},
    {"fdatasync", "fdatasync", do_fdatasync, WEIR__JS_FS_NOTHING, 1, 0, OWN},
    {"readFile", "read", weir__js_fs_read_file, WEIR__JS_FS_CONTENT, 3, 1, OWN},
    {"writeFile", "write", weir__js_fs_write_file, WEIR__JS_FS_NOTHING, 5, 1,
     OWN},
};

enum { COUNT_OF_OPS = sizeof(table) / sizeof(*table) };

/* ---- a request ---- */

struct fs_call {
    struct weir__js_work work; /* first */
    const struct op *op;
    struct weir__js_fs_request request;
    size_t charged; /* for itself, to the request's budget */
    int error;      /* 0, or -errno */
    weir_js_value args[];
};

int weir__js_fs_failed(struct weir__js_fs_request *request, const char *syscall,
                       const char *path)
{
    int err = -errno;

    request->syscall = syscall;
    if (path != NULL)
        request->path = strdup(path); /* if NULL, the first argument is named */
    return err;
}

int weir__js_fs_denied(struct weir__js_fs_request *request, int missing,
                       const char *path)
{
    request->missing = missing;
    if (path != NULL && request->path == NULL)
        request->path = strdup(path);
    return -EACCES;
}

int weir__js_fs_open(struct weir__js_fs_request *request, const char *path,
                     int flags, mode_t mode)
{
    int missing, fd = weir__js_place_open(path, flags, mode, &missing);

    if (fd < 0)
        errno = -fd;
    return missing != 0 ? weir__js_fs_denied(request, missing, path) : fd;
}

static void free_call(struct weir__js_work *work)
{
    struct fs_call *call = (struct fs_call *)work;
    weir_budget *budget = call->request.block.budget;
    size_t charged = call->charged;

    weir__js_block_free(&call->request.block);
    free(call->request.path);
    free(call);
    weir_budget_refund(budget, charged);
}

/* Forget the result and the failure of an attempt that was interrupted. */
static void forget_attempt(struct weir__js_fs_request *request)
{
    free(request->path);
    request->path = NULL;
    request->syscall = NULL;
    request->is_bare = false;
    request->missing = 0;
    request->block.size = 0;
    request->number = 0;
}

/* Find where the paths lead, and put descriptors in their place. */
static int find_places(struct fs_call *call, weir_js_value *args,
                       struct weir__js_place *places)
{
    int err = 0;

    for (int i = 0; i < call->op->paths && err == 0; i++) {
        const struct need *need = &call->op->needs[i];

        if (need->wanted == 0)
            continue;
        err = weir__js_place_find(&places[i], args[i].text, need->follow,
                                  need->wanted);
        if (err == -EACCES && places[i].missing != 0)
            weir__js_fs_denied(&call->request, places[i].missing, args[i].text);
        else if (err == 0)
            args[i].text = places[i].path;
    }
    return err;
}

static int run_confined(struct fs_call *call)
{
    struct weir__js_fs_request *request = &call->request;
    struct weir__js_place places[2] = {{.fd = -1}, {.fd = -1}};
    weir_js_value args[MAX_ARGS];
    int err;

    memcpy(args, call->args, (size_t)call->op->args * sizeof(*args));
    err = find_places(call, args, places);
    if (err == 0) {
        request->args = args;
        err = call->op->run(request);
        request->args = call->args;
    } else if (call->op->run == do_realpath && call->args[1].boolean) {
        request->syscall = "lstat";
    }
    for (int i = 0; i < 2; i++)
        weir__js_place_drop(&places[i]);
    return err;
}

static void run_call(struct weir__js_work *work, int canceled)
{
    struct fs_call *call = (struct fs_call *)work;

    call->error = canceled != 0 ? -ECANCELED : -EINTR;
    while (call->error == -EINTR) {
        forget_attempt(&call->request);
        call->error = weir__js_is_confined ? run_confined(call)
                                           : call->op->run(&call->request);
    }
}

/* ---- errors ---- */

static const char *path_of(const struct fs_call *call, int index)
{
    if (call->request.is_bare || index >= call->op->paths ||
        !weir__js_has_text(&call->args[index]))
        return NULL;
    return index == 0 && call->request.path != NULL ? call->request.path
                                                    : call->args[index].text;
}

static JSValue throw_failure(JSContext *context, const struct fs_call *call)
{
    const char *syscall = call->request.syscall != NULL ? call->request.syscall
                                                        : call->op->syscall;
    const char *resource = call->request.path;

    if (call->request.missing != 0) {
        if (resource == NULL)
            resource = call->op->paths > 0 ? call->args[0].text : "";
        return weir__js_throw_denied(context, call->request.missing, resource);
    }
    return weir__js_throw_system(context, call->error, syscall,
                                 path_of(call, 0), path_of(call, 1));
}

static JSValue finish_call(struct weir__js_work *work, JSContext *context)
{
    struct fs_call *call = (struct fs_call *)work;

    return call->error != 0
               ? throw_failure(context, call)
               : weir__js_fs_answer(context, call->op->answer, &call->request);
}

static const struct weir__js_work_kind call_kind = {"file", run_call,
                                                    finish_call, free_call};

/* ---- from JavaScript ---- */

/* Allocate one and charge it to the host's budget; NULL if there is no
 * memory. */
static struct fs_call *charge_call(weir_js *js, size_t size)
{
    struct fs_call *call;

    if (!weir__js_heap_charge(&js->heap, size))
        return NULL;
    call = malloc(size);
    if (call == NULL)
        weir_budget_refund(js->heap.budget, size);
    return call;
}

/* Copy the arguments; NULL with an exception. */
static struct fs_call *new_call(weir_js *js, const struct op *op,
                                JSValueConst *argv)
{
    weir_js_value values[MAX_ARGS];
    struct fs_call *call = NULL;
    size_t size = 0;
    int count, err = 0;

    for (count = 0; count < op->args; count++) {
        err = weir__js_plain_from(js, argv[count], &values[count]);
        if (err != 0)
            break;
    }
    if (err == 0)
        err = weir__js_plain_measure(values, (size_t)count, &size);
    size += sizeof(*call) + (size_t)count * sizeof(*values);
    if (err == 0)
        call = charge_call(js, size);
    if (call != NULL) {
        *call = (struct fs_call){
            .op = op, .charged = size, .request.block = weir__js_block_of(js)};
        weir__js_plain_copy(call->args, values, (size_t)count);
        call->request.args = call->args;
    } else if (err == -EINVAL) {
        JS_ThrowTypeError(js->context, "%s: argument %d", op->name, count);
    } else {
        JS_ThrowOutOfMemory(js->context);
    }
    for (int i = 0; i < count; i++)
        weir_js_release(js, &values[i]);
    return call;
}

static JSValue perform(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv, int index)
{
    weir_js *js = weir__js_of(context);
    struct fs_call *call = new_call(js, &table[index], argv + 2);
    JSValue value = JS_UNDEFINED;
    int err;

    if (call == NULL)
        return JS_EXCEPTION;
    if (JS_IsFunction(context, argv[0])) {
        err = weir__js_work_start(js, &call->work, &call_kind,
                                  table[index].name, argv[0], argv[1]);
        if (err == 0)
            return JS_UNDEFINED;
        value = weir__js_throw_status_as(
            context, err, err == -ENOTSUP ? "the host has no pool" : NULL);
    } else if (!weir__js_may_go_on(context)) {
        value = JS_EXCEPTION;
    } else {
        run_call(&call->work, 0);
        value = finish_call(&call->work, context);
    }
    free_call(&call->work);
    return value;
}

static int add_functions(JSContext *context, JSValueConst native)
{
    for (int i = 0; i < COUNT_OF_OPS; i++)
        if (JS_SetPropertyStr(
                context, native, table[i].name,
                JS_NewCFunctionMagic(context, perform, table[i].name,
                                     table[i].args + 2, JS_CFUNC_generic_magic,
                                     i)) < 0)
            return -1;
    return 0;
}

static const JSCFunctionListEntry constants[] = {
#define NUMBER(name) JS_PROP_INT32_DEF(#name, name, JS_PROP_ENUMERABLE)
    NUMBER(O_CREAT),
    NUMBER(O_EXCL),
    JS_PROP_INT32_DEF("UV_FS_O_FILEMAP", 0, JS_PROP_ENUMERABLE),
    NUMBER(O_NOCTTY),
    NUMBER(O_TRUNC),
    NUMBER(O_APPEND),
    NUMBER(O_DIRECTORY),
    NUMBER(O_NOATIME),
    NUMBER(O_NOFOLLOW),
    NUMBER(O_SYNC),
    NUMBER(O_DSYNC),
    NUMBER(O_DIRECT),
    NUMBER(O_NONBLOCK),
#undef NUMBER
};

const struct weir__js_builtin weir__js_fs_constants_builtin = {
    WEIR__JS_LIBS("fs/constants"),
    WEIR__JS_NATIVES(constants),
};

const struct weir__js_builtin weir__js_fs_builtin = {
    WEIR__JS_LIBS("fs/ops"),
    .add = add_functions,
};
