/* The kinds of handles and requests: their names and sizes, from the tables in uv.h. */
#include "uv.h"

#include <stdint.h>

struct type_facts {
  const char* name;
  size_t size;
};

static const struct type_facts handle_facts[UV_HANDLE_TYPE_MAX] = {
#define FACT(upper, lower) [UV_##upper] = {#lower, sizeof(uv_##lower##_t)},
    UV_HANDLE_TYPE_MAP(FACT)
#undef FACT
        [UV_FILE] = {"file", SIZE_MAX},
};

static const struct type_facts req_facts[UV_REQ_TYPE_MAX] = {
#define FACT(upper, lower) [UV_##upper] = {#lower, sizeof(uv_##lower##_t)},
    UV_REQ_TYPE_MAP(FACT)
#undef FACT
};

size_t uv_handle_size(uv_handle_type type) {
  if ((int) type <= 0 || type >= UV_HANDLE_TYPE_MAX || handle_facts[type].size == 0)
    return SIZE_MAX;
  return handle_facts[type].size;
}

const char* uv_handle_type_name(uv_handle_type type) {
  return (int) type <= 0 || type >= UV_HANDLE_TYPE_MAX ? NULL : handle_facts[type].name;
}

size_t uv_req_size(uv_req_type type) {
  if ((int) type <= 0 || type >= UV_REQ_TYPE_MAX || req_facts[type].size == 0)
    return SIZE_MAX;
  return req_facts[type].size;
}

const char* uv_req_type_name(uv_req_type type) {
  return (int) type <= 0 || type >= UV_REQ_TYPE_MAX ? NULL : req_facts[type].name;
}
