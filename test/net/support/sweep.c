/* SPDX-License-Identifier: MIT */
/*
 * sweep -- see sweep.h.
 */
#include "net/support/sweep.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/failing_allocator.h"
#include "weir/host/service.h"
#include "weir/memory.h"

/* ---- the failures ---- */

static const int first_errors[FAILING_CALLS] = {
    [CALL_ACCEPT4] = EINVAL,
    [CALL_BIND] = EADDRINUSE,
    [CALL_CHMOD] = EPERM,
    [CALL_CLOSE] = EIO,
    [CALL_CONNECT] = ECONNREFUSED,
    [CALL_DUP3] = EBUSY,
    [CALL_EPOLL_CREATE1] = EMFILE,
    [CALL_EPOLL_CTL] = ENOMEM,
    [CALL_EVENTFD] = EMFILE,
    [CALL_FCNTL] = EMFILE,
    [CALL_FSTAT] = EIO,
    [CALL_GETPEERNAME] = ENOTCONN,
    [CALL_GETRANDOM] = ENOSYS,
    [CALL_GETSOCKNAME] = ENOBUFS,
    [CALL_GETSOCKOPT] = ENOBUFS,
    [CALL_INOTIFY_ADD_WATCH] = ENOSPC,
    [CALL_INOTIFY_INIT1] = EMFILE,
    [CALL_LISTEN] = EADDRINUSE,
    [CALL_OPEN] = EMFILE,
    [CALL_OPENAT2] = EMFILE,
    [CALL_PIPE2] = EMFILE,
    [CALL_PREAD] = EIO,
    [CALL_PTHREAD_CREATE] = EAGAIN,
    [CALL_READ] = EIO,
    [CALL_RECV] = ECONNRESET,
    [CALL_RECVMMSG] = ECONNREFUSED,
    [CALL_RECVMSG] = ECONNRESET,
    [CALL_SEND] = EPIPE,
    [CALL_SENDFILE] = EIO,
    [CALL_SENDMMSG] = ENETUNREACH,
    [CALL_SENDMSG] = EPIPE,
    [CALL_SETSOCKOPT] = ENOBUFS,
    [CALL_SHUTDOWN] = ENOTCONN,
    [CALL_SOCKET] = EMFILE,
    [CALL_SOCKETPAIR] = EMFILE,
    [CALL_STAT] = EACCES,
    [CALL_UNLINK] = EACCES,
    [CALL_WRITE] = ENOSPC,
    [CALL_WRITEV] = EPIPE,
};

static const int second_errors[FAILING_CALLS] = {
    [CALL_ACCEPT4] = EMFILE,      [CALL_BIND] = EACCES,
    [CALL_CONNECT] = ENETUNREACH, [CALL_EPOLL_CTL] = ENOSPC,
    [CALL_FCNTL] = EBADF,         [CALL_FSTAT] = EOVERFLOW,
    [CALL_GETPEERNAME] = ENOBUFS, [CALL_INOTIFY_ADD_WATCH] = ENOMEM,
    [CALL_OPEN] = EACCES,         [CALL_OPENAT2] = EACCES,
    [CALL_READ] = ENOMEM,         [CALL_RECV] = ETIMEDOUT,
    [CALL_RECVMMSG] = ENOMEM,     [CALL_RECVMSG] = ENOMEM,
    [CALL_SEND] = ENOBUFS,        [CALL_SENDFILE] = EPIPE,
    [CALL_SENDMMSG] = EMSGSIZE,   [CALL_SENDMSG] = ENOBUFS,
    [CALL_SETSOCKOPT] = ENOMEM,   [CALL_SOCKET] = ENOBUFS,
    [CALL_STAT] = ENOENT,         [CALL_UNLINK] = ENOENT,
    [CALL_WRITEV] = EIO,
};

/* What the library repeats at once. */
static const int interruptions[FAILING_CALLS] = {
    [CALL_ACCEPT4] = EINTR, [CALL_CLOSE] = EINTR,    [CALL_GETRANDOM] = EINTR,
    [CALL_OPENAT2] = EINTR, [CALL_PREAD] = EINTR,    [CALL_READ] = EINTR,
    [CALL_RECV] = EINTR,    [CALL_RECVMMSG] = EINTR, [CALL_RECVMSG] = EINTR,
    [CALL_SEND] = EINTR,    [CALL_SENDFILE] = EINTR, [CALL_SENDMMSG] = EINTR,
    [CALL_SENDMSG] = EINTR, [CALL_WRITEV] = EINTR,
};

/* What the library repeats after the next event. */
static const int refusals[FAILING_CALLS] = {
    [CALL_ACCEPT4] = EAGAIN,  [CALL_READ] = EAGAIN,     [CALL_RECV] = EAGAIN,
    [CALL_RECVMMSG] = EAGAIN, [CALL_RECVMSG] = EAGAIN,  [CALL_SEND] = EAGAIN,
    [CALL_SENDFILE] = EAGAIN, [CALL_SENDMMSG] = EAGAIN, [CALL_SENDMSG] = EAGAIN,
    [CALL_WRITEV] = EAGAIN,
};

struct kind {
    const char *name;
    const int *errors; /* NULL: allocations fail */
    bool is_lasting;
    bool is_harmless; /* the scenario succeeds */
};

static const struct kind kinds[] = {
    {"errors", first_errors, false, false},
    {"other errors", second_errors, false, false},
    {"lasting errors", first_errors, true, false},
    {"other lasting errors", second_errors, true, false},
    {"interruptions", interruptions, false, true},
    {"refusals", refusals, false, true},
    {"allocations", NULL, false, false},
};

/* What a failure of one side may do to the other, or to what follows.  Where
 * the library only asks whether a descriptor is what it should be, the failure
 * means that it is not.  Only what fails for ever may keep anybody waiting. */
static bool is_consequence(int status, enum failing_call call,
                           const struct kind *kind)
{
    static const int known[] = {
        WEIR_EEOF,    WEIR_ETRUNCATED, WEIR_ECANCELED, WEIR_ECLOSED,
        WEIR_EFORCED, -ECONNRESET,     -EPIPE,         -ECONNREFUSED,
        -EADDRINUSE,  -ENOENT,
    };

    for (size_t i = 0; i < sizeof(known) / sizeof(known[0]); i++)
        if (status == known[i])
            return true;
    if (status == -ETIMEDOUT)
        return kind->is_lasting;
    return (call == CALL_FCNTL || call == CALL_GETSOCKOPT) &&
           (status == -EBADF || status == -EINVAL);
}

/* ---- what a run leaves ---- */

static struct failing_allocator memory;

/* Which descriptors are open, as a text. */
static void list_descriptors(char *text, size_t room)
{
    DIR *directory = opendir("/proc/self/fd");
    struct dirent *entry;
    size_t length = 0;

    expect(directory != NULL);
    text[0] = '\0';
    while ((entry = readdir(directory)) != NULL)
        if (entry->d_name[0] != '.' && atoi(entry->d_name) != dirfd(directory))
            length += (size_t)snprintf(text + length, room - length, "%s ",
                                       entry->d_name);
    closedir(directory);
    expect(length < room);
}

/* ---- runs ---- */

static struct {
    const struct kind *kind;
    uint64_t nth;
} place;

/* Say where the sweep is, in case an expectation fails. */
static void set_place(const struct kind *kind, uint64_t nth,
                      enum failing_call call)
{
    static char text[128];

    snprintf(text, sizeof(text), ", with %s: number %ju%s%s", kind->name,
             (uintmax_t)nth, call < FAILING_CALLS ? ", " : "",
             call < FAILING_CALLS ? failing_syscalls_name(call) : "");
    expect_where = text;
    place.kind = kind;
    place.nth = nth;
    if (call == FAILING_CALLS && getenv("SWEEP_VERBOSE") != NULL)
        fprintf(stderr, "#%s\n", text);
}

/* One run.  Returns whether anything has failed. */
static bool run_once(const struct kind *kind, sweep_scenario *scenario,
                     uint64_t nth, unsigned failed[FAILING_CALLS])
{
    static const int none[FAILING_CALLS];
    char before[4096], after[4096];
    enum failing_call call;
    bool has_failed;
    int status, error = ENOMEM;

    set_place(kind, nth, FAILING_CALLS);
    failing_allocator_init(&memory, kind->errors == NULL ? nth : 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    list_descriptors(before, sizeof(before));
    failing_sweep_begin(kind->errors != NULL ? kind->errors : none, nth,
                        kind->is_lasting);
    status = scenario();
    call = failing_sweep_end();
    set_place(kind, nth, call);
    list_descriptors(after, sizeof(after));
    expect_string(after, before);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
    expect_status(weir_set_allocator(NULL), 0);
    has_failed = kind->errors == NULL ? nth != 0 && nth <= memory.calls
                                      : call != FAILING_CALLS;
    if (call != FAILING_CALLS) {
        error = kind->errors[call];
        failed[call]++;
    }
    if (!has_failed || kind->is_harmless)
        expect_status(status, 0);
    else if (status != 0 && status != -error &&
             !is_consequence(status, call, kind))
        expect_status(status, -error);
    return has_failed;
}

void sweep_run(const char *name, sweep_scenario *scenario,
               const enum failing_call *used, size_t used_count)
{
    unsigned failed[FAILING_CALLS] = {0};

    /* What is made once and stays is made now. */
    (void)run_once(&kinds[0], scenario, 0, failed);
    fprintf(stderr, "# %s:", name);
    for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++) {
        uint64_t nth = 1;

        while (run_once(&kinds[i], scenario, nth, failed))
            nth++;
        fprintf(stderr, " %ju %s,", (uintmax_t)nth - 1, kinds[i].name);
    }
    fprintf(stderr, " of");
    for (unsigned i = 0; i < FAILING_CALLS; i++)
        if (failed[i] > 0)
            fprintf(stderr, " %s %u", failing_syscalls_name(i), failed[i]);
    fprintf(stderr, "\n");
    for (size_t i = 0; i < used_count; i++)
        if (failed[used[i]] == 0) {
            fprintf(stderr, "# never failed: %s\n",
                    failing_syscalls_name(used[i]));
            expect(failed[used[i]] > 0);
        }
    expect_where = NULL;
}

void sweep_spare(bool is_spared)
{
    static uint64_t calls, fail_at;

    failing_sweep_pause(is_spared);
    if (is_spared) {
        calls = memory.calls;
        fail_at = memory.fail_at;
        memory.fail_at = 0;
    } else {
        memory.calls = calls;
        memory.fail_at = fail_at;
    }
}

/* ---- time ---- */

/* If nothing seems to happen, time goes faster, and the kernel gets some real
 * time, which its own timers need: an acknowledgement may be delayed by 40 ms. */
enum { SOON = 50 };

static void pass_time(unsigned ticks)
{
    expect_status(weir_clock_advance(WEIR_MS(ticks < SOON ? 10 : 100)), 0);
}

/* Fail if the scenario takes too long. */
static void check_time(int64_t end_ns)
{
    if (weir_clock_now() < end_ns)
        return;
    set_place(place.kind, place.nth, failing_sweep_end());
    expect(weir_clock_now() < end_ns);
}

void sweep_step(weir_loop *loop, const bool *is_over, int64_t limit_ns)
{
    enum { STEPS = 8 };
    int64_t end_ns = weir_clock_now() + limit_ns;

    for (unsigned ticks = 0; !*is_over; ticks++) {
        check_time(end_ns);
        for (int i = 0; i < STEPS && !*is_over; i++)
            expect_status(weir_loop_step(loop, 0), 0);
        if (!*is_over && ticks >= SOON)
            expect_status(weir_loop_step(loop, WEIR_MS(1)), 0);
        pass_time(ticks);
    }
}

/* ---- loops of a service ---- */

enum { LOOPS = 8 };

/* A loop that is asked for a turn. */
struct turn {
    weir_loop *loop;
    bool is_asked; /* this thread */
    bool is_over;  /* atomic */
};

static void on_turn(void *arg, int status)
{
    __atomic_store_n(&((struct turn *)arg)->is_over, true, __ATOMIC_RELAXED);
}

/* Ask for a turn.  A loop without memory is asked again; one that has ended has
 * nothing to do. */
static void ask(struct turn *turn)
{
    int err;

    if (turn->is_asked)
        return;
    __atomic_store_n(&turn->is_over, false, __ATOMIC_RELAXED);
    err = weir_loop_submit(turn->loop, on_turn, turn);
    turn->is_asked = err != -ENOMEM;
    if (err == WEIR_ECLOSED)
        on_turn(turn, err);
}

int sweep_wait(weir_service *service, weir_loop *const *loops, size_t count,
               int64_t limit_ns)
{
    static struct turn turns[LOOPS]; /* a loop may have one until it is freed */
    int64_t end_ns = weir_clock_now() + limit_ns;
    int status;

    expect(count < LOOPS);
    for (size_t i = 0; i <= count; i++)
        turns[i] = (struct turn){
            .loop = i < count ? loops[i] : weir_service_loop(service)};
    for (unsigned ticks = 0;;) {
        bool is_over = true;

        for (size_t i = 0; i <= count; i++)
            ask(&turns[i]);
        status =
            weir_service_wait(service, ticks < SOON ? WEIR_US(20) : WEIR_MS(1));
        if (status != -ETIMEDOUT)
            return status;
        for (size_t i = 0; i <= count; i++)
            is_over &= turns[i].is_asked &&
                       __atomic_load_n(&turns[i].is_over, __ATOMIC_RELAXED);
        if (!is_over)
            continue;
        check_time(end_ns);
        pass_time(ticks++);
        for (size_t i = 0; i <= count; i++)
            turns[i].is_asked = false;
    }
}
