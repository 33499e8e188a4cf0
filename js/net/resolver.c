/* SPDX-License-Identifier: MIT */
/*
 * resolver -- the natives of dns: lookups, queries, and the object behind a
 * dns.Resolver.
 *
 * Data      Each lookup or query is a request: its callback and the async
 *           context of the code that started it.  A Resolver is the opaque
 *           pointer of its object.
 * Owner     A request belongs to libweir-net until its function is called, and
 *           holds the host's struct and its resolver's object.  The object owns
 *           the resolver, which is closed when the object is collected.
 * Thread    The loop's.
 * Decides   The function of a request is called once.  If the host has ended
 *           before, its values were dropped, and only the memory is left.
 *
 * Tested by  test/js/net/dns-*.js
 */
#include <errno.h>
#include <netdb.h>
#include <stdlib.h>
#include <string.h>

#include "core/async.h"
#include "core/builtin.h"
#include "core/context.h"
#include "core/entry.h"
#include "core/error.h"
#include "core/permission.h"
#include "core/property.h"
#include "net/address.h"
#include "net/handle.h"
#include "net/records.h"
#include "weir/net/lookup.h"
#include "weir/net/query.h"

struct request {
    struct weir__js_link link; /* in the host's state */
    weir_js *js;
    JSValue callback, context;
    JSValue resolver; /* the object of a query's resolver */
};

static struct weir__js_link *requests_of(const weir_js *js)
{
    return js->states[WEIR__JS_RESOLVER];
}

/* ---- requests ---- */

static struct request *new_request(JSContext *context, JSValueConst callback,
                                   JSValueConst resolver)
{
    weir_js *js = weir__js_of(context);
    struct request *request = malloc(sizeof(*request));

    if (request == NULL || !weir__js_hold(js)) {
        free(request);
        JS_ThrowOutOfMemory(context);
        return NULL;
    }
    request->js = js;
    request->callback = JS_DupValue(context, callback);
    request->context = weir__js_context_capture(js);
    request->resolver = JS_DupValue(context, resolver);
    weir__js_list_add(requests_of(js), &request->link);
    return request;
}

static void drop_values(struct request *request)
{
    JSContext *context = request->js->context;

    JS_FreeValue(context, request->callback);
    JS_FreeValue(context, request->context);
    JS_FreeValue(context, request->resolver);
}

static void free_request(struct request *request)
{
    weir_js *js = request->js;

    if (!js->has_ended) {
        drop_values(request);
        weir__js_list_remove(&request->link);
    }
    free(request);
    weir__js_let_go(js);
}

/* Call the callback with an error's name and the result, which is taken. */
static void finish(struct request *request, const char *error, JSValue result)
{
    weir_js *js = request->js;
    JSContext *context = js->context;
    JSValue args[2] = {error != NULL ? JS_NewString(context, error) : JS_NULL,
                       result};
    JSValue returned;

    if (JS_IsException(result) || JS_IsException(args[0])) {
        JS_FreeValue(context, JS_GetException(context));
        JS_FreeValue(context, args[0]);
        args[0] = JS_NewString(context, "ENOMEM");
        args[1] = JS_UNDEFINED;
    }
    returned = weir__js_context_call(js, request->context, request->callback,
                                     JS_UNDEFINED, 2, (JSValueConst *)args);
    if (JS_IsException(returned))
        weir__js_report(js);
    JS_FreeValue(context, returned);
    JS_FreeValue(context, args[0]);
    JS_FreeValue(context, args[1]);
    free_request(request);
}

/* ---- lookups ---- */

static JSValue new_addresses(JSContext *context,
                             const weir_lookup_result *result)
{
    JSValue list = JS_NewArray(context);

    for (size_t i = 0; i < result->count && !JS_IsException(list); i++)
        weir__js_put_element(
            context, &list, (uint32_t)i,
            weir__js_address_text(context, &result->addresses[i]));
    return list;
}

static void on_found(void *arg, int status, const weir_lookup_result *result)
{
    struct request *request = arg;
    weir_js *js = request->js;

    if (weir__js_enter(js) != 0) {
        free_request(request);
        return;
    }
    if (status == 0)
        finish(request, NULL, new_addresses(js->context, result));
    else
        finish(request,
               result->error != NULL ? result->error : weir_error_name(status),
               JS_UNDEFINED);
    weir__js_net_leave(js);
}

/* lookup(host, family, flags, callback): 0 or an error */
static JSValue look_up(JSContext *context, JSValueConst this_value, int argc,
                       JSValueConst *argv)
{
    weir_lookup_options options = {.size = sizeof(options)};
    int32_t family, flags;
    const char *host;
    struct request *request;
    int err = -ENOMEM;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET) ||
        JS_ToInt32(context, &family, argv[1]) < 0 ||
        JS_ToInt32(context, &flags, argv[2]) < 0)
        return JS_EXCEPTION;
    host = JS_ToCString(context, argv[0]);
    if (host == NULL)
        return JS_EXCEPTION;
    options.family = family == 4   ? WEIR_ADDRESS_IPV4
                     : family == 6 ? WEIR_ADDRESS_IPV6
                                   : WEIR_ADDRESS_NONE;
    options.flags = (unsigned)flags;
    request = new_request(context, argv[3], JS_UNDEFINED);
    if (request != NULL)
        err = weir_lookup_start(request->js->loop, NULL, host, 0, on_found,
                                request, &options);
    JS_FreeCString(context, host);
    if (request == NULL)
        return JS_EXCEPTION;
    if (err != 0)
        free_request(request);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* ---- services ---- */

struct service {
    struct weir__js_work work;
    weir_address address;
    int err; /* of getnameinfo */
    char host[NI_MAXHOST], name[NI_MAXSERV];
};

static void find_service(struct weir__js_work *work, int status)
{
    struct service *service = (struct service *)work;
    size_t size;
    const void *address = weir_address_sockaddr(&service->address, &size);

    service->err = status != 0
                       ? EAI_FAIL
                       : getnameinfo(address, (socklen_t)size, service->host,
                                     sizeof(service->host), service->name,
                                     sizeof(service->name), NI_NAMEREQD);
}

/* [host, service], or the number of the error */
static JSValue give_service(struct weir__js_work *work, JSContext *context)
{
    struct service *service = (struct service *)work;
    JSValue values[2];

    if (service->err != 0)
        return JS_NewInt32(context, service->err);
    values[0] = JS_NewString(context, service->host);
    values[1] = JS_NewString(context, service->name);
    return weir__js_new_array(context, 2, values);
}

static void free_service(struct weir__js_work *work)
{
    free(work);
}

static const struct weir__js_work_kind service_kind = {
    "getnameinfo", find_service, give_service, free_service};

/* lookupService(address, port, resolve, reject): 0 or an error */
static JSValue look_up_service(JSContext *context, JSValueConst this_value,
                               int argc, JSValueConst *argv)
{
    struct service *service;
    int err;

    if (!weir__js_check_may(context, WEIR__JS_MAY_NET))
        return JS_EXCEPTION;
    service = calloc(1, sizeof(*service));
    if (service == NULL)
        return JS_ThrowOutOfMemory(context);
    err = weir__js_address_read(context, argv[0], argv[1], &service->address);
    if (err == 0)
        err = weir__js_work_start(weir__js_of(context), &service->work,
                                  &service_kind, NULL, argv[2], argv[3]);
    if (err != 0)
        free(service);
    return err == -1 ? JS_EXCEPTION
                     : JS_NewInt32(context, weir__js_net_status(err));
}

/* ---- resolvers ---- */

static void finalize(JSRuntime *runtime, JSValueConst value)
{
    weir_js *js = JS_GetRuntimeOpaque(runtime);

    weir_resolver_close(weir__js_opaque(js, value, WEIR__JS_RESOLVER));
}

static const JSClassDef resolver_class = {.class_name = "ChannelWrap",
                                          .finalizer = finalize};

static weir_resolver *resolver_of(JSContext *context, JSValueConst value)
{
    weir_resolver *resolver =
        weir__js_opaque(weir__js_of(context), value, WEIR__JS_RESOLVER);

    if (resolver == NULL)
        JS_ThrowTypeError(context, "Illegal invocation");
    return resolver;
}

/* newResolver(timeout in ms or -1, tries) */
static JSValue new_resolver(JSContext *context, JSValueConst this_value,
                            int argc, JSValueConst *argv)
{
    weir_js *js = weir__js_of(context);
    weir_resolver_options options = {.size = sizeof(options)};
    weir_resolver *resolver;
    int64_t timeout_ms;
    uint32_t tries;
    JSValue object;
    int err;

    if (JS_ToInt64(context, &timeout_ms, argv[0]) < 0 ||
        JS_ToUint32(context, &tries, argv[1]) < 0)
        return JS_EXCEPTION;
    object = JS_NewObjectClass(context, js->classes[WEIR__JS_RESOLVER]);
    if (JS_IsException(object))
        return object;
    options.timeout_ns = timeout_ms > 0 ? timeout_ms * 1000000 : 0;
    options.attempts = tries;
    err = weir_resolver_new(&resolver, js->loop, &options);
    if (err != 0) {
        JS_FreeValue(context, object);
        return weir__js_throw_status(context, err);
    }
    JS_SetOpaque(object, resolver);
    return object;
}

/* cancel(resolver) */
static JSValue cancel(JSContext *context, JSValueConst this_value, int argc,
                      JSValueConst *argv)
{
    weir_resolver *resolver = resolver_of(context, argv[0]);

    if (resolver == NULL)
        return JS_EXCEPTION;
    weir_resolver_cancel(resolver);
    return JS_UNDEFINED;
}

static int read_server(JSContext *context, JSValueConst list, uint32_t index,
                       weir_address *address)
{
    JSValue text = JS_GetPropertyUint32(context, list, 2 * index);
    JSValue port = JS_GetPropertyUint32(context, list, 2 * index + 1);
    int err = JS_IsException(text) || JS_IsException(port)
                  ? -1
                  : weir__js_address_read(context, text, port, address);

    JS_FreeValue(context, text);
    JS_FreeValue(context, port);
    return err;
}

/* setServers(resolver, [address, port, ...]): 0 or an error */
static JSValue set_servers(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_resolver *resolver = resolver_of(context, argv[0]);
    weir_address *servers;
    int64_t length;
    int err = 0;

    if (resolver == NULL || JS_GetLength(context, argv[1], &length) < 0)
        return JS_EXCEPTION;
    servers = calloc((size_t)length / 2 + 1, sizeof(*servers));
    if (servers == NULL)
        return JS_ThrowOutOfMemory(context);
    for (int64_t i = 0; i < length / 2 && err == 0; i++)
        err = read_server(context, argv[1], (uint32_t)i, &servers[i]);
    if (err == 0)
        err = weir_resolver_set_servers(resolver, servers, (size_t)length / 2);
    free(servers);
    return err == -1 ? JS_EXCEPTION
                     : JS_NewInt32(context, weir__js_net_status(err));
}

/* getServers(resolver): [address, port, ...] */
static JSValue get_servers(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    enum { MOST = 32 };
    weir_resolver *resolver = resolver_of(context, argv[0]);
    weir_address servers[MOST];
    JSValue values[2 * MOST];
    size_t count;

    if (resolver == NULL)
        return JS_EXCEPTION;
    count = weir_resolver_servers(resolver, servers, MOST);
    if (count > MOST)
        count = MOST;
    for (size_t i = 0; i < count; i++) {
        values[2 * i] = weir__js_address_text(context, &servers[i]);
        values[2 * i + 1] =
            JS_NewInt32(context, weir_address_port(&servers[i]));
    }
    return weir__js_new_array(context, (int)(2 * count), values);
}

/* ---- queries ---- */

static void on_answer(void *arg, int status, const weir_query_result *result)
{
    struct request *request = arg;
    weir_js *js = request->js;

    if (weir__js_enter(js) != 0) {
        free_request(request);
        return;
    }
    if (status == 0)
        finish(request, NULL, weir__js_records(js->context, result));
    else
        finish(request,
               status == WEIR_ECANCELED ? "ECANCELLED"
               : result->error != NULL  ? result->error
                                        : weir_error_name(status),
               JS_UNDEFINED);
    weir__js_net_leave(js);
}

/* query(resolver, name, type, callback): 0 or an error */
static JSValue start_query(JSContext *context, JSValueConst this_value,
                           int argc, JSValueConst *argv)
{
    weir_resolver *resolver = resolver_of(context, argv[0]);
    uint32_t type;
    const char *name;
    struct request *request;
    int err = -ENOMEM;

    if (resolver == NULL || !weir__js_check_may(context, WEIR__JS_MAY_NET) ||
        JS_ToUint32(context, &type, argv[2]) < 0)
        return JS_EXCEPTION;
    name = JS_ToCString(context, argv[1]);
    if (name == NULL)
        return JS_EXCEPTION;
    request = new_request(context, argv[3], argv[0]);
    if (request != NULL)
        err = weir_query_start(resolver, NULL, name, type, on_answer, request,
                               NULL);
    JS_FreeCString(context, name);
    if (request == NULL)
        return JS_EXCEPTION;
    if (err != 0)
        free_request(request);
    return JS_NewInt32(context, weir__js_net_status(err));
}

/* reverse(resolver, address, callback): 0 or an error */
static JSValue start_reverse(JSContext *context, JSValueConst this_value,
                             int argc, JSValueConst *argv)
{
    weir_resolver *resolver = resolver_of(context, argv[0]);
    weir_address address;
    struct request *request;
    int err;

    if (resolver == NULL || !weir__js_check_may(context, WEIR__JS_MAY_NET))
        return JS_EXCEPTION;
    err = weir__js_address_read(context, argv[1], JS_NewInt32(context, 0),
                                &address);
    if (err != 0)
        return err == -1 ? JS_EXCEPTION : JS_NewInt32(context, err);
    request = new_request(context, argv[2], argv[0]);
    if (request == NULL)
        return JS_EXCEPTION;
    err =
        weir_query_reverse(resolver, NULL, &address, on_answer, request, NULL);
    if (err != 0)
        free_request(request);
    return JS_NewInt32(context, weir__js_net_status(err));
}

static int init_requests(weir_js *js)
{
    weir__js_list_init(requests_of(js));
    return 0;
}

static void drop_requests(weir_js *js)
{
    struct weir__js_link *list = requests_of(js);

    for (struct weir__js_link *at = list->next; at != list; at = at->next)
        drop_values((struct request *)at);
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("lookup", 4, look_up),
    JS_CFUNC_DEF("lookupService", 4, look_up_service),
    JS_CFUNC_DEF("newResolver", 2, new_resolver),
    JS_CFUNC_DEF("cancel", 1, cancel),
    JS_CFUNC_DEF("setServers", 2, set_servers),
    JS_CFUNC_DEF("getServers", 1, get_servers),
    JS_CFUNC_DEF("query", 4, start_query),
    JS_CFUNC_DEF("reverse", 3, start_reverse),
};

const struct weir__js_builtin weir__js_resolver_builtin = {
    WEIR__JS_LIBS("net/dns", "net/resolver"),
    WEIR__JS_NATIVES(natives),
    .class_definition = &resolver_class,
    .state_bytes = sizeof(struct weir__js_link),
    .init = init_requests,
    .drop = drop_requests,
};
