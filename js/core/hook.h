/* SPDX-License-Identifier: MIT */
/*
 * hook -- the functions of JavaScript that C calls.
 *
 * js/lib/core/bootstrap.js exports them under these names.  A host looks them
 * all up when it starts, and aborts if one is missing, so that a wrong name
 * cannot wait for the rare event that needs it.
 */
#ifndef WEIR_JS_HOOK_H
#define WEIR_JS_HOOK_H

/* What each of them does is said in bootstrap.js. */
#define WEIR__JS_HOOKS(X)                                                      \
    X(RESOLVE, "resolve")                                                      \
    X(IMPORT, "import")                                                        \
    X(FORMAT, "format")                                                        \
    X(NAMES, "names")                                                          \
    X(LOAD, "load")                                                            \
    X(META, "meta")                                                            \
    X(MAIN, "main")                                                            \
    X(INVALID_CALLBACK, "invalidCallback")                                     \
    X(STRING_TOO_LONG, "stringTooLong")                                        \
    X(TIMER_OVERFLOW, "timerOverflow")                                         \
    X(CLONE, "clone")                                                          \
    X(GROWABLE, "growable")                                                    \
    X(GROWN, "grown")                                                          \
    X(MESSAGING, "messaging")                                                  \
    X(TRANSFER_LIST, "transferList")                                           \
    X(LOST_CHANNEL, "lostChannel")                                             \
    X(MISSING_MESSAGE, "missingMessage")                                       \
    X(NO_PORT, "noPort")                                                       \
    X(PACK_ERROR, "packError")                                                 \
    X(WOULD_BLOCK, "wouldBlock")                                               \
    X(NOTHING, "nothing")                                                      \
    X(BREACH, "breach")                                                        \
    X(BLOCKED, "blocked")                                                      \
    X(ASKED, "asked")                                                          \
    X(SIGNAL, "signal")                                                        \
    X(REPORT, "report")                                                        \
    X(REJECTED, "rejected")                                                    \
    X(ON_UNCAUGHT, "onUncaught")                                               \
    X(ON_UNHANDLED, "onUnhandled")                                             \
    X(ON_REJECTED, "onRejected")                                               \
    X(ON_HANDLED, "onHandled")                                                 \
    X(BEFORE_EXIT, "beforeExit")                                               \
    X(EXIT, "emitExit")                                                        \
    X(UNSETTLED, "unsettled")                                                  \
    X(FAIL, "fail")

enum weir__js_hook {
#define X(name, export_name) WEIR__JS_HOOK_##name,
    WEIR__JS_HOOKS(X)
#undef X
        WEIR__JS_HOOK_COUNT
};

#endif /* WEIR_JS_HOOK_H */
