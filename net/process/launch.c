/* SPDX-License-Identifier: MIT */
/*
 * launch -- see launch.h.
 *
 * Everything that needs memory or can be prepared is done here, before the
 * child exists.  The child itself only makes system calls (os/spawn.c).
 */
#include "process/launch.h"

#include <errno.h>
#include <string.h>

#include "os/socket.h"
#include "os/spawn.h"
#include "weir/host/memory.h"

enum { STANDARD = 3 };
#define DEFAULT_PATH "/bin:/usr/bin"

/* ---- the files to try ---- */

struct files {
    size_t size; /* of the allocation */
    const char *list[];
};

static const char *find_path(const char *const *environment)
{
    for (; *environment != NULL; environment++)
        if (strncmp(*environment, "PATH=", 5) == 0)
            return *environment + 5;
    return DEFAULT_PATH;
}

static size_t count_directories(const char *path)
{
    size_t count = 1;

    for (; *path != '\0'; path++)
        count += *path == ':';
    return count;
}

/* Write "directory/file" and return its end.  An empty directory is the current
 * one. */
static char *join(char *to, const char *directory, size_t length,
                  const char *file)
{
    size_t file_size = strlen(file) + 1;

    if (length > 0) {
        memcpy(to, directory, length);
        to += length;
        *to++ = '/';
    }
    memcpy(to, file, file_size);
    return to + file_size;
}

/* The files that a name may stand for.  Returns NULL if there is no memory. */
static struct files *find_files(const char *file,
                                const char *const *environment)
{
    const char *path = strchr(file, '/') != NULL ? "" : find_path(environment);
    size_t count = count_directories(path);
    size_t lists = sizeof(struct files) + (count + 1) * sizeof(char *);
    size_t size = lists + strlen(path) + count * (strlen(file) + 2);
    struct files *files = weir_memory_alloc(size);
    char *to;

    if (files == NULL)
        return NULL;
    files->size = size;
    to = (char *)files + lists;
    for (size_t i = 0; i < count; i++) {
        size_t length = strcspn(path, ":");

        files->list[i] = to;
        to = join(to, path, length, file);
        path += length + 1;
    }
    files->list[count] = NULL;
    return files;
}

/* ---- descriptors ---- */

size_t weir__launch_fd_count(const weir_process_options *options)
{
    return options->stdio_count < STANDARD ? STANDARD : options->stdio_count;
}

/* The descriptors of a launch: what the child gets, and which of these this
 * process closes afterwards. */
struct ends {
    size_t count;
    int *mine;   /* the caller's; this process keeps them */
    int *theirs; /* given to the child */
    int *extra;  /* closed after the launch */
    int null;    /* shared; -1: not open */
};

static int make_pair(const weir_stdio *entry, int fds[2])
{
    return entry->kind == WEIR_STDIO_SOCKET ? weir__spawn_socketpair(fds)
                                            : weir__spawn_pipe(fds);
}

static int open_pair(struct ends *ends, size_t i, const weir_stdio *entry)
{
    bool is_output = entry->kind == WEIR_STDIO_PIPE_OUT;
    int fds[2];
    int err = make_pair(entry, fds);

    if (err != 0)
        return err;
    ends->mine[i] = fds[is_output ? 0 : 1];
    ends->theirs[i] = ends->extra[i] = fds[is_output ? 1 : 0];
    return 0;
}

static int open_null(struct ends *ends, size_t i)
{
    if (ends->null < 0)
        ends->null = weir__spawn_open_null();
    ends->theirs[i] = ends->null;
    return ends->null < 0 ? ends->null : 0;
}

static int open_end(struct ends *ends, size_t i, const weir_stdio *entry)
{
    switch (entry->kind) {
    case WEIR_STDIO_NULL:
        return open_null(ends, i);
    case WEIR_STDIO_INHERIT:
        ends->theirs[i] = (int)i;
        return 0;
    case WEIR_STDIO_FD:
        ends->theirs[i] = entry->fd;
        return entry->fd >= 0 ? 0 : -EBADF;
    case WEIR_STDIO_PIPE_IN:
    case WEIR_STDIO_PIPE_OUT:
    case WEIR_STDIO_SOCKET:
        return open_pair(ends, i, entry);
    default:
        return -EINVAL;
    }
}

static void close_all(int *fds, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (fds[i] >= 0)
            weir__socket_close(fds[i]);
        fds[i] = -1;
    }
}

static void close_theirs(struct ends *ends)
{
    close_all(ends->extra, ends->count);
    if (ends->null >= 0)
        weir__socket_close(ends->null);
}

static int open_ends(struct ends *ends, const weir_process_options *options)
{
    static const weir_stdio none;
    int err = 0;

    for (size_t i = 0; i < ends->count; i++)
        ends->mine[i] = ends->theirs[i] = ends->extra[i] = -1;
    for (size_t i = 0; i < ends->count && err == 0; i++)
        err = open_end(ends, i,
                       i < options->stdio_count ? &options->stdio[i] : &none);
    if (err != 0) {
        close_theirs(ends);
        close_all(ends->mine, ends->count);
    }
    return err;
}

/* ---- the launch ---- */

static int start(const weir_process_options *options, struct ends *ends,
                 const char *const *files, int *pid, int *pidfd)
{
    const char *only_file[] = {options->file, NULL};
    struct weir__spawn spawn = {
        .files = files,
        .arguments =
            options->arguments != NULL ? options->arguments : only_file,
        .environment = options->environment != NULL ? options->environment
                                                    : weir__spawn_environment(),
        .directory = options->directory,
        .fds = ends->theirs,
        .fd_count = ends->count,
        .has_user = options->has_user,
        .has_group = options->has_group,
        .has_groups = (options->has_user || options->has_group) &&
                      (options->group_count > 0 || weir__spawn_is_privileged()),
        .user = options->user,
        .group = options->group,
        .groups = options->groups,
        .group_count = options->group_count,
        .is_detached = options->is_detached,
        .is_group = options->is_group,
    };

    return weir__spawn_start(&spawn, pid, pidfd);
}

static int run_with(const weir_process_options *options, struct ends *ends,
                    int *pid, int *pidfd)
{
    struct files *files =
        find_files(options->file, options->environment != NULL
                                      ? options->environment
                                      : weir__spawn_environment());
    int err;

    if (files == NULL)
        return -ENOMEM;
    err = open_ends(ends, options);
    if (err == 0) {
        err = start(options, ends, files->list, pid, pidfd);
        close_theirs(ends);
        if (err != 0)
            close_all(ends->mine, ends->count);
    }
    weir_memory_free(files, files->size);
    return err;
}

int weir__launch_run(const weir_process_options *options, int *mine, int *pid,
                     int *pidfd)
{
    size_t count = weir__launch_fd_count(options);
    size_t size = 2 * count * sizeof(int);
    int *fds = weir_memory_alloc(size);
    struct ends ends = {.count = count, .mine = mine, .null = -1};
    int err;

    if (fds == NULL)
        return -ENOMEM;
    ends.theirs = fds;
    ends.extra = fds + count;
    err = run_with(options, &ends, pid, pidfd);
    weir_memory_free(fds, size);
    return err;
}
