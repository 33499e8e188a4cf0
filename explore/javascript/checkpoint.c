/* SPDX-License-Identifier: MIT */
/*
 * checkpoint -- see checkpoint.h.
 */
#include "checkpoint.h"

#include <errno.h>
#include <linux/futex.h>
#include <linux/sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "fiber.h"
#include "policy.h"
#include "rewind.h"

enum {
    SLOTS = 96,
    COMMON_SLOTS = 40,
    FREE_SLOTS = 16 /* before an execution that makes several */
};

static const uint64_t no_path = UINT64_C(0xcbf29ce484222325);

enum state { FREE, WAITING, FORK, GO_ON, DIE };

struct slot {
    uint32_t state; /* a futex */
    int process;
    uint64_t path;       /* a hash of the picks before its node */
    unsigned depth;      /* of its node, from 1 */
    unsigned operations; /* before it */
    struct node node;
    struct policy_state policy; /* before its pick */
    bool is_group;              /* executions of a group go on here */
    bool takes_back;            /* ... and may come back here when they end */
    int runner;                 /* a process that has come back, or 0 */
    bool is_resting;            /* ... and waits for the next execution */
    uint8_t seen[32]; /* picks that executions have made here, as bits */
};

/* Shared by all processes. */
static struct slot *slots;
static struct exchange *exchange;

static void (*begin_program)(int output);
static int search_process;

static int first_descriptor; /* that was free when the program began */
static bool is_forbidden;

static struct fiber here, waiter; /* of a checkpoint, on rewind_stack() */
static struct slot *home; /* where the process can go back to, or NULL */

/* What the exchange says about the execution until now. */
static struct {
    unsigned nodes, operations, threads;
    uint64_t digest;
    struct node node[NODES];
    uint8_t order[NODES];
    char name[THREADS][sizeof(((struct exchange *)0)->name[0])];
    char reached[sizeof(((struct exchange *)0)->reached)];
    char sources[sizeof(((struct exchange *)0)->sources)];
} saved;

static void futex(uint32_t *word, int operation, uint32_t value)
{
    syscall(SYS_futex, word, operation, value, NULL, NULL, 0);
}

static void set_state(struct slot *slot, enum state state)
{
    __atomic_store_n(&slot->state, (uint32_t)state, __ATOMIC_RELEASE);
    futex(&slot->state, FUTEX_WAKE, 1);
}

/* A hash of the picks, in which their order counts. */
static uint64_t add_to_path(uint64_t path, unsigned pick)
{
    return (path ^ (pick + 1)) * UINT64_C(0x100000001b3);
}

static uint64_t path_of(const struct node *nodes, unsigned count)
{
    uint64_t path = no_path;

    for (unsigned i = 0; i < count; i++)
        path = add_to_path(path, nodes[i].pick);
    return path;
}

/* --- an execution ---------------------------------------------------------------- */

/* Past libc, so that the child does not seem to be one (main.c). */
static int fork_sibling(void)
{
    int process =
        (int)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, NULL, NULL, NULL, 0);

    if (process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        if (syscall(SYS_getppid) != search_process)
            _exit(1);
    }
    return process;
}

static int free_descriptor(void)
{
    int fd = dup(STDIN_FILENO);

    close(fd);
    return fd;
}

void checkpoint_set_begun(void)
{
    is_forbidden = false; /* what is open now, all have */
    first_descriptor = free_descriptor();
    exchange->process = (int)syscall(SYS_getpid);
}

void checkpoint_forbid(void)
{
    is_forbidden = true;
}

static struct slot *find_free(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (__atomic_load_n(&slots[i].state, __ATOMIC_ACQUIRE) == FREE)
            return &slots[i];
    return NULL;
}

bool checkpoint_is_wanted(void)
{
    return (exchange->makes_first || exchange->makes_all ||
            exchange->makes_at == exchange->nodes) &&
           !is_forbidden && find_free() != NULL &&
           free_descriptor() == first_descriptor;
}

static void save(void)
{
    saved.nodes = exchange->nodes;
    saved.operations = exchange->operations;
    saved.threads = exchange->threads;
    saved.digest = exchange->digest;
    memcpy(saved.node, exchange->node, saved.nodes * sizeof(saved.node[0]));
    memcpy(saved.order, exchange->order,
           saved.operations < NODES ? saved.operations : NODES);
    memcpy(saved.name, exchange->name, sizeof(saved.name));
    memcpy(saved.reached, exchange->reached, sizeof(saved.reached));
    memcpy(saved.sources, exchange->sources, sizeof(saved.sources));
}

static void restore(void)
{
    exchange->nodes = saved.nodes;
    exchange->operations = saved.operations;
    exchange->threads = saved.threads;
    exchange->digest = saved.digest;
    memcpy(exchange->node, saved.node, saved.nodes * sizeof(saved.node[0]));
    memcpy(exchange->order, saved.order,
           saved.operations < NODES ? saved.operations : NODES);
    memcpy(exchange->name, saved.name, sizeof(saved.name));
    memcpy(exchange->reached, saved.reached, sizeof(saved.reached));
    memcpy(exchange->sources, saved.sources, sizeof(saved.sources));
}

/* An execution goes on, on the stack where the checkpoint was made. */
static void go_on(void)
{
    fiber_switch(&waiter, &here);
}

/* The process is a fork of a checkpoint that remains. */
static void set_home(struct slot *slot)
{
    if (!slot->takes_back)
        return;
    home = slot;
    rewind_begin();
}

/* Waits until an execution is wanted, and goes on in it. */
static void wait_in(void *arg)
{
    struct slot *slot = arg;
    int process;

    for (;;) {
        switch (__atomic_load_n(&slot->state, __ATOMIC_ACQUIRE)) {
        case FORK:
            __atomic_store_n(&slot->state, WAITING, __ATOMIC_RELEASE);
            process = fork_sibling();
            if (process == 0)
                set_home(slot);
            if (process <= 0) /* or there cannot be more processes */
                go_on();
            break;
        case GO_ON:
            go_on();
            break;
        case DIE:
            _exit(0);
        default:
            futex(&slot->state, FUTEX_WAIT, WAITING);
        }
    }
}

/* On rewind_stack(). */
static void go_back(void *arg)
{
    struct slot *slot = arg;

    if (!rewind_memory(slot->process)) {
        slot->takes_back = false;
        _exit(0);
    }
    home = slot;
    slot->runner = (int)syscall(SYS_getpid);
    __atomic_store_n(&slot->is_resting, true, __ATOMIC_RELEASE);
    do /* somebody else may send SIGCONT */
        syscall(SYS_kill, slot->runner, SIGSTOP);
    while (__atomic_load_n(&slot->is_resting, __ATOMIC_ACQUIRE));
    go_on();
}

void checkpoint_go_back(void)
{
    struct fiber end;

    if (home == NULL || !home->takes_back || rewind_is_forbidden() ||
        exchange->finding != FOUND_NOTHING || exchange->status != 0 ||
        exchange->threads != saved.threads ||
        free_descriptor() != first_descriptor)
        return;
    fiber_borrow(&waiter, rewind_stack(), go_back, home);
    fiber_switch(&end, &waiter);
}

bool checkpoint_make(const struct node *node)
{
    struct slot *slot = find_free();
    int process;

    save();
    *slot = (struct slot){.state = FREE,
                          .depth = exchange->nodes,
                          .operations = exchange->operations,
                          .node = *node,
                          .policy = exchange->state,
                          .is_group = exchange->makes_at == exchange->nodes,
                          .takes_back = exchange->makes_at == exchange->nodes,
                          .path = path_of(saved.node, saved.nodes - 1)};
    __atomic_store_n(&slot->state, WAITING, __ATOMIC_RELEASE);
    exchange->makes_first = false;
    home = NULL; /* rewind.h: it must not have forked */
    process = fork_sibling();
    if (process != 0) {
        if (process > 0)
            slot->process = process;
        else
            slot->state = FREE;
        return false;
    }
    if (slot->is_group) /* where a policy asks: executions may read its memory */
        prctl(PR_SET_PTRACER, search_process);
    fiber_adopt(&here);
    fiber_borrow(&waiter, rewind_stack(), wait_in, slot);
    fiber_switch(&here, &waiter);
    exchange->process = (int)syscall(SYS_getpid);
    if (exchange->process == slot->process)
        __atomic_store_n(&slot->state, FREE, __ATOMIC_RELEASE);
    restore();
    return true;
}

/* --- the search ------------------------------------------------------------------ */

void checkpoint_begin(struct exchange *shared, void (*begin)(int output))
{
    exchange = shared;
    begin_program = begin;
    search_process = (int)syscall(SYS_getpid);
    slots = mmap(NULL, SLOTS * sizeof(*slots), PROT_READ | PROT_WRITE,
                 MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (slots == MAP_FAILED || rewind_init() != 0) {
        perror("weir explore");
        exit(1);
    }
}

static void end_runner(struct slot *slot)
{
    if (slot->runner == 0)
        return;
    syscall(SYS_kill, slot->runner, SIGKILL);
    while (waitpid(slot->runner, NULL, 0) < 0 && errno == EINTR)
        ;
    slot->runner = 0;
    slot->is_resting = false;
}

static void remove_slot(struct slot *slot)
{
    end_runner(slot);
    set_state(slot, DIE);
    while (waitpid(slot->process, NULL, 0) < 0 && errno == EINTR)
        ;
    slot->state = FREE;
}

void checkpoint_end(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING)
            remove_slot(&slots[i]);
}

/* The checkpoint where these picks were made before, or NULL. */
static struct slot *find_slot(unsigned depth, uint64_t path)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING && slots[i].depth == depth &&
            slots[i].path == path)
            return &slots[i];
    return NULL;
}

static bool is_seen(struct slot *slot, unsigned pick)
{
    uint8_t bit = (uint8_t)(1u << pick % 8);
    bool was_seen = (slot->seen[pick / 8] & bit) != 0;

    slot->seen[pick / 8] |= bit;
    return was_seen;
}

/* How many are left for executions that have little in common. */
static bool is_full(void)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        count += slots[i].state == WAITING && !slots[i].is_group;
    return count >= COMMON_SLOTS;
}

/* The one of the group, where the policy goes on differently. */
static struct slot *find_group(void)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        struct slot *slot = &slots[i];

        if (slot->state != WAITING || !slot->is_group)
            continue;
        exchange->state = slot->policy;
        policy_redraw(exchange, slot->depth);
        exchange->pick = (uint8_t)policy_pick(exchange, &slot->node,
                                              slot->depth, slot->operations);
        return slot;
    }
    return NULL;
}

bool checkpoint_has_group(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING && slots[i].is_group)
            return true;
    return false;
}

static void end_group(void)
{
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING && slots[i].is_group)
            remove_slot(&slots[i]);
}

/* Makes the picks of the policy, as far as there are checkpoints. */
static struct slot *find_common(void)
{
    struct slot *slot = NULL, *next = find_slot(1, no_path);

    exchange->makes_first = next == NULL;
    while (next != NULL) {
        slot = next;
        exchange->pick = (uint8_t)policy_pick(exchange, &slot->node,
                                              slot->depth, slot->operations);
        next =
            find_slot(slot->depth + 1, add_to_path(slot->path, exchange->pick));
    }
    if (slot != NULL && is_seen(slot, exchange->pick) && !is_full())
        exchange->makes_first = true;
    if (slot != NULL && exchange->makes_at != 0 &&
        exchange->makes_at <= slot->depth) /* it begins after that */
        exchange->makes_at = slot->depth + 1;
    return slot;
}

/* Whether the slot is on the path that is prescribed. */
static bool is_on_path(const struct slot *slot, const uint64_t *paths)
{
    return slot->depth <= exchange->prescribed &&
           slot->path == paths[slot->depth - 1];
}

/* Removes the slots that the search has left behind, and if it needs more, those
 * to which it will come back last. */
static void tidy(const uint64_t *paths)
{
    unsigned count = 0;

    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING && !is_on_path(&slots[i], paths))
            remove_slot(&slots[i]);
    for (unsigned i = 0; i < SLOTS; i++)
        count += slots[i].state == WAITING;
    for (; count > SLOTS - FREE_SLOTS; count--) {
        struct slot *shallowest = NULL;

        for (unsigned i = 0; i < SLOTS; i++)
            if (slots[i].state == WAITING &&
                (shallowest == NULL || slots[i].depth < shallowest->depth))
                shallowest = &slots[i];
        remove_slot(shallowest);
    }
}

/* The deepest one on the path that is prescribed. */
static struct slot *find_open(void)
{
    static uint64_t paths[NODES + 1];
    struct slot *best = NULL;

    paths[0] = no_path;
    for (unsigned i = 0; i < exchange->prescribed; i++)
        paths[i + 1] = add_to_path(paths[i], exchange->picks[i]);
    tidy(paths);
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].state == WAITING &&
            (best == NULL || slots[i].depth > best->depth))
            best = &slots[i];
    if (best != NULL)
        exchange->pick = exchange->picks[best->depth - 1];
    exchange->makes_all = true;
    return best;
}

/* --- waiting for the end --------------------------------------------------------- */

static volatile sig_atomic_t is_late;

static void on_alarm(int number)
{
    is_late = 1;
}

/* Of the processor, that a process has used; -1: there is no such process. */
static double seconds_of(int process)
{
    clockid_t clock = (clockid_t)((~(unsigned)process << 3) | 2);
    struct timespec used;

    if (syscall(SYS_clock_gettime, clock, &used) != 0)
        return -1;
    return (double)used.tv_sec + (double)used.tv_nsec / 1e9;
}

static double begun; /* that the process had used before the execution */

/* An execution that uses the processor for so long, or not at all, hangs.  One
 * that has to wait for the processor does not. */
static bool is_hanging(double *before)
{
    double seconds =
        exchange->process != 0 ? seconds_of(exchange->process) : -1;

    if (seconds < 0)
        return false;
    seconds -= begun;
    if (seconds > CHECKPOINT_HANG_SECONDS || seconds - *before < 0.01)
        return true;
    *before = seconds;
    return false;
}

/* Whether it is a checkpoint that somebody has killed, or a process that was
 * resting there. */
static bool is_checkpoint(int process)
{
    for (unsigned i = 0; i < SLOTS; i++) {
        if (slots[i].state == WAITING && slots[i].process == process) {
            if (slots[i].is_resting)
                end_runner(&slots[i]);
            slots[i].state = FREE;
            return true;
        }
        if (slots[i].state == WAITING && slots[i].runner == process) {
            slots[i].runner = 0;
            return slots[i].is_resting;
        }
    }
    return false;
}

/* Whether the execution has ended; if it rests, the status is that of an exit. */
static bool has_ended(int process, int *status)
{
    if (!WIFSTOPPED(*status))
        return !is_checkpoint(process);
    *status = 0;
    for (unsigned i = 0; i < SLOTS; i++)
        if (slots[i].runner == process && slots[i].is_resting)
            return process == exchange->process;
    return false; /* somebody has stopped it */
}

/* Returns the status of the execution. */
static int wait_for_end(void)
{
    struct sigaction action = {.sa_handler = on_alarm};
    double used = -1;
    bool hangs = false;
    int status, process;

    sigaction(SIGALRM, &action, NULL);
    alarm(CHECKPOINT_HANG_SECONDS);
    do {
        process = waitpid(-1, &status, WUNTRACED);
        if (process < 0 && is_late) {
            is_late = 0;
            alarm(CHECKPOINT_HANG_SECONDS);
            hangs = is_hanging(&used);
            if (hangs)
                syscall(SYS_kill, exchange->process, SIGKILL);
        }
    } while (process < 0 || !has_ended(process, &status));
    alarm(0);
    return hangs ? SIGALRM : status;
}

static void wake_runner(struct slot *slot, bool is_last)
{
    slot->takes_back = !is_last;
    exchange->process = slot->runner;
    begun = seconds_of(slot->runner);
    __atomic_store_n(&slot->is_resting, false, __ATOMIC_RELEASE);
    syscall(SYS_kill, slot->runner, SIGCONT);
}

static void start(struct slot *slot, bool goes_on, int output)
{
    int process;

    exchange->process = 0;
    begun = 0;
    if (slot != NULL && slot->runner != 0) {
        wake_runner(slot, goes_on);
        return;
    }
    if (slot != NULL) {
        set_state(slot, goes_on ? GO_ON : FORK);
        return;
    }
    process = (int)syscall(SYS_fork);
    if (process < 0) {
        perror("weir explore: fork");
        exit(1);
    }
    if (process > 0)
        return;
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    begin_program(output);
}

int checkpoint_run(enum checkpoints checkpoints, bool is_last, int output)
{
    struct slot *slot = NULL;

    exchange->makes_first = exchange->makes_all = false;
    if (checkpoints == GROUP_NODE)
        slot = find_group();
    if (checkpoints == COMMON_NODES)
        end_group();
    if (checkpoints == COMMON_NODES)
        slot = find_common();
    else if (checkpoints == OPEN_NODES)
        slot = find_open();
    start(slot,
          is_last && slot != NULL &&
              (slot->is_group || slot->depth == exchange->prescribed),
          output);
    return wait_for_end();
}
