/* SPDX-License-Identifier: MIT */
/*
 * wrap -- intercepts the host's calls of the system.
 *
 * The linker's --wrap turns the host's calls of these functions into calls of
 * __wrap_*, and __real_* into the functions themselves.  Blocking goes to the
 * scheduler; the clock, random numbers and the process's number are the same in
 * each run; sockets and other processes are refused by name.
 */
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/sysmacros.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include "base/futex.h"
#include "checkpoint.h"
#include "core/async.h"
#include "core/builtin.h"
#include "core/heap.h"
#include "core/lib.h"
#include "hooks.h"
#include "real.h"
#include "rewind.h"
#include "schedule.h"
#include "weir/host/thread.h"
#include "weir/loop.h"

#define WRAP(function) __wrap_##function
#define REAL(function) __real_##function

/* Of the 17th of November 2026, where time begins in each execution. */
static const int64_t epoch_ns = INT64_C(1794873600000000000);

/* --- futexes ------------------------------------------------------------------ */

int REAL(weir__futex_wait)(const void *word, uint32_t expected,
                           int64_t deadline_ns, enum weir__futex_scope scope);
void REAL(weir__futex_wake_one)(const void *word, enum weir__futex_scope scope);
void REAL(weir__futex_wake_all)(const void *word, enum weir__futex_scope scope);

int WRAP(weir__futex_wait)(const void *word, uint32_t expected,
                           int64_t deadline_ns, enum weir__futex_scope scope)
{
    if (!schedule_is_on())
        return REAL(weir__futex_wait)(word, expected, deadline_ns, scope);
    if (*(const volatile uint32_t *)word != expected)
        return 0;
    return schedule_wait(word, deadline_ns) ? 0 : -ETIMEDOUT;
}

void WRAP(weir__futex_wake_one)(const void *word, enum weir__futex_scope scope)
{
    if (schedule_is_on())
        schedule_wake(word, 1);
    else
        REAL(weir__futex_wake_one)(word, scope);
}

void WRAP(weir__futex_wake_all)(const void *word, enum weir__futex_scope scope)
{
    if (schedule_is_on())
        schedule_wake(word, THREADS);
    else
        REAL(weir__futex_wake_all)(word, scope);
}

/* --- completions --------------------------------------------------------------- */

int REAL(weir_loop_post)(weir_loop *loop, weir_task *task);

/* A thread of the pool has done its work, and another may be faster. */
int WRAP(weir_loop_post)(weir_loop *loop, weir_task *task)
{
    if (schedule_is_on() && !schedule_is_host()) {
        schedule_visit((struct footprint){0});
        hooks_note_result(task, task->name);
    }
    return REAL(weir_loop_post)(loop, task);
}

int REAL(weir__js_work_start)(weir_js *js, struct weir__js_work *work,
                              const struct weir__js_work_kind *kind,
                              const char *name, JSValueConst resolve,
                              JSValueConst reject);

int WRAP(weir__js_work_start)(weir_js *js, struct weir__js_work *work,
                              const struct weir__js_work_kind *kind,
                              const char *name, JSValueConst resolve,
                              JSValueConst reject)
{
    if (schedule_is_on())
        hooks_note_work(&work->task, name != NULL ? name : kind->name);
    return REAL(weir__js_work_start)(js, work, kind, name, resolve, reject);
}

/* --- descriptors ------------------------------------------------------------- */

int REAL(epoll_pwait2)(int fd, struct epoll_event *events, int size,
                       const struct timespec *timeout, const sigset_t *mask);

static int64_t to_deadline(const struct timespec *timeout)
{
    return timeout == NULL
               ? -1
               : schedule_now() + (int64_t)timeout->tv_sec * 1000000000 +
                     timeout->tv_nsec;
}

int WRAP(epoll_pwait2)(int fd, struct epoll_event *events, int size,
                       const struct timespec *timeout, const sigset_t *mask)
{
    static const struct timespec none;
    struct pollfd entry = {.fd = fd, .events = POLLIN};

    if (!schedule_is_on())
        return REAL(epoll_pwait2)(fd, events, size, timeout, mask);
    if (timeout == NULL || timeout->tv_sec != 0 || timeout->tv_nsec != 0)
        schedule_poll(&entry, 1, to_deadline(timeout));
    return REAL(epoll_pwait2)(fd, events, size, &none, mask);
}

int WRAP(poll)(struct pollfd *entries, nfds_t count, int timeout_ms)
{
    if (schedule_is_on() && timeout_ms != 0)
        schedule_poll(entries, count,
                      timeout_ms < 0
                          ? -1
                          : schedule_now() + timeout_ms * INT64_C(1000000));
    return real_poll(entries, count, schedule_is_on() ? 0 : timeout_ms);
}

ssize_t REAL(write)(int fd, const void *bytes, size_t size);

/* It may wake a thread that polls. */
ssize_t WRAP(write)(int fd, const void *bytes, size_t size)
{
    if (schedule_is_on())
        schedule_touch_all();
    return REAL(write)(fd, bytes, size);
}

/* --- threads ------------------------------------------------------------------ */

static _Thread_local bool starts_host;

int REAL(weir_thread_start)(weir_thread *thread, void (*body)(void *arg),
                            void *arg, size_t stack_bytes);

int WRAP(weir_thread_start)(weir_thread *thread, void (*body)(void *arg),
                            void *arg, size_t stack_bytes)
{
    int err;

    starts_host = true;
    err = REAL(weir_thread_start)(thread, body, arg, stack_bytes);
    starts_host = false;
    return err;
}

int WRAP(pthread_create)(pthread_t *thread, const pthread_attr_t *attributes,
                         void *(*body)(void *), void *arg)
{
    if (!schedule_is_on())
        return real_pthread_create(thread, attributes, body, arg);
    return schedule_create(thread, attributes, body, arg, starts_host);
}

int WRAP(pthread_join)(pthread_t thread, void **result)
{
    return schedule_is_on() ? schedule_join(thread, result)
                            : real_pthread_join(thread, result);
}

/* Nobody spins in vain: the time passes in which it would be worth it. */
void WRAP(weir__thread_yield)(void)
{
    schedule_pass(100000);
}

uint32_t WRAP(weir__thread_cores)(void)
{
    return 2;
}

/* Libraries that most programs use and whose loading nobody can notice are loaded
 * with the host, so that executions have that in common, too. */
static void load_libraries(JSContext *context)
{
    static const char *const names[] = {"program/module", "timers/timers",
                                        "program/stdio", "program/signals",
                                        "threads/worker_threads"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++) {
        JSValue exports = weir__js_require(context, names[i]);

        if (JS_IsException(exports)) /* it will be tried again */
            JS_FreeValue(context, JS_GetException(context));
        JS_FreeValue(context, exports);
    }
}

int REAL(weir__js_new)(weir_js **out, weir_loop *loop,
                       const weir_js_options *options, const weir_js *parent);

int WRAP(weir__js_new)(weir_js **out, weir_loop *loop,
                       const weir_js_options *options, const weir_js *parent)
{
    int err = REAL(weir__js_new)(out, loop, options, parent);

    if (err != 0 && schedule_is_on())
        schedule_end_start();
    return err;
}

void REAL(weir__js_join_time)(weir_js *js);

/* A worker, which has a host and knows what it was started with. */
void WRAP(weir__js_join_time)(weir_js *js)
{
    REAL(weir__js_join_time)(js);
    load_libraries(js->context);
    if (schedule_is_on())
        schedule_end_start();
}

/* --- the end of a host ---------------------------------------------------------- */

/* When a host ends, it drops all that others could notice, and frees its memory,
 * which takes longer than a short execution.  It need not: what it drops could be
 * referenced elsewhere, too.  But a worker of a weir:pool leaves it when its object
 * is freed. */
static bool is_pool_worker[THREADS], has_ended[THREADS];

struct weir__js_pool *REAL(weir__js_pool_enter)(uint32_t number, uint32_t at);

struct weir__js_pool *WRAP(weir__js_pool_enter)(uint32_t number, uint32_t at)
{
    if (schedule_is_on())
        is_pool_worker[schedule_self()] = true;
    return REAL(weir__js_pool_enter)(number, at);
}

void REAL(weir__js_builtins_drop)(weir_js *js);

void WRAP(weir__js_builtins_drop)(weir_js *js)
{
    if (schedule_is_on())
        has_ended[schedule_self()] = !is_pool_worker[schedule_self()];
    REAL(weir__js_builtins_drop)(js);
}

/* A function that only frees memory. */
#define FREES(function, parameters, arguments)                                 \
    void REAL(function) parameters;                                            \
    void WRAP(function) parameters                                             \
    {                                                                          \
        if (!schedule_is_on() || !has_ended[schedule_self()])                  \
            REAL(function) arguments;                                          \
    }

FREES(weir__js_drop_libs, (weir_js * js), (js))
FREES(weir__js_heap_weigh_anchor,
      (struct weir__js_heap * heap, JSRuntime *runtime), (heap, runtime))
FREES(JS_FreeContext, (JSContext * context), (context))
FREES(JS_FreeRuntime, (JSRuntime * runtime), (runtime))
FREES(JS_FreeValue, (JSContext * context, JSValue value), (context, value))

/* --- time --------------------------------------------------------------------- */

int64_t WRAP(weir__clock_real)(void)
{
    return schedule_now();
}

bool WRAP(weir__tsc_is_clock)(void)
{
    return false;
}

static struct timespec to_timespec(int64_t ns)
{
    return (struct timespec){.tv_sec = ns / 1000000000,
                             .tv_nsec = ns % 1000000000};
}

int WRAP(clock_gettime)(clockid_t clock, struct timespec *time)
{
    *time =
        to_timespec(schedule_now() + (clock == CLOCK_REALTIME ? epoch_ns : 0));
    return 0;
}

int WRAP(gettimeofday)(struct timeval *time, void *zone)
{
    int64_t ns = schedule_now() + epoch_ns;

    *time = (struct timeval){.tv_sec = ns / 1000000000,
                             .tv_usec = ns % 1000000000 / 1000};
    return 0;
}

time_t WRAP(time)(time_t *time)
{
    time_t now = (schedule_now() + epoch_ns) / 1000000000;

    if (time != NULL)
        *time = now;
    return now;
}

int WRAP(nanosleep)(const struct timespec *time, struct timespec *rest)
{
    static const char asleep;

    if (schedule_is_on())
        schedule_wait(&asleep, to_deadline(time));
    return 0;
}

/* --- what differs from run to run --------------------------------------------- */

ssize_t WRAP(getrandom)(void *to, size_t size, unsigned flags)
{
    static uint64_t state = 1;
    unsigned char *bytes = to;

    for (size_t i = 0; i < size; i++) {
        state = state * UINT64_C(6364136223846793005) + 1442695040888963407;
        bytes[i] = (unsigned char)(state >> 56);
    }
    return (ssize_t)size;
}

int WRAP(getpid)(void)
{
    return 4711;
}

int WRAP(getppid)(void)
{
    return 4710;
}

int WRAP(getloadavg)(double loads[], int count)
{
    for (int i = 0; i < count; i++)
        loads[i] = 0;
    return count;
}

long REAL(sysconf)(int name);

long WRAP(sysconf)(int name)
{
    return name == _SC_AVPHYS_PAGES ? 1 << 18 : REAL(sysconf)(name);
}

/* --- files that differ --------------------------------------------------------- */

static struct timespec begun; /* this process */

/* The times of files are those of the kernel's last tick.  Begin with a new one,
 * so that what was written before has an earlier time. */
__attribute__((constructor)) static void note_begin(void)
{
    struct timespec last;

    syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &last);
    do
        syscall(SYS_clock_gettime, CLOCK_REALTIME_COARSE, &begun);
    while (begun.tv_nsec == last.tv_nsec);
}

/* Files that have changed since the exploration began, or are none: the kernel
 * makes up what is in them. */
static bool is_variable(const struct stat *file)
{
    const struct timespec *changed = &file->st_mtim;

    if (!S_ISREG(file->st_mode))
        return !S_ISDIR(file->st_mode);
    return changed->tv_sec > begun.tv_sec ||
           (changed->tv_sec == begun.tv_sec &&
            changed->tv_nsec >= begun.tv_nsec) ||
           (file->st_size == 0 && major(file->st_dev) == 0);
}

static void note_file(int fd, const char *path)
{
    struct stat file;

    if (schedule_is_on() && fd >= 0 && fstat(fd, &file) == 0 &&
        is_variable(&file))
        hooks_note_source("%s", path);
}

int REAL(open)(const char *path, int flags, ...);

int WRAP(open)(const char *path, int flags, ...)
{
    va_list list;
    mode_t mode;
    int fd;

    va_start(list, flags);
    mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(list, mode_t) : 0;
    va_end(list);
    fd = REAL(open)(path, flags, mode);
    if ((flags & O_ACCMODE) != O_WRONLY)
        note_file(fd, path);
    if ((flags & O_ACCMODE) != O_RDONLY || (flags & O_CREAT) != 0)
        checkpoint_forbid();
    return fd;
}

/* A function that changes files; what it does must be done in each execution. */
#define CHANGES(function, parameters, arguments)                               \
    int REAL(function) parameters;                                             \
    int WRAP(function) parameters                                              \
    {                                                                          \
        checkpoint_forbid();                                                   \
        return REAL(function) arguments;                                       \
    }

CHANGES(chmod, (const char *path, mode_t mode), (path, mode))
CHANGES(chown, (const char *path, uid_t user, gid_t group), (path, user, group))
CHANGES(ftruncate, (int fd, off_t size), (fd, size))
CHANGES(link, (const char *from, const char *to), (from, to))
CHANGES(mkdir, (const char *path, mode_t mode), (path, mode))
CHANGES(rename, (const char *from, const char *to), (from, to))
CHANGES(rmdir, (const char *path), (path))
CHANGES(symlink, (const char *to, const char *path), (to, path))
CHANGES(unlink, (const char *path), (path))
CHANGES(utimensat,
        (int fd, const char *path, const struct timespec times[2], int flags),
        (fd, path, times, flags))

char *REAL(mkdtemp)(char *path);

char *WRAP(mkdtemp)(char *path)
{
    checkpoint_forbid();
    return REAL(mkdtemp)(path);
}

FILE *REAL(fopen)(const char *path, const char *mode);

FILE *WRAP(fopen)(const char *path, const char *mode)
{
    FILE *file = REAL(fopen)(path, mode);

    if (mode[0] != 'r')
        checkpoint_forbid();
    else if (file != NULL)
        note_file(fileno(file), path);
    return file;
}

int REAL(statx)(int fd, const char *path, int flags, unsigned mask,
                struct statx *to);

int WRAP(statx)(int fd, const char *path, int flags, unsigned mask,
                struct statx *to)
{
    struct stat file;
    int result = REAL(statx)(fd, path, flags, mask, to);

    if (schedule_is_on() && result == 0 &&
        fstatat(fd, path, &file, flags & AT_SYMLINK_NOFOLLOW) == 0 &&
        S_ISREG(file.st_mode) && is_variable(&file))
        hooks_note_source("the times of %s", path);
    return result;
}

/* --- what belongs to the process, and is not in its memory ------------------- */

/* A function that changes it, so that the process must end with the execution. */
#define ALTERS(function, parameters, arguments)                                \
    int REAL(function) parameters;                                             \
    int WRAP(function) parameters                                              \
    {                                                                          \
        if (schedule_is_on())                                                  \
            rewind_forbid();                                                   \
        return REAL(function) arguments;                                       \
    }

ALTERS(chdir, (const char *path), (path))
ALTERS(setpriority, (int which, id_t who, int priority), (which, who, priority))
ALTERS(sigaction,
       (int number, const struct sigaction *action, struct sigaction *before),
       (number, action, before))
ALTERS(setuid, (uid_t user), (user))
ALTERS(seteuid, (uid_t user), (user))
ALTERS(setgid, (gid_t group), (group))
ALTERS(setegid, (gid_t group), (group))
ALTERS(setgroups, (size_t count, const gid_t *groups), (count, groups))
ALTERS(initgroups, (const char *user, gid_t group), (user, group))

/* --- what cannot be controlled ------------------------------------------------- */

int WRAP(socket)(int domain, int type, int protocol)
{
    if (schedule_is_on())
        schedule_fail(REFUSED, "a socket");
    errno = EACCES;
    return -1;
}

int WRAP(clone)(int (*body)(void *), void *stack, int flags, void *arg, ...)
{
    if (schedule_is_on())
        schedule_fail(REFUSED, "a child process");
    errno = EACCES;
    return -1;
}

int WRAP(kill)(pid_t process, int number)
{
    if (schedule_is_on())
        schedule_fail(REFUSED, "a signal");
    errno = EACCES;
    return -1;
}
