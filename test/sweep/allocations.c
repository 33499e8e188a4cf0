/* SPDX-License-Identifier: MIT */
/*
 * allocations -- each allocation of the engine fails, one after the other.
 *
 *     allocations [--stride N] [--only WAY] PROGRAM...
 *
 * Each program runs on its own bare engine with a malloc whose n-th call
 * fails, either that one alone (once) or with all that follow (always); n goes up
 * until the program passes without a failure.  None may die by a signal, and none
 * may leave a block or an object behind; afterwards the same context has to run a
 * small program.  An array that is a program's value is an array of texts, which
 * are read as C strings.  A child process does it, so that the sweep goes on
 * after one that dies.  A new engine that was made has to have all its builtins,
 * and a host keeps what it could not make into a closure.
 *
 * Ways to run a program: as a script or a module from its source (source), from
 * its bytecode, written and read again (bytecode), and the engine itself made,
 * with no program (engine).  With --stride N every N-th allocation fails.
 *
 * Of use in a build with AddressSanitizer: there the engine takes each block from
 * malloc; otherwise it carves small ones out of pages, and only these fail.
 */
#include <errno.h>
#include <malloc.h>
#include <quickjs.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

enum { JOBS_MAX = 10000, DEADLINE_S = 60, SHOWN = 3 };

enum outcome { PASSED, HAS_FAILED_MALLOC, IS_BROKEN, LEAKS };

struct account {
    unsigned long seen, nth; /* nth 0: none fails */
    bool is_always, has_failed;
    long blocks;
};

static struct account account;
static bool
    is_shown; /* WEIR_SHOW: what programs throw, and which malloc fails */

__attribute__((weak)) void __sanitizer_print_stack_trace(void);

static bool fails(void)
{
    account.seen++;
    if (account.nth == 0 || account.seen < account.nth ||
        (account.seen > account.nth && !account.is_always))
        return false;
    if (is_shown && !account.has_failed &&
        __sanitizer_print_stack_trace != NULL)
        __sanitizer_print_stack_trace();
    account.has_failed = true;
    return true;
}

static void *note(void *block)
{
    account.blocks += block != NULL;
    return block;
}

static void *allocate(void *opaque, size_t size)
{
    return fails() ? NULL : note(malloc(size));
}

static void *allocate_cleared(void *opaque, size_t count, size_t size)
{
    return fails() ? NULL : note(calloc(count, size));
}

static void *reallocate(void *opaque, void *block, size_t size)
{
    if (block == NULL)
        return allocate(opaque, size);
    if (size <= malloc_usable_size(block))
        return block; /* the engine relies on it, and weir's heap obliges */
    return fails() ? NULL : realloc(block, size);
}

static void give_back(void *opaque, void *block)
{
    account.blocks -= block != NULL;
    free(block);
}

static const JSMallocFunctions functions = {.js_calloc = allocate_cleared,
                                            .js_malloc = allocate,
                                            .js_free = give_back,
                                            .js_realloc = reallocate};

struct program {
    const char *path;
    char *source;
    size_t length;
    bool is_module;
};

static char *read_whole(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    char *text;
    long size;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 ||
        (size = ftell(file)) < 0) {
        fprintf(stderr, "allocations: %s: %s\n", path, strerror(errno));
        exit(2);
    }
    rewind(file);
    text = malloc((size_t)size + 1);
    *length = fread(text, 1, (size_t)size, file);
    text[*length] = '\0';
    fclose(file);
    return text;
}

/* An imported module is the text of its name: import 'export let a = 1'. */
static JSModuleDef *load_module(JSContext *context, const char *name, void *arg)
{
    JSValue function = JS_Eval(context, name, strlen(name), name,
                               JS_EVAL_TYPE_MODULE | JS_EVAL_FLAG_COMPILE_ONLY);
    JSModuleDef *module;

    if (JS_IsException(function))
        return NULL;
    module = JS_VALUE_GET_PTR(function);
    JS_FreeValue(context, function);
    return module;
}

static char *keep_name(JSContext *context, const char *base, const char *name,
                       void *arg)
{
    return js_strdup(context, name);
}

static JSContext *new_engine(void)
{
    JSRuntime *runtime = JS_NewRuntime2(&functions, NULL);
    JSContext *context;

    if (runtime == NULL)
        return NULL;
    JS_SetDumpFlags(runtime, JS_ABORT_ON_LEAKS);
    JS_SetModuleLoaderFunc(runtime, keep_name, load_module, NULL);
    context = JS_NewContext(runtime);
    if (context == NULL)
        JS_FreeRuntime(runtime);
    return context;
}

static void free_engine(JSContext *context)
{
    JSRuntime *runtime = JS_GetRuntime(context);

    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
}

/* As a host does: its text and its stack are read. */
static void drop_exception(JSContext *context)
{
    JSValue thrown = JS_GetException(context);
    bool is_odd = JS_IsUninitialized(thrown);
    JSValue stack = JS_IsError(thrown)
                        ? JS_GetPropertyStr(context, thrown, "stack")
                        : JS_UNDEFINED;
    const char *texts[] = {JS_ToCString(context, thrown),
                           JS_ToCString(context, stack)};

    for (int i = 0; i < 2; i++) {
        if (is_shown && texts[i] != NULL)
            fprintf(stderr, "# %s\n", texts[i]);
        JS_FreeCString(context, texts[i]);
    }
    JS_FreeValue(context, stack);
    JS_FreeValue(context, thrown);
    JS_FreeValue(context, JS_GetException(context));
    if (is_odd) {
        fprintf(stderr, "an exception without a value\n");
        abort();
    }
}

static void drop_result(JSContext *context, JSValue result)
{
    if (JS_IsException(result))
        drop_exception(context);
    else
        JS_FreeValue(context, result);
}

/* As a host reads a text. */
static void read_text(JSContext *context, JSValueConst value)
{
    JS_FreeCString(context, JS_ToCString(context, value));
    JS_FreeValue(context, JS_GetException(context));
    JS_FreeCStringUTF16(context, JS_ToCStringLenUTF16(context, NULL, value));
    JS_FreeValue(context, JS_GetException(context));
}

/* The last value of a program may be an array of texts. */
static void read_texts(JSContext *context, JSValueConst list)
{
    int64_t count = 0;

    if (!JS_IsArray(list) || JS_GetLength(context, list, &count) < 0)
        return;
    for (int64_t i = 0; i < count; i++) {
        JSValue value = JS_GetPropertyInt64(context, list, i);

        read_text(context, value);
        JS_FreeValue(context, value);
    }
}

static void run_jobs(JSContext *context)
{
    JSContext *of;
    int status;

    for (int i = 0; i < JOBS_MAX; i++) {
        status = JS_ExecutePendingJob(JS_GetRuntime(context), &of);
        if (status == 0)
            return;
        if (status < 0)
            drop_exception(of);
    }
}

static JSValue evaluate(JSContext *context, const struct program *program,
                        int flags)
{
    return JS_Eval(context, program->source, program->length, program->path,
                   flags | (program->is_module ? JS_EVAL_TYPE_MODULE
                                               : JS_EVAL_TYPE_GLOBAL));
}

static void run_source(JSContext *context, const struct program *program)
{
    JSValue result = evaluate(context, program, 0);

    read_texts(context, result);
    drop_result(context, result);
    run_jobs(context);
}

static void run_bytecode(JSContext *context, const struct program *program)
{
    JSValue code = evaluate(context, program, JS_EVAL_FLAG_COMPILE_ONLY);
    uint8_t *bytes;
    size_t size;

    if (JS_IsException(code)) {
        drop_exception(context);
        return;
    }
    bytes = JS_WriteObject(context, &size, code, JS_WRITE_OBJ_BYTECODE);
    JS_FreeValue(context, code);
    if (bytes == NULL) {
        drop_exception(context);
        return;
    }
    code = JS_ReadObject(context, bytes, size, JS_READ_OBJ_BYTECODE);
    js_free(context, bytes);
    if (!JS_IsException(code) && program->is_module &&
        JS_ResolveModule(context, code) < 0) {
        JS_FreeValue(context, code);
        code = JS_EXCEPTION;
    }
    drop_result(context,
                JS_IsException(code) ? code : JS_EvalFunction(context, code));
    run_jobs(context);
}

static bool still_works(JSContext *context)
{
    static const char text[] =
        "(() => { class A { #x = 1; get x() { return this.#x } }\n"
        "return [...'ab'].map(() => new A().x).join() + /b+/.exec('abb') })()";
    JSValue result = JS_Eval(context, text, strlen(text), "still_works", 0);
    const char *answer = JS_ToCString(context, result);
    bool is_right = answer != NULL && strcmp(answer, "1,1bb") == 0;

    if (!is_right)
        fprintf(stderr, "the engine no longer works: %s\n",
                answer != NULL ? answer : "exception");
    JS_FreeCString(context, answer);
    drop_result(context, result);
    return is_right;
}

/* Every builtin that is reachable, with its attributes, a line for each. */
static const char census[] =
    "(() => { const seen = new Set(), lines = [];\n"
    "function visit(object, path) {\n"
    "  if (Object(object) !== object || seen.has(object)) return;\n"
    "  seen.add(object);\n"
    "  lines.push(path + ' ' + Object.isExtensible(object));\n"
    "  visit(Object.getPrototypeOf(object), path + '.__proto__');\n"
    "  for (const key of Reflect.ownKeys(object)) {\n"
    "    const at = path + '.' + String(key);\n"
    "    const d = Object.getOwnPropertyDescriptor(object, key);\n"
    "    lines.push(at + ' ' + Object.keys(d).filter((k) => d[k]) + ' ' +\n"
    "               (key === 'name' ? d.value : typeof d.value));\n"
    "    visit(d.value, at); visit(d.get, at + '.get'); visit(d.set, at);\n"
    "  }\n"
    "}\n"
    "visit(globalThis, '');\n"
    "[function* () {}, async () => {}, async function* () {}, [].keys(),\n"
    " ''[Symbol.iterator](), /./[Symbol.matchAll](''), new Map().keys(),\n"
    " new Set().keys(), [].keys().map((x) => x), Iterator.from({ next() {} "
    "}),\n"
    " (function () { return arguments })()].forEach(visit);\n"
    "return lines.join('\\n') })()";

static char *all_builtins; /* what a complete engine answers */

/* The caller frees it; NULL: an exception. */
static char *take_census(JSContext *context)
{
    JSValue result = JS_Eval(context, census, strlen(census), "census", 0);
    const char *lines =
        JS_IsException(result) ? NULL : JS_ToCString(context, result);
    char *copy = lines != NULL ? strdup(lines) : NULL;

    JS_FreeCString(context, lines);
    drop_result(context, result);
    return copy;
}

static bool has_all_builtins(JSContext *context)
{
    char *lines = take_census(context);
    bool is_right = lines != NULL && strcmp(lines, all_builtins) == 0;
    size_t at = 0;

    if (lines == NULL)
        fprintf(stderr, "the builtins cannot be listed\n");
    if (lines != NULL && !is_right) {
        while (lines[at] == all_builtins[at])
            at++;
        while (at > 0 && all_builtins[at - 1] != '\n')
            at--;
        fprintf(stderr, "the engine lacks %.*s\n",
                (int)strcspn(all_builtins + at, "\n"), all_builtins + at);
    }
    free(lines);
    return is_right;
}

static JSValue answer_nothing(JSContext *context, JSValueConst self, int argc,
                              JSValueConst *argv, int magic, void *opaque)
{
    return JS_UNDEFINED;
}

/* The engine frees what a closure holds, unless it could not make it. */
static void make_closure(JSContext *context)
{
    char *held = malloc(1);
    JSValue function =
        JS_NewCClosure(context, answer_nothing, "a name", free, 0, 0, held);

    if (JS_IsException(function))
        free(held);
    drop_result(context, function);
}

static void arm(unsigned long nth, bool is_always)
{
    account.seen = 0;
    account.nth = nth;
    account.is_always = is_always;
}

static enum outcome finish(JSContext *context, bool is_new)
{
    bool works = true;

    account.nth = 0;
    if (context != NULL) {
        works = still_works(context) && (!is_new || has_all_builtins(context));
        free_engine(context);
    }
    if (!works)
        return IS_BROKEN;
    if (account.blocks != 0) {
        fprintf(stderr, "%ld blocks are left\n", account.blocks);
        return LEAKS;
    }
    return account.has_failed ? HAS_FAILED_MALLOC : PASSED;
}

struct way {
    const char *name;
    void (*run)(JSContext *context, const struct program *program);
};

static const struct way ways[] = {
    {"engine", NULL}, {"source", run_source}, {"bytecode", run_bytecode}};

/* One program on its own engine, whose nth allocation fails. */
static enum outcome try_it(const struct way *way, const struct program *program,
                           unsigned long nth, bool is_always)
{
    JSContext *context;

    account = (struct account){0};
    if (way->run == NULL) {
        arm(nth, is_always);
        context = new_engine();
        if (context != NULL)
            make_closure(context);
    } else {
        context = new_engine();
        arm(nth, is_always);
        way->run(context, program);
    }
    return finish(context, way->run == NULL);
}

static unsigned long stride = 1, from = 1, shown = SHOWN;

/* What a child and its parent both see. */
struct progress {
    unsigned long nth; /* at this one */
    bool is_over;      /* it passed without a failure */
};

/* In the child: goes on until one fails, or none is left to fail. */
static int try_all(struct progress *progress, const struct way *way,
                   const struct program *program, bool is_always)
{
    enum outcome outcome;

    do {
        alarm(DEADLINE_S);
        outcome = try_it(way, program, progress->nth, is_always);
        if (outcome == HAS_FAILED_MALLOC)
            progress->nth += stride;
    } while (outcome == HAS_FAILED_MALLOC);
    progress->is_over = outcome == PASSED;
    return outcome != PASSED;
}

/* Runs a child until it is over or has failed.  Whether it has failed. */
static bool try_apart(struct progress *progress, const struct way *way,
                      const struct program *program, bool is_always)
{
    int status;
    pid_t child = fork();

    if (child == 0)
        _exit(try_all(progress, way, program, is_always));
    if (child < 0 || waitpid(child, &status, 0) != child) {
        perror("allocations: fork");
        exit(2);
    }
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0 && progress->is_over)
        return false;
    fprintf(stderr, "FAILED %s %s %s %lu: %s %d\n\n", program->path, way->name,
            is_always ? "always" : "once", progress->nth,
            WIFSIGNALED(status) ? "signal" : "status",
            WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status));
    return true;
}

static struct progress *share_progress(void)
{
    struct progress *progress =
        mmap(NULL, sizeof(*progress), PROT_READ | PROT_WRITE,
             MAP_SHARED | MAP_ANONYMOUS, -1, 0);

    if (progress == MAP_FAILED) {
        perror("allocations: mmap");
        exit(2);
    }
    return progress;
}

/* How many allocations had a failure that the engine did not survive. */
static unsigned long sweep(const struct way *way, const struct program *program,
                           bool is_always)
{
    struct progress *progress = share_progress();
    unsigned long bad = 0;

    for (progress->nth = from; !progress->is_over && bad < shown;)
        if (try_apart(progress, way, program, is_always)) {
            bad++;
            progress->nth += stride;
        }
    printf("%s %s: %s, %s, %lu allocations, %lu failed\n",
           bad == 0 ? "ok" : "not ok", program->path, way->name,
           is_always ? "always" : "once", (progress->nth - from) / stride, bad);
    fflush(stdout);
    munmap(progress, sizeof(*progress));
    return bad;
}

static unsigned long sweep_ways(const struct program *program, const char *only)
{
    unsigned long bad = 0;

    for (size_t i = program->source == NULL ? 0 : 1;
         i < (program->source == NULL ? 1 : sizeof(ways) / sizeof(ways[0]));
         i++)
        if (only == NULL || strcmp(only, ways[i].name) == 0)
            for (int is_always = 0; is_always <= 1; is_always++)
                bad += sweep(&ways[i], program, is_always);
    return bad;
}

static bool ends_with(const char *text, const char *end)
{
    size_t length = strlen(text);

    return length >= strlen(end) &&
           strcmp(text + length - strlen(end), end) == 0;
}

static char *list_builtins(void)
{
    JSContext *context = new_engine();
    char *lines = take_census(context);

    free_engine(context);
    if (lines == NULL) {
        fprintf(stderr, "allocations: the builtins cannot be listed\n");
        exit(2);
    }
    return lines;
}

int main(int argc, char **argv)
{
    const char *only = NULL;
    unsigned long bad = 0;
    int i = 1;

    is_shown = getenv("WEIR_SHOW") != NULL;
    for (; i + 1 < argc && strncmp(argv[i], "--", 2) == 0; i += 2) {
        if (strcmp(argv[i], "--stride") == 0)
            stride = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--from") == 0)
            from = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--shown") == 0)
            shown = strtoul(argv[i + 1], NULL, 10);
        else if (strcmp(argv[i], "--only") == 0)
            only = argv[i + 1];
    }
    all_builtins = list_builtins();
    bad += sweep_ways(&(struct program){.path = "(none)"}, only);
    for (; i < argc; i++) {
        struct program program = {.path = argv[i],
                                  .is_module = ends_with(argv[i], ".mjs")};

        program.source = read_whole(argv[i], &program.length);
        bad += sweep_ways(&program, only);
        free(program.source);
    }
    free(all_builtins);
    return bad != 0;
}
