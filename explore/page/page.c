/* SPDX-License-Identifier: MIT */
/*
 * page -- see page.h.
 */
#include "page.h"

#include <string.h>

/* page.html, from the assembler.  A null byte ends it. */
__asm__(".section .rodata\n"
        ".type page_html, @object\n"
        "page_html:\n"
        ".incbin \"" WEIR_EXPLORE_PAGE "\"\n"
        ".byte 0\n"
        ".size page_html, . - page_html\n"
        ".previous\n");
extern const char page_html[] __attribute__((visibility("hidden")));

static const char mark[] = "@DATA@";

/* --- JSON in HTML: "</script>" must not occur ------------------------------- */

static void print_string(FILE *out, const char *text)
{
    fputc('"', out);
    for (; *text != '\0'; text++) {
        unsigned char byte = (unsigned char)*text;

        if (byte < ' ' || byte == '"' || byte == '\\' || byte == '<' ||
            byte == '>' || byte == '&')
            fprintf(out, "\\u%04x", byte);
        else
            fputc(byte, out);
    }
    fputc('"', out);
}

/* Begins an item of the list `name`, and the list itself if it is a new one. */
static void begin_item(struct page *page, const char *name)
{
    if (strcmp(page->list, name) != 0) {
        fprintf(page->out, "],\n\"%s\": [", name);
        page->list = name;
        page->has_items = false;
    }
    fputs(page->has_items ? ",\n" : "\n", page->out);
    page->has_items = true;
}

/* --- parts of a page --------------------------------------------------------- */

void page_begin(struct page *page, FILE *out, const char *finding,
                const char *text)
{
    page->out = out;
    page->list = "lanes";
    page->has_items = false;
    fwrite(page_html, 1, (size_t)(strstr(page_html, mark) - page_html), out);
    fputs("{\"finding\": ", out);
    print_string(out, finding);
    fputs(",\n\"text\": ", out);
    print_string(out, text);
    fputs(",\n\"lanes\": [", out);
}

void page_lane(struct page *page, const char *name)
{
    begin_item(page, "lanes");
    print_string(page->out, name);
}

void page_step(struct page *page, unsigned lane, const char *what,
               const char *where, unsigned from, const uint16_t *after,
               size_t count)
{
    FILE *out = page->out;

    begin_item(page, "steps");
    fprintf(out, "{\"lane\": %u, \"what\": ", lane);
    print_string(out, what);
    fputs(", \"where\": ", out);
    print_string(out, where);
    fprintf(out, ", \"from\": %u, \"after\": [", from);
    for (size_t i = 0; i < count; i++)
        fprintf(out, i == 0 ? "%u" : ", %u", (unsigned)after[i]);
    fputs("]}", out);
}

void page_blocked(struct page *page, const char *line)
{
    begin_item(page, "blocked");
    print_string(page->out, line);
}

void page_end(struct page *page, const char *report)
{
    FILE *out = page->out;

    fputs("]", out);
    if (strcmp(page->list, "lanes") == 0)
        fputs(",\n\"steps\": []", out);
    if (strcmp(page->list, "blocked") != 0)
        fputs(",\n\"blocked\": []", out);
    fputs(",\n\"report\": ", out);
    print_string(out, report);
    fputs("}", out);
    fputs(strstr(page_html, mark) + strlen(mark), out);
}
