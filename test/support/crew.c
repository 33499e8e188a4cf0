/* SPDX-License-Identifier: MIT */
/*
 * crew -- threads that start together, and what /proc tells about a thread.
 */
#include "crew.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "suite.h"

static void line_up(uint64_t *arrived, unsigned size)
{
    uint64_t before = __atomic_fetch_add(arrived, 1, __ATOMIC_ACQ_REL);
    uint64_t all = (before / size + 1) * size;

    while (__atomic_load_n(arrived, __ATOMIC_ACQUIRE) < all)
        sched_yield();
}

/* A barrier for the members and the thread that starts them.  It does not
 * sleep, so await_asleep() cannot mistake it for the sleep that a test waits
 * for. */
static void leave_start(struct crew *crew)
{
    line_up(&crew->at_the_start, crew->size + 1);
}

static void *run_member(void *arg)
{
    struct crew_member *member = arg;

    member->tid = gettid();
    leave_start(member->crew);
    member->crew->work(member->crew, member->id);
    return NULL;
}

void crew_start(struct crew *crew, unsigned size, crew_fn *work, void *context)
{
    *crew = (struct crew){.size = size, .work = work, .context = context};
    crew->members = calloc(size, sizeof(*crew->members));
    expect(crew->members != NULL);
    expect_int(pthread_barrier_init(&crew->barrier, NULL, size), 0);
    for (unsigned id = 0; id < size; id++) {
        struct crew_member *member = &crew->members[id];

        member->crew = crew;
        member->id = id;
        expect_int(pthread_create(&member->thread, NULL, run_member, member),
                   0);
    }
    leave_start(crew);
}

void crew_join(struct crew *crew)
{
    for (unsigned id = 0; id < crew->size; id++)
        expect_int(pthread_join(crew->members[id].thread, NULL), 0);
    pthread_barrier_destroy(&crew->barrier);
    free(crew->members);
}

void crew_run(unsigned size, crew_fn *work, void *context)
{
    struct crew crew;

    crew_start(&crew, size, work, context);
    crew_join(&crew);
}

bool crew_meet(struct crew *crew)
{
    return pthread_barrier_wait(&crew->barrier) ==
           PTHREAD_BARRIER_SERIAL_THREAD;
}

void crew_line_up(struct crew *crew)
{
    line_up(&crew->in_line, crew->size);
}

/* Return the rest of the line that begins with `key` in a /proc status file. */
static const char *field(const char *status, const char *key)
{
    const char *line = strstr(status, key);

    expect(line != NULL);
    return line + strlen(key);
}

enum { STATUS_MAX = 4096 };

/* Returns false if the thread has ended. */
static bool read_status(pid_t tid, char status[STATUS_MAX])
{
    char path[64];
    size_t length = 0;
    FILE *file;

    snprintf(path, sizeof(path), "/proc/%d/status", (int)tid);
    file = fopen(path, "r");
    if (file != NULL) {
        length = fread(status, 1, STATUS_MAX - 1, file);
        fclose(file);
    }
    status[length] = '\0';
    return length > 0;
}

bool await_asleep(pid_t tid)
{
    char status[STATUS_MAX];

    while (read_status(tid, status)) {
        if (*field(status, "\nState:\t") == 'S' &&
            strtoull(field(status, "\nSigPnd:\t"), NULL, 16) == 0)
            return true;
        sched_yield();
    }
    return false;
}

bool is_asleep(pid_t tid)
{
    char status[STATUS_MAX];

    return read_status(tid, status) && *field(status, "\nState:\t") == 'S';
}

uint64_t switches_of(pid_t tid)
{
    char status[STATUS_MAX];

    expect(read_status(tid, status));
    return strtoull(field(status, "\nvoluntary_ctxt_switches:\t"), NULL, 10) +
           strtoull(field(status, "\nnonvoluntary_ctxt_switches:\t"), NULL, 10);
}
