/* SPDX-License-Identifier: MIT */
/*
 * modules -- see modules.h.
 */
#include "modules.h"

#include <link.h>
#include <stddef.h>
#include <string.h>

enum { MODULES = 32 };

struct module {
    uintptr_t base, start, end; /* of its code */
};

static struct module module[MODULES], system_module[MODULES];
static const char *unseen[MODULES]; /* names of those that are neither */
static unsigned count, system_count, unseen_count;

/* What the linker wrote for the loader: symbols, their names, and, first in
 * the hash table's second word, how many symbols are not in it: those that are
 * undefined. */
struct tables {
    const ElfW(Sym) * symbols;
    const char *names;
    const uint32_t *hash;
};

static struct tables find_tables(const struct dl_phdr_info *info)
{
    struct tables tables = {0};

    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        const ElfW(Dyn) *entry =
            (const void *)(info->dlpi_addr + part->p_vaddr);

        if (part->p_type != PT_DYNAMIC)
            continue;
        for (; entry->d_tag != DT_NULL; entry++) {
            if (entry->d_tag == DT_SYMTAB)
                tables.symbols = (const void *)entry->d_un.d_ptr;
            if (entry->d_tag == DT_STRTAB)
                tables.names = (const void *)entry->d_un.d_ptr;
            if (entry->d_tag == DT_GNU_HASH)
                tables.hash = (const void *)entry->d_un.d_ptr;
        }
    }
    return tables;
}

static bool is_instrumented(const struct dl_phdr_info *info)
{
    struct tables t = find_tables(info);

    /* The loader does not relocate the table of the kernel's object. */
    if (t.symbols == NULL || t.names == NULL || t.hash == NULL ||
        (uintptr_t)t.symbols < info->dlpi_addr)
        return false;
    for (uint32_t i = 0; i < t.hash[1]; i++)
        if (strcmp(t.names + t.symbols[i].st_name, "__tsan_init") == 0)
            return true;
    return false;
}

static bool is_system(const char *path)
{
    return strstr(path, "/libc.so") != NULL ||
           strstr(path, "/ld-linux") != NULL ||
           strstr(path, "/libweir-explore.so") != NULL;
}

/* The compilers' own libraries.  What they synchronise by is replaced, or is in
 * their headers. */
static bool is_runtime(const char *name)
{
    static const char *const names[] = {"libstdc++.so", "libgcc_s.so",
                                        "libm.so",      "libc++.so",
                                        "libc++abi.so", "linux-vdso.so"};

    for (unsigned i = 0; i < sizeof(names) / sizeof(*names); i++)
        if (strncmp(name, names[i], strlen(names[i])) == 0)
            return true;
    return name[0] == '\0'; /* the program */
}

static int add_object(struct dl_phdr_info *info, size_t size, void *context)
{
    bool is_own = is_system(info->dlpi_name);
    const char *slash = strrchr(info->dlpi_name, '/');
    const char *name = slash != NULL ? slash + 1 : info->dlpi_name;

    (void)size;
    (void)context;
    if (!is_own && !is_instrumented(info)) {
        if (!is_runtime(name) && unseen_count < MODULES)
            unseen[unseen_count++] = name;
        return 0;
    }
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];
        uintptr_t start = info->dlpi_addr + part->p_vaddr;

        if (part->p_type != PT_LOAD || (part->p_flags & PF_X) == 0)
            continue;
        if (is_own && system_count < MODULES)
            system_module[system_count++] =
                (struct module){info->dlpi_addr, start, start + part->p_memsz};
        else if (!is_own && count < MODULES)
            module[count++] =
                (struct module){info->dlpi_addr, start, start + part->p_memsz};
    }
    return 0;
}

void modules_find(void)
{
    if (count == 0)
        dl_iterate_phdr(add_object, NULL);
}

bool modules_has(uintptr_t pc)
{
    for (unsigned i = 0; i < count; i++)
        if (pc >= module[i].start && pc < module[i].end)
            return true;
    return false;
}

bool modules_is_system(uintptr_t pc)
{
    for (unsigned i = 0; i < system_count; i++)
        if (pc >= system_module[i].start && pc < system_module[i].end)
            return true;
    return false;
}

bool modules_has_base(uintptr_t base)
{
    for (unsigned i = 0; i < count; i++)
        if (module[i].base == base)
            return true;
    return false;
}

const char *modules_unseen(unsigned index)
{
    return index < unseen_count ? unseen[index] : NULL;
}

unsigned modules_count(void)
{
    return count;
}
