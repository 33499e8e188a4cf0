/* SPDX-License-Identifier: MIT */
/*
 * os/fcntl -- check whether a descriptor is open.
 *
 * Tested by  test/unit/loop/fd.c
 */
#include <fcntl.h>

#include "base/poller.h"

bool weir__poller_is_open(int fd)
{
    return fcntl(fd, F_GETFD) != -1;
}
