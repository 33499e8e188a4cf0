/* SPDX-License-Identifier: MIT */
/*
 * convert -- see convert.h.
 *
 * The text is read line by line.  Each family becomes one metric: a counter a
 * cumulative sum, a gauge a gauge, and a histogram a histogram.  The samples of a
 * histogram come as `_bucket` lines, which count what is below a bound, then
 * `_sum`, then `_count`; the last one ends a data point, which counts what is in
 * each bucket.
 *
 * Names stay as Prometheus knows them, except that `_total` of counters is left
 * out: a collector that passes them on to Prometheus adds it.
 *
 * In OTLP's JSON, integers of 64 bits are strings, and doubles are numbers.
 *
 * Tested by  test/net/otlp/convert.c, test/api/otlp.py
 */
#include "otlp/convert.h"

#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BUCKETS = 64 };
enum type { NONE, COUNTER, GAUGE, HISTOGRAM };

struct conversion {
    struct weir__text *to;
    int64_t began_ns, now_ns;
    enum type type;
    bool has_points;  /* the family has begun */
    const char *name; /* of the family, and its help */
    const char *help;
    /* A histogram's point so far. */
    size_t count;
    uint64_t below[MOST_BUCKETS];
    const char *bounds[MOST_BUCKETS];
    const char *sum;
};

/* ---- lines ---- */

struct sample {
    char *name, *labels, *value; /* labels: NULL, or what is in the braces */
};

/* The end of labels, which may have braces in their values. */
static char *end_of_labels(char *at)
{
    bool is_quoted = false;

    for (; *at != '\0'; at++) {
        if (is_quoted && *at == '\\' && at[1] != '\0')
            at++;
        else if (*at == '"')
            is_quoted = !is_quoted;
        else if (*at == '}' && !is_quoted)
            return at;
    }
    return NULL;
}

static bool read_sample(char *line, struct sample *sample)
{
    char *end = line + strcspn(line, "{ ");

    sample->name = line;
    sample->labels = NULL;
    if (*end == '{') {
        *end = '\0';
        sample->labels = end + 1;
        end = end_of_labels(sample->labels);
        if (end == NULL || end[1] != ' ')
            return false;
        *end++ = '\0';
    }
    if (*end != ' ')
        return false;
    *end = '\0';
    sample->value = end + 1;
    return *sample->value != '\0';
}

/* Take the next label, whose value is unescaped in place.  False: none. */
static bool next_label(char **at, char **name, char **value)
{
    char *from, *to;

    *at += strspn(*at, ",");
    *name = *at;
    from = strchr(*at, '=');
    if (from == NULL || from[1] != '"')
        return false;
    *from = '\0';
    *value = to = from + 2;
    for (from = to; *from != '\0' && *from != '"'; from++) {
        if (*from == '\\' && from[1] != '\0')
            from++, *to++ = *from == 'n' ? '\n' : *from;
        else
            *to++ = *from;
    }
    *at = from + (*from == '"');
    *to = '\0';
    return true;
}

/* ---- data points ---- */

static void write_attributes(struct weir__text *to, char *labels)
{
    char *name, *value;

    weir__text_add(to, "\"attributes\":[");
    while (labels != NULL && next_label(&labels, &name, &value)) {
        weir__text_comma(to);
        weir__text_add(to, "{\"key\":");
        weir__text_quote(to, name);
        weir__text_add(to, ",\"value\":{\"stringValue\":");
        weir__text_quote(to, value);
        weir__text_add(to, "}}");
    }
    weir__text_add(to, "]");
}

static const char *unit_of(const char *name)
{
    return strstr(name, "_seconds") != NULL ? "s"
           : strstr(name, "_bytes") != NULL ? "By"
                                            : "1";
}

static void end_family(struct conversion *conversion)
{
    if (conversion->has_points)
        weir__text_add(
            conversion->to, "]%s}}",
            conversion->type == GAUGE ? ""
            : conversion->type == COUNTER
                ? ",\"aggregationTemporality\":2,\"isMonotonic\":true"
                : ",\"aggregationTemporality\":2");
    conversion->has_points = false;
}

static void begin_point(struct conversion *conversion)
{
    static const char *const kinds[] = {
        [COUNTER] = "sum", [GAUGE] = "gauge", [HISTOGRAM] = "histogram"};
    struct weir__text *to = conversion->to;
    char name[256];
    size_t length = strlen(conversion->name);

    if (!conversion->has_points) {
        if (conversion->type == COUNTER && length > 6 &&
            strcmp(conversion->name + length - 6, "_total") == 0)
            length -= 6;
        if (length >= sizeof(name))
            length = sizeof(name) - 1;
        memcpy(name, conversion->name, length);
        name[length] = '\0';
        weir__text_comma(to);
        weir__text_add(to, "{\"name\":");
        weir__text_quote(to, name);
        weir__text_add(to, ",\"description\":");
        weir__text_quote(to, conversion->help);
        weir__text_add(to, ",\"unit\":\"%s\",\"%s\":{\"dataPoints\":[",
                       unit_of(name), kinds[conversion->type]);
        conversion->has_points = true;
    }
    weir__text_comma(to);
    weir__text_add(to, "{");
    if (conversion->type != GAUGE)
        weir__text_add(to, "\"startTimeUnixNano\":\"%" PRId64 "\",",
                       conversion->began_ns);
    weir__text_add(to, "\"timeUnixNano\":\"%" PRId64 "\",", conversion->now_ns);
}

static bool is_integer(const char *text)
{
    return text[strspn(text, "0123456789")] == '\0';
}

static void write_number(struct conversion *conversion, struct sample *sample)
{
    begin_point(conversion);
    write_attributes(conversion->to, sample->labels);
    if (is_integer(sample->value))
        weir__text_add(conversion->to, ",\"asInt\":\"%s\"}", sample->value);
    else
        weir__text_add(conversion->to, ",\"asDouble\":%s}", sample->value);
}

static void write_histogram(struct conversion *conversion,
                            struct sample *sample)
{
    struct weir__text *to = conversion->to;
    uint64_t before = 0;

    begin_point(conversion);
    write_attributes(to, sample->labels);
    weir__text_add(to, ",\"count\":\"%s\",\"sum\":%s,\"bucketCounts\":[",
                   sample->value, conversion->sum);
    for (size_t i = 0; i < conversion->count; i++) {
        weir__text_comma(to);
        weir__text_add(to, "\"%" PRIu64 "\"", conversion->below[i] - before);
        before = conversion->below[i];
    }
    weir__text_add(to, "],\"explicitBounds\":[");
    for (size_t i = 0; i + 1 < conversion->count; i++) {
        weir__text_comma(to);
        weir__text_add(to, "%s", conversion->bounds[i]);
    }
    weir__text_add(to, "]}");
}

/* What follows the name of the family: "_bucket", "_sum" or "_count". */
static void read_histogram(struct conversion *conversion, struct sample *sample)
{
    const char *part = sample->name + strlen(conversion->name);

    if (strcmp(part, "_bucket") == 0) {
        char *at = sample->labels, *name, *value;
        size_t i = conversion->count;

        if (i == MOST_BUCKETS)
            return;
        while (at != NULL && next_label(&at, &name, &value))
            if (strcmp(name, "le") == 0)
                conversion->bounds[i] = value;
        conversion->below[i] = strtoull(sample->value, NULL, 10);
        conversion->count++;
    } else if (strcmp(part, "_sum") == 0) {
        conversion->sum = sample->value;
    } else {
        write_histogram(conversion, sample);
        conversion->count = 0;
    }
}

/* "# TYPE name counter", "# HELP name text" */
static void read_comment(struct conversion *conversion, char *line)
{
    bool is_type = strncmp(line, "# TYPE ", 7) == 0;
    char *rest = strlen(line) > 7 ? strchr(line + 7, ' ') : NULL;

    if (rest == NULL)
        return;
    *rest++ = '\0';
    if (!is_type) {
        conversion->help = rest;
        return;
    }
    end_family(conversion);
    conversion->name = line + 7;
    conversion->count = 0;
    conversion->type = strcmp(rest, "counter") == 0     ? COUNTER
                       : strcmp(rest, "gauge") == 0     ? GAUGE
                       : strcmp(rest, "histogram") == 0 ? HISTOGRAM
                                                        : NONE;
}

static void read_line(struct conversion *conversion, char *line)
{
    struct sample sample;

    if (line[0] == '#')
        read_comment(conversion, line);
    else if (conversion->type != NONE && read_sample(line, &sample) &&
             strncmp(sample.name, conversion->name, strlen(conversion->name)) ==
                 0) {
        if (conversion->type == HISTOGRAM)
            read_histogram(conversion, &sample);
        else
            write_number(conversion, &sample);
    }
}

void weir__convert_metrics(struct weir__text *to, char *text, int64_t began_ns,
                           int64_t now_ns)
{
    struct conversion conversion = {.to = to,
                                    .began_ns = began_ns,
                                    .now_ns = now_ns,
                                    .help = "",
                                    .sum = "0"};

    weir__text_add(to, "[");
    for (char *next; text != NULL; text = next) {
        next = strchr(text, '\n');
        if (next != NULL)
            *next++ = '\0';
        read_line(&conversion, text);
    }
    end_family(&conversion);
    weir__text_add(to, "]");
}
