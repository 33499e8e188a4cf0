/* SPDX-License-Identifier: MIT */
/*
 * spare -- threads of a case that the library may start.
 *
 *     static void init(void) { model_spares(1, 2); ... }
 *     ... .threads = {T(user), T(model_spare), T(model_spare)}
 *
 * weir__thread_start gives its body to the next one that waits.  If there is
 * none, it returns -EAGAIN, as the kernel does.
 */
#ifndef WEIR_MODEL_SPARE_H
#define WEIR_MODEL_SPARE_H

#include <stdbool.h>

/* In setup: so many threads of the case, from number `first` on, are spare. */
void model_spares(unsigned first, unsigned count);

/* The body of each. */
void model_spare(void);

/* No more will be started: those that still wait return. */
void model_spares_end(void);

/* In finish: whether each one that was started was joined. */
bool model_spares_are_joined(void);

#endif /* WEIR_MODEL_SPARE_H */
