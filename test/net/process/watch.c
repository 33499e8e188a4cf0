/* SPDX-License-Identifier: MIT */
/*
 * watch -- changes of real files in a directory of the case.
 *
 * The kernel queues an event before the system call that causes it returns, so
 * a case makes its changes and then lets the loop take its turns.
 */
#include "weir/watch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_fixture.h"
#include "support/loop_fixture.h"
#include "support/suite.h"

#define OPTIONS(...)                                                           \
    (&(weir_watch_options){.size = sizeof(weir_watch_options), __VA_ARGS__})

/* ---- failing calls of os/ ---- */

static int open_error, add_error;
static unsigned add_skip;

int __real_weir__inotify_open(void);
int __wrap_weir__inotify_open(void);
int __real_weir__inotify_add(int fd, const char *path, uint32_t mask);
int __wrap_weir__inotify_add(int fd, const char *path, uint32_t mask);

int __wrap_weir__inotify_open(void)
{
    return open_error != 0 ? open_error : __real_weir__inotify_open();
}

int __wrap_weir__inotify_add(int fd, const char *path, uint32_t mask)
{
    if (add_error != 0 && add_skip-- == 0) {
        int err = add_error;

        add_error = 0;
        return err;
    }
    return __real_weir__inotify_add(fd, path, mask);
}

/* ---- files of a case ---- */

static char place[] = "/tmp/weir-watch-XXXXXX";

static void make_place(void)
{
    expect(mkdtemp(place) != NULL);
    expect_int(chmod(place, 0755), 0);
    expect_int(chdir(place), 0);
}

static void remove_place(void)
{
    char command[100];

    expect_int(chdir("/"), 0);
    snprintf(command, sizeof(command), "rm -rf %s", place);
    expect_int(system(command), 0);
}

static void make_directory(const char *path)
{
    expect_int(mkdir(path, 0755), 0);
}

static void make_file(const char *path)
{
    int fd = open(path, O_RDONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0644);

    expect(fd >= 0);
    close(fd);
}

static void append_to(const char *path)
{
    int fd = open(path, O_WRONLY | O_APPEND | O_CLOEXEC);

    expect(fd >= 0);
    expect_int(write(fd, "x", 1), 1);
    close(fd);
}

static void move(const char *from, const char *to)
{
    expect_int(rename(from, to), 0);
}

/* ---- what is reported ---- */

static const char *letter_of(weir_watch_kind kind)
{
    switch (kind) {
    case WEIR_WATCH_CREATED:
        return "+";
    case WEIR_WATCH_MODIFIED:
        return "~";
    case WEIR_WATCH_WRITTEN:
        return "=";
    case WEIR_WATCH_ATTRIBUTES:
        return "@";
    case WEIR_WATCH_REMOVED:
        return "-";
    case WEIR_WATCH_MOVED_FROM:
        return "<";
    case WEIR_WATCH_MOVED_TO:
        return ">";
    case WEIR_WATCH_OVERFLOW:
        return "overflow";
    default:
        return "ended";
    }
}

static uint32_t last_cookie, cookie_before;
static unsigned events;

/* Record "+name" and the like; a directory as "+name/". */
static void take(void *arg, weir_watch *watch, int status,
                 const weir_watch_event *event)
{
    char text[200];

    events++;
    if (event == NULL) {
        note(weir_error_name(status));
        return;
    }
    cookie_before = last_cookie;
    last_cookie = event->cookie;
    snprintf(text, sizeof(text), "%s%s%s%s%s",
             status != 0 ? weir_error_name(status) : "", status != 0 ? ":" : "",
             letter_of(event->kind), event->name,
             event->is_directory ? "/" : "");
    note(text);
}

static weir_watch *watch_with(const char *path,
                              const weir_watch_options *options)
{
    weir_watch *watch;

    expect_status(weir_watch_open(&watch, loop, path, options, take, NULL), 0);
    return watch;
}

static void note_closed(void *arg, weir_watch *watch)
{
    note("closed");
}

/* Close the watch, and check that nothing is left. */
static void finish(weir_watch *watch)
{
    weir_watch_close(watch, note_closed, NULL);
    expect_recorded("");
    loop_run();
    expect_recorded("ECANCELED closed");
    end();
    remove_place();
}

static void start(void)
{
    make_place();
    begin();
    loop_make(NULL);
}

#define expect_changes(words)                                                  \
    do {                                                                       \
        loop_turns(4);                                                         \
        expect_recorded(words);                                                \
    } while (0)

/* ---- one directory ---- */

CASE(watch_of_a_directory_reports_its_entries)
{
    weir_watch *watch;

    start();
    watch = watch_with(".", NULL);
    make_file("a");
    expect_changes("+a");
    append_to("a");
    expect_changes("~a =a");
    expect_int(chmod("a", 0600), 0);
    expect_changes("@a");
    expect_int(unlink("a"), 0);
    expect_changes("-a");
    make_directory("sub");
    expect_changes("+sub/");
    make_file("sub/unseen");
    expect_changes("");
    expect_int(unlink("sub/unseen"), 0);
    expect_int(rmdir("sub"), 0);
    expect_changes("-sub/");
    expect_int(chmod(".", 0700), 0);
    expect_changes("@/");
    finish(watch);
}

CASE(watch_pairs_the_two_names_of_a_rename)
{
    weir_watch *watch;

    start();
    make_file("old");
    make_directory("elsewhere");
    watch = watch_with(".", NULL);
    move("old", "new");
    expect_changes("<old >new");
    expect(last_cookie != 0);
    expect_int(last_cookie, cookie_before);
    move("new", "elsewhere/new");
    expect_changes("<new");
    move("elsewhere/new", "back");
    expect_changes(">back");
    expect(last_cookie != cookie_before);
    append_to("back");
    expect_changes("~back =back");
    expect_int(last_cookie, 0);
    finish(watch);
}

CASE(watch_reports_only_the_kinds_that_were_asked_for)
{
    weir_watch *watch;

    start();
    watch = watch_with(
        ".", OPTIONS(.kinds = WEIR_WATCH_WRITTEN | WEIR_WATCH_REMOVED));
    make_file("a");
    append_to("a");
    expect_int(chmod("a", 0600), 0);
    move("a", "b");
    expect_int(unlink("b"), 0);
    expect_changes("=a -b");
    finish(watch);
}

CASE(watch_of_a_directory_that_is_removed_ends)
{
    weir_watch *watch;

    start();
    make_directory("sub");
    watch = watch_with("sub", OPTIONS(.kinds = WEIR_WATCH_CREATED));
    expect_int(rmdir("sub"), 0);
    expect_changes("ended");
    make_directory("sub");
    make_file("sub/a");
    expect_changes("");
    finish(watch);
}

CASE(watch_of_a_directory_that_is_moved_ends)
{
    weir_watch *watch;

    start();
    make_directory("sub");
    make_directory("sub/inner");
    watch = watch_with("sub", OPTIONS(.is_recursive = true));
    move("sub", "other");
    expect_changes("ended");
    make_file("other/a");
    make_file("other/inner/b");
    expect_changes("");
    finish(watch);
}

CASE(watch_of_an_unmounted_file_system_ends)
{
    weir_watch *watch;

    start();
    make_directory("mounted");
    if (unshare(CLONE_NEWNS) != 0 ||
        mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0 ||
        mount("none", "mounted", "tmpfs", 0, NULL) != 0) {
        remove_place();
        skip_case("may not mount");
    }
    make_directory("mounted/sub");
    watch = watch_with("mounted", OPTIONS(.is_recursive = true));
    make_file("mounted/sub/a");
    expect_changes("+sub/a");
    expect_int(umount("mounted"), 0);
    expect_changes("ended");
    finish(watch);
}

/* ---- one file ---- */

CASE(watch_of_a_file_reports_the_file_and_ends_with_it)
{
    weir_watch *watch;

    start();
    make_file("a");
    watch = watch_with("a", NULL);
    append_to("a");
    expect_changes("~ =");
    make_file("b");
    expect_changes("");
    expect_int(unlink("a"), 0);
    expect_changes("@ ended");
    finish(watch);
}

CASE(watch_of_a_file_that_is_moved_ends)
{
    weir_watch *watch;

    start();
    make_file("a");
    watch = watch_with("a", NULL);
    move("a", "b");
    expect_changes("ended");
    append_to("b");
    expect_changes("");
    finish(watch);
}

/* As editors save a file. */
static void replace(const char *path)
{
    make_file("temporary");
    append_to("temporary");
    move("temporary", path);
}

CASE(watch_by_name_follows_a_file_that_is_replaced)
{
    weir_watch *watch;
    char path[80];

    start();
    make_file("config");
    make_file("other");
    snprintf(path, sizeof(path), "%s/config", place);
    watch = watch_with(path, OPTIONS(.is_by_name = true));
    append_to("config");
    append_to("other");
    expect_changes("~ =");
    replace("config");
    expect_changes(">");
    append_to("config");
    expect_changes("~ =");
    expect_int(unlink("config"), 0);
    expect_changes("-");
    make_file("config");
    expect_changes("+");
    expect_int(chmod(".", 0700), 0);
    expect_changes("");
    finish(watch);
}

CASE(watch_by_name_waits_for_a_file_that_does_not_exist)
{
    weir_watch *watch;

    start();
    watch = watch_with("later", OPTIONS(.is_by_name = true));
    make_file("sooner");
    expect_changes("");
    make_file("later");
    expect_changes("+");
    finish(watch);
}

CASE(watch_by_name_ends_with_its_directory)
{
    weir_watch *watch;

    start();
    make_directory("sub");
    watch = watch_with("sub/file", OPTIONS(.is_by_name = true));
    expect_int(rmdir("sub"), 0);
    expect_changes("ended");
    finish(watch);
}

/* ---- recursive ---- */

#define RECURSIVE OPTIONS(.is_recursive = true)

CASE(watch_recursive_reports_what_is_below)
{
    weir_watch *watch;

    start();
    make_directory("a");
    make_directory("a/b");
    expect_int(symlink("/", "a/link"), 0);
    watch = watch_with(".", RECURSIVE);
    make_file("a/b/file");
    expect_changes("+a/b/file");
    append_to("a/b/file");
    expect_changes("~a/b/file =a/b/file");
    expect_int(unlink("a/b/file"), 0);
    expect_int(rmdir("a/b"), 0);
    expect_changes("-a/b/file -a/b/");
    make_file("a/again");
    expect_changes("+a/again");
    expect_int(chmod("a", 0700), 0);
    expect_changes("@a/"); /* once, although both are watched */
    finish(watch);
}

CASE(watch_recursive_finds_what_new_directories_contain)
{
    weir_watch *watch;

    start();
    watch = watch_with(".", RECURSIVE);
    make_directory("a");
    make_directory("a/b");
    make_directory("a/b/c");
    make_file("a/b/c/file");
    expect_changes("+a/ +a/b/ +a/b/c/ +a/b/c/file");
    make_file("a/b/c/second");
    make_directory("a/b/d");
    expect_changes("+a/b/c/second +a/b/d/");
    make_file("a/b/d/third");
    expect_changes("+a/b/d/third");
    finish(watch);
}

/* What happens between the watch of a directory and its scan, or how the scan
 * fails. */
static void (*before_scan)(void);
static int scan_error;

int __real_weir__directory_open(void **directory, const char *path);
int __wrap_weir__directory_open(void **directory, const char *path);

int __wrap_weir__directory_open(void **directory, const char *path)
{
    void (*action)(void) = before_scan;
    int err = scan_error;

    before_scan = NULL;
    scan_error = 0;
    if (action != NULL)
        action();
    return err != 0 ? err : __real_weir__directory_open(directory, path);
}

static void make_late_file(void)
{
    make_file("a/late");
}

CASE(watch_recursive_reports_an_entry_that_races_with_the_scan_once)
{
    weir_watch *watch;

    start();
    watch = watch_with(".", RECURSIVE);
    before_scan = make_late_file;
    make_directory("a");
    expect_changes("+a/ +a/late");
    expect(before_scan == NULL);
    /* It can be made again, and is reported again. */
    expect_int(unlink("a/late"), 0);
    make_file("a/late");
    expect_changes("-a/late +a/late");
    finish(watch);
}

static void remove_a(void)
{
    expect_int(rmdir("a"), 0);
}

CASE(watch_recursive_of_a_directory_that_vanishes_goes_on)
{
    weir_watch *watch;

    start();
    watch = watch_with(".", RECURSIVE);
    before_scan = remove_a;
    make_directory("a");
    expect_changes("+a/ -a/");
    make_directory("a");
    make_file("a/x");
    expect_changes("+a/ +a/x");
    /* The root itself vanishes while it is read. */
    expect_int(unlink("a/x"), 0);
    expect_changes("-a/x");
    before_scan = remove_a;
    {
        weir_watch *never;

        expect_status(weir_watch_open(&never, loop, "a", RECURSIVE, take, NULL),
                      -ENOENT);
    }
    expect_changes("-a/");
    finish(watch);
}

CASE(watch_recursive_reports_a_directory_that_cannot_be_read)
{
    weir_watch *watch;

    start();
    watch = watch_with(".", RECURSIVE);
    scan_error = -EMFILE;
    make_directory("a");
    expect_changes("+a/ EMFILE:+a/");
    make_file("a/x"); /* it is watched nevertheless */
    expect_changes("+a/x");
    finish(watch);
}

CASE(watch_recursive_follows_directories_that_are_renamed)
{
    weir_watch *watch;

    start();
    make_directory("a");
    make_directory("a/deep");
    make_directory("b");
    watch = watch_with(".", RECURSIVE);
    move("a", "b/renamed-to-something-longer");
    expect_changes("<a/ >b/renamed-to-something-longer/");
    make_file("b/renamed-to-something-longer/deep/x");
    expect_changes("+b/renamed-to-something-longer/deep/x");
    move("b/renamed-to-something-longer", "c");
    make_file("c/deep/y");
    make_file("c/z");
    expect_changes("<b/renamed-to-something-longer/ >c/ +c/deep/y +c/z");
    finish(watch);
}

CASE(watch_recursive_forgets_directories_that_leave)
{
    weir_watch *watch;

    start();
    make_directory("inside");
    make_directory("inside/a");
    make_directory("inside/a/b");
    watch = watch_with("inside", RECURSIVE);
    move("inside/a", "outside");
    expect_changes("<a/");
    make_file("outside/b/y");
    expect_changes("");
    move("outside", "inside/back");
    expect_changes(">back/ +back/b/ +back/b/y");
    make_file("inside/back/b/z");
    expect_changes("+back/b/z");
    finish(watch);
}

/* ---- against another thread ---- */

enum { TREES = 40, DEPTH = 4, FILES = 3 };

/* Make trees as fast as possible.  The loop finds them in any state. */
static void *make_trees(void *arg)
{
    char path[200];

    for (int i = 0; i < TREES; i++) {
        int length = snprintf(path, sizeof(path), "t%d", i);

        for (int depth = 0; depth < DEPTH; depth++) {
            make_directory(path);
            for (int file = 0; file < FILES; file++) {
                snprintf(path + length, sizeof(path) - (size_t)length, "/f%d",
                         file);
                make_file(path);
                path[length] = '\0';
            }
            length += snprintf(path + length, sizeof(path) - (size_t)length,
                               "/d%d", depth);
        }
    }
    make_file("finished");
    return NULL;
}

static unsigned counts[TREES][DEPTH][FILES + 1];
static bool is_finished;

static void count_created(void *arg, weir_watch *watch, int status,
                          const weir_watch_event *event)
{
    int tree, length = 0, depth = 0, number;
    const char *at;

    if (status == WEIR_ECANCELED)
        return;
    expect_status(status, 0);
    expect_int(event->kind, WEIR_WATCH_CREATED);
    if (strcmp(event->name, "finished") == 0) {
        is_finished = true;
        return;
    }
    expect_int(sscanf(event->name, "t%d%n", &tree, &length), 1);
    at = event->name + length;
    while (sscanf(at, "/d%d%n", &number, &length) == 1) {
        expect_int(number, depth);
        depth++;
        at += length;
    }
    number = FILES; /* the directory itself */
    if (*at != '\0')
        expect_int(sscanf(at, "/f%d", &number), 1);
    counts[tree][depth][number]++;
}

CASE(watch_recursive_reports_every_entry_once_while_trees_grow)
{
    weir_watch *watch;
    pthread_t thread;

    start();
    expect_status(weir_watch_open(&watch, loop, ".",
                                  OPTIONS(.is_recursive = true,
                                          .kinds = WEIR_WATCH_CREATED),
                                  count_created, NULL),
                  0);
    expect_int(pthread_create(&thread, NULL, make_trees, NULL), 0);
    while (!is_finished)
        expect_status(weir_loop_step(loop, -1), 0);
    expect_int(pthread_join(thread, NULL), 0);
    loop_turns(20);
    for (int tree = 0; tree < TREES; tree++)
        for (int depth = 0; depth < DEPTH; depth++)
            for (int i = 0; i <= FILES; i++)
                expect_int(counts[tree][depth][i], 1);
    weir_watch_close(watch, NULL, NULL);
    loop_run();
    end();
    remove_place();
}

/* ---- overflow ---- */

/* More events than the kernel keeps; equal ones in a row would be merged. */
static void overflow(void)
{
    char limit[20] = "";
    int fd = open("/proc/sys/fs/inotify/max_queued_events", O_RDONLY);
    long count;

    expect(fd >= 0);
    expect(read(fd, limit, sizeof(limit) - 1) > 0);
    close(fd);
    count = atol(limit);
    if (count > 1000000)
        skip_case("the kernel keeps too many events");
    for (long i = 0; i < count + 10; i++)
        expect_int(chmod(i % 2 ? "one" : "two", i & 2 ? 0600 : 0644), 0);
}

static unsigned attributes;

static void count_overflow(void *arg, weir_watch *watch, int status,
                           const weir_watch_event *event)
{
    if (event == NULL || event->kind != WEIR_WATCH_ATTRIBUTES) {
        take(arg, watch, status, event);
        return;
    }
    attributes++;
}

static char moved_place[80];

static void await_overflow(const char *words)
{
    const char *told;

    do {
        loop_turns(1);
        told = take_record();
    } while (*told == '\0');
    expect_string(told, words);
}

CASE(watch_reports_lost_events_and_finds_new_directories)
{
    weir_watch *watch;

    start();
    make_file("one");
    make_file("two");
    make_directory("gone");
    make_directory("gone/deep");
    make_directory("moved");
    make_directory("moved/deep");
    expect_status(
        weir_watch_open(&watch, loop, ".", RECURSIVE, count_overflow, NULL), 0);
    overflow();
    make_directory("new"); /* its event is lost */
    make_file("new/a");
    expect_int(rmdir("gone/deep"), 0);
    expect_int(rmdir("gone"), 0);
    move("moved", "new/moved");
    loop_turns(1);
    expect_int(attributes, 256); /* a bounded number */
    await_overflow("overflow");
    loop_turns(4);
    expect_recorded(""); /* what the scan finds is not reported */
    make_file("new/b");
    make_file("new/moved/deep/c");
    make_directory("gone");
    expect_changes("+new/b +new/moved/deep/c +gone/");
    make_file("gone/d");
    expect_changes("+gone/d");
    finish(watch);
}

/* The event that it is gone is lost, too. */
CASE(watch_whose_root_is_replaced_during_an_overflow_ends)
{
    weir_watch *watch;

    start();
    make_file("one");
    make_file("two");
    make_directory("sub");
    expect_status(
        weir_watch_open(&watch, loop, place, NULL, count_overflow, NULL), 0);
    overflow();
    await_overflow("overflow");
    append_to("one"); /* it goes on */
    expect_changes("~one =one");
    overflow();
    snprintf(moved_place, sizeof(moved_place), "%s-moved", place);
    move(place, moved_place);
    make_directory(place);
    await_overflow("overflow ended");
    expect_int(rmdir(place), 0);
    move(moved_place, place);
    finish(watch);
}

/* ---- work in a turn ---- */

static void count_events(void *arg, weir_watch *watch, int status,
                         const weir_watch_event *event)
{
    if (event != NULL)
        events++;
    else
        take(arg, watch, status, event);
}

CASE(watch_reports_a_bounded_number_of_events_in_a_turn)
{
    char name[20];
    weir_watch *watch;
    unsigned seen = 0;

    start();
    expect_status(weir_watch_open(&watch, loop, ".", NULL, count_events, NULL),
                  0);
    make_file("one");
    for (int i = 0; i < 300; i++) {
        snprintf(name, sizeof(name), "%d", i);
        expect_int(symlink("/", name), 0);
    }
    loop_turns(1);
    seen = events;
    expect_int(seen, 256);
    loop_turns(3);
    expect_int(events, 301);
    take_record();
    finish(watch);
}

CASE(watch_scans_a_bounded_number_of_entries_in_a_turn)
{
    char name[20];
    weir_watch *watch;

    start();
    make_directory("inside");
    make_directory("outside");
    for (int i = 0; i < 600; i++) {
        snprintf(name, sizeof(name), "outside/%d", i);
        expect_int(symlink("/", name), 0);
    }
    expect_status(
        weir_watch_open(&watch, loop, "inside", RECURSIVE, count_events, NULL),
        0);
    move("outside", "inside/now");
    loop_turns(1);
    expect(events > 200 && events <= 256);
    loop_turns(4);
    expect_int(events, 601);
    take_record();
    finish(watch);
}

/* ---- the end ---- */

static void end_and_close(void *arg, weir_watch *watch)
{
    note("end");
    weir_watch_set_name(watch, "late");
    weir_watch_set_ref(watch, true);
    weir_watch_close(watch, note_closed, NULL);
    note("returned");
}

static weir_watch *kept;

static void end_and_keep(void *arg, weir_watch *watch)
{
    kept = watch;
    note("end");
}

CASE(watch_of_a_loop_that_ends_is_cancelled)
{
    make_place();
    make_directory("a");
    begin();
    loop_make(NULL);
    (void)watch_with(".",
                     OPTIONS(.is_recursive = true, .on_end = end_and_close));
    loop_end();
    expect_recorded("ECANCELED end returned closed");
    expect_no_leak();
    loop_make(NULL);
    (void)watch_with(".", NULL);
    loop_end();
    expect_recorded("ECANCELED");
    expect_no_leak();
    loop_make(NULL);
    (void)watch_with(".", OPTIONS(.on_end = end_and_keep));
    expect_status(weir_loop_close(loop, -1), 0);
    expect_status(weir_loop_free(loop), 0);
    expect_recorded("ECANCELED end");
    weir_watch_close(kept, note_closed, NULL);
    expect_recorded("closed");
    expect_no_leak();
    remove_place();
}

static void take_and_close(void *arg, weir_watch *watch, int status,
                           const weir_watch_event *event)
{
    take(arg, watch, status, event);
    if (status == 0)
        weir_watch_close(watch, note_closed, NULL);
}

CASE(watch_closed_in_its_callback_reports_nothing_more)
{
    weir_watch *watch;

    start();
    expect_status(
        weir_watch_open(&watch, loop, ".", RECURSIVE, take_and_close, NULL), 0);
    make_directory("a");
    make_file("a/x");
    make_file("b");
    loop_run();
    expect_recorded("+a/ ECANCELED closed");
    end();
    remove_place();
}

static void swallow(void *arg, weir_loop *of, const weir_uncaught *what)
{
    note("raised");
}

static void take_and_raise(void *arg, weir_watch *watch, int status,
                           const weir_watch_event *event)
{
    take(arg, watch, status, event);
    if (status == 0)
        weir_raise(-EIO, "no");
}

CASE(watch_callback_that_raises_fails_alone)
{
    weir_watch *watch;

    make_place();
    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = swallow));
    expect_status(
        weir_watch_open(&watch, loop, ".", RECURSIVE, take_and_raise, NULL), 0);
    make_directory("a");
    make_file("a/x");
    make_file("a/y");
    make_file("b");
    loop_turns(8);
    expect_string(
        strstr(take_record(), "+b"),
        "+b raised"); /* after the others, whose order is the directory's */
    expect_int(events, 4);
    finish(watch);
}

static void take_end_and_raise(void *arg, weir_watch *watch, int status,
                               const weir_watch_event *event)
{
    take(arg, watch, status, event);
    weir_raise(-EIO, "no");
}

static void end_and_raise(void *arg, weir_watch *watch)
{
    weir_watch_close(watch, note_closed, NULL);
    note("end");
    weir_raise(-EIO, "no");
}

static void closed_and_raise(void *arg, weir_watch *watch)
{
    note("closed");
    weir_raise(-EIO, "no");
}

CASE(watch_that_ends_calls_the_others_if_a_callback_raises)
{
    weir_watch *watch;

    make_place();
    begin();
    loop_make(LOOP_OPTIONS(.on_uncaught = swallow));
    expect_status(
        weir_watch_open(&watch, loop, ".", NULL, take_end_and_raise, NULL), 0);
    weir_watch_close(watch, closed_and_raise, NULL);
    loop_run();
    expect_recorded("ECANCELED raised closed raised");
    expect_status(weir_watch_open(&watch, loop, ".",
                                  OPTIONS(.on_end = end_and_raise),
                                  take_end_and_raise, NULL),
                  0);
    loop_end();
    expect_recorded("ECANCELED raised end raised closed");
    expect_no_leak();
    remove_place();
}

CASE(watch_holds_the_loop_under_its_name)
{
    weir_watch *watch;
    weir_holder row;

    start();
    watch = watch_with(".", OPTIONS(.is_unref = true));
    loop_run(); /* returns */
    weir_watch_set_ref(watch, true);
    expect_int(weir_loop_report(loop, &row, 1, sizeof(row)), 1);
    expect_string(row.name, "watch");
    weir_watch_set_name(watch, "configuration");
    expect_int(weir_loop_report(loop, &row, 1, sizeof(row)), 1);
    expect_string(row.name, "configuration");
    finish(watch);
}

/* ---- failures ---- */

static int try_open(const char *path, const weir_watch_options *options)
{
    weir_watch *watch;

    return weir_watch_open(&watch, loop, path, options, take, NULL);
}

CASE(watch_open_refuses_nonsense)
{
    struct {
        weir_watch_options options;
        int unknown;
    } newer = {.options = {.size = sizeof(newer)}, .unknown = 1};
    static char long_path[PATH_MAX + 10];
    weir_watch *watch;

    start();
    make_file("file");
    /* covers: weir_watch_open -EINVAL */
    expect_status(weir_watch_open(NULL, loop, ".", NULL, take, NULL), -EINVAL);
    expect_status(weir_watch_open(&watch, NULL, ".", NULL, take, NULL),
                  -EINVAL);
    expect_status(weir_watch_open(&watch, loop, NULL, NULL, take, NULL),
                  -EINVAL);
    expect_status(weir_watch_open(&watch, loop, ".", NULL, NULL, NULL),
                  -EINVAL);
    expect_status(try_open(".", OPTIONS(.kinds = 1 << 20)), -EINVAL);
    expect_status(
        try_open("x", OPTIONS(.is_recursive = true, .is_by_name = true)),
        -EINVAL);
    expect_status(try_open("sub/", OPTIONS(.is_by_name = true)), -EINVAL);
    expect_status(try_open("..", OPTIONS(.is_by_name = true)), -EINVAL);
    /* covers: weir_watch_open -E2BIG */
    expect_status(try_open(".", &newer.options), -E2BIG);
    /* covers: weir_watch_open -ENOENT */
    expect_status(try_open("missing", NULL), -ENOENT);
    expect_status(try_open("missing/x", OPTIONS(.is_by_name = true)), -ENOENT);
    /* covers: weir_watch_open -ENOTDIR */
    expect_status(try_open("file", RECURSIVE), -ENOTDIR);
    /* covers: weir_watch_open -ENAMETOOLONG */
    memset(long_path, 'x', sizeof(long_path) - 1);
    expect_status(try_open(long_path, NULL), -ENAMETOOLONG);
    long_path[NAME_MAX + 1] = '\0';
    expect_status(try_open(long_path, OPTIONS(.is_by_name = true)),
                  -ENAMETOOLONG);
    end();
    remove_place();
}

CASE(watch_open_fails_when_the_system_is_exhausted)
{
    start();
    make_directory("a");
    make_directory("a/b");
    /* covers: weir_watch_open -EMFILE */
    open_error = -EMFILE;
    expect_status(try_open(".", NULL), -EMFILE);
    /* covers: weir_watch_open -ENFILE */
    open_error = -ENFILE;
    expect_status(try_open(".", NULL), -ENFILE);
    open_error = 0;
    /* covers: weir_watch_open -ENOSPC */
    for (unsigned i = 0; i < 3; i++) {
        add_error = -ENOSPC;
        add_skip = i;
        expect_status(try_open(".", RECURSIVE), -ENOSPC);
    }
    end();
    remove_place();
}

CASE(watch_of_what_may_not_be_read_is_refused)
{
    weir_watch *watch;

    make_place();
    make_directory("open");
    make_directory("open/closed");
    make_directory("open/other");
    expect_int(chmod("open/closed", 0), 0);
    expect_int(chmod("open/other", 0777), 0);
    if (geteuid() == 0) {
        expect_int(chown("open/closed", 65534, 65534), 0);
        expect_int(setresuid(65534, 65534, 0), 0);
    }
    begin();
    loop_make(NULL);
    /* covers: weir_watch_open -EACCES */
    expect_status(try_open("open/closed", NULL), -EACCES);
    /* Below the root it is left out. */
    watch = watch_with("open", RECURSIVE);
    make_directory("open/other/x");
    expect_changes("+other/x/");
    expect_int(mkdir("open/other/y", 0), 0);
    expect_changes("+other/y/ EACCES:+other/y/");
    make_directory("open/other/z");
    make_file("open/other/z/a");
    expect_changes("+other/z/ +other/z/a");
    weir_watch_close(watch, NULL, NULL);
    loop_run();
    end();
    expect_int(chmod("open/closed", 0700), 0);
    expect_int(chmod("open/other/y", 0700), 0);
    if (getegid() == 0)
        expect_int(setresuid(0, 0, 0), 0);
    remove_place();
}

CASE(watch_goes_on_when_a_directory_cannot_be_watched)
{
    weir_watch *watch;

    start();
    make_directory("a");
    watch = watch_with(".", RECURSIVE);
    add_error = -ENOSPC;
    add_skip = 0;
    make_directory("full");
    expect_changes("+full/ ENOSPC:+full/");
    make_file("full/unseen");
    make_file("a/seen");
    expect_changes("+a/seen");
    finish(watch);
}

CASE(watch_without_memory_leaves_no_trace)
{
    unsigned failures = 0;
    int err = -ENOMEM;

    make_place();
    for (int i = 0; i < 10; i++) {
        char name[20];

        snprintf(name, sizeof(name), "d%d", i);
        make_directory(name);
    }
    for (unsigned n = 1; err != 0; n++) {
        weir_watch *watch;

        begin();
        loop_make(NULL);
        memory.fail_at = memory.calls + n;
        err = weir_watch_open(&watch, loop, ".", RECURSIVE, take, NULL);
        memory.fail_at = 0;
        /* covers: weir_watch_open -ENOMEM */
        expect(err == 0 || err == -ENOMEM);
        failures += err != 0;
        if (err == 0)
            weir_watch_close(watch, NULL, NULL);
        loop_run();
        end();
    }
    expect(failures > 12);
    remove_place();
}

/* Every allocation of an event fails once: it is reported, and nothing leaks. */
CASE(watch_without_memory_reports_what_it_misses)
{
    unsigned failures = 0;

    make_place();
    for (unsigned n = 1; n < 12; n++) {
        weir_watch *watch;
        const char *told;

        begin();
        loop_make(NULL);
        make_directory("a");
        watch = watch_with(".", RECURSIVE);
        memory.fail_at = memory.calls + n;
        make_directory("b");
        make_file("b/file");
        make_directory("b/c");
        loop_turns(4);
        move("a", "b/a");
        loop_turns(4);
        memory.fail_at = 0;
        told = take_record();
        expect(strstr(told, "ENOMEM:") != NULL ||
               (strstr(told, "+b/file") != NULL &&
                strstr(told, "+b/c/") != NULL &&
                strstr(told, ">b/a/") != NULL));
        failures += strstr(told, "ENOMEM:") != NULL;
        weir_watch_close(watch, NULL, NULL);
        loop_run();
        end();
        take_record();
        expect_int(system("rm -rf a b"), 0);
    }
    expect(failures >= 3);
    remove_place();
}
