/* SPDX-License-Identifier: MIT */
/*
 * shadow -- see shadow.h.
 */
#include "shadow.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "hash.h"
#include "image.h"
#include "program.h"
#include "shelf.h"
#include "site.h"

enum {
    SLOTS = 1 << 18,
    CELLS = 1 << 17,
    RECORDS = 5,         /* of a cell, before it needs another one */
    TIMES = STEPS + 2,   /* of a thread */
    PATIENCE = 50000000, /* plain accesses in a row */
    WRITE = 1,
    ATOMIC = 2,
    FREE = 4 /* with WRITE */
};

struct record {
    uint8_t mask; /* which bytes */
    uint8_t thread : 4, kind : 4;
    uint16_t time;
    site_id site;
};

struct cell {
    uintptr_t key;  /* address / 8 */
    uint32_t next;  /* more records; 0: none */
    uint32_t count; /* of records */
    struct record record[RECORDS];
};

struct slot {
    uintptr_t key;
    uint32_t generation;
    uint32_t cell;
};

static struct shadow {
    uint32_t generation;           /* slots of others are empty */
    uint32_t cells;                /* 0 is none */
    unsigned patience;             /* accesses that the thread may still make */
    uint16_t clock_seen;           /* ... while its time is this */
    uint16_t last[ACTORS];         /* the latest time in a record */
    uint32_t held[ACTORS][TIMES];  /* how many records hold the time */
    uint16_t ranks[ACTORS][TIMES]; /* of each time; see shadow.h */
    struct slot slot[SLOTS];
    struct cell cell[CELLS];
} * shadow;

void shadow_reset(void)
{
    if (shadow == NULL) {
        shadow = mmap(NULL, sizeof(*shadow), PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (shadow == MAP_FAILED)
            abort();
    }
    shadow->generation++;
    shadow->cells = 1;
    for (unsigned i = 0; i < ACTORS; i++) {
        memset(shadow->held[i], 0,
               (shadow->last[i] + 1u) * sizeof(shadow->held[i][0]));
        shadow->last[i] = 0;
    }
}

static uint32_t new_cell(uintptr_t key, uintptr_t pc)
{
    struct cell *cell = &shadow->cell[shadow->cells];

    if (shadow->cells == CELLS - 1)
        program_refuse("more than a megabyte of memory that is accessed", pc);
    cell->key = key;
    cell->next = 0;
    cell->count = 0;
    return shadow->cells++;
}

static struct cell *find_cell(uintptr_t key, uintptr_t pc)
{
    size_t at = (key * 0x9e3779b97f4a7c15u) >> 46; /* 18 bits */
    struct slot *slot = &shadow->slot[at];

    while (slot->generation == shadow->generation && slot->key != key) {
        at = (at + 1) % SLOTS;
        slot = &shadow->slot[at];
    }
    if (slot->generation != shadow->generation) {
        slot->generation = shadow->generation;
        slot->key = key;
        slot->cell = new_cell(key, pc);
    }
    return &shadow->cell[slot->cell];
}

/* --- one access ----------------------------------------------------------- */

struct access {
    struct record record;
    uintptr_t key, pc;
};

static const char *kind_name(unsigned kind)
{
    static const char *const names[] = {"reads", "writes", "atomically reads",
                                        "atomically writes"};

    return (kind & FREE) != 0 ? "frees" : names[kind];
}

static _Noreturn void fail_race(const struct access *access,
                                const struct record *other)
{
    struct actor *self = program_pause();
    char name[300], here[200], there[200];
    unsigned offset =
        (unsigned)__builtin_ctz(other->mask & access->record.mask);

    site_name(name, sizeof(name), (const void *)(access->key * 8 + offset));
    site_print(here, sizeof(here), site_get(access->record.site));
    site_print(there, sizeof(there), site_get(other->site));
    program_go_on(self);
    execution_fail(
        ((access->record.kind | other->kind) & FREE) != 0 ? MODEL_USE_AFTER_FREE
                                                          : MODEL_RACE,
        "%s %s %s at %s, %s %s it at %s, and neither is before "
        "the other",
        execution->self->name, kind_name(access->record.kind), name, here,
        execution->actor[other->thread].name, kind_name(other->kind), there);
    abort(); /* not reached */
}

static bool conflicts(unsigned a, unsigned b)
{
    return ((a | b) & WRITE) != 0 && (a & b & ATOMIC) == 0;
}

/* Whether whatever would race with `old` would race with `new` too. */
static bool replaces(unsigned new, unsigned old)
{
    return (new &WRITE) >= (old & WRITE) && (new &ATOMIC) <= (old & ATOMIC);
}

static void release_time(const struct record *record)
{
    shadow->held[record->thread][record->time]--;
}

static void hold_time(const struct record *record)
{
    shadow->held[record->thread][record->time]++;
    if (record->time > shadow->last[record->thread])
        shadow->last[record->thread] = record->time;
}

/* Compares with the records of one cell, and drops what the access replaces.
 * True: the access is in there now. */
static bool meet(struct cell *cell, const struct access *access)
{
    const uint16_t *clock = execution->self->view.clock;
    const struct record *mine = &access->record;
    bool is_in = false;

    for (unsigned i = 0; i < cell->count;) {
        struct record *r = &cell->record[i];
        uint8_t common = r->mask & mine->mask;
        bool is_own = r->thread == mine->thread;

        if (common != 0 && !is_own && clock[r->thread] < r->time) {
            if (conflicts(mine->kind, r->kind))
                fail_race(access, r);
        } else if (is_own && r->kind == mine->kind && r->time == mine->time &&
                   !is_in) {
            r->mask |= mine->mask;
            r->site = mine->site;
            is_in = true;
        } else if (common != 0 && replaces(mine->kind, r->kind)) {
            r->mask &= (uint8_t)~common;
            if (r->mask == 0) {
                release_time(r);
                *r = cell->record[--cell->count];
                continue;
            }
        }
        i++;
    }
    return is_in;
}

static void add_record(struct cell *cell, const struct access *access)
{
    while (cell->count == RECORDS && cell->next != 0)
        cell = &shadow->cell[cell->next];
    if (cell->count == RECORDS) {
        cell->next = new_cell(access->key, access->pc);
        cell = &shadow->cell[cell->next];
    }
    cell->record[cell->count++] = access->record;
    hold_time(&access->record);
}

static void access_cell(const struct access *access)
{
    struct cell *first = find_cell(access->key, access->pc), *cell = first;
    bool is_in = false;

    if (first->count == 1 && first->next == 0) { /* again, by the same */
        struct record *r = first->record;

        if (r->thread == access->record.thread &&
            r->time == access->record.time && r->kind == access->record.kind &&
            (access->record.mask & ~r->mask) == 0)
            return;
    }
    for (;;) {
        is_in |= meet(cell, access);
        if (cell->next == 0)
            break;
        cell = &shadow->cell[cell->next];
    }
    if (!is_in)
        add_record(first, access);
}

static void access_bytes(const void *address, size_t size, unsigned kind,
                         uint16_t time, uintptr_t pc)
{
    uintptr_t at = (uintptr_t)address, end = at + size;
    struct access access = {.record = {.thread = (uint8_t)program_self() & 15,
                                       .kind = (uint8_t)kind & 15,
                                       .time = time,
                                       .site = site_of(pc)},
                            .pc = pc};

    while (at < end) {
        uintptr_t stop = (at | 7) + 1 < end ? (at | 7) + 1 : end;

        access.key = at / 8;
        access.record.mask = (uint8_t)(((1u << (stop - at)) - 1u) << (at & 7));
        access_cell(&access);
        at = stop;
    }
}

/* A loop of plain accesses waits for nobody that the explorer could run. */
static void be_patient(uint16_t time, uintptr_t pc)
{
    struct actor *self;
    char here[200];

    if (shadow->clock_seen != time) {
        shadow->clock_seen = time;
        shadow->patience = PATIENCE;
    }
    if (--shadow->patience != 0)
        return;
    self = program_pause();
    site_print(here, sizeof(here), site_get(site_of(pc)));
    program_go_on(self);
    execution_fail(MODEL_LIVELOCK,
                   "%s goes round at %s without an atomic operation",
                   execution->self->name, here);
}

void shadow_plain(const void *address, size_t size, bool is_write, uintptr_t pc)
{
    uint16_t time = execution->self->view.clock[program_self()];

    if (size == 0 || image_has_local(address))
        return;
    if (shelf_has(address))
        shelf_check(address, size, pc);
    be_patient(time, pc);
    access_bytes(address, size, is_write ? WRITE : 0, (uint16_t)(time + 1), pc);
}

void shadow_free(const void *address, size_t size, uintptr_t pc)
{
    uint16_t time = execution->self->view.clock[program_self()];

    access_bytes(address, size, WRITE | FREE, (uint16_t)(time + 1), pc);
}

void shadow_atomic(const void *address, size_t size, bool is_write,
                   uintptr_t pc)
{
    if (shelf_has(address))
        shelf_check(address, size, pc);
    access_bytes(address, size, ATOMIC | (is_write ? WRITE : 0),
                 execution->self->view.clock[program_self()], pc);
}

void shadow_forget(const void *address, size_t size)
{
    uintptr_t first = (uintptr_t)address / 8;
    uintptr_t last = ((uintptr_t)address + size - 1) / 8;

    for (uintptr_t key = first; size != 0 && key <= last; key++) {
        struct cell *cell = find_cell(key, 0);

        for (;;) {
            for (unsigned i = 0; i < cell->count; i++)
                release_time(&cell->record[i]);
            cell->count = 0;
            if (cell->next == 0)
                break;
            cell = &shadow->cell[cell->next];
        }
    }
}

/* --- the state -------------------------------------------------------------- */

static void rank_times(void)
{
    for (unsigned i = 0; i < execution->threads; i++) {
        uint16_t rank = 0;

        for (unsigned time = 0; time <= shadow->last[i]; time++) {
            rank += shadow->held[i][time] != 0;
            shadow->ranks[i][time] = rank;
        }
    }
}

uint64_t shadow_hash(uint64_t seed)
{
    uint64_t sum = 0;

    rank_times();
    for (uint32_t c = 1; c < shadow->cells; c++) {
        const struct cell *cell = &shadow->cell[c];

        for (unsigned i = 0; i < cell->count; i++) {
            const struct record *r = &cell->record[i];

            sum +=
                hash_mix(seed ^ (uint64_t)cell->key << 8,
                         (uint64_t)r->mask << 32 | r->thread << 20 |
                             r->kind << 16 | shadow->ranks[r->thread][r->time]);
        }
    }
    return sum;
}

uint64_t shadow_hash_clock(const uint16_t *clock, uint64_t seed)
{
    uint64_t hash = seed;

    for (unsigned i = 0; i < execution->threads; i++) {
        uint16_t time = clock[i] < shadow->last[i] ? clock[i] : shadow->last[i];

        hash = hash_mix(hash, shadow->ranks[i][time]);
    }
    return hash;
}
