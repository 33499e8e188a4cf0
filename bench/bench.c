/* SPDX-License-Identifier: MIT */
/*
 * bench -- see bench.h.
 *
 * The parent watches, prints and never measures.  For each round it runs this
 * program again, `--round WORKLOAD FD`, as a child that measures.  They share
 * the memory of FD, so that nothing is lost when the child hangs: the parent
 * kills it, marks the contestant whose turn it was, and goes on with the next
 * round.
 */
#include "bench.h"

#include <math.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "report.h"
#include "round.h"

#define TURN_DEADLINE_S 20 /* and five times what it should take */

static const struct plan full_plan = {.runs = 31,
                                      .turn_ns = 3000000,
                                      .job_runs = 15,
                                      .long_job_runs = 7,
                                      .longest_job_runs = 5};
/* Without the longest jobs. */
static const struct plan quick_plan = {
    .runs = 9, .turn_ns = 2000000, .job_runs = 3, .long_job_runs = 3};

enum wish { WISH_RUN, WISH_ESTIMATE, WISH_LIST };

struct session {
    const char *program;
    const struct bench_workload *workloads;
    size_t workload_count;
    struct plan plan;
    bool is_quick;
    char **only;
    int only_count;
    int shared_fd;
    struct shared *shared;
    uint64_t began_ns;
    double done_s, total_s;   /* as estimated: for the time left */
    double before_s, later_s; /* what the caller runs besides us */
    bool has_failed;
};

uint64_t bench_now_ns(void)
{
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

_Noreturn void bench_fail(const char *why)
{
    fprintf(stderr, "bench: %s\n", why);
    _exit(1);
}

/* What the environment says, or the default. */
static double number_of(const char *variable, double otherwise)
{
    const char *text = getenv(variable);

    return text != NULL ? atof(text) : otherwise;
}

/* About how long a turn takes, with what goes with it. */
static double turn_s(const struct session *session,
                     const struct bench_workload *workload)
{
    if (round_is_job(workload))
        return workload->job_s + 10e-3;
    return workload->records ? (double)workload->batch * 120e-6
                             : (double)session->plan.turn_ns * 1.3e-9 + 3e-3;
}

static double workload_s(const struct session *session,
                         const struct bench_workload *workload)
{
    unsigned runs = round_runs(&session->plan, workload);

    return (double)workload->entry_count * runs * turn_s(session, workload);
}

static void draw_bar(double part)
{
    static const char full[] = "##############################";
    int width = (int)sizeof(full) - 1, done = (int)(part * width);

    fprintf(stderr, "\r\033[K[%.*s%*s]", done, full, width - done, "");
}

static void show_progress(const struct session *session,
                          const struct bench_workload *workload)
{
    double elapsed_s = (double)(bench_now_ns() - session->began_ns) * 1e-9;
    double done_s = session->done_s, slowness, left_s, part;

    if (!isatty(STDERR_FILENO))
        return;
    for (size_t i = 0; i < workload->entry_count; i++)
        done_s += session->shared->result[i].runs * turn_s(session, workload);
    slowness = done_s > 0 ? elapsed_s / done_s : 1;
    left_s = (session->total_s - done_s + session->later_s) * slowness;
    part = (session->before_s + done_s) /
           (session->before_s + session->total_s + session->later_s);
    draw_bar(part);
    fprintf(stderr, " %3.0f %%, %.0f:%02.0f left  %s, round %u", part * 100,
            floor(left_s / 60), floor(fmod(left_s, 60)), workload->name,
            session->shared->rounds + 1);
}

static void clear_progress(void)
{
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r\033[K");
}

/* Whether the round came to its end.  The parent sleeps meanwhile: to look
 * around now and then would be noise. */
static bool watch(const struct session *session, pid_t child, int deadline_ms)
{
    struct pollfd end = {.fd = (int)syscall(SYS_pidfd_open, child, 0),
                         .events = POLLIN};
    unsigned seen;
    int status;

    do
        seen = session->shared->turns;
    while (poll(&end, 1, deadline_ms) == 0 && session->shared->turns != seen);
    if (waitpid(child, &status, WNOHANG) == 0) {
        fprintf(stderr, "\nbench: a turn does not end; killed\n");
        kill(child, SIGKILL);
        waitpid(child, &status, 0);
    }
    close(end.fd);
    return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

static pid_t start_round(const struct session *session, size_t index)
{
    char workload[24], fd[24];
    pid_t child;

    snprintf(workload, sizeof(workload), "%zu", index);
    snprintf(fd, sizeof(fd), "%d", session->shared_fd);
    child = fork();
    if (child < 0)
        bench_fail("cannot fork");
    if (child == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execl("/proc/self/exe", session->program, "--round", workload, fd,
              (char *)NULL);
        bench_fail("cannot run itself");
    }
    return child;
}

/* The first contestant that needs more turns, or entry_count. */
static size_t next_to_do(const struct shared *shared,
                         const struct bench_workload *workload)
{
    size_t entry = 0;

    while (entry < workload->entry_count &&
           round_is_done(shared, workload, entry))
        entry++;
    return entry;
}

static void run_workload(struct session *session, size_t index)
{
    const struct bench_workload *workload = &session->workloads[index];
    struct shared *shared = session->shared;
    double deadline_s =
        number_of("BENCH_DEADLINE_S", TURN_DEADLINE_S) + 5 * workload->job_s;

    memset(shared->result, 0, sizeof(shared->result));
    for (shared->rounds = 0;; shared->rounds++) {
        shared->at_turn = next_to_do(shared, workload);
        if (shared->at_turn == workload->entry_count)
            return;
        show_progress(session, workload);
        if (watch(session, start_round(session, index),
                  (int)(deadline_s * 1000)))
            continue;
        shared->result[shared->at_turn].status = STATUS_FAILED;
        session->has_failed = true;
    }
}

static bool is_asked_for(const struct session *session,
                         const struct bench_workload *workload)
{
    if (round_runs(&session->plan, workload) == 0)
        return false;
    for (int i = 0; i < session->only_count; i++)
        if (strstr(workload->name, session->only[i]) != NULL)
            return true;
    return session->only_count == 0;
}

static int usage(const char *program)
{
    fprintf(stderr,
            "usage: %s [--quick] [--estimate | --list] [WORKLOAD...]\n"
            "  --quick     seconds instead of a minute; less exact\n"
            "  --estimate  print about how many seconds it would take\n"
            "  --list      print workloads and contestants\n"
            "  WORKLOAD    only workloads whose names contain this\n",
            program);
    return 2;
}

static bool parse(struct session *session, int argc, char **argv,
                  enum wish *wish)
{
    int i = 1;

    for (; i < argc && strncmp(argv[i], "--", 2) == 0; i++) {
        if (strcmp(argv[i], "--quick") == 0)
            session->is_quick = true;
        else if (strcmp(argv[i], "--estimate") == 0)
            *wish = WISH_ESTIMATE;
        else if (strcmp(argv[i], "--list") == 0)
            *wish = WISH_LIST;
        else
            return false;
    }
    session->plan = session->is_quick ? quick_plan : full_plan;
    session->only = argv + i;
    session->only_count = argc - i;
    return true;
}

static void list(const struct session *session)
{
    for (size_t i = 0; i < session->workload_count; i++) {
        const struct bench_workload *workload = &session->workloads[i];

        for (size_t j = 0; j < workload->entry_count; j++)
            if (is_asked_for(session, workload))
                printf("%s: %s\n", workload->name, workload->entries[j].impl);
    }
}

static struct shared *map_shared(int fd)
{
    struct shared *shared =
        mmap(NULL, sizeof(*shared), PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

    if (shared == MAP_FAILED)
        bench_fail("cannot map the shared memory");
    return shared;
}

static void run_all(struct session *session)
{
    session->shared_fd = memfd_create("bench", 0);
    if (ftruncate(session->shared_fd, sizeof(*session->shared)) != 0)
        bench_fail("no shared memory");
    session->shared = map_shared(session->shared_fd);
    session->shared->plan = session->plan;
    for (size_t i = 0; i < session->workload_count; i++) {
        const struct bench_workload *workload = &session->workloads[i];

        if (!is_asked_for(session, workload))
            continue;
        run_workload(session, i);
        clear_progress();
        report_print(session->program, session->is_quick, session->shared,
                     workload);
        session->done_s += workload_s(session, workload);
    }
}

int bench_main(int argc, char **argv, const char *program,
               const struct bench_workload *workloads, size_t count)
{
    struct session session = {.program = program,
                              .workloads = workloads,
                              .workload_count = count,
                              .began_ns = bench_now_ns()};
    enum wish wish = WISH_RUN;

    if (argc == 4 && strcmp(argv[1], "--round") == 0) {
        round_run(map_shared(atoi(argv[3])), &workloads[atoi(argv[2])]);
        return 0;
    }
    if (!parse(&session, argc, argv, &wish))
        return usage(argv[0]);
    session.before_s = number_of("BENCH_BEFORE_S", 0);
    session.later_s = number_of("BENCH_LATER_S", 0);
    for (size_t i = 0; i < count; i++)
        if (is_asked_for(&session, &workloads[i]))
            session.total_s += workload_s(&session, &workloads[i]);
    if (wish == WISH_ESTIMATE)
        printf("%.0f\n", session.total_s);
    else if (wish == WISH_LIST)
        list(&session);
    else
        run_all(&session);
    return session.has_failed ? 1 : 0;
}
