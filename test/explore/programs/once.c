/* SPDX-License-Identifier: MIT */
/*
 * once -- pthread_once() against a flag.
 *
 * correct: nothing found
 * broken: data race
 */
#include "start.h"

static pthread_once_t control = PTHREAD_ONCE_INIT;
static int inits, value;

static void init(void)
{
    inits++;
    value = 5;
}

static void *use(void *argument)
{
#ifdef BROKEN
    (void)control;
    if (value == 0)
        init();
#else
    pthread_once(&control, init);
#endif
    assert(value == 5);
    return argument;
}

int main(void)
{
    START(use, use, use);
    assert(inits == 1);
}
