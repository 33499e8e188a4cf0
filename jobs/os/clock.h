/* SPDX-License-Identifier: MIT */
/*
 * clock -- the two clocks of a store.
 *
 * The date is what people mean by "at three o'clock", and may be set.  The
 * uptime cannot be set, counts while the machine sleeps, and is the same for
 * all processes of a machine until it is booted again, which changes the boot's
 * id.  Both follow weir_clock_now() when a test freezes it.
 */
#ifndef WEIR_JOBS_OS_CLOCK_H
#define WEIR_JOBS_OS_CLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum { WEIR__BOOT_ID_BYTES = 64 };

/* Milliseconds since 1970. */
int64_t weir__clock_date_ms(void);

/* Microseconds since the machine was booted. */
int64_t weir__clock_uptime_us(void);

/* Whether a test has set weir_clock_now(). */
bool weir__clock_is_set(void);

/* Get a string that changes whenever the uptime begins again.  Returns 0 or
 * -errno. */
int weir__clock_boot_id(char to[WEIR__BOOT_ID_BYTES]);

/* Open a descriptor that becomes readable when the date is set, and make it
 * ready for the next time.  Return it, or 0, or -errno. */
int weir__clock_watch(void);
int weir__clock_watch_again(int fd);

#endif /* WEIR_JOBS_OS_CLOCK_H */
