/* SPDX-License-Identifier: MIT */
/*
 * os/symbol -- symbol.h on libdw, if it is installed, and on dladdr(3).
 *
 * libdw is loaded at the first use, so that libweir needs only the C library.
 * Its functions have had the types below since elfutils 0.120.  Debugging
 * information is taken from the loaded files themselves: looking for separate
 * files could ask a server on the network.
 *
 * Without libdw, only exported functions have names.
 *
 * Tested by  test/unit/watchdog/live.c, test/unit/base/symbol.c
 */
#include "base/symbol.h"

#include <dlfcn.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

typedef struct Dwfl Dwfl;
typedef struct Dwfl_Module Dwfl_Module;
typedef struct Dwfl_Line Dwfl_Line;
typedef uint64_t Dwarf_Addr;

typedef struct {
    int (*find_elf)(Dwfl_Module *module, void **data, const char *name,
                    Dwarf_Addr base, char **file, void **elf);
    int (*find_debuginfo)(Dwfl_Module *module, void **data, const char *name,
                          Dwarf_Addr base, const char *file, const char *link,
                          uint32_t crc, char **debug_file);
    int (*section_address)(Dwfl_Module *module, void **data, const char *name,
                           Dwarf_Addr base, const char *section, uint32_t index,
                           const void *header, Dwarf_Addr *address);
    char **debuginfo_path;
} Dwfl_Callbacks;

/* libdw's functions, by name. */
#define FUNCTIONS(X)                                                           \
    X(Dwfl *, dwfl_begin, (const Dwfl_Callbacks *callbacks))                   \
    X(void, dwfl_end, (Dwfl * dwfl))                                           \
    X(int, dwfl_linux_proc_report, (Dwfl * dwfl, int process))                 \
    X(int, dwfl_report_end,                                                    \
      (Dwfl * dwfl,                                                            \
       int (*removed)(Dwfl_Module *, void *, const char *, Dwarf_Addr,         \
                      void *),                                                 \
       void *arg))                                                             \
    X(Dwfl_Module *, dwfl_addrmodule, (Dwfl * dwfl, Dwarf_Addr address))       \
    X(const char *, dwfl_module_addrname,                                      \
      (Dwfl_Module * module, Dwarf_Addr address))                              \
    X(Dwfl_Line *, dwfl_module_getsrc,                                         \
      (Dwfl_Module * module, Dwarf_Addr address))                              \
    X(const char *, dwfl_lineinfo,                                             \
      (Dwfl_Line * line, Dwarf_Addr * address, int *number, int *column,       \
       Dwarf_Addr *time, Dwarf_Addr *length))

static struct {
    bool is_tried, is_loaded;
#define X(type, name, parameters) type(*name) parameters;
    FUNCTIONS(X)
    int (*dwfl_linux_proc_find_elf)(Dwfl_Module *module, void **data,
                                    const char *name, Dwarf_Addr base,
                                    char **file, void **elf);
#undef X
} dw; /* one thread at a time */

struct weir__symbols {
    Dwfl_Callbacks callbacks;
    Dwfl *dwfl;
};

static struct weir__symbols only; /* one at a time */

static bool load(void)
{
    void *library;

    if (dw.is_tried)
        return dw.is_loaded;
    dw.is_tried = true;
    library = dlopen("libdw.so.1", RTLD_NOW | RTLD_LOCAL);
    if (library == NULL)
        return false;
#define X(type, name, parameters)                                              \
    if ((*(void **)&dw.name = dlsym(library, #name)) == NULL)                  \
        return false;
    FUNCTIONS(X)
    X(int, dwfl_linux_proc_find_elf, ())
#undef X
    dw.is_loaded = true;
    return true;
}

static int find_no_debuginfo(Dwfl_Module *module, void **data, const char *name,
                             Dwarf_Addr base, const char *file,
                             const char *link, uint32_t crc, char **debug_file)
{
    return -1;
}

struct weir__symbols *weir__symbols_open(void)
{
    if (!load())
        return NULL;
    only.callbacks = (Dwfl_Callbacks){.find_elf = dw.dwfl_linux_proc_find_elf,
                                      .find_debuginfo = find_no_debuginfo};
    only.dwfl = dw.dwfl_begin(&only.callbacks);
    if (only.dwfl == NULL)
        return NULL;
    if (dw.dwfl_linux_proc_report(only.dwfl, getpid()) == 0 &&
        dw.dwfl_report_end(only.dwfl, NULL, NULL) == 0)
        return &only;
    dw.dwfl_end(only.dwfl);
    return NULL;
}

void weir__symbols_close(struct weir__symbols *symbols)
{
    if (symbols != NULL)
        dw.dwfl_end(symbols->dwfl);
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash != NULL ? slash + 1 : path;
}

/* What libdw knows: *function and *file are NULL if unknown. */
static void ask_libdw(struct weir__symbols *symbols, uintptr_t call,
                      const char **function, const char **file, int *line)
{
    Dwfl_Module *module = dw.dwfl_addrmodule(symbols->dwfl, call);
    Dwfl_Line *found;

    if (module == NULL)
        return;
    *function = dw.dwfl_module_addrname(module, call);
    found = dw.dwfl_module_getsrc(module, call);
    if (found != NULL)
        *file = dw.dwfl_lineinfo(found, NULL, line, NULL, NULL, NULL);
}

/* The call is just before its return address. */
void weir__symbols_print(struct weir__symbols *symbols, const void *address,
                         char *text, size_t size)
{
    uintptr_t call = (uintptr_t)address - 1;
    const char *function = NULL, *file = NULL;
    Dl_info info = {0};
    bool is_in_object = dladdr((void *)call, &info) != 0;
    int line = 0;

    if (symbols != NULL)
        ask_libdw(symbols, call, &function, &file, &line);
    if (function == NULL && is_in_object)
        function = info.dli_sname;
    if (function != NULL && file != NULL)
        snprintf(text, size, "%s (%s:%d)", function, base_name(file), line);
    else if (function != NULL)
        snprintf(text, size, "%s (%s)", function,
                 is_in_object ? base_name(info.dli_fname) : "?");
    else if (is_in_object)
        snprintf(text, size, "%s+0x%" PRIxPTR, base_name(info.dli_fname),
                 call - (uintptr_t)info.dli_fbase);
    else
        snprintf(text, size, "0x%" PRIxPTR, call);
}
