/* SPDX-License-Identifier: MIT */
/*
 * fault -- print an error: position, source line, caret, stack.
 */
#include "fault.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "weir/version.h"

static int hex(char digit)
{
    return digit >= '0' && digit <= '9'   ? digit - '0'
           : digit >= 'A' && digit <= 'F' ? digit - 'A' + 10
           : digit >= 'a' && digit <= 'f' ? digit - 'a' + 10
                                          : -1;
}

/* Turn a file URL into a path, in place.  Other names stay as they are. */
static void decode(char *name)
{
    char *out = name;

    if (strncmp(name, "file://", 7) != 0)
        return;
    for (const char *at = name + 7; *at != '\0' && *at != '?'; at++) {
        if (*at == '%' && hex(at[1]) >= 0 && hex(at[2]) >= 0) {
            *out++ = (char)(hex(at[1]) * 16 + hex(at[2]));
            at += 2;
        } else {
            *out++ = *at;
        }
    }
    *out = '\0';
}

/* The nth line of a text, without its newline; NULL if the text is shorter. */
static char *line_of_text(const char *text, int number)
{
    for (; number > 1 && text != NULL; number--) {
        text = strchr(text, '\n');
        text = text != NULL ? text + 1 : NULL;
    }
    return text != NULL ? strndup(text, strcspn(text, "\r\n")) : NULL;
}

static char *line_of_file(const char *name, int number)
{
    char *path = strdup(name), *line = NULL;
    size_t capacity = 0;
    FILE *file;

    if (path == NULL)
        return NULL;
    decode(path);
    file = fopen(path, "re");
    free(path);
    if (file == NULL)
        return NULL;
    for (; number > 0; number--)
        if (getline(&line, &capacity, file) < 0) {
            free(line);
            line = NULL;
            break;
        }
    fclose(file);
    if (line != NULL)
        line[strcspn(line, "\r\n")] = '\0';
    return line;
}

/* Columns count bytes.  Each character becomes one space, however many bytes it
 * has; tabs stay tabs, so that the caret lines up. */
static void show_caret(const char *line, int column)
{
    for (int i = 1; i < column && line[i - 1] != '\0'; i++)
        if (line[i - 1] == '\t')
            fputc('\t', stderr);
        else if ((line[i - 1] & 0xc0) != 0x80)
            fputc(' ', stderr);
    fputs("^\n", stderr);
}

void fault_show(const weir_js_error *error, const char *source, bool may_read)
{
    char *line = NULL;

    if (error->file != NULL && error->line > 0) {
        line = source != NULL && error->file[0] == '['
                   ? line_of_text(source, error->line)
               : may_read ? line_of_file(error->file, error->line)
                          : NULL;
        fprintf(stderr, "%s:%d\n", error->file, error->line);
    }
    if (line != NULL) {
        fprintf(stderr, "%s\n", line);
        show_caret(line, error->column);
    }
    if (error->file != NULL)
        fputc('\n', stderr);
    if (error->kind == WEIR_JS_FAILURE_THROWN && error->report == NULL)
        fputs("Uncaught ", stderr);
    if (error->report != NULL)
        fprintf(stderr, "%s%s\n", error->file == NULL ? "Uncaught " : "",
                error->report);
    else
        fprintf(stderr, "%s\n%s", error->text, error->stack);
    fprintf(stderr, "\nweir %s\n", WEIR_VERSION);
    free(line);
}
