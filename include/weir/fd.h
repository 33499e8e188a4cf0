/* SPDX-License-Identifier: MIT */
/*
 * weir/fd.h -- callbacks when a descriptor is ready.
 *
 *     static void on_socket(void *arg, int status, int fd, unsigned events)
 *     {
 *         if (status != 0) ...             the loop has ended: clean up
 *         if (events & WEIR_READABLE) ...
 *     }
 *
 *     weir_fd_add(loop, fd, WEIR_READABLE, on_socket, connection);
 *
 * One registration for each descriptor and loop.  Level-triggered unless
 * asked otherwise.  Errors and hang-ups are always reported.  A callback gets
 * each event at most once in a turn, and only those it asks for at that
 * moment.
 *
 * Remove a descriptor before closing it.  One that was closed first is
 * survived: the loop does not spin, even if a duplicate of it is open, in this
 * process or in a child.  But until it is removed its number cannot be added
 * again, and its callback may be called for the old file while a duplicate is
 * open (epoll), or for another file that has got the number (poll).  After the
 * removal it is called for neither.
 */
#ifndef WEIR_FD_H
#define WEIR_FD_H

#include "weir/error.h"
#include "weir/event.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

/* status is 0, or WEIR_ECANCELED (then events is 0): the loop ends, and this
 * is the last call.  The descriptor is the caller's to close. */
typedef void weir_fd_fn(void *arg, int status, int fd, unsigned events);

/**
 * Watch a descriptor.
 *
 * Thread   any
 * Owns     fd and arg stay the caller's
 * Returns  0, -EINVAL (NULL, or unknown events), -EBADF, -EEXIST (it is
 *          watched already), -EPERM (the kernel cannot watch such a file),
 *          -ENOTSUP (at the edge, but the poller cannot), WEIR_EFASTPATH,
 *          WEIR_ECLOSED, -ENOMEM, -ENOSPC, -EMFILE, -ENFILE, -ELOOP (the
 *          backend descriptor of a loop that watches this one, or of one with
 *          two more inside)
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_fd_add(weir_loop *loop, int fd, unsigned events,
                                      weir_fd_fn *fn, void *arg);

/**
 * Watch for other events; after an error the old ones stay.
 *
 * Thread   any
 * Returns  0, -EINVAL, -ENOENT (not watched), -EBADF (it was closed),
 *          -ENOTSUP, -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_fd_modify(weir_loop *loop, int fd,
                                         unsigned events);

/**
 * Watch no longer.  On the loop's thread no callback begins after the return.
 * On another thread one may still be running: `removed` (or NULL) is called on
 * the loop's thread, in its close phase, when none is and none will.
 *
 * Thread   any
 * Returns  0, -ENOENT
 */
WEIR_API WEIR_CHECKED int weir_fd_remove(weir_loop *loop, int fd,
                                         weir_fn *removed, void *arg);

/**
 * Whether it keeps weir_loop_run from becoming idle.  At first it does.
 *
 * Thread   any
 * Returns  0, -ENOENT
 */
WEIR_API WEIR_CHECKED int weir_fd_ref(weir_loop *loop, int fd);

/**
 * It does not, from now on.
 *
 * Thread   any
 * Returns  0, -ENOENT
 */
WEIR_API WEIR_CHECKED int weir_fd_unref(weir_loop *loop, int fd);

/**
 * Name it, for reports and metrics.  The name is not copied.
 *
 * Thread   any
 * Returns  0, -ENOENT
 */
WEIR_API int weir_fd_set_name(weir_loop *loop, int fd, const char *name);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_FD_H */
