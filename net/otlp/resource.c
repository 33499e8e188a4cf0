/* SPDX-License-Identifier: MIT */
/*
 * resource -- what describes the program in each request, and the fields that
 * each request has.
 *
 * Tested by  test/net/otlp/otlp.c, test/api/otlp.py
 */
#include <errno.h>
#include <inttypes.h>
#include <string.h>
#include <unistd.h>

#include "http/format.h"
#include "otlp/exporter.h"
#include "otlp/pairs.h"
#include "weir/host/memory.h"
#include "weir/version.h"

/* ---- fields ---- */

enum { MOST_FIELDS = 64 };

static bool copy(weir_bytes *to, const char *text)
{
    size_t size = strlen(text);
    char *bytes = weir_memory_alloc(size + 1);

    if (bytes == NULL)
        return false;
    memcpy(bytes, text, size + 1);
    *to = (weir_bytes){bytes, size};
    return true;
}

static void drop(weir_bytes bytes)
{
    if (bytes.data != NULL)
        weir_memory_free((void *)bytes.data, bytes.size + 1);
}

static int add_field(void *arg, const char *name, const char *value)
{
    struct weir__exporter *exporter = arg;
    weir_http_field *field = &exporter->fields[exporter->field_count];

    if (exporter->field_count == exporter->field_capacity)
        return -EINVAL;
    *field = (weir_http_field){{0}, {0}};
    exporter->field_count++;
    return copy(&field->name, name) && copy(&field->value, value) ? 0 : -ENOMEM;
}

/* Those that the client sets itself are refused. */
static int check_fields(const struct weir__exporter *exporter)
{
    int found =
        weir__http_fields_check(exporter->fields, exporter->field_count);
    int allowed =
        WEIR__HTTP_HAS_TYPE | WEIR__HTTP_HAS_HOST | WEIR__HTTP_HAS_DATE;

    return found < 0 ? found : (found & ~allowed) != 0 ? -EINVAL : 0;
}

static int make_fields(struct weir__exporter *exporter, const char *headers)
{
    int err;

    exporter->fields =
        weir_memory_alloc(MOST_FIELDS * sizeof(*exporter->fields));
    if (exporter->fields == NULL)
        return -ENOMEM;
    exporter->field_capacity = MOST_FIELDS;
    err = add_field(exporter, "Content-Type", "application/json");
    if (err == 0)
        err = weir__pairs_each(headers, add_field, exporter);
    return err != 0 ? err : check_fields(exporter);
}

/* ---- the resource ---- */

struct attributes {
    struct weir__text *to;
    const char *service; /* which has precedence; NULL: none */
    bool has_service;
};

static void add_text(struct weir__text *to, const char *name, const char *value)
{
    weir__text_comma(to);
    weir__text_add(to, "{\"key\":");
    weir__text_quote(to, name);
    weir__text_add(to, ",\"value\":{\"stringValue\":");
    weir__text_quote(to, value);
    weir__text_add(to, "}}");
}

static int add_attribute(void *arg, const char *name, const char *value)
{
    struct attributes *all = arg;

    if (strcmp(name, "service.name") == 0) {
        if (all->service != NULL)
            return 0;
        all->has_service = true;
    }
    add_text(all->to, name, value);
    return 0;
}

static int make_resource(struct weir__exporter *exporter,
                         const weir_otlp_options *options)
{
    struct weir__text *to = &exporter->resource;
    struct attributes all = {.to = to, .service = options->service};
    int err;

    weir__text_add(to, "{\"resource\":{\"attributes\":[");
    err = weir__pairs_each(options->attributes, add_attribute, &all);
    if (err != 0)
        return err;
    if (!all.has_service)
        add_text(to, "service.name",
                 all.service != NULL ? all.service : "unknown_service:weir");
    add_text(to, "telemetry.sdk.name", "weir");
    add_text(to, "telemetry.sdk.language", "javascript");
    add_text(to, "telemetry.sdk.version", WEIR_VERSION);
    weir__text_add(to,
                   ",{\"key\":\"process.pid\",\"value\":{\"intValue\":\"%ld\"}}"
                   "]},",
                   (long)getpid());
    return to->is_short ? -ENOMEM : 0;
}

int weir__otlp_describe(struct weir__exporter *exporter,
                        const weir_otlp_options *options)
{
    int err = make_fields(exporter, options->headers);

    return err != 0 ? err : make_resource(exporter, options);
}

void weir__otlp_forget(struct weir__exporter *exporter)
{
    for (size_t i = 0; i < exporter->field_count; i++) {
        drop(exporter->fields[i].name);
        drop(exporter->fields[i].value);
    }
    weir_memory_free(exporter->fields,
                     exporter->field_capacity * sizeof(*exporter->fields));
    weir__text_free(&exporter->resource);
}
