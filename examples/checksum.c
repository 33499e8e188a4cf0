/* SPDX-License-Identifier: MIT */
/*
 * checksum -- process many files at once: a job for each, and a group to wait
 * for all.
 *
 *     build/checksum [FILE...]
 *
 * Prints the checksums in the order of the files and, on a terminal, its
 * progress.  Without files it uses eight blocks of memory instead.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <weir.h>

struct file {
    weir_job job; /* first, so that a job is a file */
    const char *name;
    uint64_t bytes;
    uint32_t sum;
    int err; /* errno if it could not be read */
};

static uint32_t done; /* atomic: files processed */

/* Adler-32, RFC 1950. */
static void add(struct file *file, const unsigned char *data, size_t size)
{
    uint32_t a = file->sum & 0xffff, b = file->sum >> 16;

    for (size_t i = 0; i < size; i++) {
        a = (a + data[i]) % 65521;
        b = (b + a) % 65521;
    }
    file->sum = b << 16 | a;
    file->bytes += size;
}

static void add_file(struct file *file)
{
    unsigned char data[65536];
    FILE *stream = fopen(file->name, "rb");
    size_t size;

    if (stream == NULL) {
        perror(file->name);
        file->err = 1;
        return;
    }
    while ((size = fread(data, 1, sizeof(data), stream)) > 0)
        add(file, data, size);
    file->err = ferror(stream);
    fclose(stream);
}

/* The input without files: block n is n kilobytes of the byte n. */
static void add_piece(struct file *file)
{
    unsigned char data[1024];
    int n = atoi(strrchr(file->name, ' '));

    memset(data, n, sizeof(data));
    for (int i = 0; i < n; i++)
        add(file, data, sizeof(data));
}

static void checksum(weir_job *job, int status) /* on a worker */
{
    struct file *file = (struct file *)job;

    if (status != 0)
        return; /* cancelled; nothing to clean up */
    file->sum = 1;
    if (strncmp(file->name, "piece ", 6) == 0)
        add_piece(file);
    else
        add_file(file);
    if (isatty(STDERR_FILENO))
        fprintf(stderr, "\r%u done ",
                __atomic_add_fetch(&done, 1, __ATOMIC_RELAXED));
}

static int sum_all(struct file *files, int count)
{
    weir_pool *pool;
    weir_group group;
    int err = weir_pool_new(&pool, NULL); /* one worker per core */

    if (err != 0)
        return err;
    weir_group_init(&group, pool);
    for (int i = 0; i < count && err == 0; i++) {
        files[i].job = (weir_job){.run = checksum, .name = files[i].name};
        err = weir_group_spawn(&group, &files[i].job);
    }
    if (err != 0)
        weir_group_cancel(&group); /* those that have not started */
    weir_group_wait(&group);       /* their writes are visible from here on */
    weir_pool_free(pool);
    return err;
}

int main(int argc, char **argv)
{
    static char *pieces[] = {"",        "piece 1", "piece 2",
                             "piece 3", "piece 4", "piece 5",
                             "piece 6", "piece 7", "piece 8"};
    char **names = argc > 1 ? argv : pieces;
    int count = argc > 1 ? argc - 1 : 8;
    struct file *files = calloc((size_t)count, sizeof(*files));
    int err, failed = 0;

    if (files == NULL)
        return EXIT_FAILURE;
    for (int i = 0; i < count; i++)
        files[i].name = names[i + 1];
    err = sum_all(files, count);
    if (err != 0)
        fprintf(stderr, "checksum: %s\n", weir_error_text(err));
    for (int i = 0; i < count && err == 0; i++) {
        failed |= files[i].err;
        if (files[i].err == 0)
            printf("%08x %6llu %s\n", files[i].sum,
                   (unsigned long long)files[i].bytes, files[i].name);
    }
    free(files);
    return err == 0 && !failed ? EXIT_SUCCESS : EXIT_FAILURE;
}
