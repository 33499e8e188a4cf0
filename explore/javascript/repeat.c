/* SPDX-License-Identifier: MIT */
/*
 * repeat -- see repeat.h.
 */
#include "repeat.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "report.h"
#include "search.h"

/* What an execution came to. */
struct record {
    enum finding finding;
    uint64_t digest;
    unsigned lines, operations;
    struct line *line;
    uint8_t *order;
    char text[sizeof(((struct exchange *)0)->text)];
};

static void take(struct record *record, const struct exchange *exchange)
{
    *record = (struct record){.finding = exchange->finding,
                              .digest = exchange->digest,
                              .lines = exchange->lines,
                              .operations = exchange->operations};
    if (record->operations > NODES)
        record->operations = NODES;
    record->line = malloc((record->lines + 1) * sizeof(*record->line));
    record->order = malloc(record->operations + 1);
    if (record->line == NULL || record->order == NULL)
        abort();
    memcpy(record->line, exchange->line, record->lines * sizeof(*record->line));
    memcpy(record->order, exchange->order, record->operations);
    memcpy(record->text, exchange->text, sizeof(record->text));
}

static void drop(struct record *record)
{
    free(record->line);
    free(record->order);
}

static bool is_same(const struct line *a, const struct line *b)
{
    return a->thread == b->thread && strcmp(a->what, b->what) == 0 &&
           strcmp(a->where, b->where) == 0;
}

static void print_line(FILE *out, const char *run, const char *name,
                       const struct line *line)
{
    fprintf(out, "  the %s run: %s: %s  %s\n", run, name, line->what,
            line->where);
}

/* Something outside may have killed one of them. */
static void print_end(FILE *out, const char *run, const struct record *record)
{
    fprintf(out, "  the %s run ends after %u steps: %s%s%.200s\n", run,
            record->operations, report_finding(record->finding),
            record->text[0] != '\0' ? ", " : "", record->text);
}

/* The first operation in which they differ. */
static void print_difference(FILE *out, const struct exchange *exchange,
                             const struct record *one, const struct record *two)
{
    unsigned i = 0;

    fprintf(out, "two runs of one schedule differ\n");
    while (i < one->lines && i < two->lines &&
           is_same(&one->line[i], &two->line[i]))
        i++;
    if (i < one->lines || i < two->lines) {
        static const struct line none = {.what = "no more operations"};
        const struct line *first = i < one->lines ? &one->line[i] : &none;
        const struct line *second = i < two->lines ? &two->line[i] : &none;

        print_line(out, "first", exchange->name[first->thread], first);
        print_line(out, "second", exchange->name[second->thread], second);
        return;
    }
    for (i = 0; i < one->operations && i < two->operations &&
                one->order[i] == two->order[i];)
        i++;
    if (i < one->operations && i < two->operations)
        fprintf(out,
                "  step %u: %s goes on in the first run, %s in the second\n",
                i + 1, exchange->name[one->order[i]],
                exchange->name[two->order[i]]);
}

static void print_sources(FILE *out, const char *sources)
{
    if (sources[0] == '\0') {
        fprintf(out, "  the program has read nothing that is known to differ: "
                     "the clock, random numbers, process.pid\n"
                     "  and directories are the same in each run\n");
        return;
    }
    fprintf(out, "  the program has read what differs from run to run:\n");
    for (const char *at = sources; *at != '\0';) {
        int length = (int)strcspn(at, "\n");

        fprintf(out, "    %.*s\n", length, at);
        at += length + 1;
    }
}

char *repeat_check(const struct exchange *exchange, const uint8_t *picks,
                   unsigned count, unsigned steps, unsigned times)
{
    struct record first, again;
    char *text = NULL;
    size_t size;
    FILE *out;

    search_replay(picks, count, steps, -1);
    take(&first, exchange);
    for (unsigned i = 1; i < times && text == NULL; i++) {
        search_replay(picks, count, steps, -1);
        if (exchange->digest == first.digest &&
            exchange->finding == first.finding)
            continue;
        take(&again, exchange);
        out = open_memstream(&text, &size);
        if (out == NULL)
            abort();
        print_difference(out, exchange, &first, &again);
        print_end(out, "first", &first);
        print_end(out, "second", &again);
        print_sources(out, exchange->sources);
        fclose(out);
        drop(&again);
    }
    drop(&first);
    return text;
}
