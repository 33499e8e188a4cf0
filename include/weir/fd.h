/* SPDX-License-Identifier: MIT */
/*
 * weir/fd.h -- callbacks for ready descriptors.
 *
 *     static void on_socket(void *arg, int status, int fd, unsigned events)
 *     {
 *         if (status != 0) ...             the loop has ended: clean up
 *         if (events & WEIR_FD_READABLE) ...
 *     }
 *
 *     weir_fd_add(loop, fd, WEIR_FD_READABLE, on_socket, connection);
 *
 * A loop has at most one registration for each descriptor.  Events are
 * level-triggered unless requested otherwise.  Errors and hang-ups are always
 * reported.  A callback gets each event at most once in a turn, and only those
 * events that its registration asks for at that moment.
 *
 * Remove a descriptor before closing it.  A loop survives one that was closed
 * first: it does not spin, even if a duplicate of the descriptor is open in
 * this process or in a child, unless no descriptor is left for a new poller.  But until the descriptor is removed, its number
 * cannot be added again, and its callback may be called for the old file while
 * a duplicate is open (epoll), or for another file that now has the number
 * (poll).  After the removal the callback is called for neither.
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

/* status is 0, or WEIR_ECANCELED if the loop ends; then events is 0, and this
 * is the last call.  The caller closes the descriptor. */
typedef void weir_fd_fn(void *arg, int status, int fd, unsigned events);

/**
 * Watch a descriptor.  fn is called on the loop's thread for each event.
 *
 * Thread   any
 * Owns     fd and arg stay the caller's
 * Returns  0, -EINVAL (NULL, or unknown events), -EBADF (fd is not open),
 *          -EEXIST (fd is already watched), -EPERM (the kernel cannot watch
 *          such a file), -ENOTSUP (edge-triggered, but the poller cannot do
 *          that), WEIR_ENOFDS (the loop has WEIR_FD_MODE_NEVER), WEIR_ECLOSED
 *          (the loop no longer admits work), -ENOMEM, -ENOSPC (too many
 *          watches), -EMFILE, -ENFILE (no descriptor left for the poller),
 *          -ELOOP (fd is the backend descriptor of a loop that watches this
 *          loop, or of one with two more nested inside), WEIR_EFORKED
 * Orders   everything before the call happens-before fn()
 */
WEIR_API WEIR_CHECKED int weir_fd_add(weir_loop *loop, int fd, unsigned events,
                                      weir_fd_fn *fn, void *arg);

/**
 * Change the events that a descriptor is watched for.  After an error the old
 * events stay.
 *
 * Thread   any
 * Returns  0, -EINVAL (unknown events), -ENOENT (fd is not watched), -EBADF (fd
 *          was closed), -ENOTSUP (edge-triggered, but the poller cannot do
 *          that), -ENOMEM, -ENOSPC (no room in the poller for a one-shot
 *          registration that has fired), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_fd_modify(weir_loop *loop, int fd,
                                         unsigned events);

/**
 * Stop watching a descriptor.  On the loop's thread, no callback begins after
 * this call returns.  On another thread, a callback may still be running at the
 * return.  `removed` (or NULL) is called on the loop's thread, in its close
 * phase, when no callback is running and none will begin.
 *
 * Thread   any
 * Returns  0, -ENOENT (fd is not watched), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_fd_remove(weir_loop *loop, int fd,
                                         weir_fn *removed, void *arg);

/**
 * Make a descriptor keep weir_loop_run running.  A new registration does so,
 * until weir_fd_unref.
 *
 * Thread   any
 * Returns  0, -ENOENT (fd is not watched), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_fd_ref(weir_loop *loop, int fd);

/**
 * Stop a descriptor from keeping weir_loop_run running.  It is still watched
 * while the loop runs.
 *
 * Thread   any
 * Returns  0, -ENOENT (fd is not watched), WEIR_EFORKED
 */
WEIR_API WEIR_CHECKED int weir_fd_unref(weir_loop *loop, int fd);

/**
 * Name a watched descriptor for reports and metrics.  The name is not copied.
 *
 * Thread   any
 * Returns  0, -ENOENT (fd is not watched), WEIR_EFORKED
 */
WEIR_API int weir_fd_set_name(weir_loop *loop, int fd, const char *name);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_FD_H */
