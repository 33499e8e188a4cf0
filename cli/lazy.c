/* SPDX-License-Identifier: MIT */
/*
 * lazy -- libraries that are loaded at the first call of one of their functions.
 *
 * Loading OpenSSL and the other libraries of libweir-net takes longer than
 * everything else that `weir hello.js` does, and most programs never open a
 * connection, or a database of SQLite.  So the program is not linked with these
 * libraries.  Instead it has a stub for each function that it calls in them
 * (LAZY_FUNCTIONS, which tools/make-lazy writes), under the name of the function.
 * The stub jumps to the address in the function's slot.  At first that is code
 * that loads the library and puts the address of the function into the slot.
 *
 * Without optimisation, gcc writes variables and assembler text in the order of
 * this file, and each text must leave the section as it was.
 *
 * Several threads may do that at once: they all store the same address.
 *
 * The dynamic linker's own lazy binding would load the libraries at the start,
 * and only look up their functions late.
 */
#include <dlfcn.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <openssl/crypto.h>

#define LAZY(index, function, soname)                                          \
    extern const char weir__first_##function[];                                \
    const void *weir__slot_##function = weir__first_##function;                \
    __asm__(".pushsection .text\n"                                             \
            ".globl " #function "\n"                                           \
            ".type " #function ", @function\n" #function ":\n"                 \
            "    endbr64\n"                                                    \
            "    jmp *weir__slot_" #function "(%rip)\n"                        \
            ".globl weir__first_" #function "\n"                               \
            ".hidden weir__first_" #function "\n"                              \
            "weir__first_" #function ":\n"                                     \
            "    endbr64\n"                                                    \
            "    push $" #index "\n"                                           \
            "    jmp weir__lazy_first\n"                                       \
            ".size " #function ", . - " #function "\n"                         \
            ".popsection\n");
#include LAZY_FUNCTIONS
#undef LAZY

/* The first call of a function.  Its index is on the stack, above the address
 * to return to.  Everything that can carry an argument is kept. */
__asm__(".pushsection .text\n"
        "weir__lazy_first:\n"
        "    .cfi_startproc\n"
        "    .cfi_def_cfa_offset 16\n"
        "    push %rax\n" /* variadic functions: how many vector registers */
        "    push %rdi\n"
        "    push %rsi\n"
        "    push %rdx\n"
        "    push %rcx\n"
        "    push %r8\n"
        "    push %r9\n"
        "    sub $136, %rsp\n"
        "    .cfi_def_cfa_offset 208\n"
        "    movaps %xmm0, (%rsp)\n"
        "    movaps %xmm1, 16(%rsp)\n"
        "    movaps %xmm2, 32(%rsp)\n"
        "    movaps %xmm3, 48(%rsp)\n"
        "    movaps %xmm4, 64(%rsp)\n"
        "    movaps %xmm5, 80(%rsp)\n"
        "    movaps %xmm6, 96(%rsp)\n"
        "    movaps %xmm7, 112(%rsp)\n"
        "    mov 192(%rsp), %rdi\n"
        "    call weir__lazy_load\n"
        "    mov %rax, %r11\n"
        "    movaps (%rsp), %xmm0\n"
        "    movaps 16(%rsp), %xmm1\n"
        "    movaps 32(%rsp), %xmm2\n"
        "    movaps 48(%rsp), %xmm3\n"
        "    movaps 64(%rsp), %xmm4\n"
        "    movaps 80(%rsp), %xmm5\n"
        "    movaps 96(%rsp), %xmm6\n"
        "    movaps 112(%rsp), %xmm7\n"
        "    add $136, %rsp\n"
        "    .cfi_def_cfa_offset 72\n"
        "    pop %r9\n"
        "    pop %r8\n"
        "    pop %rcx\n"
        "    pop %rdx\n"
        "    pop %rsi\n"
        "    pop %rdi\n"
        "    pop %rax\n"
        "    add $8, %rsp\n"
        "    .cfi_def_cfa_offset 8\n"
        "    jmp *%r11\n"
        "    .cfi_endproc\n"
        ".popsection\n");

static const struct {
    const char *name, *soname;
    const void **slot;
} functions[] = {
#define LAZY(index, function, soname)                                          \
    [index] = {#function, soname, &weir__slot_##function},
#include LAZY_FUNCTIONS
};

/* Threads may still use OpenSSL when main() has returned: the one that drains
 * servers lasts, and a job of a pool may not have ended.  So OpenSSL must not clean
 * up at the exit of the program.  It accepts that before its first use only. */
static void keep_openssl(void *library)
{
    typedef int init_fn(uint64_t options,
                        const OPENSSL_INIT_SETTINGS *settings);
    init_fn *init = (init_fn *)dlsym(library, "OPENSSL_init_crypto");

    if (init != NULL)
        init(OPENSSL_INIT_NO_ATEXIT, NULL);
}

const void *weir__lazy_load(size_t index);

/* Returns the address of the function. */
const void *weir__lazy_load(size_t index)
{
    void *library = dlopen(functions[index].soname, RTLD_NOW | RTLD_LOCAL);
    const void *address =
        library != NULL ? dlsym(library, functions[index].name) : NULL;

    if (address == NULL) {
        fprintf(stderr, "weir: %s\n", dlerror());
        abort();
    }
    if (strncmp(functions[index].soname, "libcrypto.", 10) == 0 ||
        strncmp(functions[index].soname, "libssl.", 7) == 0)
        keep_openssl(library);
    __atomic_store_n(functions[index].slot, address, __ATOMIC_RELAXED);
    return address;
}
