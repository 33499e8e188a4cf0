/* SPDX-License-Identifier: MIT */
/*
 * names -- texts that are never freed.
 */
#include <pthread.h>
#include <semaphore.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir.h"
#include "weir/host/recorder.h"

CASE(names_equal_texts_are_kept_once)
{
    char text[] = "timer";
    const char *first = weir_recorder_intern(text, 100);

    expect(first != NULL && first != text && strcmp(first, "timer") == 0);
    text[0] = 'T';
    expect(strcmp(first, "timer") == 0);
    expect(weir_recorder_intern("timer", 100) == first);
    expect(weir_recorder_intern(text, 100) != first);
    expect(weir_recorder_intern("time", 100) != first);
    expect(strcmp(weir_recorder_intern("", 100), "") == 0);
}

CASE(names_long_text_is_cut)
{
    char text[8192];
    const char *kept;

    memset(text, 'x', sizeof(text) - 1);
    text[sizeof(text) - 1] = '\0';
    kept = weir_recorder_intern(text, 100);
    expect(kept != NULL && strlen(kept) < 4096);
    expect(weir_recorder_intern(text, 100) == kept);
}

CASE(names_share_leaves_room_for_others)
{
    char text[32];
    int kept = 0;

    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof(text), "path %d", i);
        kept += weir_recorder_intern(text, 50) != NULL;
    }
    expect(kept > 0 && kept <= 8192);
    expect(weir_recorder_intern("one more path", 50) == NULL);
    expect(weir_recorder_intern("path 0", 50) != NULL); /* is there already */
    expect(weir_recorder_intern("function", 1000) != NULL);
    for (int i = 0; i < 20000; i++) {
        snprintf(text, sizeof(text), "function %d", i);
        kept += weir_recorder_intern(text, 1000) != NULL;
    }
    expect(kept <= 16384);
    expect(weir_recorder_intern("one more function", 1000) == NULL);
}

CASE(names_without_memory_are_null)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect(weir_recorder_intern("a", 100) == NULL);
    memory.fail_at = 3; /* the table is the second one */
    expect(weir_recorder_intern("a", 100) == NULL);
    expect(weir_recorder_intern("a", 100) != NULL);
}

enum { TEXTS = 64, THREADS = 4 };

static void intern_many(struct crew *crew, unsigned id)
{
    const char *(*kept)[TEXTS] = crew->context;
    char text[16];

    for (int i = 0; i < TEXTS; i++) {
        snprintf(text, sizeof(text), "n%d", i);
        kept[id][i] = weir_recorder_intern(text, 100);
    }
}

CASE(names_of_threads_are_the_same)
{
    static const char *kept[THREADS][TEXTS];

    crew_run(THREADS, intern_many, kept);
    for (int i = 0; i < TEXTS; i++)
        for (int thread = 0; thread < THREADS; thread++)
            expect(kept[thread][i] == kept[0][i]);
}

static atomic_bool is_over;

static void *keep_interning(void *begun)
{
    for (bool is_first = true; !atomic_load(&is_over); is_first = false) {
        expect(weir_recorder_intern("name", 100) != NULL);
        if (is_first)
            expect_int(sem_post(begun), 0);
    }
    return NULL;
}

/* A child that waited for a lock would be killed by its alarm. */
CASE(names_of_a_child_do_not_wait_for_its_parent)
{
    enum { FORKS = 100 };
    pthread_t thread;
    sem_t begun;

    expect_int(sem_init(&begun, 0, 0), 0);
    expect_int(pthread_create(&thread, NULL, keep_interning, &begun), 0);
    while (sem_wait(&begun) != 0)
        ;
    for (int i = 0; i < FORKS; i++) {
        pid_t child = fork();
        int code;

        if (child == 0) {
            alarm(10);
            _exit(weir_recorder_intern("name", 100) != NULL ? 0 : 1);
        }
        expect(child > 0 && waitpid(child, &code, 0) == child);
        expect_int(code, 0);
    }
    atomic_store(&is_over, true);
    pthread_join(thread, NULL);
}
