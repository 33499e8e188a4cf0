/* SPDX-License-Identifier: MIT */
/*
 * image -- the writable data of each object that was compiled for the explorer,
 * and thread_local variables.
 *
 * All threads of the program run on one thread of the system and would share
 * its thread_local variables, so these are swapped when another thread runs.
 * That includes those of libraries, such as the exceptions in flight of C++'s
 * runtime, but not those of libc, which its allocator uses, too.
 */
#include "image.h"

#include <link.h>
#include <stdlib.h>
#include <string.h>

#include "hash.h"
#include "modules.h"
#include "program.h"

enum { RANGES = 64, BLOCKS = 16, NATIVE = ACTORS, COPIES = ACTORS + 1 };

struct range {
    char *start;
    size_t size;
    char *saved;
};

static struct image {
    unsigned ranges;
    struct range range[RANGES];

    unsigned blocks;
    struct tls {
        char *live; /* of this thread of the system */
        size_t size;
        char *fresh; /* as a new thread has them */
        char *copy[COPIES];
    } tls[BLOCKS];
    unsigned current; /* whose variables are live */
} image;

static void add_range(uintptr_t start, uintptr_t end)
{
    struct range *range = &image.range[image.ranges];

    if (start >= end || image.ranges == RANGES)
        return;
    *range = (struct range){.start = (char *)start, .size = end - start};
    range->saved = malloc(range->size);
    if (range->saved == NULL)
        abort();
    image.ranges++;
}

/* The part of a writable segment behind what is read-only after relocation. */
static void add_segment(const struct dl_phdr_info *info,
                        const ElfW(Phdr) * segment)
{
    uintptr_t start = info->dlpi_addr + segment->p_vaddr;
    uintptr_t end = start + segment->p_memsz;

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t relro = info->dlpi_addr + part->p_vaddr;

        if (part->p_type == PT_GNU_RELRO && relro >= start && relro < end)
            start = relro + part->p_memsz;
    }
    add_range(start, end);
}

static void add_tls(const struct dl_phdr_info *info, const ElfW(Phdr) * part)
{
    struct tls *tls = &image.tls[image.blocks];

    if (info->dlpi_tls_data == NULL || part->p_memsz == 0 ||
        strstr(info->dlpi_name, "/libc.so") != NULL ||
        strstr(info->dlpi_name, "/ld-linux") != NULL || image.blocks == BLOCKS)
        return;
    image.blocks++;
    tls->live = info->dlpi_tls_data;
    tls->size = part->p_memsz;
    tls->fresh = calloc(COPIES + 1, tls->size);
    if (tls->fresh == NULL)
        abort();
    memcpy(tls->fresh, (void *)(info->dlpi_addr + part->p_vaddr),
           part->p_filesz);
    for (unsigned i = 0; i < COPIES; i++)
        tls->copy[i] = tls->fresh + (i + 1) * tls->size;
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    bool *is_first = context;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD && (part->p_flags & PF_W) != 0 &&
            (*is_first || modules_has_base(info->dlpi_addr)))
            add_segment(info, part);
        if (part->p_type == PT_TLS)
            add_tls(info, part);
    }
    *is_first = false;
    return 0;
}

void image_take(void)
{
    bool is_first = true;

    if (image.ranges == 0)
        dl_iterate_phdr(add_object, &is_first);
    for (unsigned i = 0; i < image.ranges; i++)
        memcpy(image.range[i].saved, image.range[i].start, image.range[i].size);
    image.current = NATIVE;
}

void image_restore(void)
{
    image_switch(NATIVE);
    for (unsigned i = 0; i < image.ranges; i++)
        memcpy(image.range[i].start, image.range[i].saved, image.range[i].size);
    for (unsigned b = 0; b < image.blocks; b++) {
        struct tls *tls = &image.tls[b];

        memcpy(tls->copy[0], tls->live, tls->size); /* main's are native */
        for (unsigned i = 1; i < NATIVE; i++)
            memcpy(tls->copy[i], tls->fresh, tls->size);
    }
}

void image_switch(unsigned index)
{
    if (image.current == index)
        return;
    for (unsigned b = 0; b < image.blocks; b++) {
        struct tls *tls = &image.tls[b];

        memcpy(tls->copy[image.current], tls->live, tls->size);
        memcpy(tls->live, tls->copy[index], tls->size);
    }
    image.current = index;
}

bool image_has_local(const void *address)
{
    for (unsigned b = 0; b < image.blocks; b++)
        if ((size_t)((const char *)address - image.tls[b].live) <
            image.tls[b].size)
            return true;
    return false;
}

static const char *tls_of(const struct tls *tls, unsigned index)
{
    return index == image.current ? tls->live : tls->copy[index];
}

uint64_t image_hash(uint64_t seed)
{
    uint64_t hash = seed;

    for (unsigned i = 0; i < image.ranges; i++)
        hash = hash_bytes(hash, image.range[i].start, image.range[i].size);
    for (unsigned b = 0; b < image.blocks; b++)
        for (unsigned i = 0; i < execution->threads; i++)
            hash =
                hash_bytes(hash, tls_of(&image.tls[b], i), image.tls[b].size);
    return hash;
}

static void scan(const char *bytes, size_t size, void (*look)(uintptr_t value))
{
    uintptr_t value;

    for (size_t at = 0; at + sizeof(value) <= size; at += sizeof(value)) {
        memcpy(&value, bytes + at, sizeof(value));
        look(value);
    }
}

void image_scan(void (*look)(uintptr_t value))
{
    for (unsigned i = 0; i < image.ranges; i++)
        scan(image.range[i].start, image.range[i].size, look);
    for (unsigned b = 0; b < image.blocks; b++)
        scan(tls_of(&image.tls[b], 0), image.tls[b].size, look);
}
