/* SPDX-License-Identifier: MIT */
/*
 * worker -- a worker whose thread runs out of memory, at every moment: its parent
 * hears of it.
 */
#include <stdlib.h>
#include <string.h>

#include "js/support/failing_malloc.h"
#include "js/support/js_fixture.h"
#include "support/suite.h"
#include "weir/memory.h"

static _Thread_local bool is_parent, is_armed;
static unsigned
    nth; /* malloc of the worker's thread that fails, with the rest */

/* The worker's loop is the first thing that its thread allocates. */
static void *arm_and_alloc(void *context, size_t size, size_t align)
{
    if (!is_parent && !is_armed) {
        is_armed = true;
        failing_malloc_arm(nth);
    }
    return aligned_alloc(align, (size + align - 1) / align * align);
}

static void *alloc_for_parent(void *context, size_t size, size_t align)
{
    if (!is_parent)
        failing_malloc_arm(1);
    return is_parent ? arm_and_alloc(context, size, align) : NULL;
}

static void give_back(void *context, void *pointer, size_t size)
{
    free(pointer);
}

static void make_with(void *(*alloc)(void *, size_t, size_t))
{
    static const char source[] =
        "import { Worker } from 'worker_threads';"
        "globalThis.run = () => {"
        "    const worker = new Worker('0', { eval: true });"
        "    worker.on('online', () => log('online'));"
        "    worker.on('error', () => log('error'));"
        "    worker.on('exit', (code) => log(`exit ${code}`));"
        "}";

    is_parent = true;
    expect_status(weir_set_allocator(
                      &(weir_allocator){.alloc = alloc, .free = give_back}),
                  0);
    js_make(NULL);
    expect_status(weir_js_eval(js, source, strlen(source), "test.mjs",
                               WEIR_JS_SOURCE_MODULE, NULL),
                  0);
    loop_run();
}

CASE(worker_without_a_loop_is_an_error)
{
    make_with(alloc_for_parent);
    js_run("run()");
    expect_recorded("error exit 1");
    js_end();
}

/* Everything that happened is heard: no exit without a reason, no program that
 * has run without "online". */
CASE(worker_without_memory_is_heard_of)
{
    unsigned passed = 0, failed = 0;

    make_with(arm_and_alloc);
    for (nth = 1; passed < 3; nth += 23) {
        const char *heard;

        js_run("run()");
        heard = take_record();
        if (strcmp(heard, "online exit 0") == 0)
            passed++;
        else if (strcmp(heard, "online error exit 1") != 0)
            expect_string(heard, "error exit 1");
        failed += strstr(heard, "error") != NULL;
    }
    expect(failed > 1);
    js_end();
}
