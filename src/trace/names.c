/* SPDX-License-Identifier: MIT */
/*
 * names -- texts that are never freed, each kept once.
 *
 * The recorder stores names by address, and a reader may look at an event long
 * after what it names is gone.  So names that are made at run time are kept for
 * ever, up to a limit.
 *
 * Shape     A hash table with linear probing, of constant size.  It is made when
 *           it is first needed.
 * Shared state
 *   table, count    under the lock
 *
 * Tested by  test/unit/trace/names.c
 */
#include <stdint.h>
#include <string.h>

#include "base/memory.h"
#include "weir/host/lock.h"
#include "weir/host/recorder.h"

#ifdef WEIR_SMALL
enum { MOST = 4, LONGEST = 15 };
#else
enum { MOST = 16384, LONGEST = 4095 };
#endif
enum { SLOTS = 2 * MOST, ALIGN = 16 };

static weir_global_lock lock = WEIR_GLOBAL_LOCK_INIT;
static char **table; /* under lock */
static size_t count; /* under lock */

static uint64_t hash_of(const char *text, size_t length)
{
    uint64_t hash = UINT64_C(14695981039346656037); /* FNV-1a */

    for (size_t i = 0; i < length; i++)
        hash = (hash ^ (unsigned char)text[i]) * UINT64_C(1099511628211);
    return hash ^ hash >> 32;
}

/* The slot of the text, or the free one where it belongs. */
static char **find(const char *text, size_t length)
{
    uint64_t at = hash_of(text, length);

    for (;; at++) {
        char **slot = &table[at % SLOTS];

        if (*slot == NULL ||
            (strncmp(*slot, text, length) == 0 && (*slot)[length] == '\0'))
            return slot;
    }
}

static char *copy(const char *text, size_t length)
{
    char *made = weir__memory_alloc(length + 1, ALIGN);

    if (made != NULL) {
        memcpy(made, text, length);
        made[length] = '\0';
    }
    return made;
}

/* Under lock. */
static bool make_table(void)
{
    if (table == NULL) {
        table = weir__memory_alloc(SLOTS * sizeof(*table), ALIGN);
        if (table != NULL)
            memset(table, 0, SLOTS * sizeof(*table));
    }
    return table != NULL;
}

const char *weir_recorder_intern(const char *text, unsigned share)
{
    size_t length = strnlen(text, LONGEST);
    char *found = NULL;

    if (share > 100)
        share = 100;
    weir_global_lock_acquire(&lock);
    if (make_table()) {
        char **slot = find(text, length);

        if (*slot == NULL && 100 * count < (size_t)share * MOST) {
            *slot = copy(text, length);
            count += *slot != NULL;
        }
        found = *slot;
    }
    weir_global_lock_release(&lock);
    return found;
}
