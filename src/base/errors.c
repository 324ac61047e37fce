/* Names and messages of the library's errors, straight from the table in uv.h.
 *
 * The manual allows uv_strerror() and uv_err_name() to leak a few bytes when
 * they are given a number that is no error of ours, since the text they return
 * must live for ever. Here such texts live in a fixed set of slots, one for
 * each number ever asked about: the pointers stay good, repeated questions get
 * the same text, and nothing grows. Once all slots are taken, further numbers
 * get a text without the number in it. */
#include "base/base.h"
#include "uv.h"

#include <stdatomic.h>
#include <stdio.h>

struct error_text {
  int code;
  const char* name;
  const char* message;
};

#define ERROR_TEXT(name, message) {UV_##name, #name, message},
static const struct error_text error_texts[] = {UV_ERRNO_MAP(ERROR_TEXT)};
#undef ERROR_TEXT

#define UNKNOWN_ERROR "Unknown system error"

enum slot_state { SLOT_FREE, SLOT_CLAIMED, SLOT_READY };

struct unknown_error {
  _Atomic int state;
  int code;
  char text[sizeof(UNKNOWN_ERROR " -2147483648")];
};

static struct unknown_error unknown_errors[64];

static const struct error_text* error_find(int code) {
  for (size_t i = 0; i < ARRAY_LENGTH(error_texts); i++)
    if (error_texts[i].code == code)
      return &error_texts[i];
  return NULL;
}

/* Without a lock, because an error may have to be named in a forked child or a
 * signal handler. Two threads that meet a new number at the same moment may
 * each take a slot for it, which does no harm. */
static const char* error_unknown(int code) {
  for (size_t i = 0; i < ARRAY_LENGTH(unknown_errors); i++) {
    struct unknown_error* slot = &unknown_errors[i];
    int state = atomic_load_explicit(&slot->state, memory_order_acquire);
    if (state == SLOT_READY && slot->code == code)
      return slot->text;
    if (state == SLOT_FREE &&
        atomic_compare_exchange_strong(&slot->state, &state, SLOT_CLAIMED)) {
      slot->code = code;
      snprintf(slot->text, sizeof(slot->text), UNKNOWN_ERROR " %d", code);
      atomic_store_explicit(&slot->state, SLOT_READY, memory_order_release);
      return slot->text;
    }
  }
  return UNKNOWN_ERROR;
}

static char* error_print(const char* text, int code, char* buffer, size_t size) {
  if (text != NULL)
    snprintf(buffer, size, "%s", text);
  else
    snprintf(buffer, size, UNKNOWN_ERROR " %d", code);
  return buffer;
}

const char* uv_err_name(int err) {
  const struct error_text* known = error_find(err);
  return known != NULL ? known->name : error_unknown(err);
}

char* uv_err_name_r(int err, char* buf, size_t buflen) {
  const struct error_text* known = error_find(err);
  return error_print(known != NULL ? known->name : NULL, err, buf, buflen);
}

const char* uv_strerror(int err) {
  const struct error_text* known = error_find(err);
  return known != NULL ? known->message : error_unknown(err);
}

char* uv_strerror_r(int err, char* buf, size_t buflen) {
  const struct error_text* known = error_find(err);
  return error_print(known != NULL ? known->message : NULL, err, buf, buflen);
}

int uv_translate_sys_error(int sys_errno) {
  /* Our errors are the system's, negated. */
  return sys_errno <= 0 ? sys_errno : -sys_errno;
}
