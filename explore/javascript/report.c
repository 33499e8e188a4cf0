/* SPDX-License-Identifier: MIT */
/*
 * report -- see report.h.
 */
#include "report.h"

#include <stdlib.h>
#include <string.h>

#include "page/page.h"

static const char *const finding_names[] = {
    [FOUND_NOTHING] = "nothing found",
    [FOUND_FAILURE] = "failure",
    [FOUND_DEADLOCK] = "deadlock",
    [FOUND_LOST_WAKE] = "lost wake-up",
    [FOUND_RACE] = "data race",
    [FOUND_LIVELOCK] = "livelock",
    [FOUND_HANG] = "hang",
    [FOUND_CRASH] = "crash",
    [REFUSED] = "refused",
    [DIFFERENT] = "a pick that could not be made",
};

const char *report_finding(enum finding finding)
{
    return finding_names[finding];
}

/* --- picks ---------------------------------------------------------------------- */

static const char digits[] = "0123456789abcdefghijklmnopqrstuvwxyz";

/* Each pick is a digit; larger ones are "." and two hexadecimal digits.  Zeros
 * at the end are what happens anyway, unless another thread runs on. */
char *report_write_picks(const uint8_t *picks, unsigned count)
{
    char *text = malloc(3 * (size_t)count + 1), *at = text;

    if (text == NULL)
        abort();
    for (unsigned i = 0; i < count; i++)
        if (picks[i] < sizeof(digits) - 1)
            *at++ = digits[picks[i]];
        else
            at += sprintf(at, ".%02x", picks[i]);
    *at = '\0';
    return text;
}

uint8_t *report_read_picks(const char *text, unsigned *count)
{
    size_t size = strlen(text);
    uint8_t *picks = malloc(size + 1);

    if (picks == NULL)
        abort();
    *count = 0;
    for (size_t i = 0; i < size; i++) {
        const char *digit = strchr(digits, text[i]);
        unsigned wide;

        if (digit != NULL) {
            picks[(*count)++] = (uint8_t)(digit - digits);
        } else if (text[i] == '.' && size - i > 2 &&
                   sscanf(text + i, ".%2x", &wide) == 1) {
            picks[(*count)++] = (uint8_t)wide;
            i += 2;
        } else {
            free(picks);
            return NULL;
        }
    }
    if (*count > NODES) {
        free(picks);
        return NULL;
    }
    return picks;
}

/* --- the headline ------------------------------------------------------------------ */

/* "TypeError: text", "AssertionError [ERR_ASSERTION]: text", "Uncaught 1" */
static bool is_error(const char *line, size_t length)
{
    size_t word = strcspn(line, " :\n");

    return strncmp(line, "Uncaught ", 9) == 0 ||
           (word >= 5 && word < length &&
            strncmp(line + word - 5, "Error", 5) == 0);
}

/* The line of the error, with the first line of its explanation. */
static void find_error(const char *output, char *text, size_t size, int status)
{
    snprintf(text, size, "the program ends with status %d", status);
    for (const char *at = output; at != NULL && *at != '\0';) {
        size_t length = strcspn(at, "\n");

        if (is_error(at, length)) {
            snprintf(text, size, "%.*s", (int)length, at);
            return;
        }
        at += length + (at[length] == '\n');
    }
}

static void find_text(const struct exchange *exchange, const char *output,
                      char *text, size_t size)
{
    if (exchange->finding == FOUND_FAILURE)
        find_error(output, text, size, exchange->status);
    else
        snprintf(text, size, "%s", exchange->text);
}

/* --- columns ------------------------------------------------------------------------ */

static void format_cell(char *cell, size_t size, const struct line *line)
{
    const char *gap = line->where[0] != '\0' ? "  " : "";

    if (line->from != 0)
        snprintf(cell, size, "%s (from %u)%s%s", line->what, line->from, gap,
                 line->where);
    else
        snprintf(cell, size, "%s%s%s", line->what, gap, line->where);
}

/* Characters, not bytes. */
static int width_of(const char *text)
{
    int width = 0;

    for (; *text != '\0'; text++)
        width += (*text & 0xc0) != 0x80;
    return width;
}

static void print_columns(FILE *out, const struct exchange *exchange)
{
    int width[THREADS] = {0};
    char cell[4 * CELL];
    unsigned last = 0;

    for (unsigned i = 0; i < exchange->lines; i++) {
        const struct line *line = &exchange->line[i];
        unsigned t = line->thread;

        format_cell(cell, sizeof(cell), line);
        if (width[t] == 0)
            width[t] = width_of(exchange->name[t]);
        if (width_of(cell) > width[t])
            width[t] = width_of(cell);
        if (t > last)
            last = t;
    }
    fprintf(out, "    ");
    for (unsigned t = 0; t <= last; t++)
        if (width[t] > 0)
            fprintf(out, "  %-*s", t < last ? width[t] : 0, exchange->name[t]);
    fprintf(out, "\n");
    for (unsigned i = 0; i < exchange->lines; i++) {
        fprintf(out, "%3u ", i + 1);
        for (unsigned t = 0; t < exchange->line[i].thread; t++)
            if (width[t] > 0)
                fprintf(out, "  %*s", width[t], "");
        format_cell(cell, sizeof(cell), &exchange->line[i]);
        fprintf(out, "  %s\n", cell);
    }
}

/* --- the end ------------------------------------------------------------------------- */

static void print_coverage(FILE *out, const struct search_options *options,
                           const struct search_result *result)
{
    for (unsigned i = 0; i < result->reached_count; i++)
        fprintf(out, "reached: %s\n", result->reached[i]);
    fprintf(out,
            "%llu executions, %llu more pruned, %u threads, at most %u "
            "operations\n",
            (unsigned long long)result->executions,
            (unsigned long long)result->pruned, result->threads, result->depth);
    if (result->finding != FOUND_NOTHING)
        fprintf(out, "not covered: what comes after the first finding\n");
    else if (!options->is_exhaustive)
        fprintf(out,
                "covered: these schedules, of seed %llu and on (PCT and random "
                "walks); the others were not tried\n",
                (unsigned long long)options->seed);
    else if (!result->is_complete)
        fprintf(out, "not covered: the search was stopped before its end\n");
    else if (options->preemptions >= 0)
        fprintf(out,
                "covered: every schedule with at most %d preemptions; those "
                "with more were not tried\n",
                options->preemptions);
    else
        fprintf(out, "covered: every schedule\n");
    if (result->too_long != 0)
        fprintf(out,
                "not covered: %llu executions that had no end after %u "
                "choices\n",
                (unsigned long long)result->too_long, options->steps);
}

static void print_end(FILE *out, const struct exchange *exchange,
                      const struct search_options *options,
                      const struct search_result *result, const char *output)
{
    char *picks = report_write_picks(result->picks, result->count);

    fprintf(out, "replay: --replay=%s\n", picks[0] != '\0' ? picks : "0");
    free(picks);
    fprintf(out, "%u switches%s\n", result->switches,
            result->is_shrunk ? ", none of which can be left out" : "");
    if (output[0] != '\0')
        fprintf(out, "the program has printed:\n%s", output);
    print_coverage(out, options, result);
    (void)exchange;
}

void report_print(FILE *out, const struct exchange *exchange,
                  const struct search_options *options,
                  const struct search_result *result, const char *output)
{
    char text[4 * CELL];

    if (result->finding == FOUND_NOTHING) {
        fprintf(out, "nothing found\n");
        print_coverage(out, options, result);
        return;
    }
    find_text(exchange, output, text, sizeof(text));
    fprintf(out, "%s: %s\n", finding_names[exchange->finding], text);
    print_columns(out, exchange);
    for (unsigned i = 0; i < exchange->blocked_count; i++)
        fprintf(out, "%s\n", exchange->blocked[i]);
    print_end(out, exchange, options, result, output);
}

void report_page(FILE *out, const struct exchange *exchange,
                 const struct search_options *options,
                 const struct search_result *result, const char *output)
{
    unsigned lane[THREADS], lanes = 0;
    char text[4 * CELL], *end = NULL;
    size_t size = 0;
    struct page page;
    FILE *rest = open_memstream(&end, &size);

    if (rest == NULL)
        abort();
    print_end(rest, exchange, options, result, output);
    fclose(rest);
    find_text(exchange, output, text, sizeof(text));
    page_begin(&page, out, finding_names[exchange->finding], text);
    for (unsigned t = 0; t < exchange->threads; t++) {
        lane[t] = lanes;
        for (unsigned i = 0; i < exchange->lines; i++)
            if (exchange->line[i].thread == t) {
                page_lane(&page, exchange->name[t]);
                lanes++;
                break;
            }
    }
    for (unsigned i = 0; i < exchange->lines; i++) {
        const struct line *line = &exchange->line[i];

        page_step(&page, lane[line->thread], line->what, line->where,
                  line->from, NULL, 0);
    }
    for (unsigned i = 0; i < exchange->blocked_count; i++)
        page_blocked(&page, exchange->blocked[i]);
    page_end(&page, end);
    free(end);
}
