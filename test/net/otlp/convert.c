/* SPDX-License-Identifier: MIT */
/*
 * convert -- metrics of Prometheus as those of OTLP.
 */
#include "otlp/convert.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "support/suite.h"

static struct weir__text text;

static const char *converted(const char *from)
{
    char *copy = strdup(from);

    weir__text_clear(&text);
    weir__convert_metrics(&text, copy, 10, 30);
    weir__text_put(&text, "", 1);
    free(copy);
    return text.bytes;
}

CASE(convert_makes_a_sum_of_a_counter)
{
    expect_string(
        converted("# HELP a_total The a's.\n# TYPE a_total counter\n"
                  "a_total{loop=\"x\"} 7\na_total{loop=\"y\"} 8.5\n"),
        "[{\"name\":\"a\",\"description\":\"The a's.\",\"unit\":\"1\","
        "\"sum\":{\"dataPoints\":["
        "{\"startTimeUnixNano\":\"10\",\"timeUnixNano\":\"30\",\"attributes\":["
        "{\"key\":\"loop\",\"value\":{\"stringValue\":\"x\"}}],\"asInt\":\"7\"}"
        ",{\"startTimeUnixNano\":\"10\",\"timeUnixNano\":\"30\",\"attributes\":"
        "[{\"key\":\"loop\",\"value\":{\"stringValue\":\"y\"}}],"
        "\"asDouble\":8.5}],\"aggregationTemporality\":2,\"isMonotonic\":true}}"
        "]");
    weir__text_free(&text);
}

CASE(convert_keeps_a_gauge)
{
    expect_string(converted("# TYPE b_bytes gauge\nb_bytes 12"),
                  "[{\"name\":\"b_bytes\",\"description\":\"\",\"unit\":\"By\","
                  "\"gauge\":{\"dataPoints\":[{\"timeUnixNano\":\"30\","
                  "\"attributes\":[],\"asInt\":\"12\"}]}}]");
    weir__text_free(&text);
}

CASE(convert_counts_what_is_in_each_bucket)
{
    expect_string(
        converted("# TYPE t_seconds histogram\n"
                  "t_seconds_bucket{loop=\"m\",le=\"0.1\"} 3\n"
                  "t_seconds_bucket{loop=\"m\",le=\"1e+01\"} 5\n"
                  "t_seconds_bucket{loop=\"m\",le=\"+Inf\"} 9\n"
                  "t_seconds_sum{loop=\"m\"} 2.5\n"
                  "t_seconds_count{loop=\"m\"} 9\n"),
        "[{\"name\":\"t_seconds\",\"description\":\"\",\"unit\":\"s\","
        "\"histogram\":{\"dataPoints\":[{\"startTimeUnixNano\":\"10\","
        "\"timeUnixNano\":\"30\",\"attributes\":[{\"key\":\"loop\",\"value\":{"
        "\"stringValue\":\"m\"}}],\"count\":\"9\",\"sum\":2.5,"
        "\"bucketCounts\":[\"3\",\"2\",\"4\"],\"explicitBounds\":[0.1,1e+01]}],"
        "\"aggregationTemporality\":2}}]");
    weir__text_free(&text);
}

/* A name of a loop or a path may have any characters. */
CASE(convert_keeps_the_characters_of_labels)
{
    const char *all =
        converted("# TYPE c gauge\nc{a=\"}\\\"\\\\ \\n,=\",b=\"\"} 1\n");

    expect(strstr(all, "{\"key\":\"a\",\"value\":{\"stringValue\":"
                       "\"}\\\"\\\\ \\n,=\"}},{\"key\":\"b\",\"value\":{"
                       "\"stringValue\":\"\"}}],\"asInt\":\"1\"}") != NULL);
    weir__text_free(&text);
}

/* It is our own text, but nothing of it may be read beyond its end. */
CASE(convert_skips_lines_that_it_does_not_know)
{
    static const char *const lines[] = {
        "c",        "c{",       "c{a",      "c{a=\"", "c{a=\"}", "c{a=\"b\"}",
        "c{} ",     "c ",       " 1",       "",       "#",       "# TYPE",
        "# TYPE c", "# HELP c", "c{a=\"\\", "{} 1",   "d 1",     "# EOF"};
    char lone[128];

    expect_string(converted(""), "[]");
    expect_string(converted("# TYPE c summary\nc 1\n"), "[]");
    for (size_t i = 0; i < sizeof(lines) / sizeof(*lines); i++) {
        snprintf(lone, sizeof(lone), "# TYPE c gauge\n%s", lines[i]);
        expect_string(converted(lone), "[]");
    }
    weir__text_free(&text);
}
