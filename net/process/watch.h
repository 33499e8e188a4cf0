/* SPDX-License-Identifier: MIT */
/*
 * watch -- the internal struct of a watch: scan.c finds directories, watch.c
 * does the rest.
 */
#ifndef WEIR_NET_PROCESS_WATCH_H
#define WEIR_NET_PROCESS_WATCH_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/inotify.h>

#include "os/inotify.h"
#include "process/tree.h"
#include "weir/watch.h"

struct weir__announced; /* scan.c */
#ifdef WEIR_SMALL
enum { WEIR__ANNOUNCED_BUCKETS = 1 };
#else
enum { WEIR__ANNOUNCED_BUCKETS = 256 };
#endif

struct weir_watch {
    weir_loop *loop;
    int fd;
    unsigned refs;
    weir_watch_options options;
    weir_watch_event_fn *fn;
    void *arg;
    weir_task task;
    bool is_posted;
    bool is_closing; /* weir_watch_close was called */
    bool is_ended;   /* the loop no longer watches fd */
    bool is_ending;  /* the loop is telling so */
    bool is_opening; /* nothing is reported yet */
    bool is_over;    /* WEIR_WATCH_ENDED was reported */
    int error;       /* while it is opening */
    weir_watch_fn *closed;
    void *closed_arg;
    uint32_t mask;
    struct weir__tree tree;
    weir__directory *directory; /* of the node that is scanned, or NULL */
    struct weir__node *scanned;
    struct weir__announced *announced[WEIR__ANNOUNCED_BUCKETS];
    bool has_announced;
    char base[NAME_MAX + 1]; /* is_by_name: the entry of the root */
    char root[PATH_MAX];     /* what the paths below begin with */
    char path[PATH_MAX];     /* for system calls */
    char name[PATH_MAX];     /* for events */
    size_t at, count;        /* in the buffer */
    _Alignas(struct inotify_event) char buffer[4096];
};

/* Whether the watch is closed or the loop has ended. */
bool weir__watch_is_gone(const weir_watch *watch);

/* Report an event of an entry of a directory. */
void weir__watch_emit_entry(weir_watch *watch, int status,
                            weir_watch_event event,
                            const struct weir__node *node, const char *name);

/* A directory cannot be watched.  While the watch is opened, that is an error,
 * unless the directory may not be read. */
void weir__watch_report_error(weir_watch *watch, int err,
                              const struct weir__node *node, const char *name);

/* Stop watching a directory with those below it. */
void weir__watch_remove(weir_watch *watch, struct weir__node *node);

/* What is watched is gone. */
void weir__watch_end(weir_watch *watch);

/* ---- scan.c ---- */

/* Watch a directory below the root, and have it scanned. */
int weir__scan_add(weir_watch *watch, struct weir__node *parent,
                   const char *name, bool is_silent);

/* Do a step of the scans.  Returns false if there is nothing to scan. */
bool weir__scan_step(weir_watch *watch);

/* Leave the scan that is going on. */
void weir__scan_stop(weir_watch *watch);

/* Forget that a scan has reported an entry.  Returns whether it has. */
bool weir__scan_take_announced(weir_watch *watch, int wd, const char *name);

/* Forget all of them. */
void weir__scan_forget(weir_watch *watch);

#endif /* WEIR_NET_PROCESS_WATCH_H */
