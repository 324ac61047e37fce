/* Cryptography for crypto of runtime/lib: OpenSSL behind plain functions. This room is an
 * object of its own, librondo-crypto.so, which js_crypto.c loads when a program first
 * requires crypto. No JavaScript in here.
 *
 * Digests and ciphers belong to one thread; jobs are run on any. */
#ifndef RONDO_CRYPTO_LIBRARY_H
#define RONDO_CRYPTO_LIBRARY_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct crypto_bytes {
  const uint8_t* bytes;
  size_t length;
};

/* ---- what OpenSSL reported -----------------------------------------------------------
 */

enum { CRYPTO_ERRORS_MOST = 8 };

/* The oldest error of the thread's queue, and those after it, newest first. */
struct crypto_failure {
  unsigned long first;
  unsigned long others[CRYPTO_ERRORS_MOST];
  int other_count;
};

struct crypto_words {
  char text[256];      /* "error:0308010C:digital envelope routines::unsupported" */
  const char* library; /* or NULL */
  const char* reason;  /* or NULL */
  const char* prefix;  /* of the code, after ERR_ */
};

/* ---- digests and HMAC -----------------------------------------------------------------
 */

struct crypto_digest;

struct crypto_digest_kind {
  /* NULL if there is no such digest, with nothing in *failure, or if it can't be used.
   * length: of the output, for functions of any length; -1 for its own. */
  struct crypto_digest* (*open)(const char* name, int64_t length,
                                struct crypto_failure* failure);
  struct crypto_digest* (*open_hmac)(const char* name, struct crypto_bytes key,
                                     struct crypto_failure* failure);
  struct crypto_digest* (*copy)(const struct crypto_digest* digest, int64_t length,
                                struct crypto_failure* failure);
  bool (*update)(struct crypto_digest* digest, struct crypto_bytes data);
  size_t (*size)(const struct crypto_digest* digest);
  /* `out` has room for size(digest) bytes. */
  bool (*finish)(struct crypto_digest* digest, uint8_t* out);
  void (*close)(struct crypto_digest* digest);
  bool (*is_known)(const char* name);
};

/* ---- jobs: what takes its time
 * ---------------------------------------------------------- */

enum crypto_job_kind { CRYPTO_RANDOM, CRYPTO_PBKDF2, CRYPTO_SCRYPT, CRYPTO_HKDF };

struct crypto_job {
  enum crypto_job_kind kind;
  const char* digest;
  struct crypto_bytes secret, salt, info;
  uint64_t iterations; /* or scrypt's N */
  uint64_t block_size, parallel, memory_most;
  uint8_t* out;
  size_t length;
  bool failed;
  struct crypto_failure failure;
};

/* ---- ciphers
 * -------------------------------------------------------------------------------- */

struct crypto_cipher;

enum crypto_outcome {
  CRYPTO_OK,
  CRYPTO_UNKNOWN_CIPHER,
  CRYPTO_BAD_KEY_LENGTH,
  CRYPTO_BAD_IV,
  CRYPTO_TAG_NEEDED, /* its length */
  CRYPTO_BAD_TAG_LENGTH,
  CRYPTO_BAD_MESSAGE_LENGTH,
  CRYPTO_BAD_STATE,
  CRYPTO_FAILED, /* see the failure, if there is one */
  CRYPTO_NOT_AUTHENTIC
};

struct crypto_cipher_info {
  const char* mode;
  char name[64];
  int nid, block_size, iv_length, key_length;
  bool is_stream;
};

struct crypto_cipher_options {
  const char* name;
  bool encrypts;
  struct crypto_bytes key, iv;
  bool has_iv;
  int tag_length; /* -1: not given */
};

struct crypto_cipher_kind {
  /* Lengths of -1 ask for the usual ones. */
  bool (*info)(const char* name, int nid, int key_length, int iv_length,
               struct crypto_cipher_info* info);
  enum crypto_outcome (*open)(const struct crypto_cipher_options* options,
                              struct crypto_cipher** cipher,
                              struct crypto_failure* failure);
  /* How much room update or finish may need. */
  size_t (*room)(const struct crypto_cipher* cipher, size_t length);
  enum crypto_outcome (*update)(struct crypto_cipher* cipher, struct crypto_bytes data,
                                uint8_t* out, size_t* length,
                                struct crypto_failure* failure);
  enum crypto_outcome (*finish)(struct crypto_cipher* cipher, uint8_t* out,
                                size_t* length, struct crypto_failure* failure);
  enum crypto_outcome (*set_aad)(struct crypto_cipher* cipher, struct crypto_bytes data,
                                 int message_length);
  enum crypto_outcome (*set_tag)(struct crypto_cipher* cipher, struct crypto_bytes tag);
  struct crypto_bytes (*tag)(const struct crypto_cipher* cipher); /* NULL: none yet */
  bool (*set_padding)(struct crypto_cipher* cipher, bool pads);
  bool (*is_ccm)(const struct crypto_cipher* cipher);
  void (*close)(struct crypto_cipher* cipher);
};

/* ---- calls: everything with keys, certificates and big numbers
 * ------------------------------------------------------------------------------- */

/* An EVP_PKEY and an X509 of OpenSSL: other objects of the runtime that are linked with
 * it cast them. Counted; may be shared by threads. */
struct crypto_key;
struct crypto_certificate;

enum crypto_kind {
  CRYPTO_NOTHING, /* not given, or null */
  CRYPTO_NUMBER,
  CRYPTO_TRUTH,
  CRYPTO_TEXT,
  CRYPTO_BYTES,
  CRYPTO_KEY,
  CRYPTO_CERTIFICATE
};

struct crypto_value {
  enum crypto_kind kind;
  double number; /* also a truth's */
  const char* text;
  struct crypto_bytes bytes;
  struct crypto_key* key;
  struct crypto_certificate* certificate;
};

/* Why a call is refused, if it isn't OpenSSL that refuses: an error for the program. */
struct crypto_refusal {
  const char* kind; /* "TypeError" and the like, or NULL: not refused */
  const char* code; /* or NULL */
  char message[128];
};

enum { CRYPTO_ARGUMENTS_MOST = 16 };

struct crypto_operation;

/* One operation with its arguments and results. Arguments belong to the caller; results
 * are given back with `clear`, except for bytes and objects that the caller takes away by
 * making them nothing. Runs on any thread. */
struct crypto_call {
  const struct crypto_operation* operation;
  struct crypto_value in[CRYPTO_ARGUMENTS_MOST];
  size_t in_count;
  struct crypto_value* out; /* one, or a list */
  size_t out_count;
  bool is_list;
  bool failed;
  const char* otherwise; /* the words of a failure about which OpenSSL says nothing */
  struct crypto_refusal refusal;
  struct crypto_failure failure;
};

struct crypto_call_kind {
  const struct crypto_operation* (*find)(const char* name); /* NULL: there is none */
  void (*run)(struct crypto_call* call);
  void (*clear)(struct crypto_call* call);
  struct crypto_key* (*key_hold)(struct crypto_key* key); /* counts one more */
  void (*key_drop)(struct crypto_key* key);               /* NULL is fine */
  struct crypto_certificate* (*certificate_hold)(struct crypto_certificate* certificate);
  void (*certificate_drop)(struct crypto_certificate* certificate);
};

/* ---- the object
 * ------------------------------------------------------------------------------- */

typedef void (*crypto_visit)(const char* name, void* data);

/* The table that the object exports, under CRYPTO_LIBRARY. */
struct crypto_library {
  uint64_t interface; /* MODULE_INTERFACE, first (js_module.h) */
  const char* (*version)(void);
  unsigned long (*version_number)(void);
  struct crypto_words (*words)(unsigned long error);
  void (*run)(struct crypto_job* job);
  bool (*is_equal)(const uint8_t* one, const uint8_t* other, size_t length);
  void (*each_digest)(crypto_visit visit, void* data);
  void (*each_cipher)(crypto_visit visit, void* data);
  struct crypto_digest_kind digest;
  struct crypto_cipher_kind cipher;
  struct crypto_call_kind call;
};

#define CRYPTO_LIBRARY "rondo_crypto_library"

/* Between the files of this object. */
void crypto_take_failure(struct crypto_failure* failure);
void crypto_forget_failures(void);
/* Of a code, after ERR_. */
const char* crypto_prefix_of(unsigned long error);
extern const struct crypto_digest_kind crypto_digests;
extern const struct crypto_cipher_kind crypto_ciphers;
extern const struct crypto_call_kind crypto_calls;
void crypto_job_run(struct crypto_job* job);

#endif
