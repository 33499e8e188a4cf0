/* SPDX-License-Identifier: MIT */
/*
 * known -- an open-addressing table that doubles; see known.h.
 */
#include "known.h"

#include <stdlib.h>

struct entry {
    uint64_t hash; /* 0: free */
    uint16_t depth;
    uint8_t sleep;
};

struct known {
    uint64_t count, capacity;
    struct entry *entries;
};

static struct entry *new_entries(uint64_t capacity)
{
    struct entry *entries = calloc(capacity, sizeof(*entries));

    if (entries == NULL)
        abort();
    return entries;
}

struct known *known_new(void)
{
    struct known *known = malloc(sizeof(*known));

    if (known == NULL)
        abort();
    known->count = 0;
    known->capacity = 1 << 12;
    known->entries = new_entries(known->capacity);
    return known;
}

void known_free(struct known *known)
{
    free(known->entries);
    free(known);
}

uint64_t known_count(const struct known *known)
{
    return known->count;
}

static struct entry *slot(struct entry *entries, uint64_t capacity,
                          uint64_t hash)
{
    uint64_t at = hash & (capacity - 1);

    while (entries[at].hash != 0 && entries[at].hash != hash)
        at = (at + 1) & (capacity - 1);
    return &entries[at];
}

static void grow(struct known *known)
{
    struct entry *old = known->entries;
    uint64_t capacity = known->capacity * 2;

    known->entries = new_entries(capacity);
    for (uint64_t i = 0; i < known->capacity; i++)
        if (old[i].hash != 0)
            *slot(known->entries, capacity, old[i].hash) = old[i];
    known->capacity = capacity;
    free(old);
}

uint8_t known_visit(struct known *known, uint64_t hash, uint8_t sleep,
                    unsigned depth)
{
    struct entry *entry;
    uint8_t missing;

    hash += hash == 0;
    entry = slot(known->entries, known->capacity, hash);
    if (entry->hash == 0) {
        *entry = (struct entry){hash, (uint16_t)depth, sleep};
        if (++known->count * 2 > known->capacity)
            grow(known);
        return (uint8_t)~sleep;
    }
    /* Earlier in the run: more steps are left than there were. */
    if (depth < entry->depth) {
        *entry = (struct entry){hash, (uint16_t)depth, sleep};
        return (uint8_t)~sleep;
    }
    missing = entry->sleep & (uint8_t)~sleep;
    entry->sleep &= sleep;
    return missing;
}
