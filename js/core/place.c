/* SPDX-License-Identifier: MIT */
/*
 * place -- paths, resolved by the kernel and checked by the name of the result.
 *
 * What /proc/self/fd says of a descriptor is the name by which this process
 * reaches the file: absolute and without links.  What is not such a name (a
 * pipe, a file outside of the process's root) is granted only with everything.
 * A file that was removed has " (deleted)" behind its name, which only makes a
 * check stricter.  Without /proc, nothing is granted but everything.
 *
 * Tested by  test/js/program/permission-*.js, test/js/core/permission.c
 */
#include "core/place.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    LINKS = 40, /* as many symbolic links as the kernel follows */
    RACES = 16, /* attempts to create a file whose place changes */
    AGAIN = INT_MIN,
    FD_PATH = sizeof("/proc/self/fd/") + 11,
};

static int pin(int at, const char *path, int flags)
{
    return openat(at, path, O_PATH | O_CLOEXEC | flags);
}

static void write_fd_path(char path[FD_PATH], int fd)
{
    snprintf(path, FD_PATH, "/proc/self/fd/%d", fd);
}

/* The name of an open file; "" if it has none. */
static void name_of(int fd, char *name)
{
    char path[FD_PATH];
    ssize_t length;

    write_fd_path(path, fd);
    length = readlink(path, name, PATH_MAX - 1);
    if (length < 0 || length == PATH_MAX - 1 || name[0] != '/')
        length = 0;
    name[length] = '\0';
}

int weir__js_missing_for_fd(int wanted, int fd)
{
    char name[PATH_MAX];

    name_of(fd, name);
    return weir__js_missing_for_file(wanted, name);
}

/* ---- where there is nothing ---- */

/* How far a path leads. */
struct walk {
    int fd;                  /* the last file that is there */
    int links;               /* followed so far */
    char rest[2 * PATH_MAX]; /* what is missing; "": nothing */
};

/* Put a link's target in front of what follows it.  Returns false if it is too
 * long. */
static bool prepend(struct walk *walk, const char *target, const char *rest)
{
    char joined[2 * PATH_MAX];
    int length = snprintf(joined, sizeof(joined), "%s%s%s", target,
                          *rest != '\0' ? "/" : "", rest);

    if (length < 0 || (size_t)length >= sizeof(joined))
        return false;
    memcpy(walk->rest, joined, (size_t)length + 1);
    return true;
}

/* Go on from a link that leads nowhere.  Returns false if it is none. */
static bool follow_link(struct walk *walk, const char *part, const char *rest)
{
    char target[PATH_MAX];
    ssize_t length = readlinkat(walk->fd, part, target, sizeof(target) - 1);
    int root;

    if (length <= 0 || ++walk->links > LINKS)
        return false;
    target[length] = '\0';
    if (target[0] == '/') {
        root = pin(AT_FDCWD, "/", O_DIRECTORY);
        if (root < 0)
            return false;
        close(walk->fd);
        walk->fd = root;
    }
    return prepend(walk, target, rest);
}

/* Follow a path part by part, to where it ends or to what is missing.  Returns
 * 0 or -errno; after 0, walk->fd is the caller's. */
static int walk_along(struct walk *walk, const char *path, bool follows)
{
    size_t size = strlen(path);

    walk->links = 0;
    if (size >= PATH_MAX)
        return -ENAMETOOLONG;
    memcpy(walk->rest, path, size + 1);
    walk->fd = pin(AT_FDCWD, path[0] == '/' ? "/" : ".", O_DIRECTORY);
    if (walk->fd < 0)
        return -errno;
    for (;;) {
        char part[PATH_MAX], *at = walk->rest + strspn(walk->rest, "/");
        size_t length = strcspn(at, "/");
        const char *rest = at + length + strspn(at + length, "/");
        bool is_last = at[length] == '\0';
        int next;

        if (length == 0 || length >= sizeof(part)) {
            walk->rest[0] = '\0';
            return 0;
        }
        memcpy(part, at, length);
        part[length] = '\0';
        next = pin(walk->fd, part, is_last && !follows ? O_NOFOLLOW : 0);
        if (next >= 0) {
            close(walk->fd);
            walk->fd = next;
            memmove(walk->rest, rest, strlen(rest) + 1);
        } else if (!follow_link(walk, part, rest)) {
            memmove(walk->rest, at, strlen(at) + 1);
            return 0;
        }
    }
}

/* The name that the missing file would have. */
static void name_of_walk(const struct walk *walk, char *name)
{
    size_t length;

    name_of(walk->fd, name);
    length = strlen(name);
    if (length == 0 || walk->rest[0] == '\0')
        return;
    if (length > 1)
        name[length++] = '/';
    if (length + strlen(walk->rest) < PATH_MAX)
        strcpy(name + length, walk->rest);
    else
        name[0] = '\0';
}

int weir__js_place_name(const char *path, bool follows, char *buffer)
{
    struct walk walk;
    int err = walk_along(&walk, path, follows);

    if (err != 0)
        return err;
    name_of_walk(&walk, buffer);
    close(walk.fd);
    return 0;
}

/* What is missing for a path that leads nowhere. */
static int missing_for_nothing(int wanted, const char *path, bool follows)
{
    char name[PATH_MAX];

    if (weir__js_place_name(path, follows, name) != 0)
        name[0] = '\0';
    return weir__js_missing_for_file(wanted, name);
}

/* ---- places ---- */

static int refuse(struct weir__js_place *place, int missing, int fd)
{
    if (fd >= 0)
        close(fd);
    place->missing = missing;
    return -EACCES;
}

static int find_nothing(struct weir__js_place *place, const char *path,
                        bool follows, int wanted, int err)
{
    int missing = missing_for_nothing(wanted, path, follows);

    return missing != 0 ? refuse(place, missing, -1) : err;
}

/* `end` goes behind the descriptor: "" or "/". */
static int find_file(struct weir__js_place *place, const char *path, int wanted,
                     const char *end)
{
    char fd_path[FD_PATH];
    int fd = pin(AT_FDCWD, path, 0), missing;

    if (fd < 0)
        return find_nothing(place, path, true, wanted, -errno);
    missing = weir__js_missing_for_fd(wanted, fd);
    if (missing != 0)
        return refuse(place, missing, fd);
    place->fd = fd;
    write_fd_path(fd_path, fd);
    snprintf(place->buffer, sizeof(place->buffer), "%s%s", fd_path, end);
    place->path = place->buffer;
    return 0;
}

/* The length of the path of the directory; the entry begins behind it.  The
 * path ends with `length`, without the slashes at its end. */
static size_t directory_of(const char *path, size_t length)
{
    while (length > 0 && path[length - 1] != '/')
        length--;
    return length;
}

/* What is missing for an entry of a directory that is open. */
static int missing_for_entry(int wanted, int directory, const char *entry)
{
    struct walk walk = {.fd = directory};
    char name[PATH_MAX];

    if (strcmp(entry, ".") == 0 || strcmp(entry, "..") == 0) {
        int fd = pin(directory, entry, O_DIRECTORY);
        int missing = fd < 0 ? wanted : weir__js_missing_for_fd(wanted, fd);

        if (fd >= 0)
            close(fd);
        return missing;
    }
    snprintf(walk.rest, sizeof(walk.rest), "%s", entry);
    name_of_walk(&walk, name);
    return weir__js_missing_for_file(wanted, name);
}

static int find_entry(struct weir__js_place *place, const char *path,
                      int wanted)
{
    char directory[PATH_MAX], entry[NAME_MAX + 1], fd_path[FD_PATH];
    size_t size = strlen(path), length = size, start;
    int fd, missing;

    while (length > 0 && path[length - 1] == '/')
        length--;
    start = directory_of(path, length);
    if (size >= sizeof(directory) || length - start >= sizeof(entry))
        return find_nothing(place, path, false, wanted, -ENAMETOOLONG);
    if (length == 0) { /* the root, or nothing: it leads nowhere else */
        missing = missing_for_nothing(wanted, path, false);
        if (missing != 0)
            return refuse(place, missing, -1);
        place->path = path;
        return 0;
    }
    memcpy(entry, path + start, length - start);
    entry[length - start] = '\0';
    memcpy(directory, path, start);
    strcpy(directory + start, start == 0 ? "." : "");
    fd = pin(AT_FDCWD, directory, O_DIRECTORY);
    if (fd < 0)
        return find_nothing(place, path, false, wanted, -errno);
    missing = missing_for_entry(wanted, fd, entry);
    if (missing != 0)
        return refuse(place, missing, fd);
    place->fd = fd;
    write_fd_path(fd_path, fd);
    snprintf(place->buffer, sizeof(place->buffer), "%s/%s%s", fd_path, entry,
             length < size ? "/" : "");
    place->path = place->buffer;
    return 0;
}

int weir__js_place_find(struct weir__js_place *place, const char *path,
                        enum weir__js_follow follow, int wanted)
{
    size_t length = strlen(path);
    bool ends_in_slash = length > 0 && path[length - 1] == '/';

    place->path = path;
    place->fd = -1;
    place->missing = 0;
    if (!weir__js_is_confined)
        return 0;
    if (follow == WEIR__JS_FOLLOW || (follow == WEIR__JS_LOOK && ends_in_slash))
        return find_file(place, path, wanted, ends_in_slash ? "/" : "");
    return find_entry(place, path, wanted);
}

void weir__js_place_drop(struct weir__js_place *place)
{
    if (place->fd >= 0)
        close(place->fd);
    place->fd = -1;
}

/* ---- open ---- */

static int wanted_for(int flags)
{
    int mode = flags & O_ACCMODE;

    if ((flags & O_PATH) != 0)
        return WEIR__JS_MAY_READ;
    return (mode != O_WRONLY ? WEIR__JS_MAY_READ : 0) |
           (mode != O_RDONLY || (flags & (O_CREAT | O_TRUNC)) != 0
                ? WEIR__JS_MAY_WRITE
                : 0);
}

/* Open a file that is there, behind an O_PATH descriptor. */
static int open_pinned(int fd, int flags, mode_t mode)
{
    char path[FD_PATH];
    struct stat about;

    if ((flags & O_CREAT) != 0 && (flags & O_EXCL) != 0)
        return -EEXIST;
    if (fstat(fd, &about) != 0)
        return -errno;
    if (S_ISLNK(about.st_mode) && (flags & O_PATH) == 0)
        return -ELOOP;
    if (S_ISLNK(about.st_mode)) {
        fd = fcntl(fd, F_DUPFD_CLOEXEC, 0);
        return fd >= 0 ? fd : -errno;
    }
    if (S_ISDIR(about.st_mode) && (flags & O_CREAT) != 0)
        return -EISDIR;
    write_fd_path(path, fd);
    /* O_TMPFILE needs the mode, and keeps O_EXCL. */
    if ((flags & O_TMPFILE) == O_TMPFILE)
        fd = open(path, (flags & ~O_NOFOLLOW) | O_CLOEXEC, mode);
    else
        fd = open(path, (flags & ~(O_CREAT | O_EXCL | O_NOFOLLOW)) | O_CLOEXEC);
    return fd >= 0 ? fd : -errno;
}

/* Create a file in the directory where the path ends.  AGAIN: something else is
 * there by now. */
static int create(const char *path, int flags, mode_t mode, bool follows,
                  int wanted, int *missing)
{
    char name[PATH_MAX];
    struct walk walk;
    int err = walk_along(&walk, path, follows), fd;

    if (err != 0)
        return err;
    name_of_walk(&walk, name);
    *missing = weir__js_missing_for_file(wanted, name);
    if (*missing != 0)
        err = -EACCES;
    else if (walk.rest[0] == '\0')
        err = AGAIN;
    else if (walk.rest[strcspn(walk.rest, "/")] == '/')
        err = walk.rest[strlen(walk.rest) - 1] == '/' ? -EISDIR : -ENOENT;
    if (err != 0) {
        close(walk.fd);
        return err;
    }
    fd = openat(walk.fd, walk.rest, flags | O_NOFOLLOW | O_CLOEXEC, mode);
    err = fd >= 0 ? fd : errno == ELOOP ? AGAIN : -errno;
    close(walk.fd);
    return err;
}

static int try_open(const char *path, int flags, mode_t mode, int *missing)
{
    bool is_exclusive = (flags & O_CREAT) != 0 && (flags & O_EXCL) != 0;
    bool follows = (flags & O_NOFOLLOW) == 0 && !is_exclusive;
    int wanted = wanted_for(flags), result;
    int fd = pin(AT_FDCWD, path, follows ? 0 : O_NOFOLLOW);

    if (fd < 0) {
        result = -errno;
        if (result == -ENOENT && (flags & O_CREAT) != 0 && *path != '\0')
            return create(path, flags, mode, follows, wanted, missing);
        *missing = missing_for_nothing(wanted, path, follows);
        return *missing != 0 ? -EACCES : result;
    }
    *missing = weir__js_missing_for_fd(wanted, fd);
    result = *missing != 0 ? -EACCES : open_pinned(fd, flags, mode);
    close(fd);
    return result;
}

int weir__js_place_open(const char *path, int flags, mode_t mode, int *missing)
{
    int fd;

    *missing = 0;
    if (!weir__js_is_confined) {
        fd = open(path, flags | O_CLOEXEC, mode);
        return fd >= 0 ? fd : -errno;
    }
    for (int i = 0; i < RACES; i++) {
        fd = try_open(path, flags, mode, missing);
        if (fd != AGAIN)
            return fd;
    }
    return -ELOOP;
}
