/* SPDX-License-Identifier: MIT */
/*
 * weir/watch.h -- watch files and directories for changes.
 *
 *     static void on_change(void *arg, weir_watch *watch, int status,
 *                           const weir_watch_event *event)
 *     {
 *         if (status == 0 && event->kind == WEIR_WATCH_WRITTEN)
 *             printf("%s has changed\n", event->name);
 *     }
 *
 *     weir_watch_open(&watch, loop, "/etc/weir", NULL, on_change, NULL);
 *
 * A watch of a directory reports what happens to its entries.  A recursive one
 * also reports what happens in the directories below it, including those that
 * are made or moved there later.  A new directory may already have entries when
 * the watch reaches it; they are reported as created, once each.
 *
 * A watch of a file reports what happens to this file, until it is removed or
 * moved.  Many programs replace a file by writing another one and renaming it.
 * is_by_name therefore follows the name: the watch reports what happens to
 * whichever file has that name.
 *
 * The kernel queues a bounded number of events.  If some were dropped,
 * WEIR_WATCH_OVERFLOW is reported: read everything again.  A recursive watch
 * then finds new directories itself, without reporting them.
 *
 * A watch belongs to one loop.  Every call must be made on that loop's thread,
 * where every callback is made, too.  A turn of the loop reports a bounded
 * number of events.  The watch remains until weir_watch_close, which must be
 * called exactly once.  When the loop ends, the callback gets WEIR_ECANCELED.
 * Then on_end of the options is called, which must call weir_watch_close.
 *
 * Each watch is an inotify(7) instance: the system limits their number
 * (fs.inotify.max_user_instances, often 128) and that of directories
 * (max_user_watches).
 */
#ifndef WEIR_WATCH_H
#define WEIR_WATCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/loop.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct weir_watch weir_watch;

/* What has happened.  Each event has one kind. */
typedef enum weir_watch_kind {
    WEIR_WATCH_CREATED = 1,
    WEIR_WATCH_MODIFIED = 2,   /* its content; reported for each write */
    WEIR_WATCH_WRITTEN = 4,    /* closed by a program that could write it */
    WEIR_WATCH_ATTRIBUTES = 8, /* permissions, times, owner, number of links */
    WEIR_WATCH_REMOVED = 16,
    WEIR_WATCH_MOVED_FROM = 32, /* its old name */
    WEIR_WATCH_MOVED_TO = 64,   /* its new name */
    WEIR_WATCH_OVERFLOW = 128,  /* events were lost; always reported */
    /* What is watched was removed, moved or unmounted.  This is the last event;
     * always reported. */
    WEIR_WATCH_ENDED = 256,
} weir_watch_kind;

/* Valid during the callback. */
typedef struct weir_watch_event {
    weir_watch_kind kind;
    /* The path relative to the watched directory; "" for what is watched
     * itself. */
    const char *name;
    bool is_directory;
    /* The same for the MOVED_FROM and MOVED_TO of one rename.  One of the two
     * is missing if the other name is not watched. */
    uint32_t cookie;
} weir_watch_event;

/* Something has happened (status 0), or the directory event->name is not
 * watched because of an error (-ENOSPC: max_user_watches, -EACCES, -ENOMEM,
 * ...), or the watch is over (WEIR_ECANCELED; event is NULL). */
typedef void weir_watch_event_fn(void *arg, weir_watch *watch, int status,
                                 const weir_watch_event *event);

/* A watch is closed. */
typedef void weir_watch_fn(void *arg, weir_watch *watch);

/* Every member except size may be left 0. */
typedef struct weir_watch_options {
    size_t size;      /* sizeof(weir_watch_options) */
    const char *name; /* for reports; not copied.  NULL: "watch" */
    unsigned kinds;   /* which to report, weir_watch_kind; 0: all */
    /* A directory with all those below it.  weir_watch_open reads them all
     * before it returns, and leaves out those that may not be read. */
    bool is_recursive;
    /* The name in its directory, which need not exist yet, instead of the file
     * that has it now. */
    bool is_by_name;
    bool is_unref; /* does not keep weir_loop_run running */
    /* The loop has ended.  This function must call weir_watch_close.  NULL: the
     * library closes the watch. */
    weir_watch_fn *on_end;
    void *arg; /* for on_end */
} weir_watch_options;

/**
 * Watch a file or directory.  Everything that happens after this call returns
 * is reported.
 *
 * Thread   loop
 * Owns     *watch is the caller's until weir_watch_close; the path is copied
 * Returns  0, -EINVAL (NULL, an unknown kind, or is_recursive with is_by_name),
 *          -E2BIG (an option that this library does not know), -ENOENT (no such
 *          file), -EACCES (it may not be read), -ENOTDIR (is_recursive, but not
 *          a directory), -ENAMETOOLONG, -ENOSPC (max_user_watches), -EMFILE (no
 *          descriptor left, or max_user_instances), -ENFILE, -ENOMEM, or
 *          another error of inotify_add_watch(2) or weir_fd_add
 */
WEIR_API WEIR_CHECKED int weir_watch_open(weir_watch **watch, weir_loop *loop,
                                          const char *path,
                                          const weir_watch_options *options,
                                          weir_watch_event_fn *fn, void *arg);

/**
 * Close a watch.  Its callback gets WEIR_ECANCELED, then closed (or NULL) is
 * called.
 *
 * Thread   loop; once for each watch.  It may be called in a callback of the
 *          watch
 * Owns     the watch is no longer the caller's; its memory is freed after
 *          closed
 */
WEIR_API void weir_watch_close(weir_watch *watch, weir_watch_fn *closed,
                               void *arg);

/**
 * Name a watch for reports.  The name is not copied, and must
 * outlive the loop.
 *
 * Thread   loop
 */
WEIR_API void weir_watch_set_name(weir_watch *watch, const char *name);

/**
 * Make a watch keep weir_loop_run running, or stop it from doing so.  A new
 * watch keeps it running.
 *
 * Thread   loop
 */
WEIR_API void weir_watch_set_ref(weir_watch *watch, bool is_ref);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_WATCH_H */
