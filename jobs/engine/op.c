/* SPDX-License-Identifier: MIT */
/*
 * op -- see op.h.
 */
#include "engine/op.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "weir/host/memory.h"

struct weir__op *weir__op_new(weir_jobs *jobs, enum weir__op_kind kind,
                              size_t more)
{
    size_t bytes = sizeof(struct weir__op) + more;
    struct weir__op *op = weir_memory_alloc(bytes);

    if (op == NULL)
        return NULL;
    memset(op, 0, sizeof(*op));
    op->message.kind = WEIR__MESSAGE_OP;
    op->kind = kind;
    op->bytes = bytes;
    op->jobs = jobs;
    return op;
}

void weir__op_free(struct weir__op *op)
{
    if (op == NULL)
        return;
    weir_memory_free(op->extra, op->extra_bytes);
    weir_memory_free(op, op->bytes);
}

void weir__op_fail(struct weir__op *op, int status, const char *reason)
{
    op->status = status;
    snprintf(op->reason, sizeof(op->reason), "%s", reason);
}

void *weir__op_alloc(struct weir__op *op, size_t bytes, const char *reason)
{
    op->extra = weir_memory_alloc(bytes);
    if (op->extra != NULL)
        op->extra_bytes = bytes;
    else
        weir__op_fail(op, -ENOMEM, reason);
    return op->extra;
}

void weir__op_undo(struct weir__op *op, int status, const char *reason)
{
    weir__op_fail(op, status, reason);
    op->reply = (weir_jobs_reply){0};
    weir_memory_free(op->extra, op->extra_bytes);
    op->extra = NULL;
    op->extra_bytes = 0;
    if (op->kind == WEIR__OP_CANCEL)
        op->in.job.token = 0;
    if (op->kind != WEIR__OP_CLAIM)
        return;
    while (op->in.claim.claims != NULL) {
        weir_jobs_claim *claim = op->in.claim.claims;

        op->in.claim.claims = claim->next;
        weir__claim_free(claim);
    }
    op->in.claim.count = 0;
}

void weir__op_settled_elsewhere(struct weir__op *op, bool is_failed)
{
    if (is_failed)
        weir__op_fail(op, WEIR_ESTORE,
                      WEIR__OP_NOT_ELSEWHERE ": the attempt has failed");
}

void weir__claim_free(weir_jobs_claim *claim)
{
    weir_abort_unref(claim->abort);
    weir_memory_free(claim, claim->bytes);
}
