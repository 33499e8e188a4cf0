/* SPDX-License-Identifier: MIT */
/*
 * memory -- the hooks are used, and can be changed while nothing is out.
 */
#include "base/memory.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "support/crew.h"
#include "support/failing_allocator.h"
#include "support/suite.h"

/* Hooks that write down what they were told. */
struct notebook {
    size_t size, align, freed_size;
    void *freed;
    char room[64];
};

static void *note_alloc(void *context, size_t size, size_t align)
{
    struct notebook *notebook = context;

    notebook->size = size;
    notebook->align = align;
    return notebook->room;
}

static void note_free(void *context, void *pointer, size_t size)
{
    struct notebook *notebook = context;

    notebook->freed = pointer;
    notebook->freed_size = size;
}

CASE(memory_alloc_tells_the_hook_size_and_alignment)
{
    struct notebook notebook = {0};
    weir_allocator hooks = {note_alloc, note_free, &notebook};

    expect_status(weir_set_allocator(&hooks), 0);
    expect(weir__memory_alloc(48, 32) == notebook.room);
    expect_int(notebook.size, 48);
    expect_int(notebook.align, 32);
}

CASE(memory_free_tells_the_hook_pointer_and_size)
{
    struct notebook notebook = {0};
    weir_allocator hooks = {note_alloc, note_free, &notebook};

    expect_status(weir_set_allocator(&hooks), 0);
    weir__memory_free(weir__memory_alloc(48, 32), 48);
    expect(notebook.freed == notebook.room);
    expect_int(notebook.freed_size, 48);
}

CASE(memory_free_of_NULL_is_nothing)
{
    struct notebook notebook = {.freed_size = 7};
    weir_allocator hooks = {note_alloc, note_free, &notebook};

    expect_status(weir_set_allocator(&hooks), 0);
    weir__memory_free(NULL, 48);
    expect_int(notebook.freed_size, 7);
}

CASE(memory_without_hooks_is_aligned_as_asked)
{
    for (size_t align = 1; align <= 4096; align *= 2) {
        void *pointer = weir__memory_alloc(3 * align, align);

        expect(pointer != NULL);
        expect_int((uintptr_t)pointer % align, 0);
        memset(pointer, 0xa5, 3 * align);
        weir__memory_free(pointer, 3 * align);
    }
}

CASE(memory_that_is_exhausted_is_NULL)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect(weir__memory_alloc(16, 16) == NULL);
}

CASE(memory_that_was_refused_does_not_count_as_in_use)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 1);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect(weir__memory_alloc(16, 16) == NULL);
    expect_status(weir_set_allocator(NULL), 0);
}

CASE(set_allocator_copies_the_struct)
{
    struct notebook notebook = {0};
    weir_allocator hooks = {note_alloc, note_free, &notebook};

    expect_status(weir_set_allocator(&hooks), 0);
    memset(&hooks, 0, sizeof(hooks));
    expect(weir__memory_alloc(48, 32) == notebook.room);
}

CASE(set_allocator_of_NULL_brings_malloc_back)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_set_allocator(NULL), 0);
    weir__memory_free(weir__memory_alloc(16, 16), 16);
    expect_int(memory.calls, 0);
}

/* covers: weir_set_allocator -EINVAL */
CASE(set_allocator_without_alloc_is_refused)
{
    weir_allocator hooks = {NULL, note_free, NULL};

    expect_status(weir_set_allocator(&hooks), -EINVAL);
}

/* covers: weir_set_allocator -EINVAL */
CASE(set_allocator_without_free_is_refused)
{
    weir_allocator hooks = {note_alloc, NULL, NULL};

    expect_status(weir_set_allocator(&hooks), -EINVAL);
}

CASE(set_allocator_that_is_refused_leaves_the_old_hooks)
{
    struct notebook notebook = {0};
    weir_allocator good = {note_alloc, note_free, &notebook};
    weir_allocator bad = {NULL, NULL, NULL};

    expect_status(weir_set_allocator(&good), 0);
    expect_status(weir_set_allocator(&bad), -EINVAL);
    expect(weir__memory_alloc(48, 32) == notebook.room);
}

/* covers: weir_set_allocator -EBUSY */
CASE(set_allocator_while_memory_is_out_is_refused)
{
    struct failing_allocator memory;
    void *pointer;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    pointer = weir__memory_alloc(16, 16);
    expect_status(weir_set_allocator(NULL), -EBUSY);
    weir__memory_free(pointer, 16);
    expect_int(memory.live, 0);
}

CASE(set_allocator_after_all_memory_came_back_is_accepted)
{
    void *pointer = weir__memory_alloc(16, 16);
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    weir__memory_free(pointer, 16);
    expect_status(weir_set_allocator(&memory.hooks), 0);
}

static void allocate_and_free(struct crew *crew, unsigned id)
{
    for (size_t i = 0; i < 1000; i++) {
        void *pointer = weir__memory_alloc(16 + id, 16);

        expect(pointer != NULL);
        weir__memory_free(pointer, 16 + id);
    }
}

CASE(memory_of_racing_threads_is_counted_right)
{
    struct failing_allocator memory;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    crew_run(8, allocate_and_free, NULL);
    expect_int(memory.calls, 8000);
    expect_int(memory.live, 0);
    expect_int(memory.live_bytes, 0);
    expect_status(weir_set_allocator(NULL), 0);
}
