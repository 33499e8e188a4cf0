/* SPDX-License-Identifier: MIT */
/*
 * report -- see report.h.
 */
#include "report.h"

#include <stdio.h>
#include <stdlib.h>
#include <sys/utsname.h>

static const struct bench_metric mean_metric[] = {{"mean", "ns", 1.0}};
/* In the order of round_percent. */
static const struct bench_metric record_metrics[PERCENTILES] = {
    {"p50", "us", 1e-3},
    {"p90", "us", 1e-3},
    {"p99", "us", 1e-3},
    {"max", "us", 1e-3}};

struct machine {
    char cpu[128];
    char kernel[160];
};

static struct machine machine_of_today(void)
{
    struct machine machine = {.cpu = "unknown"};
    struct utsname name;
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "r");

    while (file != NULL && fgets(line, sizeof(line), file) != NULL)
        if (sscanf(line, "model name : %127[^\n\"\\]", machine.cpu) == 1)
            break;
    if (file != NULL)
        fclose(file);
    uname(&name);
    snprintf(machine.kernel, sizeof(machine.kernel), "%s %s", name.sysname,
             name.release);
    return machine;
}

static const char *compiler(void)
{
#ifdef __clang__
    return "clang " __clang_version__;
#else
    return "gcc " __VERSION__;
#endif
}

static const char *commit(void)
{
    const char *commit = getenv("BENCH_COMMIT");

    return commit != NULL ? commit : "unknown";
}

static int compare_double(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

static double median_of_sorted(const double *value, unsigned count)
{
    return count % 2 ? value[count / 2]
                     : (value[count / 2 - 1] + value[count / 2]) / 2;
}

static void print_values(const struct result *result,
                         const struct bench_metric *metric,
                         const double *sorted)
{
    unsigned last = result->runs - 1;

    printf(",\"value\":%.4g,\"min\":%.4g,\"max\":%.4g,\"q1\":%.4g,"
           "\"q3\":%.4g",
           median_of_sorted(sorted, result->runs) * metric->scale,
           sorted[0] * metric->scale, sorted[last] * metric->scale,
           sorted[last / 4] * metric->scale,
           sorted[last - last / 4] * metric->scale);
}

static void print_peer(const struct bench_entry *entry)
{
    if (entry->peer != NULL && *entry->peer != NULL)
        printf(",\"peer\":\"%s\"", *entry->peer);
}

static void print_json(const char *program, bool is_quick,
                       const struct bench_workload *workload,
                       const struct bench_entry *entry,
                       const struct result *result,
                       const struct bench_metric *metric, const double *sorted)
{
    static const char *const names[] = {"ok", "absent", "failed"};
    struct machine machine = machine_of_today();

    printf("{\"program\":\"%s\",\"workload\":\"%s\",\"impl\":\"%s\","
           "\"status\":\"%s\",\"metric\":\"%s\",\"unit\":\"%s\"",
           program, workload->name, entry->impl, names[result->status],
           metric->name, metric->unit);
    print_peer(entry);
    if (result->status == STATUS_OK)
        print_values(result, metric, sorted);
    printf(",\"runs\":%u,\"repeated\":%u,\"noisy\":%u,\"quick\":%s,"
           "\"operation\":\"%s\",\"commit\":\"%s\",\"compiler\":\"%s\","
           "\"cpu\":\"%s\",\"kernel\":\"%s\"}\n",
           result->runs, result->repeated, result->noisy,
           is_quick ? "true" : "false", workload->operation, commit(),
           compiler(), machine.cpu, machine.kernel);
}

static void print_row(const char *impl, const struct result *result,
                      const struct bench_metric *metric, const double *sorted,
                      double *floor)
{
    double median;
    char ratio[24] = "";

    if (result->status != STATUS_OK) {
        fprintf(stderr, "  %-34s %s\n", impl,
                result->status == STATUS_ABSENT ? "absent" : "FAILED");
        return;
    }
    median = median_of_sorted(sorted, result->runs);
    if (*floor == 0)
        *floor = median;
    if (*floor != 0)
        snprintf(ratio, sizeof(ratio), "%.2fx", median / *floor);
    fprintf(stderr, "  %-34s %-6s %9.2f %-2s [%.2f - %.2f] %8s %3u/%u\n", impl,
            metric->name, median * metric->scale, metric->unit,
            sorted[0] * metric->scale, sorted[result->runs - 1] * metric->scale,
            ratio, result->repeated, result->noisy);
}

void report_print(const char *program, bool is_quick, struct shared *shared,
                  const struct bench_workload *workload)
{
    const struct bench_metric *metrics = workload->metrics   ? workload->metrics
                                         : workload->records ? record_metrics
                                                             : mean_metric;
    size_t metric_count = workload->metrics   ? workload->metric_count
                          : workload->records ? PERCENTILES
                                              : 1;
    double floor[METRICS_MAX] = {0};

    fprintf(stderr,
            "\n%s: %s\n  %-34s      median of %u [min - max], "
            "x the first; noisy turns repeated/kept\n",
            workload->name, workload->operation, "",
            round_runs(&shared->plan, workload));
    for (size_t i = 0; i < workload->entry_count; i++) {
        const struct bench_entry *entry = &workload->entries[i];
        struct result *result = &shared->result[i];

        for (size_t m = 0; m < metric_count; m++) {
            double *value = result->value[m];

            qsort(value, result->runs, sizeof(*value), compare_double);
            print_json(program, is_quick, workload, entry, result, &metrics[m],
                       value);
            if (m == 0 || result->status == STATUS_OK)
                print_row(entry->impl, result, &metrics[m], value, &floor[m]);
        }
    }
    fflush(stdout);
}
