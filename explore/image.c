/* SPDX-License-Identifier: MIT */
/*
 * image -- from __data_start to _end, the linker's names for the ends of the
 * writable data of a program that is not position-independent.
 */
#include "image.h"

#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"

extern char __data_start[], _end[];

static char *saved; /* set before the image is taken: the image holds it too */

static size_t size(void)
{
    return (size_t)(_end - __data_start);
}

void image_take(void)
{
    if (saved == NULL && (saved = malloc(size())) == NULL)
        abort();
    memcpy(saved, __data_start, size());
}

void image_restore(void)
{
    memcpy(__data_start, saved, size());
}

void image_switch(unsigned index)
{
    (void)index; /* the library under test has no thread_local variables */
}

bool image_has_local(const void *address)
{
    (void)address;
    return false;
}

uint64_t image_hash(uint64_t seed)
{
    return hash_bytes(seed, __data_start, size());
}

void image_scan(void (*look)(uintptr_t value))
{
    for (size_t at = 0; at + sizeof(uintptr_t) <= size();
         at += sizeof(uintptr_t)) {
        uintptr_t value;

        memcpy(&value, __data_start + at, sizeof(value));
        look(value);
    }
}
