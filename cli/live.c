/* SPDX-License-Identifier: MIT */
/*
 * live -- see live.h.
 *
 * A program that is not looked at has no monitor.  `weir top PID` sends it a
 * signal, SIGRTMAX - 2, which makes the program open a Unix socket:
 *
 *     /tmp/weir-UID/PID.sock      in a directory that only its owner can enter
 *
 * The path depends on nothing else, since the environments of the two may
 * differ.  A directory that another user could have made is not used.
 *
 * A program that is killed leaves its socket.  The next one that opens its own
 * removes it.
 */
#include "live.h"

#include <dirent.h>
#include <errno.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include "signal_thread.h"
#include "weir/net/monitor.h"

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static bool is_running, has_ended; /* under lock */
static weir_monitor_options options = {.size = sizeof(options)};
static char path[64];

static void on_drain(void *arg)
{
    kill(getpid(), SIGTERM);
}

/* Whether no process has this socket.  Its name does not tell: the number may be
 * that of a process in another container.  A socket of another type asks, because
 * a connection would reach the listener. */
static bool is_stale(const char *socket_path)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};
    int fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    bool is_refused;

    if (fd < 0)
        return false;
    snprintf(address.sun_path, sizeof(address.sun_path), "%s", socket_path);
    is_refused =
        connect(fd, (struct sockaddr *)&address, sizeof(address)) != 0 &&
        errno == ECONNREFUSED;
    close(fd);
    return is_refused;
}

static void remove_stale(const char *directory)
{
    DIR *entries = opendir(directory);
    const struct dirent *entry;

    if (entries == NULL)
        return;
    while ((entry = readdir(entries)) != NULL) {
        char name[sizeof(((struct sockaddr_un *)NULL)->sun_path)];
        size_t digits = strspn(entry->d_name, "0123456789");

        if (digits == 0 || strcmp(entry->d_name + digits, ".sock") != 0 ||
            (size_t)snprintf(name, sizeof(name), "%s/%s", directory,
                             entry->d_name) >= sizeof(name))
            continue;
        if (is_stale(name))
            (void)unlink(name);
    }
    closedir(entries);
}

/* Returns 0 or -errno. */
static int make_directory(void)
{
    struct stat about;
    int size =
        snprintf(path, sizeof(path), "/tmp/weir-%lu", (unsigned long)geteuid());

    if (mkdir(path, 0700) != 0 && errno != EEXIST)
        return -errno;
    if (lstat(path, &about) != 0)
        return -errno;
    if (!S_ISDIR(about.st_mode) || about.st_uid != geteuid() ||
        (about.st_mode & 077) != 0)
        return -EPERM;
    remove_stale(path);
    snprintf(path + size, sizeof(path) - (size_t)size, "/%ld.sock",
             (long)getpid());
    return 0;
}

/* Under lock. */
static int start(const char *address)
{
    int err = make_directory();

    options.address = address;
    options.path = err == 0 ? path : NULL;
    if (address != NULL || err == 0)
        err = weir_monitor_start(&options);
    is_running = err == 0;
    return err;
}

/* On the signal thread. */
static void attach(void)
{
    int err;

    pthread_mutex_lock(&lock);
    err = is_running || has_ended ? 0 : start(NULL);
    pthread_mutex_unlock(&lock);
    if (err != 0)
        fprintf(stderr, "weir: no socket for weir top: %s\n",
                weir_error_text(err));
}

/* "8080" is a port of this machine. */
static const char *complete(const char *address, char *text, size_t size)
{
    if (strspn(address, "0123456789") != strlen(address))
        return address;
    snprintf(text, size, "127.0.0.1:%s", address[0] != '\0' ? address : "0");
    return text;
}

bool live_start(const char *address, const char *title,
                const struct live_program *program)
{
    char text[32], url[160];
    int err;

    options.title = title;
    options.get_pool = program->get_pool;
    options.on_ask = program->on_ask;
    options.get_pools = program->get_pools;
    options.arg = program->arg;
    options.on_drain = on_drain;
    signal_thread_call(SIGRTMAX - 2, attach);
    if (address == NULL)
        return true;
    pthread_mutex_lock(&lock);
    err = start(complete(address, text, sizeof(text)));
    pthread_mutex_unlock(&lock);
    if (err != 0) {
        fprintf(stderr, "weir: --live: %s\n", weir_error_text(err));
        return false;
    }
    weir_monitor_url(url, sizeof(url));
    fprintf(stderr, "weir: live at %s\n", url);
    return true;
}

void live_stop(void)
{
    pthread_mutex_lock(&lock);
    has_ended = true;
    if (is_running)
        weir_monitor_stop();
    is_running = false;
    pthread_mutex_unlock(&lock);
}
