/* SPDX-License-Identifier: MIT */
/*
 * site -- see site.h.
 */
#include "site.h"

#include <dlfcn.h>
#include <elf.h>
#include <execinfo.h>
#include <fcntl.h>
#include <link.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "modules.h"
#include "program.h"

enum { SITES = 1 << 14, FRAMES = 32, CALLS = 128 };

struct entry {
    uintptr_t pc;
    site_id caller; /* of the function; 0: none, or not kept */
    struct model_site site;
    bool is_resolved;
    bool is_own; /* in a file of the program, not in one of the system */
};

static struct table {
    site_id slot[2 * SITES]; /* by return address and caller */
    unsigned count;          /* of entries, the first of which is unknown */
    struct entry entry[SITES];
} * table;

static struct table *get_table(void)
{
    if (table == NULL) {
        table = calloc(1, sizeof(*table));
        if (table == NULL)
            abort();
        table->count = 1;
        table->entry[0].site = (struct model_site){"?", NULL, 0};
    }
    return table;
}

static site_id find_site(uintptr_t pc, site_id caller)
{
    struct table *t = get_table();
    size_t at = ((pc ^ caller) * 0x9e3779b97f4a7c15u) >> 49; /* 15 bits */

    while (t->slot[at] != 0 && (t->entry[t->slot[at]].pc != pc ||
                                t->entry[t->slot[at]].caller != caller))
        at = (at + 1) % (2 * SITES);
    if (t->slot[at] == 0) {
        if (t->count == SITES)
            return 0;
        t->entry[t->count].pc = pc;
        t->entry[t->count].caller = caller;
        t->entry[t->count].site.expression = "?";
        t->slot[at] = t->count++;
    }
    return t->slot[at];
}

/* --- callers ----------------------------------------------------------------- */

static bool keeps_callers;
static struct calls {
    unsigned depth; /* may exceed CALLS; what is deeper has no callers */
    site_id call[CALLS];
} calls[ACTORS];

void site_keep_callers(bool keeps)
{
    keeps_callers = keeps;
}

void site_reset(void)
{
    if (keeps_callers)
        for (unsigned i = 0; i < ACTORS; i++)
            calls[i].depth = 0;
}

static site_id caller_now(const struct calls *c)
{
    return c->depth > 0 && c->depth <= CALLS ? c->call[c->depth - 1] : 0;
}

void site_enter(uintptr_t pc)
{
    struct calls *c;

    if (!keeps_callers || !is_exploring())
        return;
    c = &calls[program_self()];
    if (c->depth < CALLS)
        c->call[c->depth] = find_site(pc, caller_now(c));
    c->depth++;
}

void site_leave(void)
{
    if (keeps_callers && is_exploring() && calls[program_self()].depth > 0)
        calls[program_self()].depth--;
}

/* The nearest caller that was instrumented.  A library that was not does not
 * say which functions it has entered, but its stack can be unwound. */
static uintptr_t find_instrumented(uintptr_t pc)
{
    void *frames[FRAMES];
    struct actor *self = program_pause();
    int count = backtrace(frames, FRAMES);

    program_go_on(self);
    for (int i = 0; i < count; i++)
        if (modules_has((uintptr_t)frames[i]))
            return (uintptr_t)frames[i];
    return pc;
}

site_id site_of(uintptr_t pc)
{
    if (!keeps_callers || !is_exploring())
        return find_site(pc, 0);
    if (!modules_has(pc) && !modules_is_system(pc))
        pc = find_instrumented(pc);
    return find_site(pc, caller_now(&calls[program_self()]));
}

const struct model_site *site_get(site_id id)
{
    return &get_table()->entry[id].site;
}

/* --- file and line --------------------------------------------------------- */

struct object {
    uintptr_t pc, base;
    const char *path;
};

static int find_object(struct dl_phdr_info *info, size_t size, void *context)
{
    struct object *object = context;

    (void)size;
    for (unsigned i = 0; i < info->dlpi_phnum; i++) {
        const ElfW(Phdr) *part = &info->dlpi_phdr[i];

        if (part->p_type == PT_LOAD &&
            object->pc >= info->dlpi_addr + part->p_vaddr &&
            object->pc < info->dlpi_addr + part->p_vaddr + part->p_memsz) {
            object->base = info->dlpi_addr;
            object->path =
                info->dlpi_name[0] != '\0' ? info->dlpi_name : "/proc/self/exe";
            return 1;
        }
    }
    return 0;
}

/* A line in a header of the system says little: its caller's is better. */
static bool is_system(const char *file)
{
    return strncmp(file, "/usr/", 5) == 0 || strstr(file, "/lib/gcc/") != NULL;
}

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

static void take_line(struct entry *entry, const char *line)
{
    const char *colon = strrchr(line, ':');
    int number;

    if (colon == NULL || line[0] == '?' || (number = atoi(colon + 1)) == 0)
        return;
    entry->site.file =
        strndup(last_part(line), (size_t)(colon - last_part(line)));
    entry->site.line = number;
}

/* /proc/self/exe would be addr2line itself: it needs the program's path. */
static const char *path_of(const char *path, char *link, size_t size)
{
    ssize_t length;

    if (strcmp(path, "/proc/self/exe") != 0)
        return path;
    length = readlink(path, link, size - 1);
    if (length < 0)
        return path;
    link[length] = '\0';
    return link;
}

static void resolve(struct entry *entry)
{
    struct object object = {.pc = entry->pc};
    char link[1000], command[1200], line[1000], first[1000] = "";
    FILE *pipe;

    entry->is_resolved = true;
    if (dl_iterate_phdr(find_object, &object) == 0)
        return;
    snprintf(command, sizeof(command), "addr2line -i -e '%s' %#lx 2>&-",
             path_of(object.path, link, sizeof(link)),
             (unsigned long)(object.pc - object.base - 1));
    pipe = popen(command, "r");
    if (pipe == NULL)
        return;
    for (int i = 0; i < FRAMES && fgets(line, sizeof(line), pipe); i++) {
        if (first[0] == '\0')
            memcpy(first, line, sizeof(first));
        if (!entry->is_own && line[0] != '?' && !is_system(line)) {
            take_line(entry, line);
            entry->is_own = true;
        }
    }
    if (!entry->is_own)
        take_line(entry, first);
    pclose(pipe);
}

/* The entry, or the first of its callers that is in a file of the program. */
static struct entry *find_own(struct entry *entry)
{
    for (struct entry *at = entry; at->pc != 0;
         at = &table->entry[at->caller]) {
        if (!at->is_resolved)
            resolve(at);
        if (at->is_own && modules_has(at->pc))
            return at;
    }
    return entry;
}

void site_print(char *text, size_t size, const struct model_site *site)
{
    struct entry *entry =
        find_own((struct entry *)((char *)(uintptr_t)site -
                                  offsetof(struct entry, site)));
    struct object object = {.pc = entry->pc};

    if (entry->site.file != NULL)
        snprintf(text, size, "%s:%d", entry->site.file, entry->site.line);
    else if (dl_iterate_phdr(find_object, &object) != 0)
        snprintf(text, size, "%s+%#lx", last_part(object.path),
                 (unsigned long)(object.pc - object.base));
    else
        snprintf(text, size, "?");
}

/* --- names ------------------------------------------------------------------ */

/* The program's file, in memory. */
struct file {
    const char *bytes;
    size_t size;
};

static struct file open_program(void)
{
    static struct file file;
    struct stat status;
    int fd;

    if (file.bytes != NULL)
        return file;
    fd = open("/proc/self/exe", O_RDONLY | O_CLOEXEC);
    if (fd < 0 || fstat(fd, &status) != 0)
        return file;
    file.bytes =
        mmap(NULL, (size_t)status.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
    file.size = (size_t)status.st_size;
    close(fd);
    if (file.bytes == MAP_FAILED)
        file.bytes = NULL;
    return file;
}

/* Calls look() for each symbol of a table; stops when it returns true. */
typedef bool look_fn(const ElfW(Sym) * symbol, const char *name, void *context);

static bool each_symbol(uint32_t type, look_fn *look, void *context)
{
    struct file file = open_program();
    const ElfW(Ehdr) *header = (const void *)file.bytes;
    const ElfW(Shdr) * section;

    if (file.bytes == NULL || header->e_shoff == 0)
        return false;
    section = (const void *)(file.bytes + header->e_shoff);
    for (unsigned i = 0; i < header->e_shnum; i++) {
        const ElfW(Sym) *symbol =
            (const void *)(file.bytes + section[i].sh_offset);
        size_t count = section[i].sh_size / sizeof(*symbol);
        const char *names = file.bytes + section[section[i].sh_link].sh_offset;

        if (section[i].sh_type != type)
            continue;
        for (size_t s = 0; s < count; s++)
            if (look(&symbol[s], names + symbol[s].st_name, context))
                return true;
    }
    return false;
}

struct name {
    uintptr_t address;
    const char *text;
    uintptr_t offset;
};

static bool is_around(const ElfW(Sym) * symbol, const char *name, void *context)
{
    struct name *wanted = context;

    if (ELF64_ST_TYPE(symbol->st_info) != STT_OBJECT ||
        wanted->address < symbol->st_value ||
        wanted->address >= symbol->st_value + symbol->st_size)
        return false;
    wanted->text = name;
    wanted->offset = wanted->address - symbol->st_value;
    return true;
}

static int find_base(struct dl_phdr_info *info, size_t size, void *context)
{
    (void)size;
    *(uintptr_t *)context = info->dlpi_addr;
    return 1; /* the first is the program */
}

static bool name_on_stack(char *text, size_t size, const char *address)
{
    for (unsigned i = 0; execution != NULL && i < ACTORS; i++) {
        const struct actor *actor = &execution->actor[i];

        if (address < actor->co.top && address >= actor->co.bottom) {
            snprintf(text, size, "stack of %s-%td",
                     i == 0 ? "main" : actor->name, actor->co.top - address);
            return true;
        }
    }
    return false;
}

/* As C++ writes it, if C++'s library is there. */
static void print_symbol(char *text, size_t size, const char *symbol)
{
    char *(*demangle)(const char *, char *, size_t *, int *) =
        (char *(*)(const char *, char *, size_t *, int *))(uintptr_t)dlsym(
            RTLD_DEFAULT, "__cxa_demangle");
    int status = 0;
    char *name =
        demangle != NULL ? demangle(symbol, NULL, NULL, &status) : NULL;

    snprintf(text, size, "%s", name != NULL ? name : symbol);
    free(name);
}

static site_namer *name_in_heap;

void site_name_heap(site_namer *namer)
{
    name_in_heap = namer;
}

bool site_find_name(char *text, size_t size, const void *address)
{
    struct name name = {0};
    uintptr_t base = 0;

    if ((name_in_heap != NULL && name_in_heap(text, size, address)) ||
        name_on_stack(text, size, address))
        return true;
    dl_iterate_phdr(find_base, &base);
    name.address = (uintptr_t)address - base;
    if (!each_symbol(SHT_SYMTAB, is_around, &name))
        return false;
    print_symbol(text, size, name.text);
    if (name.offset != 0)
        snprintf(text + strlen(text), size - strlen(text), "+%lu",
                 (unsigned long)name.offset);
    return true;
}

void site_name(char *text, size_t size, const void *address)
{
    if (!site_find_name(text, size, address))
        snprintf(text, size, "%p", address);
}

static bool is_import(const ElfW(Sym) * symbol, const char *name, void *context)
{
    return symbol->st_shndx == SHN_UNDEF && strcmp(name, context) == 0;
}

bool site_program_uses(const char *symbol)
{
    return each_symbol(SHT_DYNSYM, is_import, (void *)(uintptr_t)symbol);
}
