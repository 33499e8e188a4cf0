/* SPDX-License-Identifier: MIT */
/*
 * port -- MessagePort, and the delivery of its messages.
 *
 * A port is used only on its host's thread; other threads touch only its
 * mailbox.  The host holds the object of an open port, as Node does, so a
 * program must close a port to have it collected.
 *
 * Each message is followed by a checkpoint, like a callback of the loop.  One
 * turn serves a limited number of messages; then timers, descriptors and
 * immediates get their turn.
 *
 * Tested by  test/js/messages/port-*.js, test/js/messages/port.c
 */
#include <stdlib.h>

#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/lib.h"
#include "core/visible.h"
#include "messages/mailbox.h"
#include "weir/host/loop.h"

enum { MOST_IN_A_TURN = 256 };

/* Functions of js/lib/messages/messaging.js. */
enum hook {
    INIT,    /* this: a new port */
    MESSAGE, /* (value) */
    FAILED,  /* (error): the message cannot be deserialized here */
    CLOSED,
    HOOKS
};

struct port {
    struct weir__js_link link; /* in ports.held while the object is held */
    weir_js *js;
    struct weir__js_mailbox *mailbox; /* NULL: closed or transferred */
    JSValue object;                   /* held until "close" was emitted */
    JSValue context;  /* captured (core/context.h), while the object is held */
    JSValue listener; /* the only listener, if it wants just the value */
    bool is_started, is_ref;
    bool is_collected; /* the object was collected */
    unsigned refs;     /* callbacks that refer to it */
};

/* The port that this thread serves; NULL once it was freed.  A serve does not
 * hold a reference while microtasks run, as weir_raise would not release it.
 * Left behind, this pointer is only ever compared. */
static _Thread_local struct port *served;

/* The ports of a host. */
struct ports {
    struct weir__js_link held; /* port.link */
    JSValue hooks[HOOKS];
};

static struct ports *ports_of(const weir_js *js)
{
    return js->states[WEIR__JS_PORT];
}

static void free_port(struct port *port)
{
    if (served == port)
        served = NULL;
    free(port);
}

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);
    struct port *port = weir__js_opaque(js, value, WEIR__JS_PORT);

    if (port == NULL)
        return;
    port->is_collected = true;
    if (port->refs == 0)
        free_port(port);
}

static const JSClassDef port_class = {.class_name = "MessagePort",
                                      .finalizer = finalize};

static struct port *port_of(const weir_js *js, JSValueConst value)
{
    return weir__js_opaque(js, value, WEIR__JS_PORT);
}

struct weir__js_mailbox *weir__js_port_mailbox(const weir_js *js,
                                               JSValueConst value)
{
    struct port *port = port_of(js, value);

    return port != NULL ? port->mailbox : NULL;
}

/* ---- lifetime ---- */

static void set_ref(struct port *port, bool is_ref)
{
    if (is_ref == port->is_ref)
        return;
    port->is_ref = is_ref;
    if (is_ref)
        weir_loop_ref(port->js->loop);
    else
        weir_loop_unref(port->js->loop);
}

/* Forget the mailbox, which belongs to another owner now. */
static void let_go_of_mailbox(struct port *port)
{
    set_ref(port, false);
    port->mailbox = NULL;
}

/* Takes the values. */
static void call_hook(struct port *port, enum hook hook, JSValue value,
                      JSValue ports)
{
    weir_js *js = port->js;
    JSContext *context = js->context;
    JSValue object = JS_DupValue(context, port->object);
    bool is_simple = hook == MESSAGE && !JS_IsUndefined(port->listener);
    JSValue function = JS_DupValue(
        context, is_simple ? port->listener : ports_of(js)->hooks[hook]);
    JSValueConst args[] = {value, ports};
    JSValue captured = JS_DupValue(context, port->context);
    JSValue result = weir__js_context_call(js, captured, function, object,
                                           is_simple ? 1 : 2, args);

    if (JS_IsException(result))
        weir__js_report(js);
    JS_FreeValue(context, result);
    JS_FreeValue(context, captured);
    JS_FreeValue(context, function);
    JS_FreeValue(context, value);
    JS_FreeValue(context, ports);
    JS_FreeValue(context, object); /* may free the port */
}

/* Queue fn on the loop with the port as its argument. */
static bool queue(struct port *port, int (*how)(weir_loop *, weir_fn *, void *),
                  weir_fn *fn)
{
    if (!weir__js_hold(port->js))
        return false;
    if (how(port->js->loop, fn, port) != 0) {
        weir__js_let_go(port->js);
        return false;
    }
    port->refs++;
    return true;
}

static void unref(struct port *port)
{
    if (--port->refs == 0 && port->is_collected)
        free_port(port);
}

/* End a reference of the loop after its callback. */
static void come_back(struct port *port)
{
    weir_js *js = port->js;

    unref(port);
    weir__js_let_go(js);
}

static void set_listener(struct port *port, JSValueConst function)
{
    JSContext *context = port->js->context;
    JSValue old = port->listener;

    port->listener = JS_DupValue(context, function);
    JS_FreeValue(context, old);
}

static void drop_object(struct port *port)
{
    JSValue object = port->object, captured = port->context;

    weir__js_list_remove(&port->link);
    set_listener(port, JS_UNDEFINED);
    port->object = port->context = JS_UNDEFINED;
    JS_FreeValue(port->js->context, captured);
    JS_FreeValue(port->js->context, object);
}

static void tell_closed(void *arg, int status)
{
    struct port *port = arg;
    weir_js *js = port->js;

    if (!port->is_collected && !js->has_ended) {
        if (status == 0 && weir__js_enter(js) == 0) {
            call_hook(port, CLOSED, JS_UNDEFINED, JS_UNDEFINED);
            weir__js_leave(js);
        }
        drop_object(port);
    }
    come_back(port);
}

/* Close the port.  The event is emitted at the end of the turn. */
static void close_port(struct port *port)
{
    struct weir__js_mailbox *mailbox = port->mailbox;

    if (mailbox == NULL)
        return;
    let_go_of_mailbox(port);
    weir__js_mailbox_close(mailbox);
    if (!queue(port, weir_loop_on_close_phase, tell_closed))
        drop_object(port);
}

void weir__js_port_detach(weir_js *js, JSValueConst value)
{
    struct port *port = port_of(js, value);

    weir__js_mailbox_detach(port->mailbox);
    let_go_of_mailbox(port);
    if (!queue(port, weir_loop_on_close_phase, tell_closed))
        drop_object(port);
}

static int init_ports(weir_js *js)
{
    struct ports *all = ports_of(js);

    weir__js_list_init(&all->held);
    weir__js_values_init(all->hooks, HOOKS);
    return 0;
}

static void drop_ports(weir_js *js)
{
    struct ports *all = ports_of(js);

    while (!weir__js_list_is_empty(&all->held)) {
        struct port *port = (struct port *)all->held.next;
        struct weir__js_mailbox *mailbox = port->mailbox;

        if (mailbox != NULL) {
            let_go_of_mailbox(port);
            weir__js_mailbox_close(mailbox);
        }
        drop_object(port);
    }
    weir__js_values_drop(js->context, all->hooks, HOOKS);
}

/* ---- messages ---- */

static void deliver(struct port *port, struct weir__js_message *message)
{
    weir_js *js = port->js;
    JSValue value, ports = JS_UNDEFINED;

    if (weir__js_enter(js) == 0) {
        value = weir__js_message_read(js->context, message, &ports);
        if (JS_IsException(value))
            call_hook(port, FAILED, JS_GetException(js->context), ports);
        else
            call_hook(port, MESSAGE, value, ports);
        weir__js_leave(js);
    }
    weir__js_message_free(message);
}

/* Deliver one message; return whether there is another, and still a port.  A
 * message may arrive right after a look that found none, so only has_ended
 * tells the end. */
static bool serve_one(struct port *port)
{
    struct weir__js_message *message;
    bool has_more;

    if (port->mailbox == NULL)
        return false;
    message = port->is_started ? weir__js_mailbox_take(port->mailbox) : NULL;
    if (message == NULL) {
        if (weir__js_mailbox_has_ended(port->mailbox))
            close_port(port);
        return false;
    }
    has_more = weir__js_mailbox_waiting(port->mailbox, 1) > 0;
    port->refs++;
    deliver(port, message);
    unref(port);
    return has_more && served == port;
}

/* Ask the mailbox for the next notification first: the callback of a message
 * may do anything, and a microtask of C may leave this function through
 * weir_raise, or free the host. */
static void serve(void *arg)
{
    struct port *port = arg;
    weir_loop *loop = port->js->loop;

    if (port->mailbox != NULL && port->is_started &&
        weir__js_mailbox_waiting(port->mailbox, 2) > 1)
        weir__js_mailbox_knock(port->mailbox);
    served = port;
    for (int i = 1; serve_one(port) && i < MOST_IN_A_TURN; i++)
        if (weir_loop_checkpoint(loop) != 0 || served != port)
            break;
}

/* ---- creation ---- */

JSValue weir__js_port_attach(weir_js *js, struct weir__js_mailbox *mailbox)
{
    struct ports *all = ports_of(js);
    JSContext *context = js->context;
    JSValue object, result = JS_UNDEFINED;
    struct port *port;

    if (JS_IsUndefined(all->hooks[0]))
        result = weir__js_call_hook(js, WEIR__JS_HOOK_MESSAGING, JS_UNDEFINED);
    JS_FreeValue(context, result);
    if (JS_IsException(result))
        return result;
    port = calloc(1, sizeof(*port));
    if (port == NULL)
        return JS_ThrowOutOfMemory(context);
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_PORT]);
    if (JS_IsException(object)) {
        free(port);
        return object;
    }
    JS_SetOpaque(object, port);
    port->js = js;
    port->object = port->listener = port->context = JS_UNDEFINED;
    result = JS_Call(context, all->hooks[INIT], object, 0, NULL);
    JS_FreeValue(context, result);
    if (JS_IsException(result)) {
        JS_FreeValue(context, object);
        return result;
    }
    port->mailbox = mailbox;
    port->object = JS_DupValue(context, object);
    port->context = weir__js_context_capture(js);
    weir__js_list_add(&all->held, &port->link);
    weir__js_mailbox_attach(mailbox, js, serve, port);
    return object;
}

/* channel() -> [port, port] */
static JSValue new_channel(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    struct weir__js_mailbox *pair[2];
    JSValue ports[2];

    if (weir__js_mailbox_pair(pair) != 0)
        return JS_ThrowOutOfMemory(context);
    for (int i = 0; i < 2; i++) {
        ports[i] = weir__js_port_attach(weir__js_of(context), pair[i]);
        if (JS_IsException(ports[i])) {
            if (i > 0)
                JS_FreeValue(context, ports[0]);
            while (i < 2)
                weir__js_mailbox_close(pair[i++]);
            return JS_EXCEPTION;
        }
    }
    return JS_NewArrayFrom(context, 2, ports);
}

/* ---- methods ---- */

static struct port *this_port(JSContext *context, JSValueConst value)
{
    struct port *port = port_of(weir__js_of(context), value);

    if (port == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return port;
}

/* The second argument of postMessage as an array, or undefined. */
static JSValue transfer_list(JSContext *context, int argc, JSValueConst *argv)
{
    return argc < 2 || JS_IsUndefined(argv[1]) || JS_IsNull(argv[1])
               ? JS_UNDEFINED
               : weir__js_call_hook(weir__js_of(context),
                                    WEIR__JS_HOOK_TRANSFER_LIST, argv[1]);
}

/* As in Node, the channel is lost then: nobody has it. */
static JSValue lose_channel(struct port *port, struct weir__js_message *message)
{
    weir__js_message_free(message);
    return weir__js_call_hook(port->js, WEIR__JS_HOOK_LOST_CHANNEL,
                              JS_UNDEFINED);
}

static JSValue post_message(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    struct port *port = this_port(context, this_value);
    struct weir__js_message *message;
    JSValue list;

    if (port == NULL)
        return JS_EXCEPTION;
    if (argc == 0)
        return weir__js_call_hook(port->js, WEIR__JS_HOOK_MISSING_MESSAGE,
                                  JS_UNDEFINED);
    list = transfer_list(context, argc, argv);
    if (JS_IsException(list))
        return list;
    message = weir__js_message_write(context, argv[0], list, port->mailbox);
    JS_FreeValue(context, list);
    if (message == NULL)
        return JS_EXCEPTION;
    if (port->mailbox == NULL) {
        weir__js_message_free(message);
        return JS_UNDEFINED;
    }
    if (weir__js_mailbox_is_target(port->mailbox, message))
        return lose_channel(port, message);
    weir__js_visit(context, "postMessage");
    weir__js_mailbox_send(port->mailbox, message);
    weir__js_visit(context, NULL); /* it may arrive before the next line runs */
    return JS_TRUE;                /* as Node returns */
}

enum { START, CLOSE, REF, UNREF, HAS_REF };

static JSValue act(JSContext *context, JSValueConst this_value, int argc,
                   JSValueConst *argv, int magic)
{
    struct port *port = this_port(context, this_value);

    if (port == NULL)
        return JS_EXCEPTION;
    if (magic == HAS_REF)
        return JS_NewBool(context, port->is_ref);
    if (port->mailbox == NULL)
        return JS_UNDEFINED;
    if (magic == CLOSE) {
        close_port(port);
    } else if (magic == START) {
        port->is_started = true;
        if (weir__js_mailbox_waiting(port->mailbox, 1) > 0)
            weir__js_mailbox_knock(port->mailbox);
    } else {
        set_ref(port, magic == REF);
    }
    return JS_UNDEFINED;
}

/* receive(port) -> {message}, or undefined if there is none */
static JSValue receive(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    struct port *port = port_of(weir__js_of(context), argv[0]);
    struct weir__js_message *message = NULL;
    JSValue value, result;

    if (port == NULL)
        return weir__js_call_hook(weir__js_of(context), WEIR__JS_HOOK_NO_PORT,
                                  argv[0]);
    if (port->mailbox != NULL)
        message = weir__js_mailbox_take(port->mailbox);
    if (message == NULL)
        return JS_UNDEFINED;
    value = weir__js_message_read(context, message, NULL);
    weir__js_message_free(message);
    if (JS_IsException(value))
        return value;
    result = JS_NewObject(context);
    if (JS_DefinePropertyValueStr(context, result, "message", value,
                                  JS_PROP_C_W_E) < 0) {
        JS_FreeValue(context, result);
        return JS_EXCEPTION;
    }
    return result;
}

/* listen(port, function), or undefined if there is not exactly one listener */
static JSValue listen(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    struct port *port = port_of(weir__js_of(context), argv[0]);

    if (port != NULL && !JS_IsUndefined(port->object))
        set_listener(port, argv[1]);
    return JS_UNDEFINED;
}

/* isOpen(port) */
static JSValue is_open(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    return JS_NewBool(
        context, weir__js_port_mailbox(weir__js_of(context), argv[0]) != NULL);
}

/* hasRunOut() -> whether memory ran out since the loop entered JavaScript */
static JSValue has_run_out(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    return JS_NewBool(context, weir__js_of(context)->heap.has_run_out);
}

/* setHooks(prototype, init, message, failed, closed) */
static JSValue set_hooks(JSContext *context, JSValueConst this_value, int argc,
                         JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    struct ports *all = ports_of(js);

    JS_SetClassProto(context, js->classes[WEIR__JS_PORT],
                     JS_DupValue(context, argv[0]));
    weir__js_values_set(context, all->hooks, HOOKS, argv + 1);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry methods[] = {
    JS_CFUNC_DEF("postMessage", 0, post_message),
    JS_CFUNC_MAGIC_DEF("start", 0, act, START),
    JS_CFUNC_MAGIC_DEF("close", 0, act, CLOSE),
    JS_CFUNC_MAGIC_DEF("ref", 0, act, REF),
    JS_CFUNC_MAGIC_DEF("unref", 0, act, UNREF),
    JS_CFUNC_MAGIC_DEF("hasRef", 0, act, HAS_REF),
};

/* methods(prototype) */
static JSValue add_methods(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    return WEIR__JS_SET_FUNCTIONS(context, argv[0], methods) < 0 ? JS_EXCEPTION
                                                                 : JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("methods", 1, add_methods),
    JS_CFUNC_DEF("setHooks", HOOKS + 1, set_hooks),
    JS_CFUNC_DEF("channel", 0, new_channel),
    JS_CFUNC_DEF("receive", 1, receive),
    JS_CFUNC_DEF("listen", 2, listen),
    JS_CFUNC_DEF("isOpen", 1, is_open),
    JS_CFUNC_DEF("hasRunOut", 0, has_run_out),
};

const struct weir__js_builtin weir__js_port_builtin = {
    WEIR__JS_LIBS("messages/messaging"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &port_class,
    .state_bytes = sizeof(struct ports),
    .init = init_ports,
    .drop = drop_ports,
};
