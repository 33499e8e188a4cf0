/* SPDX-License-Identifier: MIT */
/*
 * urcu -- see urcu.h.
 *
 * Built with -DBENCH_URCU and linked with liburcu-*.a
 * where they are installed (Debian: liburcu-dev).
 */
#include "urcu.h"

#include "bench.h"

#ifdef BENCH_URCU
#include <dlfcn.h>
#include <stddef.h>
#include <urcu/urcu-mb.h>
#include <urcu/urcu-memb.h>
#include <urcu/urcu-qsbr.h>

bool urcu_static_open(void)
{
    return true;
}

void urcu_static_join(void)
{
    urcu_memb_register_thread();
}

void urcu_static_leave(void)
{
    urcu_memb_unregister_thread();
}

BENCH_ALIGNED void urcu_static_run(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        urcu_memb_read_lock();
        urcu_memb_read_unlock();
    }
}

void urcu_static_synchronize(void)
{
    urcu_memb_synchronize_rcu();
}

/* The shared library has its own copy of everything: the static one's symbols
 * are not exported by the program. */
static void (*shared_register)(void), (*shared_unregister)(void);
static void (*shared_lock)(void), (*shared_unlock)(void);

static bool find(void *library, const char *name, void (**function)(void))
{
    *(void **)function = dlsym(library, name);
    return *function != NULL;
}

bool urcu_shared_open(void)
{
    void *library = dlopen("liburcu-memb.so.8", RTLD_NOW | RTLD_LOCAL);

    return library != NULL &&
           find(library, "urcu_memb_register_thread", &shared_register) &&
           find(library, "urcu_memb_unregister_thread", &shared_unregister) &&
           find(library, "urcu_memb_read_lock", &shared_lock) &&
           find(library, "urcu_memb_read_unlock", &shared_unlock);
}

void urcu_shared_join(void)
{
    shared_register();
}

void urcu_shared_leave(void)
{
    shared_unregister();
}

BENCH_ALIGNED void urcu_shared_run(unsigned thread, uint64_t count)
{
    void (*lock)(void) = shared_lock, (*unlock)(void) = shared_unlock;

    for (; count > 0; count--) {
        lock();
        unlock();
    }
}

/* ---- other flavours, static ---- */

bool urcu_flavours_open(void)
{
    return true;
}

void urcu_mb_join(void)
{
    urcu_mb_register_thread();
}

void urcu_mb_leave(void)
{
    urcu_mb_unregister_thread();
}

BENCH_ALIGNED void urcu_mb_run(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        urcu_mb_read_lock();
        urcu_mb_read_unlock();
    }
}

void urcu_qsbr_join(void)
{
    urcu_qsbr_register_thread();
}

void urcu_qsbr_leave(void)
{
    urcu_qsbr_unregister_thread();
}

BENCH_ALIGNED void urcu_qsbr_run(unsigned thread, uint64_t count)
{
    for (; count > 0; count--) {
        urcu_qsbr_read_lock();
        urcu_qsbr_read_unlock();
        urcu_qsbr_quiescent_state();
    }
}

#else /* without liburcu */

bool urcu_flavours_open(void)
{
    return false;
}

void urcu_mb_join(void)
{
}

void urcu_mb_leave(void)
{
}

void urcu_mb_run(unsigned thread, uint64_t count)
{
}

void urcu_qsbr_join(void)
{
}

void urcu_qsbr_leave(void)
{
}

void urcu_qsbr_run(unsigned thread, uint64_t count)
{
}

bool urcu_static_open(void)
{
    return false;
}

bool urcu_shared_open(void)
{
    return false;
}

void urcu_static_join(void)
{
}

void urcu_static_leave(void)
{
}

void urcu_static_run(unsigned thread, uint64_t count)
{
}

void urcu_static_synchronize(void)
{
}

void urcu_shared_join(void)
{
}

void urcu_shared_leave(void)
{
}

void urcu_shared_run(unsigned thread, uint64_t count)
{
}
#endif
