/* SPDX-License-Identifier: MIT */
/*
 * real -- the functions of libc that wrap.c replaces, by the linker's
 * --wrap (cmake/explore.cmake).
 */
#ifndef WEIR_EXPLORE_REAL_H
#define WEIR_EXPLORE_REAL_H

#include <poll.h>
#include <pthread.h>

int real_poll(struct pollfd *entries, nfds_t count,
              int timeout_ms) __asm__("__real_poll");
int real_pthread_create(pthread_t *thread, const pthread_attr_t *attributes,
                        void *(*body)(void *),
                        void *arg) __asm__("__real_pthread_create");
int real_pthread_join(pthread_t thread,
                      void **result) __asm__("__real_pthread_join");

#endif /* WEIR_EXPLORE_REAL_H */
