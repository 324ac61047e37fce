/* Encryption at one go: with RSA keys, and with AES as webcrypto has it, whose results
 * have the authentication tag at their end. */
#include "crypto_call.h"

#include <openssl/err.h>
#include <openssl/rsa.h>
#include <stdlib.h>
#include <string.h>

/* ---- RSA -------------------------------------------------------------------------- */

enum { KEY, PADDING, OAEP_DIGEST, OAEP_LABEL, DATA };

struct rsa_way {
  int (*init)(EVP_PKEY_CTX* context);
  int (*run)(EVP_PKEY_CTX* context, unsigned char* out, size_t* out_length,
             const unsigned char* in, size_t in_length);
  bool decrypts;
};

static bool label_set(EVP_PKEY_CTX* context, struct crypto_bytes label) {
  void* copy = OPENSSL_memdup(label.bytes, label.length);
  if (copy != NULL &&
      EVP_PKEY_CTX_set0_rsa_oaep_label(context, copy, (int) label.length) > 0)
    return true;
  OPENSSL_free(copy);
  return false;
}

/* Without implicit rejection, errors of PKCS#1 v1.5 would let an attacker decrypt. */
static bool padding_is_safe(struct crypto_call* call, EVP_PKEY_CTX* context,
                            const struct rsa_way* way, int padding) {
  if (!way->decrypts || padding != RSA_PKCS1_PADDING ||
      EVP_PKEY_CTX_ctrl_str(context, "rsa_pkcs1_implicit_rejection", "1") > 0)
    return true;
  call_refuse(call, "TypeError", "ERR_INVALID_ARG_VALUE",
              "RSA_PKCS1_PADDING is no longer supported for private decryption, this can "
              "be reverted with --security-revert=CVE-2023-46809");
  return false;
}

static bool way_settle(struct crypto_call* call, EVP_PKEY_CTX* context,
                       const struct rsa_way* way) {
  const char* name = call_text(call, OAEP_DIGEST);
  const EVP_MD* digest = name != NULL ? EVP_get_digestbyname(name) : NULL;
  int padding = call_int(call, PADDING, 0);
  if (name != NULL && digest == NULL) {
    call_refuse(call, "Error", "ERR_OSSL_EVP_INVALID_DIGEST", "Invalid digest used");
    return false;
  }
  return context != NULL && way->init(context) > 0 &&
         EVP_PKEY_CTX_set_rsa_padding(context, padding) > 0 &&
         padding_is_safe(call, context, way, padding) &&
         (digest == NULL || EVP_PKEY_CTX_set_rsa_oaep_md(context, digest) > 0) &&
         (!call_has(call, OAEP_LABEL) ||
          label_set(context, call_bytes(call, OAEP_LABEL)));
}

static void run_rsa(struct crypto_call* call, const struct rsa_way* way) {
  EVP_PKEY* key = call_key(call, KEY);
  EVP_PKEY_CTX* context = key != NULL ? EVP_PKEY_CTX_new(key, NULL) : NULL;
  struct crypto_bytes data = call_bytes(call, DATA);
  uint8_t* out = NULL;
  size_t length = 0;
  if (way_settle(call, context, way) &&
      way->run(context, NULL, &length, data.bytes, data.length) > 0 &&
      (out = malloc(length + 1)) != NULL &&
      way->run(context, out, &length, data.bytes, data.length) > 0)
    call_give_taken(call, out, length);
  else {
    free(out);
    call_fail(call, "error:00000000:lib(0)::reason(0)"); /* Node's words */
  }
  EVP_PKEY_CTX_free(context);
}

/* publicEncrypt(key, padding, digest, label, data) → bytes, and its three kin */
static void run_public_encrypt(struct crypto_call* call) {
  static const struct rsa_way way = {EVP_PKEY_encrypt_init, EVP_PKEY_encrypt, false};
  run_rsa(call, &way);
}

static void run_private_decrypt(struct crypto_call* call) {
  static const struct rsa_way way = {EVP_PKEY_decrypt_init, EVP_PKEY_decrypt, true};
  run_rsa(call, &way);
}

static void run_private_encrypt(struct crypto_call* call) {
  static const struct rsa_way way = {EVP_PKEY_sign_init, EVP_PKEY_sign, false};
  run_rsa(call, &way);
}

static void run_public_decrypt(struct crypto_call* call) {
  static const struct rsa_way way = {EVP_PKEY_verify_recover_init,
                                     EVP_PKEY_verify_recover, false};
  run_rsa(call, &way);
}

/* ---- AES -------------------------------------------------------------------------- */

enum { ENCRYPTS, CIPHER, SECRET, IV, INPUT, AAD, TAG_LENGTH };
enum { TAG_MOST = 16, BLOCK = 16 };

/* The input without its tag, if it has to have one at its end. */
static bool tag_settle(const struct crypto_call* call, EVP_CIPHER_CTX* context,
                       struct crypto_bytes* input) {
  size_t length = (size_t) call_int(call, TAG_LENGTH, 0);
  if (length == 0 || call_truth(call, ENCRYPTS))
    return true;
  if (length > TAG_MOST || input->length < length)
    return false;
  input->length -= length;
  return EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, (int) length,
                             (uint8_t*) (uintptr_t) input->bytes + input->length) == 1;
}

static bool aes_open(struct crypto_call* call, EVP_CIPHER_CTX* context,
                     struct crypto_bytes* input) {
  const char* name = call_text(call, CIPHER);
  const EVP_CIPHER* kind = name != NULL ? EVP_get_cipherbyname(name) : NULL;
  struct crypto_bytes secret = call_bytes(call, SECRET), iv = call_bytes(call, IV);
  struct crypto_bytes aad = call_bytes(call, AAD);
  int encrypts = call_truth(call, ENCRYPTS), written;
  if (kind == NULL || context == NULL)
    return false;
  bool is_authenticated = EVP_CIPHER_get_mode(kind) == EVP_CIPH_GCM_MODE;
  EVP_CIPHER_CTX_set_flags(context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  return EVP_CipherInit_ex(context, kind, NULL, NULL, NULL, encrypts) == 1 &&
         (!is_authenticated || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN,
                                                   (int) iv.length, NULL) == 1) &&
         secret.length == (size_t) EVP_CIPHER_get_key_length(kind) &&
         EVP_CipherInit_ex(context, NULL, NULL, secret.bytes,
                           iv.length > 0 ? iv.bytes : NULL, encrypts) == 1 &&
         tag_settle(call, context, input) &&
         (aad.length == 0 ||
          EVP_CipherUpdate(context, NULL, &written, aad.bytes, (int) aad.length) == 1);
}

/* aes(whether it encrypts, cipher, key, iv, data, aad, length of the tag) → bytes */
static void run_aes(struct crypto_call* call) {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  struct crypto_bytes input = call_bytes(call, INPUT);
  size_t tag = call_truth(call, ENCRYPTS) ? (size_t) call_int(call, TAG_LENGTH, 0) : 0;
  int written = 0, last = 0;
  uint8_t* out = NULL;
  bool done =
      input.length < INT32_MAX - 4 * BLOCK && tag <= TAG_MOST &&
      aes_open(call, context, &input) &&
      (out = malloc(input.length + 4 * BLOCK)) != NULL &&
      EVP_CipherUpdate(context, out, &written, input.bytes, (int) input.length) == 1 &&
      EVP_CipherFinal_ex(context, out + written, &last) == 1 &&
      (tag == 0 || EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, (int) tag,
                                       out + written + last) == 1);
  EVP_CIPHER_CTX_free(context);
  if (done) {
    call_give_taken(call, out, (size_t) written + (size_t) last + tag);
    return;
  }
  free(out);
  call_fail(call, "Cipher job failed");
}

/* ---- AES-CTR, whose counter is a part of the block only ------------------------------
 */

enum { COUNT_BITS = 40 }; /* more blocks than there can be data for */

/* How many blocks can be done before the counter's `bits` are all zero again; at least
 * 2^32 if its higher bits say that it is far from its end. */
static uint64_t blocks_left(const uint8_t counter[BLOCK], unsigned bits) {
  unsigned low = bits < COUNT_BITS ? bits : COUNT_BITS;
  uint64_t value = 0;
  for (unsigned bit = bits; bit-- > 0;) {
    unsigned is_set = (unsigned) counter[BLOCK - 1 - bit / 8] >> (bit % 8) & 1u;
    if (bit < low)
      value = value << 1 | is_set;
    else if (!is_set)
      return UINT64_C(1) << 32;
  }
  return (UINT64_C(1) << low) - value;
}

static void counter_clear(uint8_t counter[BLOCK], unsigned bits) {
  for (unsigned bit = 0; bit < bits; bit++)
    counter[BLOCK - 1 - bit / 8] &= (uint8_t) ~(1u << (bit % 8));
}

static bool counter_run(const struct crypto_call* call, const uint8_t counter[BLOCK],
                        const uint8_t* in, size_t length, uint8_t* out) {
  const char* name = call_text(call, CIPHER);
  const EVP_CIPHER* kind = name != NULL ? EVP_get_cipherbyname(name) : NULL;
  struct crypto_bytes secret = call_bytes(call, SECRET);
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  int written = 0;
  bool done = context != NULL && kind != NULL &&
              secret.length == (size_t) EVP_CIPHER_get_key_length(kind) &&
              EVP_CipherInit_ex(context, kind, NULL, secret.bytes, counter, 1) == 1 &&
              EVP_CipherUpdate(context, out, &written, in, (int) length) == 1;
  EVP_CIPHER_CTX_free(context);
  return done;
}

/* aesCounter(either, cipher, key, counter, data, bits of it that count) → bytes */
static void run_aes_counter(struct crypto_call* call) {
  struct crypto_bytes input = call_bytes(call, INPUT), given = call_bytes(call, IV);
  unsigned bits = (unsigned) call_int(call, INPUT + 1, 0);
  uint8_t counter[BLOCK];
  uint8_t* out = malloc(input.length + BLOCK);
  bool done = out != NULL && given.length == BLOCK && bits >= 1 && bits <= 128 &&
              input.length < INT32_MAX;
  if (done) {
    memcpy(counter, given.bytes, BLOCK);
    uint64_t room = blocks_left(counter, bits) * BLOCK;
    /* A counter that comes around to its beginning would encrypt twice with one block. */
    uint64_t all = bits < COUNT_BITS ? (UINT64_C(1) << bits) * BLOCK : UINT64_MAX;
    size_t first = input.length < room ? input.length : (size_t) room;
    done = input.length <= all && counter_run(call, counter, input.bytes, first, out);
    if (done && first < input.length) {
      counter_clear(counter, bits);
      done = counter_run(call, counter, input.bytes + first, input.length - first,
                         out + first);
    }
  }
  if (done) {
    call_give_taken(call, out, input.length);
    return;
  }
  free(out);
  call_fail(call, "Cipher job failed");
}

/* ---- digests and HMAC of one piece
 * ----------------------------------------------------- */

static const EVP_MD* digest_asked(const struct crypto_call* call) {
  const char* name = call_text(call, 0);
  return name != NULL ? EVP_get_digestbyname(name) : NULL;
}

/* digest(name, data) → bytes */
static void run_digest(struct crypto_call* call) {
  uint8_t out[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  struct crypto_bytes data = call_bytes(call, 1);
  const EVP_MD* digest = digest_asked(call);
  if (digest != NULL &&
      EVP_Digest(data.bytes, data.length, out, &length, digest, NULL) == 1)
    call_give_bytes(call, out, length);
  else
    call_fail(call, "Digest failed");
}

/* hmac(name, key, data) → bytes */
static void run_hmac(struct crypto_call* call) {
  uint8_t out[EVP_MAX_MD_SIZE];
  size_t length = 0;
  const EVP_MD* digest = digest_asked(call);
  struct crypto_bytes key = call_bytes(call, 1), data = call_bytes(call, 2);
  if (digest != NULL &&
      EVP_Q_mac(NULL, "HMAC", NULL, EVP_MD_get0_name(digest), NULL, key.bytes, key.length,
                data.bytes, data.length, out, sizeof(out), &length) != NULL)
    call_give_bytes(call, out, length);
  else
    call_fail(call, "Signing failed");
}

const struct crypto_operation crypto_seal_operations[] = {
    {"publicEncrypt", run_public_encrypt},
    {"privateDecrypt", run_private_decrypt},
    {"privateEncrypt", run_private_encrypt},
    {"publicDecrypt", run_public_decrypt},
    {"aes", run_aes},
    {"aesCounter", run_aes_counter},
    {"digest", run_digest},
    {"hmac", run_hmac},
    {NULL, NULL},
};
