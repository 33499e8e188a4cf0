/* SPDX-License-Identifier: MIT */
/*
 * tree -- directories: list, create and remove, optionally with their contents.
 *
 * Tested by  test/js/fs/fs-*.js
 */
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/place.h"
#include "fs/fs.h"

/* ---- listing ---- */

/* Node's type numbers, for `Dirent`. */
static char type_of(unsigned char type)
{
    switch (type) {
    case DT_REG:
        return 1;
    case DT_DIR:
        return 2;
    case DT_LNK:
        return 3;
    case DT_FIFO:
        return 4;
    case DT_SOCK:
        return 5;
    case DT_CHR:
        return 6;
    case DT_BLK:
        return 7;
    default:
        return 0;
    }
}

enum { DIRECTORY = 2 };

/* Some file systems do not report the type. */
static char type_by_looking(int directory, const char *path)
{
    struct stat at;

    return fstatat(directory, path, &at, AT_SYMLINK_NOFOLLOW) == 0
               ? type_of(IFTODT(at.st_mode))
               : 0;
}

static bool is_own_name(const char *name)
{
    return strcmp(name, ".") != 0 && strcmp(name, "..") != 0;
}

static int is_named(const struct dirent *entry)
{
    return is_own_name(entry->d_name);
}

static int by_name(const struct dirent **a, const struct dirent **b)
{
    return strcmp((*a)->d_name, (*b)->d_name);
}

/* "directory/name", for free(); or NULL if there is no memory. */
static char *join(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) >= 0 ? path : NULL;
}

struct listing {
    struct weir__js_fs_request *request;
    bool wants_types, is_recursive;
    char **waiting; /* subdirectories, relative to the first one */
    size_t count, next;
};

static int await(struct listing *listing, const char *below)
{
    char **grown =
        realloc(listing->waiting, (listing->count + 1) * sizeof(*grown));
    char *copy = strdup(below);

    if (grown != NULL)
        listing->waiting = grown;
    if (grown == NULL || copy == NULL) {
        free(copy);
        return -ENOMEM;
    }
    grown[listing->count++] = copy;
    return 0;
}

/* Without types Node follows links to directories; with types it does not. */
static bool is_directory(const struct listing *listing, const char *path,
                         char type)
{
    struct weir__js_place place;
    struct stat to;
    bool is;

    if (listing->wants_types)
        return type == DIRECTORY;
    if (weir__js_place_find(&place, path, WEIR__JS_FOLLOW, WEIR__JS_MAY_READ) !=
        0)
        return false;
    is = stat(place.path, &to) == 0 && S_ISDIR(to.st_mode);
    weir__js_place_drop(&place);
    return is;
}

/* An entry is its type, its directory relative to the first one, and its
 * name. */
static int append_entry(struct weir__js_fs_request *request, char type,
                        const char *below, const char *name)
{
    int err = weir__js_block_append(&request->block, &type, 1);

    if (err == 0)
        err = weir__js_block_append(&request->block, below, strlen(below) + 1);
    if (err == 0)
        err = weir__js_block_append(&request->block, name, strlen(name) + 1);
    request->number++;
    return err;
}

static int add_entry(struct listing *listing, const char *directory,
                     const char *below, const struct dirent *entry)
{
    char *path = join(directory, entry->d_name);
    char *under =
        *below == '\0' ? strdup(entry->d_name) : join(below, entry->d_name);
    char type = type_of(entry->d_type);
    int err = path == NULL || under == NULL ? -ENOMEM : 0;

    if (err == 0 && type == 0)
        type = type_by_looking(AT_FDCWD, path);
    if (err == 0)
        err = append_entry(listing->request, type, below, entry->d_name);
    if (err == 0 && listing->is_recursive && is_directory(listing, path, type))
        err = await(listing, under);
    free(under);
    free(path);
    return err;
}

/* List a directory, which errors name as `directory`. */
static int list_place(struct listing *listing,
                      const struct weir__js_place *place, const char *directory,
                      const char *below)
{
    struct dirent **entries;
    int count = scandir(place->path, &entries, is_named, by_name), err = 0;

    if (count < 0)
        return weir__js_fs_failed(listing->request, "scandir", directory);
    for (int i = 0; i < count; i++) {
        if (err == 0)
            err = add_entry(listing, place->path, below, entries[i]);
        free(entries[i]);
    }
    free(entries);
    return err;
}

static int list_one(struct listing *listing, const char *below)
{
    const char *top = weir__js_fs_path(listing->request, 0);
    char *directory = *below == '\0' ? strdup(top) : join(top, below);
    struct weir__js_place place;
    int err;

    if (directory == NULL)
        return -ENOMEM;
    err = weir__js_place_find(&place, directory, WEIR__JS_FOLLOW,
                              WEIR__JS_MAY_READ);
    if (err == 0) {
        err = list_place(listing, &place, directory, below);
        weir__js_place_drop(&place);
    } else if (place.missing != 0) {
        err = weir__js_fs_denied(listing->request, place.missing, directory);
    } else {
        errno = -err;
        err = weir__js_fs_failed(listing->request, "scandir", directory);
    }
    free(directory);
    return err;
}

/* readdir(path, with types, recursive, raw): breadth-first, as in Node */
int weir__js_fs_list(struct weir__js_fs_request *request)
{
    struct listing listing = {.request = request,
                              .wants_types = request->args[1].boolean,
                              .is_recursive = request->args[2].boolean};
    int err = list_one(&listing, "");

    while (err == 0 && listing.next < listing.count)
        err = list_one(&listing, listing.waiting[listing.next++]);
    for (size_t i = 0; i < listing.count; i++)
        free(listing.waiting[i]);
    free(listing.waiting);
    return err;
}

static int append_entries(struct weir__js_fs_request *request, int fd,
                          char *bytes, ssize_t size)
{
    int err = 0;

    for (ssize_t at = 0; err == 0 && at < size;) {
        struct dirent64 *entry = (struct dirent64 *)(bytes + at);
        char type = type_of(entry->d_type);

        at += entry->d_reclen;
        if (!is_own_name(entry->d_name))
            continue;
        if (type == 0)
            type = type_by_looking(fd, entry->d_name);
        err = append_entry(request, type, "", entry->d_name);
    }
    return err;
}

/* readEntries(fd, count, unused, raw): the next entries of an open directory;
 * none at its end.  The descriptor keeps the position, so there is no state
 * between two calls.  About `count` entries, at least one. */
int weir__js_fs_read_entries(struct weir__js_fs_request *request)
{
    enum { LEAST = 512, MOST = 1 << 16, USUAL = 48 };
    union {
        struct dirent64 aligned;
        char bytes[MOST];
    } buffer;
    int fd = (int)weir__js_fs_int(request, 0);
    int64_t count = weir__js_fs_int(request, 1);
    size_t size = count >= MOST / USUAL ? MOST : (size_t)count * USUAL;
    ssize_t got;
    int err = 0;

    if (size < LEAST)
        size = LEAST;
    while (err == 0 && request->number == 0) { /* more than "." and ".." */
        got = getdents64(fd, buffer.bytes, size);
        if (got < 0)
            return -errno;
        if (got == 0)
            break;
        err = append_entries(request, fd, buffer.bytes, got);
    }
    return err;
}

/* ---- creating ---- */

/* mkdir(2).  Returns 0 or -errno. */
static int make_one(struct weir__js_fs_request *request, const char *path,
                    mode_t mode)
{
    struct weir__js_place place;
    int err =
        weir__js_place_find(&place, path, WEIR__JS_ENTRY, WEIR__JS_MAY_WRITE);

    if (err != 0)
        return place.missing != 0
                   ? weir__js_fs_denied(request, place.missing,
                                        weir__js_fs_path(request, 0))
                   : err;
    err = mkdir(place.path, mode) == 0 ? 0 : -errno;
    weir__js_place_drop(&place);
    return err;
}

static bool is_there(const char *path)
{
    struct weir__js_place place;
    struct stat at;
    bool is;

    if (weir__js_place_find(&place, path, WEIR__JS_FOLLOW,
                            WEIR__JS_MAY_WRITE) != 0)
        return false;
    is = stat(place.path, &at) == 0 && S_ISDIR(at.st_mode);
    weir__js_place_drop(&place);
    return is;
}

/* The length of the parent's path; 0 if there is none. */
static size_t parent_of(const char *path, size_t length)
{
    while (length > 1 && path[length - 1] == '/')
        length--;
    while (length > 0 && path[length - 1] != '/')
        length--;
    while (length > 1 && path[length - 1] == '/')
        length--;
    return length;
}

/* Create path[0 .. length - 1], its parents first.  The result is the first
 * directory that was created.  The recursion depth is bounded by the limit on
 * paths. */
static int make_below(struct weir__js_fs_request *request, char *path,
                      size_t length, mode_t mode)
{
    char end = path[length];
    size_t parent;
    int err;

    path[length] = '\0';
    err = make_one(request, path, mode);
    parent = parent_of(path, length);
    if (err == -ENOENT && parent > 0) {
        err = make_below(request, path, parent, mode);
        if (err == 0) {
            err = make_one(request, path, mode);
            err = err == -EEXIST ? 0 : err;
        }
    } else if (err == 0 && request->block.size == 0) {
        err = weir__js_block_append(&request->block, path, length);
    } else if (err == -EEXIST && is_there(path)) {
        err = 0;
    }
    path[length] = end;
    return err;
}

/* mkdir(path, mode, recursive) */
int weir__js_fs_make_path(struct weir__js_fs_request *request)
{
    mode_t mode = (mode_t)weir__js_fs_int(request, 1);
    char *path;
    int err;

    if (!request->args[2].boolean)
        return make_one(request, weir__js_fs_path(request, 0), mode);
    path = strdup(weir__js_fs_path(request, 0));
    if (path == NULL)
        return -ENOMEM;
    err =
        *path == '\0' ? -ENOENT : make_below(request, path, strlen(path), mode);
    free(path);
    return err;
}

/* ---- removing ---- */

struct patience {
    int64_t tries, delay_ms;
};

static bool may_pass(int err)
{
    return err == EBUSY || err == EMFILE || err == ENFILE || err == ENOTEMPTY ||
           err == EPERM;
}

/* unlink(2) or rmdir(2) of an entry: each is checked, since its directory may
 * have been replaced.  Returns 0, or -1 with errno. */
static int remove_entry_at(struct weir__js_fs_request *request,
                           const char *path, bool is_tree)
{
    struct weir__js_place place;
    int err =
        weir__js_place_find(&place, path, WEIR__JS_ENTRY, WEIR__JS_MAY_WRITE);

    if (err == 0) {
        err = (is_tree ? rmdir(place.path) : unlink(place.path)) == 0 ? 0
                                                                      : -errno;
        weir__js_place_drop(&place);
    } else if (place.missing != 0) {
        weir__js_fs_denied(request, place.missing, NULL);
    }
    errno = -err;
    return err == 0 ? 0 : -1;
}

/* Returns 0, or -1 with errno.  Retries after a delay if the caller asked for
 * it. */
static int remove_one(struct weir__js_fs_request *request, const char *path,
                      bool is_tree, struct patience patience)
{
    int64_t round = 0;

    for (;;) {
        int64_t wait_ms = ++round * patience.delay_ms;
        struct timespec pause = {wait_ms / 1000, wait_ms % 1000 * 1000000};

        if (remove_entry_at(request, path, is_tree) == 0 || errno == ENOENT)
            return 0;
        if (!may_pass(errno) || round > patience.tries)
            return -1;
        nanosleep(&pause, NULL);
    }
}

/* The name of an entry for an error, unless it may be one that the program must
 * not know. */
static const char *name_of(const FTSENT *entry)
{
    return weir__js_is_confined ? NULL : entry->fts_path;
}

static int remove_entry(struct weir__js_fs_request *request, FTSENT *entry,
                        struct patience patience)
{
    bool is_tree = entry->fts_info == FTS_DP || entry->fts_info == FTS_DNR;

    if (entry->fts_info == FTS_D)
        return 0; /* it is visited again when it is empty */
    if (entry->fts_info == FTS_ERR || entry->fts_info == FTS_NS) {
        errno = entry->fts_errno;
        return errno == ENOENT
                   ? 0
                   : weir__js_fs_failed(request, "lstat", name_of(entry));
    }
    if (remove_one(request, entry->fts_accpath, is_tree, patience) == 0)
        return 0;
    if (entry->fts_info == FTS_DNR) { /* the reason it could not be emptied */
        errno = entry->fts_errno;
        return weir__js_fs_failed(request, "scandir", name_of(entry));
    }
    return weir__js_fs_failed(request, is_tree ? "rmdir" : "unlink",
                              name_of(entry));
}

static int remove_tree(struct weir__js_fs_request *request,
                       struct patience patience)
{
    char *paths[] = {(char *)weir__js_fs_path(request, 0), NULL};
    FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOCHDIR, NULL);
    FTSENT *entry;
    int err = 0;

    if (tree == NULL)
        return -errno;
    while (err == 0 && (errno = 0, entry = fts_read(tree)) != NULL)
        err = remove_entry(request, entry, patience);
    if (err == 0 && errno != 0)
        err = -errno;
    fts_close(tree);
    return err;
}

/* Follow the recursive rmdir of Node: anything but a directory is -ENOTDIR.
 * Node's synchronous and callback forms do not follow a link, its promise form
 * does. */
static int check_directory(struct weir__js_fs_request *request, bool follows)
{
    const char *path = weir__js_fs_path(request, 0);
    struct stat at;

    if ((follows ? stat(path, &at) : lstat(path, &at)) != 0)
        return weir__js_fs_failed(request, follows ? "stat" : "lstat", NULL);
    if (S_ISDIR(at.st_mode))
        return 0;
    errno = ENOTDIR;
    return weir__js_fs_failed(request, "rmdir", NULL);
}

/* Check what is to be removed, before anything is said about it. */
static int check_removal(struct weir__js_fs_request *request, bool follows)
{
    struct weir__js_place place;
    int err = weir__js_place_find(&place, weir__js_fs_path(request, 0),
                                  follows ? WEIR__JS_FOLLOW : WEIR__JS_LOOK,
                                  WEIR__JS_MAY_WRITE);

    if (err == 0)
        weir__js_place_drop(&place);
    return place.missing != 0 ? weir__js_fs_denied(request, place.missing, NULL)
                              : 0;
}

/* Values of the last argument of rm(). */
enum { REMOVE_ANYTHING, REMOVE_DIRECTORY, REMOVE_DIRECTORY_OR_LINK };

/* rm(path, recursive, force, tries, delay in ms, kind).  A directory that may
 * not be removed gives -EISDIR. */
int weir__js_fs_remove(struct weir__js_fs_request *request)
{
    const char *path = weir__js_fs_path(request, 0);
    struct patience patience = {weir__js_fs_int(request, 3),
                                weir__js_fs_int(request, 4)};
    int64_t kind = weir__js_fs_int(request, 5);
    struct stat stat;
    int err = check_removal(request, false);

    if (err == 0 && kind == REMOVE_DIRECTORY_OR_LINK)
        err = check_removal(request, true);
    if (err == 0 && kind != REMOVE_ANYTHING)
        err = check_directory(request, kind == REMOVE_DIRECTORY_OR_LINK);
    if (err != 0)
        return err;
    if (lstat(path, &stat) != 0)
        return errno == ENOENT && request->args[2].boolean
                   ? 0
                   : weir__js_fs_failed(request, "lstat", NULL);
    if (!S_ISDIR(stat.st_mode))
        return remove_one(request, path, false, patience) == 0
                   ? 0
                   : weir__js_fs_failed(request, "unlink", NULL);
    return request->args[1].boolean ? remove_tree(request, patience) : -EISDIR;
}
