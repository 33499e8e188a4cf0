/* SPDX-License-Identifier: MIT */
/*
 * memory -- malloc and its relatives, and C++'s operator new.
 *
 * What the program and its libraries allocate comes from the shelf.  What libc
 * allocates for itself while the program calls it, such as a buffer of stdout,
 * outlives the execution and comes from libc.
 */
#include <dlfcn.h>
#include <errno.h>
#include <malloc.h>
#include <stdlib.h>
#include <string.h>

#include "modules.h"
#include "program.h"
#include "shadow.h"
#include "shelf.h"

extern void *__libc_malloc(size_t size);
extern void *__libc_calloc(size_t count, size_t size);
extern void *__libc_realloc(void *pointer, size_t size);
extern void *__libc_memalign(size_t align, size_t size);
extern void __libc_free(void *pointer);

/* Before main() the program's own code allocates what executions will use. */
static bool is_program(uintptr_t pc)
{
    return is_exploring() ? !modules_is_system(pc) : modules_has(pc);
}

static size_t (*usable_size)(void *pointer); /* libc's malloc_usable_size() */

__attribute__((constructor)) static void open_shelf(void)
{
    usable_size =
        (size_t(*)(void *))(uintptr_t)dlsym(RTLD_NEXT, "malloc_usable_size");
    shelf_open();
    modules_find();
}

static void *or_enomem(void *pointer)
{
    if (pointer == NULL)
        errno = ENOMEM;
    return pointer;
}

INTERPOSED void *malloc(size_t size)
{
    if (!is_program(CALLER))
        return __libc_malloc(size);
    return or_enomem(shelf_alloc(size, 0, false, CALLER));
}

INTERPOSED void *calloc(size_t count, size_t size)
{
    if (!is_program(CALLER))
        return __libc_calloc(count, size);
    if (size != 0 && count > SIZE_MAX / size)
        return or_enomem(NULL);
    return or_enomem(shelf_alloc(count * size, 0, true, CALLER));
}

static void release(void *pointer, uintptr_t pc)
{
    if (pointer == NULL)
        return;
    if (!shelf_has(pointer)) {
        if (is_exploring() && is_program(pc))
            shadow_forget(pointer, usable_size(pointer));
        __libc_free(pointer);
    } else {
        shelf_free(pointer, pc);
    }
    program_wipe_stack();
}

INTERPOSED void free(void *pointer)
{
    release(pointer, CALLER);
}

INTERPOSED void *realloc(void *pointer, size_t size)
{
    if (pointer != NULL && !shelf_has(pointer))
        return __libc_realloc(pointer, size);
    if (pointer == NULL && !is_program(CALLER))
        return __libc_malloc(size);
    if (pointer == NULL)
        return or_enomem(shelf_alloc(size, 0, false, CALLER));
    return or_enomem(shelf_resize(pointer, size, CALLER));
}

INTERPOSED void *reallocarray(void *pointer, size_t count, size_t size)
{
    if (size != 0 && count > SIZE_MAX / size)
        return or_enomem(NULL);
    if (pointer != NULL ? shelf_has(pointer) : is_program(CALLER))
        return pointer != NULL
                   ? or_enomem(shelf_resize(pointer, count * size, CALLER))
                   : or_enomem(shelf_alloc(count * size, 0, false, CALLER));
    return __libc_realloc(pointer, count * size);
}

static void *align(size_t to, size_t size, uintptr_t pc)
{
    if (!is_program(pc))
        return __libc_memalign(to, size);
    return or_enomem(shelf_alloc(size, to, false, pc));
}

INTERPOSED void *memalign(size_t to, size_t size)
{
    return align(to, size, CALLER);
}

INTERPOSED void *aligned_alloc(size_t to, size_t size)
{
    return align(to, size, CALLER);
}

INTERPOSED int posix_memalign(void **pointer, size_t to, size_t size)
{
    void *block;

    if (to < sizeof(void *) || (to & (to - 1)) != 0)
        return EINVAL;
    block = align(to, size, CALLER);
    if (block == NULL)
        return ENOMEM;
    *pointer = block;
    return 0;
}

INTERPOSED size_t malloc_usable_size(void *pointer)
{
    if (pointer != NULL && shelf_has(pointer))
        return shelf_size(pointer);
    return pointer != NULL ? usable_size(pointer) : 0;
}

static char *copy(const char *text, size_t length, uintptr_t pc)
{
    char *block = is_program(pc) ? shelf_alloc(length + 1, 0, false, pc)
                                 : __libc_malloc(length + 1);

    if (block == NULL)
        return or_enomem(NULL);
    memcpy(block, text, length);
    block[length] = '\0';
    return block;
}

INTERPOSED char *strdup(const char *text)
{
    return copy(text, strlen(text), CALLER);
}

INTERPOSED char *strndup(const char *text, size_t size)
{
    return copy(text, strnlen(text, size), CALLER);
}

/* --- C++ -------------------------------------------------------------------- */

/* Also called by what libstdc++ has compiled of its templates. */
static void *make(size_t size, size_t to, uintptr_t pc)
{
    bool is_ours = modules_count() != 0 && !modules_is_system(pc);
    void *block = is_ours   ? shelf_alloc(size, to, false, pc)
                  : to != 0 ? __libc_memalign(to, size)
                            : __libc_malloc(size != 0 ? size : 1);

    if (block == NULL)
        program_refuse("operator new of more memory than there is", pc);
    return block;
}

#define NEW(symbol)                                                            \
    INTERPOSED void *symbol(size_t size);                                      \
    void *symbol(size_t size)                                                  \
    {                                                                          \
        return make(size, 0, CALLER);                                          \
    }
#define NEW_TAGGED(symbol)                                                     \
    INTERPOSED void *symbol(size_t size, const void *tag);                     \
    void *symbol(size_t size, const void *tag)                                 \
    {                                                                          \
        (void)tag;                                                             \
        return make(size, 0, CALLER);                                          \
    }
#define NEW_ALIGNED(symbol)                                                    \
    INTERPOSED void *symbol(size_t size, size_t to);                           \
    void *symbol(size_t size, size_t to)                                       \
    {                                                                          \
        return make(size, to, CALLER);                                         \
    }
#define DELETE(symbol)                                                         \
    INTERPOSED void symbol(void *pointer);                                     \
    void symbol(void *pointer)                                                 \
    {                                                                          \
        release(pointer, CALLER);                                              \
    }

NEW(_Znwm)
NEW(_Znam)
NEW_TAGGED(_ZnwmRKSt9nothrow_t)
NEW_TAGGED(_ZnamRKSt9nothrow_t)
NEW_ALIGNED(_ZnwmSt11align_val_t)
NEW_ALIGNED(_ZnamSt11align_val_t)
DELETE(_ZdlPv)
DELETE(_ZdaPv)
DELETE(_ZdlPvm)
DELETE(_ZdaPvm)
DELETE(_ZdlPvSt11align_val_t)
DELETE(_ZdaPvSt11align_val_t)
DELETE(_ZdlPvmSt11align_val_t)
DELETE(_ZdaPvmSt11align_val_t)
DELETE(_ZdlPvRKSt9nothrow_t)
DELETE(_ZdaPvRKSt9nothrow_t)
