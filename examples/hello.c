/* SPDX-License-Identifier: MIT */
/*
 * hello -- the smallest program with a loop.
 */
#include <stdio.h>
#include <stdlib.h>

#include <weir.h>

static void hello(void *name, int status)
{
    if (status == 0)
        printf("hello, %s\n", (const char *)name);
}

int main(void)
{
    weir_loop *loop;
    int err = weir_loop_new(&loop, NULL);

    if (err == 0) {
        err = weir_loop_submit(loop, hello, "world");
        if (err == 0)
            err = weir_loop_run(loop, WEIR_RUN_UNTIL_IDLE);
        weir_loop_free(loop);
    }
    if (err != 0)
        fprintf(stderr, "hello: %s\n", weir_error_text(err));
    return err == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}
