/* SPDX-License-Identifier: MIT */
/*
 * perfetto -- the errors of writing a trace.  test/api/trace.py decodes traces.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/failing_allocator.h"
#include "support/suite.h"
#include "weir.h"

static size_t written;

static int count_bytes(void *arg, const void *bytes, size_t size)
{
    written += size;
    return arg == NULL ? 0 : *(int *)arg;
}

CASE(trace_of_a_recorder_that_is_off_is_refused)
{
    /* covers: weir_recorder_write -ENOENT */
    expect_status(weir_recorder_write(0, count_bytes, NULL), -ENOENT);
    /* covers: weir_recorder_save -ENOENT */
    expect_status(weir_recorder_save("never.pftrace", 0), -ENOENT);
    expect(access("never.pftrace", F_OK) != 0);
}

CASE(trace_without_arguments_is_refused)
{
    expect_status(weir_recorder_start(NULL), 0);
    /* covers: weir_recorder_write -EINVAL */
    expect_status(weir_recorder_write(0, NULL, NULL), -EINVAL);
    /* covers: weir_recorder_save -EINVAL */
    expect_status(weir_recorder_save(NULL, 0), -EINVAL);
}

CASE(trace_ends_with_the_error_of_write)
{
    weir_recorder_options options = {.size = sizeof(options), .events = 4096};
    int err = -EIO;

    expect_status(weir_recorder_start(&options), 0);
    for (int i = 0; i < 4000; i++)
        weir_recorder_mark("mark", (uint64_t)i);
    expect_status(weir_recorder_write(0, count_bytes, NULL), 0);
    expect(written > 65536);
    written = 0;
    expect_status(weir_recorder_write(0, count_bytes, &err), -EIO);
    expect(written <= 65536);
    written = 0;
    expect_status(weir_recorder_write(INT64_MAX, count_bytes, NULL), 0);
    expect(written > 0 && written < 200); /* no event */
}

CASE(trace_needs_memory)
{
    struct failing_allocator memory;
    int err = -ENOMEM;

    failing_allocator_init(&memory, 0);
    expect_status(weir_set_allocator(&memory.hooks), 0);
    expect_status(weir_recorder_start(NULL), 0);
    for (int i = 0; i < 4000; i++)
        weir_recorder_mark("mark", (uint64_t)i);
    for (uint64_t n = 1; err != 0; n++) {
        uint64_t live = memory.live;

        memory.calls = 0;
        memory.fail_at = n;
        err = weir_recorder_write(0, count_bytes, NULL);
        /* covers: weir_recorder_write -ENOMEM */
        expect(err == 0 || err == -ENOMEM);
        expect_int(memory.live, live);
        expect(n < 100);
    }
    memory.calls = 0;
    memory.fail_at = 1;
    /* covers: weir_recorder_save -ENOMEM */
    expect_status(weir_recorder_save("never.pftrace", 0), -ENOMEM);
    expect(access("never.pftrace", F_OK) != 0);
}

CASE(trace_is_saved_to_a_new_file)
{
    char directory[] = "/tmp/weir-trace-XXXXXX", path[64];
    struct stat info;

    expect(mkdtemp(directory) != NULL);
    snprintf(path, sizeof(path), "%s/a.pftrace", directory);
    expect_status(weir_recorder_start(NULL), 0);
    weir_recorder_mark("mark", 1);
    expect_status(weir_recorder_save(path, 0), 0);
    expect(stat(path, &info) == 0 && info.st_size > 0);
    expect_int(info.st_mode & 0777, 0600);
    /* covers: weir_recorder_save -EEXIST */
    expect_status(weir_recorder_save(path, 0), -EEXIST);
    expect(unlink(path) == 0 && rmdir(directory) == 0);
    expect_status(weir_recorder_save(path, 0), -ENOENT); /* no directory */
    expect_status(weir_recorder_save("/dev/full", 0), -EEXIST);
}
