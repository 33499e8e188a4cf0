/* SPDX-License-Identifier: MIT */
/*
 * block -- the story of a block, in words.
 *
 * Naming the frames in C can take a while, so this is done on the watchdog's
 * thread, after it has released its lock.
 *
 * Tested by  test/unit/watchdog/block.c, test/unit/watchdog/live.c
 */
#include "watchdog/block.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"
#include "base/symbol.h"

struct weir__block *weir__block_new(void)
{
    struct weir__block *block =
        weir__memory_alloc(sizeof(*block), _Alignof(struct weir__block));

    if (block != NULL)
        memset(block, 0, sizeof(*block));
    return block;
}

struct weir__block *weir__block_copy(const struct weir__block *block)
{
    struct weir__block *copy =
        weir__memory_alloc(sizeof(*copy), _Alignof(struct weir__block));

    if (copy != NULL)
        *copy = *block;
    return copy;
}

void weir__block_free(struct weir__block *block)
{
    if (block != NULL)
        weir__memory_free(block, sizeof(*block));
}

/* ---- the stack in C ---- */

/* Frames of the handler come first: ours, and the kernel's trampoline. */
static int first_of(struct weir__symbols *symbols,
                    const struct weir__block *block)
{
    char text[256];
    int most = block->frames < 6 ? block->frames : 6;

    for (int i = 0; i < most; i++) {
        weir__symbols_print(symbols, block->frame[i], text, sizeof(text));
        if (strncmp(text, "on_signal", 9) == 0)
            return i + 2;
        if (strstr(text, "restore_rt") != NULL)
            return i + 1;
    }
    return block->frames > 3 ? 3 : block->frames; /* as compiled by default */
}

static void name_frames(const struct weir__block *block, char *text,
                        size_t size)
{
    struct weir__symbols *symbols;
    size_t used = 0;

    text[0] = '\0';
    if (block->frames == 0)
        return;
    symbols = weir__symbols_open();
    for (int i = first_of(symbols, block); i < block->frames && used < size;
         i++) {
        char line[256];
        int wrote;

        weir__symbols_print(symbols, block->frame[i], line, sizeof(line));
        wrote = snprintf(text + used, size - used, "    %s\n", line);
        if (wrote < 0 || (size_t)wrote >= size - used) {
            text[used] = '\0';
            break;
        }
        used += (size_t)wrote;
    }
    weir__symbols_close(symbols);
}

void weir__block_tell(struct weir__block *block, weir_block_fn *fn, void *arg)
{
    char native[WEIR__NATIVE_BYTES];

    name_frames(block, native, sizeof(native));
    block->told.loop = block->loop;
    block->told.name = block->name;
    block->told.subject = block->subject;
    block->told.state = block->state;
    block->told.script = block->script;
    block->told.native = native;
    fn(arg, &block->told);
}

/* ---- in words ---- */

const char *weir_block_cause_name(weir_block_cause cause)
{
    static const char *const names[] = {
        [WEIR_BLOCK_HANG] = "hang",
        [WEIR_BLOCK_CONGESTION] = "congestion",
        [WEIR_BLOCK_MEMORY] = "memory",
    };

    return (size_t)cause < sizeof(names) / sizeof(names[0]) ? names[cause]
                                                            : "unknown";
}

struct page {
    char *text;
    size_t size, used; /* used: even beyond the size */
};

__attribute__((format(printf, 2, 3))) static void add(struct page *page,
                                                      const char *format, ...)
{
    size_t left = page->used < page->size ? page->size - page->used : 0;
    va_list list;
    int wrote;

    va_start(list, format);
    wrote = vsnprintf(left > 0 ? page->text + page->used : NULL, left, format,
                      list);
    va_end(list);
    if (wrote > 0)
        page->used += (size_t)wrote;
}

static void add_duration(struct page *page, int64_t duration_ns)
{
    if (duration_ns < 1000000000)
        add(page, "%" PRId64 " ms", duration_ns / 1000000);
    else
        add(page, "%.1f s", (double)duration_ns / 1e9);
}

/* "a timer (tick)"; "GET /, a descriptor callback"; "99 callbacks in one turn,
 * the last a timer"; "the main module". */
static void add_culprit(struct page *page, const weir_block *block)
{
    if (block->cause == WEIR_BLOCK_CONGESTION) {
        add(page, "%" PRIu64 " callbacks in one turn, the last a",
            block->callbacks);
    } else if (block->subject[0] == '\0') {
        add(page, "a");
    } else if (block->kind == WEIR_KIND_MAIN) { /* the subject says it */
        add(page, "%s", block->subject);
        return;
    } else {
        add(page, "%s, a", block->subject);
    }
    add(page, " %s%s", weir_kind_name(block->kind),
        block->kind == WEIR_KIND_TIMER || block->kind == WEIR_KIND_TASK ||
                block->kind == WEIR_KIND_JOB
            ? ""
            : " callback");
    if (block->name[0] != '\0')
        add(page, " (%s)", block->name);
}

/* The innermost frame of the program itself. */
static const char *own_frame(const char *script, int *length)
{
    for (const char *at = script; *at != '\0';) {
        size_t size = strcspn(at, "\n");

        if (memmem(at, size, "(native)", 8) == NULL &&
            memmem(at, size, "(node:", 6) == NULL &&
            memmem(at, size, "(weir:", 6) == NULL) {
            while (size > 0 && *at == ' ')
                at++, size--;
            *length = (int)size;
            return at;
        }
        at += size + (at[size] == '\n');
    }
    return NULL;
}

/* The innermost frame in C with a line, or else the innermost one. */
static const char *known_frame(const char *native)
{
    for (const char *at = native; *at != '\0';) {
        size_t size = strcspn(at, "\n");

        if (memmem(at, size, ".c:", 3) != NULL)
            return at + strspn(at, " ");
        at += size + (at[size] == '\n');
    }
    return native + strspn(native, " ");
}

static void add_place(struct page *page, const weir_block *block)
{
    int length;
    const char *frame = own_frame(block->script, &length);

    if (frame != NULL) {
        add(page, " %.*s", length, frame);
        return;
    }
    frame = known_frame(block->native);
    if (frame[0] != '\0')
        add(page, " at %.*s", (int)strcspn(frame, "\n"), frame);
}

static void add_stack(struct page *page, const char *title, const char *stack)
{
    if (stack[0] == '\0')
        return;
    add(page, "  %s\n", title);
    while (*stack != '\0') {
        size_t size = strcspn(stack, "\n");

        add(page, "%.*s\n", (int)size, stack);
        stack += size + (stack[size] == '\n');
    }
}

size_t weir_block_text(const weir_block *block, char *text, size_t size)
{
    struct page page = {text, size, 0};
    bool has_ended = block->stage == WEIR_BLOCK_ENDED;

    add(&page, "weir: %s %s blocked for ", block->loop,
        has_ended ? "was" : "is");
    add_duration(&page, block->duration_ns);
    add(&page, " by ");
    add_culprit(&page, block);
    if (block->cause == WEIR_BLOCK_MEMORY)
        add(&page, ", collecting memory");
    add(&page, ": %s", block->state);
    add_place(&page, block);
    add(&page, "\n");
    if (has_ended) {
        add_stack(&page, "JavaScript", block->script);
        add_stack(&page, "C", block->native);
    }
    if (size > 0 && page.used >= size)
        text[size - 1] = '\0';
    return page.used;
}
