/* SPDX-License-Identifier: MIT */
/*
 * slow -- see slow.h.
 *
 * A thread follows the recorder, four times a second, so a ring must hold what its
 * thread does meanwhile.  Short callbacks that are not measured appear together; a
 * long one may be among them.
 *
 * After it has saved a file it rests for ten seconds, even if the program ends then,
 * so that a program that is always slow does not fill the disk at once.
 *
 * Tested by  test/api/trace.py
 */
#include "slow.h"

#include <errno.h>
#include <pthread.h>
#include <semaphore.h>
#include <signal.h>
#include <stdio.h>
#include <time.h>

#include "weir/host/recorder.h"

enum { LOOK_NS = 250000000 };
static const int64_t rest_ns = 10000000000;

static struct {
    pthread_t thread;
    sem_t end;
    bool is_running;
    weir_recorder_cursor *cursor;
    int64_t limit_ns;
    void (*save)(const char *why);
} watch;

static void note(void *arg, const weir_record *record)
{
    weir_record *longest = arg; /* of a look */

    if (record->type != WEIR_RECORD_CALLBACK &&
        record->type != WEIR_RECORD_CROWD &&
        record->type != WEIR_RECORD_REQUEST)
        return;
    if (record->duration_ns > longest->duration_ns)
        *longest = *record;
}

static void describe(const weir_record *record, char *text, size_t size)
{
    const char *kind = record->type == WEIR_RECORD_REQUEST
                           ? "request"
                           : weir_kind_name(record->kind);
    bool has_name = record->name != NULL && record->name[0] != '\0';

    snprintf(text, size, "%s%s%s took %.0f ms", kind, has_name ? " " : "",
             has_name ? record->name : "", (double)record->duration_ns / 1e6);
}

/* Returns whether a file was saved. */
static bool look(void)
{
    weir_record longest = {0};
    char why[600];

    if (weir_recorder_follow(watch.cursor, note, &longest) != 0 ||
        longest.duration_ns < watch.limit_ns)
        return false;
    describe(&longest, why, sizeof(why));
    watch.save(why);
    return true;
}

/* Returns whether the program ends. */
static bool wait(int64_t duration_ns)
{
    struct timespec until;
    int64_t until_ns;
    int result;

    clock_gettime(CLOCK_MONOTONIC, &until);
    until_ns = until.tv_nsec + duration_ns;
    until.tv_sec += until_ns / 1000000000;
    until.tv_nsec = until_ns % 1000000000;
    do
        result = sem_clockwait(&watch.end, CLOCK_MONOTONIC, &until);
    while (result != 0 && errno == EINTR);
    return result == 0;
}

static void *run(void *arg)
{
    bool has_saved = false;

    while (!wait(has_saved ? rest_ns : LOOK_NS))
        has_saved = look();
    if (!has_saved)
        look();
    return arg;
}

bool slow_start(int64_t limit_ns, void (*save)(const char *why))
{
    sigset_t all, old;

    watch.limit_ns = limit_ns;
    watch.save = save;
    if (weir_recorder_cursor_new(&watch.cursor) != 0)
        return false;
    sem_init(&watch.end, 0, 0);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &old);
    watch.is_running = pthread_create(&watch.thread, NULL, run, NULL) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    if (!watch.is_running)
        weir_recorder_cursor_free(watch.cursor);
    return watch.is_running;
}

void slow_end(void)
{
    if (!watch.is_running)
        return;
    sem_post(&watch.end);
    pthread_join(watch.thread, NULL);
    weir_recorder_cursor_free(watch.cursor);
    watch.is_running = false;
}
