/* SPDX-License-Identifier: MIT */
/*
 * broadcast -- BroadcastChannel: a message posted by one member of a name
 * reaches all other members of that name, in any host.
 *
 * A member is a port whose mailbox has no other end.  The table of names is
 * global to the process, under a lock.  Two decisions are made under the lock:
 * whether a mailbox is a member, and which of two messages comes first.  So the
 * lock is held while a message is copied and sent to the channels (lock-free)
 * of the others, and all members of a name see all messages in the same order.
 * A mailbox leaves the table before it is closed, whoever closes it: no thread
 * that has the lock finds a mailbox that is gone.
 *
 * Tested by  test/js/messages/broadcast-*.js; test/model/base/lock.c explores
 *            the list against posters and a member that leaves
 */
#include <stdlib.h>
#include <string.h>

#include "core/builtin.h"
#include "messages/mailbox.h"
#include "weir/host/lock.h"

struct member {
    struct weir__js_link link;
    struct weir__js_mailbox *mailbox;
    char name[];
};

static weir_lock lock = WEIR_LOCK_INIT;
static struct weir__js_link members = {&members, &members}; /* under the lock */

static struct member *find(const struct weir__js_mailbox *mailbox)
{
    for (struct weir__js_link *at = members.next; at != &members; at = at->next)
        if (((struct member *)at)->mailbox == mailbox)
            return (struct member *)at;
    return NULL;
}

static void leave(struct weir__js_mailbox *mailbox)
{
    struct member *member;

    weir_lock_acquire(&lock);
    member = find(mailbox);
    if (member != NULL)
        weir__js_list_remove(&member->link);
    weir_lock_release(&lock);
    free(member);
}

static int enter(struct weir__js_mailbox *mailbox, const char *name)
{
    struct member *member = malloc(sizeof(*member) + strlen(name) + 1);

    if (member == NULL)
        return -1;
    member->mailbox = mailbox;
    strcpy(member->name, name);
    weir__js_mailbox_on_close(mailbox, leave);
    weir_lock_acquire(&lock);
    weir__js_list_add(&members, &member->link);
    weir_lock_release(&lock);
    return 0;
}

/* join(name) -> a port */
static JSValue join(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_mailbox *mailbox = NULL;
    const char *name = JS_ToCString(context, argv[0]);
    JSValue port;

    if (name == NULL)
        return JS_EXCEPTION;
    if (weir__js_mailbox_new(&mailbox) != 0 || enter(mailbox, name) != 0)
        port = JS_ThrowOutOfMemory(context);
    else
        port = weir__js_port_attach(weir__js_of(context), mailbox);
    JS_FreeCString(context, name);
    if (JS_IsException(port) && mailbox != NULL)
        weir__js_mailbox_close(mailbox);
    return port;
}

/* Put a copy into every other mailbox of this name.  If memory runs out, those
 * that come later in the list get none. */
static void put_to_others(const struct weir__js_mailbox *from,
                          const struct weir__js_message *message)
{
    struct member *own;

    weir_lock_acquire(&lock);
    own = find(from);
    for (struct weir__js_link *at = members.next; own && at != &members;
         at = at->next) {
        struct member *other = (struct member *)at;
        struct weir__js_message *copy;

        if (other == own || strcmp(other->name, own->name) != 0)
            continue;
        copy = weir__js_message_copy(message);
        if (copy == NULL)
            break;
        weir__js_mailbox_put(other->mailbox, copy);
    }
    weir_lock_release(&lock);
}

/* post(port, value) */
static JSValue post(JSContext *context, JSValueConst this_value, int argc,
                    JSValueConst *argv)
{
    struct weir__js_message *message =
        weir__js_message_write(context, argv[1], JS_UNDEFINED, NULL);
    struct weir__js_mailbox *mailbox =
        weir__js_port_mailbox(weir__js_of(context), argv[0]);

    if (message == NULL)
        return JS_EXCEPTION;
    if (mailbox != NULL)
        put_to_others(mailbox, message);
    weir__js_message_free(message);
    return JS_UNDEFINED;
}

static const JSCFunctionListEntry natives[] = {
    JS_CFUNC_DEF("join", 1, join),
    JS_CFUNC_DEF("post", 2, post),
};

const struct weir__js_builtin weir__js_broadcast_builtin = {
    WEIR__JS_LIBS("messages/broadcast"),
    WEIR__JS_NATIVES(natives),
};
