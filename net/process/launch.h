/* SPDX-License-Identifier: MIT */
/*
 * launch -- what a child needs at its start: the files to try, its descriptors.
 */
#ifndef WEIR_NET_PROCESS_LAUNCH_H
#define WEIR_NET_PROCESS_LAUNCH_H

#include <stddef.h>

#include "weir/process.h"

/* The number of entries that a stdio table has, with those that are added. */
size_t weir__launch_fd_count(const weir_process_options *options);

/* Start a child.  mine[i] becomes this process's end of a pipe or socket, or
 * -1.  Returns 0; or an error: then there is no child, and no descriptor is
 * open. */
int weir__launch_run(const weir_process_options *options, int *mine, int *pid,
                     int *pidfd);

#endif /* WEIR_NET_PROCESS_LAUNCH_H */
