/* SPDX-License-Identifier: MIT */
/*
 * rewind -- see rewind.h.
 *
 * Nothing here may allocate, nor keep a static variable over rewind_memory(): its
 * own memory is in the room, which all processes have at the same address.
 */
#include "rewind.h"

#include <fcntl.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <unistd.h>

enum {
    PAGE = 4096, /* x86-64, as in fiber.c */
    MAPS = 65536,
    AREAS = 256,
    MOST_PAGES = 1 << 18, /* of all areas; with more, a fork is cheaper */
    ENTRIES = 8192,       /* of pagemap, that are read at once */
    RUNS = 1024,          /* that process_vm_readv() takes */
    STACK = 65536,
    MASK_BYTES = 8,    /* of a set of signals, for the kernel */
    MERGES_MEMORY = 67 /* prctl(), since Linux 6.4 */
};

/* Bits of an entry of pagemap. */
static const uint64_t is_present = UINT64_C(1) << 63,
                      is_swapped = UINT64_C(1) << 62,
                      is_exclusive = UINT64_C(1) << 56;

struct area {
    uintptr_t begin, end;
};

struct room {
    char before[MAPS], now[MAPS]; /* /proc/self/maps */
    size_t length;                /* of the first; 0: it is not known */
    long heap_end;
    uint64_t signals;         /* that are blocked */
    long mode;                /* umask() */
    struct area areas[AREAS]; /* of private memory that can be written */
    unsigned area_count;
    uint64_t entries[ENTRIES];
    struct iovec runs[RUNS]; /* of pages to restore */
    unsigned run_count;
    char stack[STACK];
};

static struct room *room;

static bool is_forbidden;

int rewind_init(void)
{
    prctl(MERGES_MEMORY, 0, 0, 0, 0); /* a page that was merged is not own */
    room = mmap(NULL, sizeof(*room), PROT_READ | PROT_WRITE,
                MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return room != MAP_FAILED ? 0 : -1;
}

void *rewind_stack(void)
{
    return room->stack + sizeof(room->stack);
}

void rewind_forbid(void)
{
    is_forbidden = true;
}

bool rewind_is_forbidden(void)
{
    return is_forbidden;
}

/* Past the functions that wrap.c replaces. */
static int open_file(const char *path)
{
    return (int)syscall(SYS_openat, AT_FDCWD, path, O_RDONLY | O_CLOEXEC);
}

/* Returns the length, or 0 if the text cannot be read or is too long. */
static size_t read_maps(char *text)
{
    int fd = open_file("/proc/self/maps");
    size_t length = 0;
    ssize_t more = -1;

    while (fd >= 0 && length < MAPS &&
           (more = read(fd, text + length, MAPS - length)) > 0)
        length += (size_t)more;
    if (fd >= 0)
        close(fd);
    return more == 0 ? length : 0;
}

static uintptr_t read_number(const char **at)
{
    uintptr_t value = 0;

    for (;; (*at)++)
        if (**at >= '0' && **at <= '9')
            value = value * 16 + (uintptr_t)(**at - '0');
        else if (**at >= 'a' && **at <= 'f')
            value = value * 16 + (uintptr_t)(**at - 'a' + 10);
        else
            return value;
}

/* A line is "BEGIN-END rw-p ...". */
static bool find_areas(void)
{
    const char *at = room->before, *end = at + room->length;
    size_t pages = 0;

    room->area_count = 0;
    while (at < end) {
        struct area area = {.begin = read_number(&at)};

        at++;
        area.end = read_number(&at);
        if (at[2] == 'w' && at[4] == 'p') {
            if (room->area_count == AREAS)
                return false;
            room->areas[room->area_count++] = area;
            pages += (area.end - area.begin) / PAGE;
        }
        at = memchr(at, '\n', (size_t)(end - at));
        if (at++ == NULL)
            return false;
    }
    return pages <= MOST_PAGES;
}

void rewind_begin(void)
{
    room->heap_end = syscall(SYS_brk, 0);
    room->length = read_maps(room->before);
    if (room->length > 0 && !find_areas())
        room->length = 0;
    syscall(SYS_rt_sigprocmask, 0, NULL, &room->signals, MASK_BYTES);
    room->mode = syscall(SYS_umask, 0); /* there is no other way to ask */
    syscall(SYS_umask, room->mode);
}

static bool restore_runs(int origin)
{
    size_t size = 0;
    ssize_t copied = 0;

    for (unsigned i = 0; i < room->run_count; i++)
        size += room->runs[i].iov_len;
    if (size > 0)
        copied = process_vm_readv(origin, room->runs, room->run_count,
                                  room->runs, room->run_count, 0);
    room->run_count = 0;
    return copied == (ssize_t)size;
}

/* Whether the last run ends where the page begins; then it is longer. */
static bool extend_run(uintptr_t page)
{
    struct iovec *last;

    if (room->run_count == 0)
        return false;
    last = &room->runs[room->run_count - 1];
    if ((uintptr_t)last->iov_base + last->iov_len != page)
        return false;
    last->iov_len += PAGE;
    return true;
}

static bool restore_page(uintptr_t page, int origin)
{
    if (page + PAGE > (uintptr_t)room && page < (uintptr_t)(room + 1))
        return true;
    if (extend_run(page))
        return true;
    if (room->run_count == RUNS && !restore_runs(origin))
        return false;
    room->runs[room->run_count++] =
        (struct iovec){.iov_base = (void *)page, .iov_len = PAGE};
    return true;
}

static bool read_entries(int pagemap, uintptr_t page, size_t count)
{
    size_t size = count * sizeof(room->entries[0]);

    return pread(pagemap, room->entries, size,
                 (off_t)(page / PAGE * sizeof(room->entries[0]))) ==
           (ssize_t)size;
}

static bool restore_area(const struct area *area, int pagemap, int origin)
{
    size_t count;

    for (uintptr_t page = area->begin; page < area->end; page += count * PAGE) {
        count = (area->end - page) / PAGE;
        if (count > ENTRIES)
            count = ENTRIES;
        if (!read_entries(pagemap, page, count))
            return false;
        for (size_t i = 0; i < count; i++) {
            uint64_t entry = room->entries[i];

            if (((entry & is_swapped) != 0 ||
                 ((entry & is_present) != 0 && (entry & is_exclusive) != 0)) &&
                !restore_page(page + i * PAGE, origin))
                return false;
        }
    }
    return true;
}

/* Whether the kernel says so of a page that certainly is. */
static bool knows_own_pages(int pagemap)
{
    return read_entries(pagemap, (uintptr_t)__builtin_frame_address(0), 1) &&
           (room->entries[0] & is_exclusive) != 0;
}

static bool restore_areas(int pagemap, int origin)
{
    room->run_count = 0;
    for (unsigned i = 0; i < room->area_count; i++)
        if (!restore_area(&room->areas[i], pagemap, origin))
            return false;
    return restore_runs(origin);
}

/* Whether memory is mapped as before.  A heap that has grown is cut: the allocator
 * will believe that it has not. */
static bool restore_maps(void)
{
    return room->length > 0 && syscall(SYS_brk, 0) >= room->heap_end &&
           syscall(SYS_brk, room->heap_end) == room->heap_end &&
           read_maps(room->now) == room->length &&
           memcmp(room->before, room->now, room->length) == 0;
}

bool rewind_memory(int origin)
{
    bool is_restored;
    int pagemap;

    if (!restore_maps())
        return false;
    pagemap = open_file("/proc/self/pagemap");
    if (pagemap < 0)
        return false;
    is_restored = knows_own_pages(pagemap) && restore_areas(pagemap, origin);
    close(pagemap);
    syscall(SYS_rt_sigprocmask, SIG_SETMASK, &room->signals, NULL, MASK_BYTES);
    syscall(SYS_umask, room->mode);
    return is_restored;
}
