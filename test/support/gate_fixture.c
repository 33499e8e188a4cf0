/* SPDX-License-Identifier: MIT */
/*
 * gate_fixture -- see gate_fixture.h.
 */
#include "gate_fixture.h"

#include <stdlib.h>

#include "base/membarrier.h"

weir_gate gate;
struct gate_closed closed;
const weir_gate_options gate_sharded = {.size = sizeof(gate_sharded),
                                        .sharded = true};

static void note_closed(void *arg)
{
    closed.times++;
    closed.phase = weir_gate_phase(&gate);
    closed.thread = pthread_self();
    closed.arg = arg;
}

static void free_gate(void *arg)
{
    weir_gate *heap = arg;

    expect_status(weir_gate_fini(heap), 0);
    free(heap);
    closed.times++;
}

void gate_make(const weir_gate_options *kind)
{
    expect_status(weir_gate_init(&gate, note_closed, &closed, kind), 0);
}

void gate_make_running(const weir_gate_options *kind)
{
    gate_make(kind);
    expect_status(weir_gate_start(&gate), 0);
}

void gate_make_draining(const weir_gate_options *kind)
{
    gate_make_running(kind);
    expect_status(weir_gate_enter(&gate), 0);
    expect_status(weir_gate_drain(&gate), 0);
}

void gate_make_closed(const weir_gate_options *kind)
{
    gate_make_draining(kind);
    weir_gate_exit(&gate);
}

weir_gate *gate_make_freed_when_closed(const weir_gate_options *kind)
{
    weir_gate *heap = malloc(sizeof(*heap));

    expect(heap != NULL);
    expect_status(weir_gate_init(heap, free_gate, heap, kind), 0);
    expect_status(weir_gate_start(heap), 0);
    return heap;
}

void gate_need_shards(void)
{
    if (!weir__membarrier_is_ready())
        skip_case("the kernel has no membarrier");
}
