/* SPDX-License-Identifier: MIT */
/*
 * compile -- compile the JavaScript part of libweir-js to bytecode, as C.
 *
 *     compile OUTPUT.c NAME=FILE ...
 *
 * Runs during the build, with the engine that the library will contain.  Each
 * file is the body of a function of (exports, require, module, native), which
 * js/core/lib.c calls.  The source text is not kept; line numbers are.
 */
#include <quickjs.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The checksum follows the version.  All ones means that the reader does not
 * check it: code that is part of the program needs no check each time a host
 * starts. */
enum { CHECKSUM_AT = 1, CHECKSUM_SIZE = 4 };

static const char head[] = "(function (exports, require, module, native) {";
static const char tail[] = "\n})";

static _Noreturn void die(const char *what)
{
    perror(what);
    exit(1);
}

/* Returns head, the file and tail; for free(). */
static char *read_wrapped(const char *path, size_t *length)
{
    FILE *file = fopen(path, "rb");
    long size;
    char *text;

    if (file == NULL || fseek(file, 0, SEEK_END) != 0 ||
        (size = ftell(file)) < 0 || fseek(file, 0, SEEK_SET) != 0)
        die(path);
    text = malloc(sizeof(head) + (size_t)size + sizeof(tail));
    if (text == NULL)
        die(path);
    memcpy(text, head, sizeof(head) - 1);
    if (fread(text + sizeof(head) - 1, 1, (size_t)size, file) != (size_t)size)
        die(path);
    fclose(file);
    strcpy(text + sizeof(head) - 1 + size, tail);
    *length = sizeof(head) - 1 + (size_t)size + sizeof(tail) - 1;
    return text;
}

/* Cut "NAME=FILE" in two.  Returns FILE. */
static char *split(char *argument)
{
    char *sign = strchr(argument, '=');

    if (sign == NULL) {
        fprintf(stderr, "compile: no NAME=FILE: %s\n", argument);
        exit(1);
    }
    *sign = '\0';
    return sign + 1;
}

static void show_exception(JSContext *context)
{
    JSValue thrown = JS_GetException(context);
    JSValue stack = JS_GetPropertyStr(context, thrown, "stack");
    const char *text = JS_ToCString(context, thrown);
    const char *where = JS_ToCString(context, stack);

    fprintf(stderr, "%s\n%s", text, where);
    exit(1);
}

static void compile(JSContext *context, FILE *out, const char *name,
                    const char *path, int number)
{
    char file[80];
    size_t length, size;
    char *source = read_wrapped(path, &length);
    JSValue code;
    uint8_t *bytes;

    snprintf(file, sizeof(file), "node:internal/%s", name);
    code = JS_Eval(context, source, length, file,
                   JS_EVAL_TYPE_GLOBAL | JS_EVAL_FLAG_STRICT |
                       JS_EVAL_FLAG_COMPILE_ONLY);
    if (JS_IsException(code))
        show_exception(context);
    bytes = JS_WriteObject(context, &size, code,
                           JS_WRITE_OBJ_BYTECODE | JS_WRITE_OBJ_STRIP_SOURCE);
    if (bytes == NULL)
        show_exception(context);
    memset(bytes + CHECKSUM_AT, 0xff, CHECKSUM_SIZE);
    fprintf(out, "static const uint8_t lib%d[] = {", number);
    for (size_t i = 0; i < size; i++)
        fprintf(out, "%s%u,", i % 20 == 0 ? "\n" : "", bytes[i]);
    fprintf(out, "};\n");
    js_free(context, bytes);
    JS_FreeValue(context, code);
    free(source);
}

int main(int argc, char **argv)
{
    JSRuntime *runtime = JS_NewRuntime();
    JSContext *context = runtime != NULL ? JS_NewContext(runtime) : NULL;
    FILE *out = argc > 1 ? fopen(argv[1], "w") : NULL;

    if (context == NULL || out == NULL)
        die("compile");
    fprintf(out, "/* Made by js/compile. */\n#include \"core/lib.h\"\n");
    for (int i = 2; i < argc; i++) {
        char *path = split(argv[i]);

        compile(context, out, argv[i], path, i);
    }
    fprintf(out, "const struct weir__js_lib weir__js_libs[] = {\n");
    for (int i = 2; i < argc; i++)
        fprintf(out, "{\"%s\", lib%d, sizeof(lib%d)},\n", argv[i], i, i);
    fprintf(out, "};\nconst int weir__js_lib_count = %d;\n", argc - 2);
    if (fclose(out) != 0)
        die(argv[1]);
    JS_FreeContext(context);
    JS_FreeRuntime(runtime);
    return 0;
}
