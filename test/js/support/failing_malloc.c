/* SPDX-License-Identifier: MIT */
#include "failing_malloc.h"

void *__real_malloc(size_t size);
void *__real_calloc(size_t count, size_t size);
void *__real_realloc(void *old, size_t size);
void *__wrap_malloc(size_t size);
void *__wrap_calloc(size_t count, size_t size);
void *__wrap_realloc(void *old, size_t size);

static _Thread_local unsigned left, seen;
static _Thread_local bool is_armed, is_once, has_failed;
static _Thread_local size_t first_size;

void failing_malloc_arm(unsigned nth)
{
    left = nth;
    seen = 0;
    is_armed = true;
    is_once = has_failed = false;
}

void failing_malloc_arm_once(unsigned nth)
{
    failing_malloc_arm(nth);
    is_once = true;
}

unsigned failing_malloc_seen(void)
{
    return seen;
}

bool failing_malloc_disarm(void)
{
    is_armed = false;
    return has_failed;
}

bool failing_malloc_hit(size_t size)
{
    return has_failed && first_size == size;
}

static bool fails(size_t size)
{
    if (!is_armed)
        return false;
    seen++;
    if (left > 1) {
        left--;
        return false;
    }
    if (has_failed && is_once)
        return false;
    if (!has_failed)
        first_size = size;
    has_failed = true;
    return true;
}

void *__wrap_malloc(size_t size)
{
    return fails(size) ? NULL : __real_malloc(size);
}

void *__wrap_calloc(size_t count, size_t size)
{
    return fails(count * size) ? NULL : __real_calloc(count, size);
}

void *__wrap_realloc(void *old, size_t size)
{
    return fails(size) ? NULL : __real_realloc(old, size);
}
