/* SPDX-License-Identifier: MIT */
/*
 * readfile -- see readfile.h.
 *
 * The size that fstat reports is only where to begin: /proc and pipes report 0,
 * and a file may grow while it is read.
 */
#include "os/readfile.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "weir/host/memory.h"

enum { FIRST_SIZE = 4096 };

struct content {
    char *data;
    size_t size, allocated;
};

/* Key files are read here: leave no copy in freed memory. */
static void discard(struct content *content)
{
    if (content->data != NULL)
        explicit_bzero(content->data, content->size);
    weir_memory_free(content->data, content->allocated);
}

static int grow(struct content *content, size_t allocated)
{
    char *data = weir_memory_alloc(allocated);

    if (data == NULL)
        return -ENOMEM;
    if (content->size > 0)
        memcpy(data, content->data, content->size);
    discard(content);
    content->data = data;
    content->allocated = allocated;
    return 0;
}

/* Read until the end.  One byte of room is always left, to notice the end. */
static int read_all(int fd, size_t limit, struct content *content)
{
    for (;;) {
        ssize_t count;

        if (content->size == content->allocated) {
            int err = grow(content, content->allocated * 2);

            if (err != 0)
                return err;
        }
        count = read(fd, content->data + content->size,
                     content->allocated - content->size);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            return -errno;
        if (count == 0)
            return 0;
        content->size += (size_t)count;
        if (content->size > limit)
            return -EFBIG;
    }
}

static size_t first_size(int fd, size_t limit)
{
    struct stat status;

    if (fstat(fd, &status) != 0 || status.st_size <= 0)
        return FIRST_SIZE;
    return (size_t)status.st_size < limit ? (size_t)status.st_size + 1
                                          : FIRST_SIZE;
}

int weir__readfile(const char *path, size_t limit, char **data, size_t *size,
                   size_t *allocated)
{
    struct content content = {NULL, 0, 0};
    int fd = open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY), err;

    if (fd < 0)
        return -errno;
    err = grow(&content, first_size(fd, limit));
    if (err == 0)
        err = read_all(fd, limit, &content);
    close(fd);
    if (err != 0) {
        discard(&content);
        return err;
    }
    *data = content.data;
    *size = content.size;
    *allocated = content.allocated;
    return 0;
}
