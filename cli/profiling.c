/* SPDX-License-Identifier: MIT */
/*
 * profiling -- see profiling.h.
 */
#include "profiling.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "weir/profile.h"

bool profiling_start(weir_js *host, int64_t interval_us)
{
    int err = interval_us > INT64_MAX / 1000
                  ? -EINVAL
                  : weir_js_profile_start(host, interval_us * 1000);

    if (err != 0)
        fprintf(stderr, "weir: --cpu-prof: %s\n", weir_error_text(err));
    return err == 0;
}

/* CPU.20261117.214500.1234.0.001.cpuprofile */
static void name_file(char *name, size_t size)
{
    time_t now = time(NULL);
    struct tm local;
    char when[32] = "";

    if (localtime_r(&now, &local) != NULL)
        strftime(when, sizeof(when), "%Y%m%d.%H%M%S", &local);
    snprintf(name, size, "CPU.%s.%ld.0.001.cpuprofile", when, (long)getpid());
}

static int append(void *arg, const char *text, size_t size)
{
    return fwrite(text, 1, size, arg) == size ? 0 : -errno;
}

bool profiling_end(weir_js *host, const char *file)
{
    char name[128];
    FILE *out;
    int err;

    if (file == NULL) {
        name_file(name, sizeof(name));
        file = name;
    }
    errno = 0;
    out = fopen(file, "we");
    err = out == NULL ? -errno : weir_js_profile_write(host, append, out);
    if (out != NULL && fclose(out) != 0 && err == 0)
        err = -errno;
    if (err != 0)
        fprintf(stderr, "weir: %s: %s\n", file, weir_error_text(err));
    return err == 0;
}
