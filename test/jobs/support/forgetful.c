/* SPDX-License-Identifier: MIT */
/*
 * forgetful -- see forgetful.h.
 *
 * Data   A write keeps its bytes, those that it has replaced, and the size that
 *        the file had.  At a loss of power all writes since the sync are undone,
 *        from the newest to the oldest, and then some of them are done again, in
 *        their order.
 * Lock   One for all files: the copy must not be made in the middle of a write.
 */
#include "forgetful.h"

#include <pthread.h>
#include <sqlite3.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "support/suite.h"

struct write {
    struct write *older;
    int64_t at, size_before;
    int amount;            /* of the write */
    int replaced;          /* bytes of the file that it has replaced */
    unsigned char bytes[]; /* its own, and then those that it has replaced */
};

struct file {
    sqlite3_file base;
    sqlite3_file *real;
    struct file *next;
    char *name; /* NULL: temporary */
    struct write *newest;
};

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static struct file *files;
static sqlite3_vfs *system_vfs;
static sqlite3_vfs forgetful;
static int write_error, are_syncs_ignored;

#define REAL(of) (((struct file *)(of))->real)

static void forget_writes(struct file *file)
{
    while (file->newest != NULL) {
        struct write *older = file->newest->older;

        free(file->newest);
        file->newest = older;
    }
}

static int close_file(sqlite3_file *base)
{
    struct file *file = (struct file *)base, **at = &files;
    int rc;

    pthread_mutex_lock(&lock);
    while (*at != NULL && *at != file)
        at = &(*at)->next;
    if (*at != NULL)
        *at = file->next;
    forget_writes(file);
    free(file->name);
    pthread_mutex_unlock(&lock);
    rc = file->real->pMethods->xClose(file->real);
    free(file->real);
    return rc;
}

static int read_file(sqlite3_file *file, void *to, int amount, sqlite3_int64 at)
{
    return REAL(file)->pMethods->xRead(REAL(file), to, amount, at);
}

static int remember(struct file *file, const void *from, int amount, int64_t at)
{
    struct write *write = malloc(sizeof(*write) + 2 * (size_t)amount);
    sqlite3_int64 size;
    int rc = file->real->pMethods->xFileSize(file->real, &size);

    if (rc != SQLITE_OK)
        return rc;
    *write = (struct write){.at = at, .size_before = size, .amount = amount};
    memcpy(write->bytes, from, (size_t)amount);
    if (at < size)
        write->replaced = (int)(size - at < amount ? size - at : amount);
    if (write->replaced > 0)
        rc = file->real->pMethods->xRead(file->real, write->bytes + amount,
                                         write->replaced, at);
    write->older = file->newest;
    file->newest = write;
    return rc;
}

static int write_file(sqlite3_file *base, const void *from, int amount,
                      sqlite3_int64 at)
{
    struct file *file = (struct file *)base;
    int rc;

    pthread_mutex_lock(&lock);
    rc = write_error;
    if (rc == SQLITE_OK && file->name != NULL)
        rc = remember(file, from, amount, at);
    if (rc == SQLITE_OK)
        rc = file->real->pMethods->xWrite(file->real, from, amount, at);
    pthread_mutex_unlock(&lock);
    return rc;
}

static int truncate_file(sqlite3_file *base, sqlite3_int64 size)
{
    return REAL(base)->pMethods->xTruncate(REAL(base), size);
}

static int sync_file(sqlite3_file *base, int flags)
{
    /* What is forgotten is decided here, so the real disk need not sync. */
    pthread_mutex_lock(&lock);
    if (!are_syncs_ignored)
        forget_writes((struct file *)base);
    pthread_mutex_unlock(&lock);
    return SQLITE_OK;
}

static int file_size(sqlite3_file *file, sqlite3_int64 *size)
{
    return REAL(file)->pMethods->xFileSize(REAL(file), size);
}

static int lock_file(sqlite3_file *file, int level)
{
    return REAL(file)->pMethods->xLock(REAL(file), level);
}

static int unlock_file(sqlite3_file *file, int level)
{
    return REAL(file)->pMethods->xUnlock(REAL(file), level);
}

static int check_lock(sqlite3_file *file, int *is_locked)
{
    return REAL(file)->pMethods->xCheckReservedLock(REAL(file), is_locked);
}

static int control(sqlite3_file *file, int op, void *arg)
{
    return REAL(file)->pMethods->xFileControl(REAL(file), op, arg);
}

static int sector_size(sqlite3_file *file)
{
    return REAL(file)->pMethods->xSectorSize(REAL(file));
}

/* Nothing that could spare SQLite a sync. */
static int characteristics(sqlite3_file *file)
{
    return 0;
}

static int shm_map(sqlite3_file *file, int page, int size, int extend,
                   void volatile **map)
{
    return REAL(file)->pMethods->xShmMap(REAL(file), page, size, extend, map);
}

static int shm_lock(sqlite3_file *file, int at, int count, int flags)
{
    return REAL(file)->pMethods->xShmLock(REAL(file), at, count, flags);
}

static void shm_barrier(sqlite3_file *file)
{
    REAL(file)->pMethods->xShmBarrier(REAL(file));
}

static int shm_unmap(sqlite3_file *file, int is_deleted)
{
    return REAL(file)->pMethods->xShmUnmap(REAL(file), is_deleted);
}

static const sqlite3_io_methods methods = {
    .iVersion = 2,
    .xClose = close_file,
    .xRead = read_file,
    .xWrite = write_file,
    .xTruncate = truncate_file,
    .xSync = sync_file,
    .xFileSize = file_size,
    .xLock = lock_file,
    .xUnlock = unlock_file,
    .xCheckReservedLock = check_lock,
    .xFileControl = control,
    .xSectorSize = sector_size,
    .xDeviceCharacteristics = characteristics,
    .xShmMap = shm_map,
    .xShmLock = shm_lock,
    .xShmBarrier = shm_barrier,
    .xShmUnmap = shm_unmap,
};

static int open_file(sqlite3_vfs *vfs, const char *name, sqlite3_file *base,
                     int flags, int *out_flags)
{
    struct file *file = (struct file *)base;
    int rc;

    memset(file, 0, sizeof(*file));
    file->real = calloc(1, (size_t)system_vfs->szOsFile);
    rc = system_vfs->xOpen(system_vfs, name, file->real, flags, out_flags);
    if (rc != SQLITE_OK) {
        free(file->real);
        return rc;
    }
    file->base.pMethods = &methods;
    file->name = name != NULL ? strdup(name) : NULL;
    pthread_mutex_lock(&lock);
    file->next = files;
    files = file;
    pthread_mutex_unlock(&lock);
    return SQLITE_OK;
}

void forgetful_register(void)
{
    system_vfs = sqlite3_vfs_find(NULL);
    forgetful = *system_vfs;
    forgetful.zName = "forgetful";
    forgetful.szOsFile = sizeof(struct file);
    forgetful.xOpen = open_file;
    forgetful.pNext = NULL;
    expect_int(sqlite3_vfs_register(&forgetful, 0), SQLITE_OK);
}

void forgetful_fail_writes(int rc)
{
    pthread_mutex_lock(&lock);
    write_error = rc;
    pthread_mutex_unlock(&lock);
}

void forgetful_ignore_syncs(int is_ignored)
{
    pthread_mutex_lock(&lock);
    are_syncs_ignored = is_ignored;
    pthread_mutex_unlock(&lock);
}

/* ---- losing power ---- */

/* What a file has on the disk. */
struct content {
    unsigned char *bytes;
    int64_t size, room;
};

static struct content read_all(struct file *file)
{
    struct content content;
    sqlite3_int64 size;

    expect_int(file_size(&file->base, &size), SQLITE_OK);
    content.size = content.room = size;
    for (const struct write *write = file->newest; write != NULL;
         write = write->older)
        if (write->at + write->amount > content.room)
            content.room = write->at + write->amount;
    content.bytes = calloc(1, (size_t)content.room + 1);
    expect(content.bytes != NULL);
    if (size > 0)
        expect_int(read_file(&file->base, content.bytes, (int)size, 0),
                   SQLITE_OK);
    return content;
}

static void undo(struct content *content, const struct write *write)
{
    memcpy(content->bytes + write->at, write->bytes + write->amount,
           (size_t)write->replaced);
    memset(content->bytes + write->at + write->replaced, 0,
           (size_t)(write->amount - write->replaced));
    content->size = write->size_before;
}

static void redo(struct content *content, const struct write *write)
{
    memcpy(content->bytes + write->at, write->bytes, (size_t)write->amount);
    if (write->at + write->amount > content->size)
        content->size = write->at + write->amount;
}

/* Undo all writes, and redo some.  Returns the number of those that are
 * lost. */
static unsigned lose(struct content *content, const struct write *write,
                     enum forgetting how, struct random *random)
{
    unsigned lost;

    if (write == NULL)
        return 0;
    undo(content, write);
    lost = lose(content, write->older, how, random);
    if (how == FORGET_ALL || random_next(random) % 2 == 0)
        return lost + 1;
    redo(content, write);
    return lost;
}

static unsigned copy_file(struct file *file, const char *directory,
                          enum forgetting how, struct random *random)
{
    const char *slash = strrchr(file->name, '/');
    char path[4096];
    struct content content = read_all(file);
    unsigned lost = lose(&content, file->newest, how, random);
    FILE *to;

    snprintf(path, sizeof(path), "%s/%s", directory,
             slash != NULL ? slash + 1 : file->name);
    to = fopen(path, "w");
    expect(to != NULL);
    expect(fwrite(content.bytes, 1, (size_t)content.size, to) ==
           (size_t)content.size);
    expect_int(fclose(to), 0);
    free(content.bytes);
    return lost;
}

unsigned forgetful_lose_power(const char *directory, enum forgetting how,
                              struct random *random)
{
    unsigned lost = 0;

    expect_int(mkdir(directory, 0777), 0);
    pthread_mutex_lock(&lock);
    for (struct file *file = files; file != NULL; file = file->next)
        if (file->name != NULL)
            lost += copy_file(file, directory, how, random);
    pthread_mutex_unlock(&lock);
    return lost;
}
