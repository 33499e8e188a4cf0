/* SPDX-License-Identifier: MIT */
/*
 * explore -- see explore.h.
 *
 * weir-explore-js is linked differently (cmake/explore-js.cmake), so it is not
 * part of this program.  It lies beside it where it was built, and in libexec
 * where it was installed.
 */
#include "explore.h"

#include <errno.h>
#include <libgen.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

enum { CANNOT_START = 1 };

int explore_exec(char **argv)
{
    static const char *const places[] = {"", "../libexec/weir/"};
    char self[PATH_MAX], path[PATH_MAX + 64];
    ssize_t size = readlink("/proc/self/exe", self, sizeof(self) - 1);

    self[size > 0 ? size : 0] = '\0';
    dirname(self);
    for (int i = 0; i < 2; i++) {
        snprintf(path, sizeof(path), "%s/%sweir-explore-js", self, places[i]);
        execv(path, argv + 1);
    }
    fprintf(stderr, "weir: explore is not available here: %s: %s\n", path,
            strerror(errno));
    return CANNOT_START;
}
