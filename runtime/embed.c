/* A build tool: turns JavaScript files into one C file that js/js_script.c looks them up
 * in. usage: embed output.c name=path... embed output.c --plain name=path A module's text
 * is wrapped into the function the loader calls, with the saved globals as its last
 * parameters; internal/scope is the list of their names. internal/bootstrap and
 * internal/intrinsics are functions already. A plain file becomes a text of that name. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The globals that a file of runtime/lib may name; all others it has to be given. */
static const char* const scope[] = {
    "Object",
    "Reflect",
    "JSON",
    "Math",
    "Map",
    "Set",
    "WeakMap",
    "WeakSet",
    "Array",
    "ArrayBuffer",
    "BigInt",
    "BigInt64Array",
    "BigUint64Array",
    "Boolean",
    "DataView",
    "Date",
    "FinalizationRegistry",
    "Float32Array",
    "Float64Array",
    "Function",
    "Int16Array",
    "Int32Array",
    "Int8Array",
    "Number",
    "Promise",
    "Proxy",
    "RegExp",
    "SharedArrayBuffer",
    "String",
    "Symbol",
    "Uint16Array",
    "Uint32Array",
    "Uint8Array",
    "Uint8ClampedArray",
    "WeakRef",
    "Error",
    "AggregateError",
    "EvalError",
    "RangeError",
    "ReferenceError",
    "SyntaxError",
    "TypeError",
    "URIError",
    "decodeURI",
    "decodeURIComponent",
    "encodeURI",
    "encodeURIComponent",
    "isFinite",
    "isNaN",
    "parseFloat",
    "parseInt",
};
static const size_t scope_count = sizeof(scope) / sizeof(*scope);
static const char before[] =
    "(function (exports, require, module, process, native, global, intrinsics";
static const char after[] = "\n})";

static int is_module(const char* name) {
  return strcmp(name, "internal/bootstrap") != 0 &&
         strcmp(name, "internal/intrinsics") != 0 && strcmp(name, "internal/scope") != 0;
}

static size_t put(FILE* out, const char* text, size_t length) {
  for (size_t i = 0; i < length; i++)
    fprintf(out, "%d,%s", (unsigned char) text[i], i % 24 == 23 ? "\n" : "");
  return length;
}

static size_t put_file(FILE* out, const char* path) {
  char buffer[65536];
  size_t total = 0, count;
  FILE* in = fopen(path, "rb");
  if (in == NULL) {
    fprintf(stderr, "embed: %s: %s\n", path, strerror(errno));
    exit(1);
  }
  while ((count = fread(buffer, 1, sizeof(buffer), in)) > 0) {
    for (size_t i = 0; i < count; i++)
      if ((unsigned char) buffer[i] >= 0x80) {
        fprintf(stderr, "embed: %s: not ASCII at byte %zu\n", path, total + i);
        exit(1);
      }
    total += put(out, buffer, count);
  }
  fclose(in);
  return total;
}

static int by_name(const void* left, const void* right) {
  return strcmp(*(char* const*) left, *(char* const*) right);
}

static size_t put_before(FILE* out) {
  size_t length = put(out, before, sizeof(before) - 1);
  for (size_t i = 0; i < scope_count; i++) {
    length += put(out, ",", 1);
    length += put(out, scope[i], strlen(scope[i]));
  }
  return length + put(out, ") {", 3);
}

/* The list of names, as JavaScript. */
static size_t put_scope(FILE* out) {
  size_t length = 0;
  for (size_t i = 0; i < scope_count; i++) {
    length += put(out, i == 0 ? "['" : ",'", 2);
    length += put(out, scope[i], strlen(scope[i]));
    length += put(out, "'", 1);
  }
  return length + put(out, "]", 1);
}

static int embed_plain(FILE* out, char* entry) {
  char* equals = strchr(entry, '=');
  if (equals == NULL)
    return 1;
  *equals = '\0';
  fprintf(out,
          "#include <stddef.h>\nextern const char %s[];\nextern const size_t %s_length;\n"
          "const char %s[] = {",
          entry, entry, entry);
  size_t length = put_file(out, equals + 1);
  fprintf(out, "0};\nconst size_t %s_length = %zu;\n", entry, length);
  return fclose(out) == 0 ? 0 : 1;
}

int main(int argc, char** argv) {
  FILE* out = argc > 1 ? fopen(argv[1], "wb") : NULL;
  size_t* lengths = calloc((size_t) argc, sizeof(*lengths));
  if (out == NULL || lengths == NULL) {
    fprintf(stderr, "usage: embed output.c name=path...\n");
    free(lengths);
    return 1;
  }
  if (argc == 4 && strcmp(argv[2], "--plain") == 0) {
    free(lengths);
    return embed_plain(out, argv[3]);
  }
  fputs("#include \"js/js.h\"\n", out);
  /* Split first: the names alone are what the table is sorted by. */
  for (int i = 2; i < argc; i++) {
    char* equals = strchr(argv[i], '=');
    if (equals == NULL)
      exit(1);
    *equals = '\0';
  }
  qsort(argv + 2, (size_t) argc - 2, sizeof(*argv), by_name);
  for (int i = 2; i < argc; i++) {
    int wrap = is_module(argv[i]);
    fprintf(out, "static const char text_%d[] = {", i);
    if (wrap)
      lengths[i] += put_before(out);
    if (strcmp(argv[i], "internal/scope") == 0)
      lengths[i] += put_scope(out);
    else
      lengths[i] += put_file(out, argv[i] + strlen(argv[i]) + 1);
    if (wrap)
      lengths[i] += put(out, after, sizeof(after) - 1);
    fputs("0};\n", out);
  }
  fputs("const struct js_embedded js_embedded[] = {\n", out);
  for (int i = 2; i < argc; i++)
    fprintf(out, "  {\"%s\", text_%d, %zu},\n", argv[i], i, lengths[i]);
  fprintf(out, "};\nconst size_t js_embedded_count = %d;\n", argc - 2);
  free(lengths);
  return fclose(out) == 0 ? 0 : 1;
}
