/* SPDX-License-Identifier: MIT */
/*
 * weir/net/monitor.h -- a page that shows what the program does, even while its
 * loops hang.
 *
 *     weir_monitor_options options = {.size = sizeof(options),
 *                                     .address = "127.0.0.1:0",
 *                                     .title = "my service"};
 *     char url[128];
 *
 *     weir_recorder_start(NULL);
 *     weir_monitor_start(&options);
 *     weir_monitor_url(url, sizeof(url));
 *     printf("live at %s\n", url);
 *     ...
 *     weir_monitor_stop();
 *
 * The monitor has a thread with its own loop, and an HTTP server there.  It
 * shows all loops of the process and what they run, pools, HTTP servers with
 * their connections, the slowest callbacks and requests of the flight recorder,
 * and what the watchdog has found.  While nobody looks, it sleeps.
 *
 * Who may look: over TCP, a client needs the token that is part of the URL.
 * Each start makes a new one.  Requests with a Host that is a name, except
 * "localhost", are refused, because a page of another site could have sent
 * them, and so are requests from pages of other origins.  A Unix socket can be
 * used by the owner of the process and by root; it needs no token.
 *
 * Names of callbacks must not be freed while the monitor runs, as for the
 * watchdog and the recorder.
 */
#ifndef WEIR_NET_MONITOR_H
#define WEIR_NET_MONITOR_H

#include <stddef.h>
#include <stdint.h>

#include "weir/error.h"
#include "weir/export.h"
#include "weir/live.h"
#include "weir/pool.h"

#ifdef __cplusplus
extern "C" {
#endif

/* A pool of workers that run a language, such as weir:pool. */
typedef struct weir_monitor_pool {
    char name[32];
    uint32_t workers;
    uint64_t queued; /* tasks that wait */
    uint64_t taken;  /* tasks that have begun */
    uint64_t stolen; /* tasks that went from one worker to another */
    uint64_t waited_ns, longest_ns; /* in the queue: in all, and the longest */
} weir_monitor_pool;

/* size, and one of address and path must be set. */
typedef struct weir_monitor_options {
    size_t size;         /* sizeof(weir_monitor_options) */
    const char *address; /* such as "127.0.0.1:0"; NULL: no TCP */
    const char *path;    /* of a Unix socket, which gets the mode 0600.  If
                            nobody listens there, an old file is replaced */
    const char *title;   /* of the program; NULL: none */
    void *arg;           /* for the functions below, which are called on the
                            monitor's thread and must not block */
    /* Return the pool to show, or NULL.  The pool must exist until
     * weir_monitor_stop. */
    const weir_pool *(*get_pool)(void *arg);
    /* Begin the drain of the program.  NULL: the page cannot do that. */
    void (*on_drain)(void *arg);
    /* Show something with weir_monitor_show, soon: the page asks for it by a
     * text of at most 255 bytes, such as "heap".  NULL: it cannot ask. */
    void (*on_ask)(void *arg, const char *what);
    /* Fill in rows[0 .. capacity - 1], and return how many pools of workers there
     * are, which may exceed capacity.  NULL: none. */
    size_t (*get_pools)(void *arg, weir_monitor_pool *rows, size_t capacity);
} weir_monitor_options;

#define WEIR_MONITOR_SECTION_BYTES 1048576
#define WEIR_MONITOR_FILE_BYTES 67108864

/**
 * Start the monitor of this process.
 *
 * Thread   any except a loop's, since it waits for the monitor's thread to
 *          listen
 * Owns     the texts of the options are copied
 * Returns  0, -EINVAL (neither address nor path, not an address, or a text that
 *          is too long), -E2BIG (an option that this library does not know),
 *          -EALREADY (it runs), -EAGAIN (no thread), -ENOMEM, or an error of
 *          weir_listener_open
 */
WEIR_API WEIR_CHECKED int
weir_monitor_start(const weir_monitor_options *options);

/**
 * Stop the monitor: cut off its clients, remove its Unix socket, and wait for
 * its thread.  It can be started again.  Without effect if it does not run.
 *
 * Thread   any except the monitor's; one at a time
 */
WEIR_API void weir_monitor_stop(void);

/**
 * Write the URL of the page, with the token: "http://127.0.0.1:40411/#c0ffee...".
 *
 * Thread   any, while the monitor runs
 * Returns  the length of the URL, which is cut if it does not fit; 0 if the
 *          monitor has no address, or does not run
 */
WEIR_API size_t weir_monitor_url(char *text, size_t size);

/**
 * Let the page show a block.  Call it in the watchdog's on_block.  Without effect
 * if the monitor does not run: the last blocks are kept for when it does.
 *
 * Thread   any
 * Owns     the block is copied
 */
WEIR_API void weir_monitor_show_block(const weir_block *block);

/**
 * Give the page the program's own data: JSON, which replaces what had this name
 * before.  An empty text removes it.  The page displays "heap", "pending", "jobs"
 * and "profile"; data with other names is in /sample.json only.
 *
 * Thread   any
 * Owns     the text is copied, and kept until it is replaced
 * Returns  0, -EINVAL (NULL, or a name that does not consist of 1 to 31 small
 *          letters and hyphens), -EMSGSIZE (more than WEIR_MONITOR_SECTION_BYTES),
 *          -ENOSPC (16 names are in use), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_monitor_show(const char *name, const char *json,
                                            size_t size);

/**
 * Let the page download a file of the program's, such as a profile, as GET
 * /file?name=NAME.  It replaces what had this name before.  An empty file removes
 * it.
 *
 * Thread   any
 * Owns     the bytes are copied, and kept until they are replaced
 * Returns  0, -EINVAL (NULL, or a name that does not consist of 1 to 31 small
 *          letters and hyphens), -EMSGSIZE (more than WEIR_MONITOR_FILE_BYTES),
 *          -ENOSPC (4 names are in use), -ENOMEM
 */
WEIR_API WEIR_CHECKED int weir_monitor_offer(const char *name,
                                             const void *bytes, size_t size);

#ifdef __cplusplus
}
#endif
#endif /* WEIR_NET_MONITOR_H */
