/* SPDX-License-Identifier: MIT */
/*
 * inotify -- see inotify.h.
 */
#include "os/inotify.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/stat.h>
#include <unistd.h>

int weir__inotify_open(void)
{
    int fd = inotify_init1(IN_NONBLOCK | IN_CLOEXEC);

    return fd >= 0 ? fd : -errno;
}

int weir__inotify_add(int fd, const char *path, uint32_t mask)
{
    int wd = inotify_add_watch(fd, path, mask);

    return wd >= 0 ? wd : -errno;
}

void weir__inotify_remove(int fd, int wd)
{
    (void)inotify_rm_watch(fd, wd);
}

int weir__inotify_read(int fd, void *to, size_t size)
{
    ssize_t count;

    do
        count = read(fd, to, size);
    while (count < 0 && errno == EINTR);
    return count >= 0 ? (int)count : -errno;
}

/* ---- directories ---- */

int weir__directory_open(weir__directory **directory, const char *path)
{
    DIR *opened = opendir(path);

    if (opened == NULL)
        return -errno;
    *directory = (weir__directory *)opened;
    return 0;
}

static bool is_itself(const char *name)
{
    return strcmp(name, ".") == 0 || strcmp(name, "..") == 0;
}

/* Not every file system knows the type without looking. */
static bool is_a_directory(DIR *directory, const struct dirent *entry)
{
    struct stat found;

    if (entry->d_type != DT_UNKNOWN)
        return entry->d_type == DT_DIR;
    return fstatat(dirfd(directory), entry->d_name, &found,
                   AT_SYMLINK_NOFOLLOW) == 0 &&
           S_ISDIR(found.st_mode);
}

int weir__directory_next(weir__directory *directory, const char **name,
                         bool *is_directory)
{
    DIR *opened = (DIR *)directory;
    struct dirent *entry;

    do {
        errno = 0;
        entry = readdir(opened);
        if (entry == NULL)
            return -errno;
    } while (is_itself(entry->d_name));
    *name = entry->d_name;
    *is_directory = is_a_directory(opened, entry);
    return 1;
}

void weir__directory_close(weir__directory *directory)
{
    closedir((DIR *)directory);
}
