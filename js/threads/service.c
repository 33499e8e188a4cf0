/* SPDX-License-Identifier: MIT */
/*
 * service -- the gate of weir:service, shared by all hosts of a process.
 *
 * A service is a gate and a list of the work inside it, found by its number.
 * Each JavaScript object that stands for it is a member.  Each piece of work
 * inside is a ticket, which exits once.  JavaScript sees neither the gate's
 * word nor the pointers beside it: if they were in memory that it can write to,
 * such as a SharedArrayBuffer, it could choose what C calls when the gate
 * closes.
 *
 * Work ends with its host.  When the host ends, even by terminate, its tickets
 * exit, so that a dead worker does not hold up a drain forever.
 *
 * A service exists while it has members, and while it is RUNNING or DRAINING,
 * since its number may be on its way to another host.  A service that no longer
 * exists was CLOSED.
 *
 * Shared state
 *   registry, members, last_id   under the registry's lock: whether a service
 *                     can be found, and who leaves it last
 *   gate              any thread: whether work is inside, and the phase
 *   tickets           under the service's lock, which a host's thread holds to
 *                     link, unlink or copy one of the list.  The list is for
 *                     reports; the gate decides when the service is empty.
 *   ticket            its host's thread, except for link, name, thread and
 *                     time
 *
 * Why no lost wake  A thread that waits for the end registers its wait
 *                   (weir/host/waiter.h), on a word that never changes,
 *                   before it reads the phase.  So either the closing thread
 *                   finds the wait, or the read finds CLOSED.
 *
 * Tested by  test/js/threads/service.c, test/js/threads/service-*.js
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "core/error.h"
#include "core/property.h"
#include "core/visible.h"
#include "threads/atomics.h"
#include "threads/waiters.h"
#include "weir/clock.h"
#include "weir/host/lock.h"
#include "weir/host/waiter.h"

struct service {
    struct service *next; /* under the registry's lock */
    uint32_t id;
    unsigned members; /* under the registry's lock */
    weir_gate gate;
    uint32_t end;                 /* always 0: notified when CLOSED */
    weir_lock lock;               /* for: */
    struct weir__js_link tickets; /* work inside, oldest first */
};

/* Behind a Service. */
struct member {
    struct weir__js_link link; /* in members_of(js); loop only */
    struct service *service;
};

static struct weir__js_link *members_of(const weir_js *js)
{
    return js->states[WEIR__JS_SERVICE];
}

/* Behind a Ticket. */
struct ticket {
    struct weir__js_link link; /* under the service's lock, while inside */
    struct service *service;
    weir_js *js;
    bool is_inside;       /* loop only; so are: */
    JSValue self, member; /* held while inside, so that it is not collected */
    int32_t thread;       /* threadId */
    int64_t since_ns;
    char name[];
};

static weir_lock registry_lock = WEIR_LOCK_INIT;
static struct service *registry; /* under the lock */
static uint32_t last_id;         /* the same */

/* ---- any thread ---- */

static void on_closed(void *arg)
{
    struct service *service = arg;

    weir_waiter_notify(&service->end, UINT32_MAX);
}

static struct service *new_service(void)
{
    struct service *service = calloc(1, sizeof(*service));

    if (service == NULL ||
        weir_gate_init(&service->gate, on_closed, service, NULL) != 0) {
        free(service);
        return NULL;
    }
    weir__js_list_init(&service->tickets);
    service->members = 1;
    weir_lock_acquire(&registry_lock);
    service->id = ++last_id;
    service->next = registry;
    registry = service;
    weir_lock_release(&registry_lock);
    return service;
}

/* Returns NULL if it is gone or never existed. */
static struct service *join(uint32_t id)
{
    struct service *service;

    weir_lock_acquire(&registry_lock);
    service = registry;
    while (service != NULL && service->id != id)
        service = service->next;
    if (service != NULL)
        service->members++;
    weir_lock_release(&registry_lock);
    return service;
}

/* Remove the service from the registry unless it must stay.  Under the
 * registry's lock.  Returns true if nobody can find it any more. */
static bool take_out(struct service *service)
{
    weir_phase phase = weir_gate_phase(&service->gate);
    struct service **link = &registry;

    if (service->members > 0 || phase == WEIR_PHASE_RUNNING ||
        phase == WEIR_PHASE_DRAINING)
        return false;
    while (*link != service)
        link = &(*link)->next;
    *link = service->next;
    return true;
}

static void leave(struct service *service)
{
    bool is_out;

    weir_lock_acquire(&registry_lock);
    service->members--;
    is_out = take_out(service);
    weir_lock_release(&registry_lock);
    if (!is_out)
        return;
    weir__js_synchronize(service);
    weir__js_synchronize(&registry); /* that it is gone means CLOSED */
    free(service);
}

/* ---- tickets ---- */

/* May free the ticket. */
static void exit_ticket(struct ticket *ticket)
{
    struct service *service = ticket->service;
    JSContext *context = ticket->js->context;
    JSValue member = ticket->member;

    ticket->is_inside = false;
    weir__js_visit_object(context, "service exit", service);
    weir_lock_acquire(&service->lock);
    weir__js_list_remove(&ticket->link);
    weir_lock_release(&service->lock);
    weir_gate_exit(&service->gate);
    JS_FreeValue(context, ticket->self);
    JS_FreeValue(context, member);
}

/* A ticket of this host that is inside, or NULL. */
static struct ticket *find_ticket(struct service *service, weir_js *js)
{
    struct weir__js_link *link;
    struct ticket *found = NULL;

    weir_lock_acquire(&service->lock);
    for (link = service->tickets.next;
         link != &service->tickets && found == NULL; link = link->next)
        if (((struct ticket *)link)->js == js)
            found = (struct ticket *)link;
    weir_lock_release(&service->lock);
    return found;
}

static int init_services(weir_js *js)
{
    weir__js_list_init(members_of(js));
    return 0;
}

/* Take over the member's reference to the service first: its tickets may be all
 * that holds the object. */
static void drop_services(weir_js *js)
{
    while (!weir__js_list_is_empty(members_of(js))) {
        struct member *member = (struct member *)members_of(js)->next;
        struct service *service = member->service;
        struct ticket *ticket;

        weir__js_list_remove(&member->link);
        member->service = NULL;
        while ((ticket = find_ticket(service, js)) != NULL)
            exit_ticket(ticket);
        leave(service);
    }
}

static void finalize_ticket(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);

    free(weir__js_opaque(js, value, WEIR__JS_TICKET));
}

static const JSClassDef ticket_class = {.class_name = "Ticket",
                                        .finalizer = finalize_ticket};

/* ---- members ---- */

static void finalize_member(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct member *member = weir__js_opaque(js, value, WEIR__JS_SERVICE);

    if (member != NULL && member->service != NULL) {
        weir__js_list_remove(&member->link);
        leave(member->service);
    }
    free(member);
}

static const JSClassDef service_class = {.class_name = "Service",
                                         .finalizer = finalize_member};

/* Takes the reference to the service. */
static JSValue new_member(JSContext *context, struct service *service)
{
    weir_js *js = weir__js_of(context);
    struct member *member = malloc(sizeof(*member));
    JSValue self = JS_NewObjectClass(context, js->classes[WEIR__JS_SERVICE]);

    if (service == NULL || member == NULL || JS_IsException(self)) {
        if (service != NULL)
            leave(service);
        free(member);
        JS_FreeValue(context, self);
        return JS_ThrowOutOfMemory(context);
    }
    member->service = service;
    weir__js_list_add(members_of(js), &member->link);
    JS_SetOpaque(self, member);
    return self;
}

static struct service *service_of(JSContext *context, JSValueConst value)
{
    struct member *member =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_SERVICE);

    if (member == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return member != NULL ? member->service : NULL;
}

/* create() */
static JSValue create(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    return new_member(context, new_service());
}

/* attach(id): null if it is gone */
static JSValue attach(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct service *service;
    uint32_t id;

    if (JS_ToUint32(context, &id, argv[0]) < 0)
        return JS_EXCEPTION;
    service = join(id);
    if (service != NULL)
        return new_member(context, service);
    weir__js_synchronize(&registry);
    return JS_NULL;
}

/* With a copy of the name; NULL with an exception. */
static struct ticket *new_ticket(JSContext *context, JSValueConst named,
                                 JSValueConst number)
{
    const char *name = JS_ToCString(context, named);
    struct ticket *ticket;
    int32_t thread;

    if (name == NULL)
        return NULL;
    ticket = malloc(sizeof(*ticket) + strlen(name) + 1);
    if (ticket == NULL) {
        JS_ThrowOutOfMemory(context);
    } else {
        strcpy(ticket->name, name);
        JS_ToInt32(context, &thread, number); /* a number: cannot fail */
        ticket->thread = thread;
    }
    JS_FreeCString(context, name);
    return ticket;
}

static void put_inside(struct ticket *ticket, struct service *service)
{
    ticket->service = service;
    ticket->is_inside = true;
    ticket->since_ns = weir_clock_now();
    weir_lock_acquire(&service->lock);
    weir__js_list_add(&service->tickets, &ticket->link);
    weir_lock_release(&service->lock);
}

/* enter(service, name, thread): a ticket, or null */
static JSValue enter(JSContext *context, JSValueConst this_value, int argc,
                     JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct service *service = service_of(context, argv[0]);
    struct ticket *ticket =
        service != NULL ? new_ticket(context, argv[1], argv[2]) : NULL;
    JSValue self;

    if (ticket == NULL)
        return JS_EXCEPTION;
    self = JS_NewObjectClass(context, js->classes[WEIR__JS_TICKET]);
    weir__js_visit_object(context, "service enter", service);
    if (JS_IsException(self) || weir_gate_enter(&service->gate) != 0) {
        free(ticket);
        JS_FreeValue(context, self);
        return JS_IsException(self) ? self : JS_NULL;
    }
    JS_SetOpaque(self, ticket);
    ticket->js = js;
    ticket->self = JS_DupValue(context, self);
    ticket->member = JS_DupValue(context, argv[0]);
    put_inside(ticket, service);
    return self;
}

/* exit(ticket): whether it was inside */
static JSValue exit_once(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    struct ticket *ticket =
        weir__js_opaque(weir__js_of(context), argv[0], WEIR__JS_TICKET);
    bool was_inside = ticket != NULL && ticket->is_inside;

    if (was_inside)
        exit_ticket(ticket);
    return JS_NewBool(context, was_inside);
}

enum { ID, START, DRAIN, PHASE, INFLIGHT };

static const char *const questions[] = {
    [START] = "service start",
    [DRAIN] = "service drain",
    [PHASE] = "service phase",
    [INFLIGHT] = "service inflight",
};

/* A number about the service: its id, phase or inflight count; or a status. */
static JSValue ask(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct service *service = service_of(context, argv[0]);

    if (service == NULL)
        return JS_EXCEPTION;
    if (magic != ID)
        weir__js_visit_object(context, questions[magic], service);
    switch (magic) {
    case ID:
        return JS_NewUint32(context, service->id);
    case START:
        return JS_NewInt32(context, weir_gate_start(&service->gate));
    case DRAIN:
        return JS_NewInt32(context, weir_gate_drain(&service->gate));
    case PHASE:
        return JS_NewInt32(context, (int32_t)weir_gate_phase(&service->gate));
    default:
        return JS_NewUint32(context, weir_gate_inflight(&service->gate));
    }
}

/* closed(service, ms, resolve): resolve('ok' or 'timed-out') */
static JSValue closed(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct service *service = service_of(context, argv[0]);
    struct weir__js_word word = {.array = argv[0], .size = 4};
    int err;

    if (service == NULL ||
        weir__js_to_timeout(context, argv[1], &word.timeout_ns) < 0)
        return JS_EXCEPTION;
    word.address = &service->end;
    err = weir__js_wait_begin(js, &word, argv[2]);
    if (err != 0)
        return weir__js_throw_status(context, err);
    if (weir_gate_phase(&service->gate) == WEIR_PHASE_CLOSED)
        on_closed(service); /* it may have closed before the wait began */
    return JS_UNDEFINED;
}

/* ---- holders ---- */

struct holder {
    char *name;
    int32_t thread;
    double age_ms;
};

/* Make a copy: no JavaScript value is created under the lock.  NULL if there is
 * no memory. */
static struct holder *copy_holders(struct service *service, uint32_t *count)
{
    int64_t now = weir_clock_now();
    struct weir__js_link *link;
    struct holder *holders;

    *count = 0;
    weir_lock_acquire(&service->lock);
    for (link = service->tickets.next; link != &service->tickets;
         link = link->next)
        ++*count;
    holders = calloc(*count + 1, sizeof(*holders));
    for (uint32_t i = 0; i < *count && holders != NULL; i++) {
        const struct ticket *ticket;

        link = link->next;
        ticket = (const struct ticket *)link;
        holders[i].name = strdup(ticket->name);
        holders[i].thread = ticket->thread;
        holders[i].age_ms = (double)(now - ticket->since_ns) / 1e6;
    }
    weir_lock_release(&service->lock);
    return holders;
}

static JSValue show_holder(JSContext *context, const struct holder *holder)
{
    JSValue object = JS_NewObject(context);

    if (!JS_IsException(object) &&
        weir__js_set_property(
            context, object, "name",
            JS_NewString(context, holder->name != NULL ? holder->name : "?")) >=
            0 &&
        weir__js_set_property(context, object, "thread",
                              JS_NewInt32(context, holder->thread)) >= 0 &&
        weir__js_set_property(context, object, "age",
                              JS_NewFloat64(context, holder->age_ms)) >= 0)
        return object;
    JS_FreeValue(context, object);
    return JS_EXCEPTION;
}

/* holders(service): [{name, thread, age}], oldest first */
static JSValue holders_of(JSContext *context, JSValueConst this_value, int argc,
                          JSValueConst *argv)
{
    struct service *service = service_of(context, argv[0]);
    JSValue array = service != NULL ? JS_NewArray(context) : JS_EXCEPTION;
    struct holder *holders;
    uint32_t count;
    int status = 0;

    if (JS_IsException(array))
        return array;
    holders = copy_holders(service, &count);
    if (holders == NULL) {
        JS_ThrowOutOfMemory(context);
        count = 0;
        status = -1;
    }
    for (uint32_t i = 0; i < count; i++) {
        if (status >= 0)
            status = weir__js_set_element(context, array, i,
                                          show_holder(context, &holders[i]));
        free(holders[i].name);
    }
    free(holders);
    if (status >= 0)
        return array;
    JS_FreeValue(context, array);
    return JS_EXCEPTION;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("create", 0, create),
    JS_CFUNC_DEF("attach", 1, attach),
    JS_CFUNC_DEF("enter", 3, enter),
    JS_CFUNC_DEF("exit", 1, exit_once),
    JS_CFUNC_MAGIC_DEF("id", 1, ask, ID),
    JS_CFUNC_MAGIC_DEF("start", 1, ask, START),
    JS_CFUNC_MAGIC_DEF("drain", 1, ask, DRAIN),
    JS_CFUNC_MAGIC_DEF("phase", 1, ask, PHASE),
    JS_CFUNC_MAGIC_DEF("inflight", 1, ask, INFLIGHT),
    JS_CFUNC_DEF("closed", 3, closed),
    JS_CFUNC_DEF("holders", 1, holders_of),
    JS_PROP_INT32_DEF("ENOTSTARTED", WEIR_ENOTSTARTED, 0),
};

const struct weir__js_builtin weir__js_service_builtin = {
    WEIR__JS_LIBS("threads/service"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &service_class,
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_services,
    .drop = drop_services,
};

const struct weir__js_builtin weir__js_ticket_builtin = {
    .class_definition = &ticket_class,
};
