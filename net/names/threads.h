/* SPDX-License-Identifier: MIT */
/*
 * threads -- the threads that the lookups of all loops share.
 */
#ifndef WEIR_NET_NAMES_THREADS_H
#define WEIR_NET_NAMES_THREADS_H

#include "weir/error.h"
#include "weir/job.h"

/* Post a job to the shared threads, and start them if there are none.  Thread:
 * any.  Returns 0, -ENOMEM, or -EAGAIN (no thread can be created). */
WEIR_CHECKED int weir__threads_post(weir_job *job);

#endif /* WEIR_NET_NAMES_THREADS_H */
