/* The operations of librondo-crypto.so (runtime/crypto/crypto_call.h), called as the
 * runtime calls them: with what fits, with anything else, and twice. */
#include "crypto/crypto_library.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
/* cmocka's header needs the four above. */
#include <cmocka.h>
#include <dlfcn.h>

static const struct crypto_library* crypto;

/* ---- helpers ------------------------------------------------------------------------
 */

static struct crypto_value text(const char* value) {
  return (struct crypto_value){.kind = CRYPTO_TEXT, .text = value};
}

static struct crypto_value number(double value) {
  return (struct crypto_value){.kind = CRYPTO_NUMBER, .number = value};
}

static struct crypto_value truth(bool value) {
  return (struct crypto_value){.kind = CRYPTO_TRUTH, .number = value};
}

static struct crypto_value bytes(const void* value, size_t length) {
  return (struct crypto_value){.kind = CRYPTO_BYTES, .bytes = {value, length}};
}

static struct crypto_value key_value(struct crypto_key* key) {
  return (struct crypto_value){.kind = CRYPTO_KEY, .key = key};
}

static struct crypto_call call_of(const char* name, size_t count,
                                  const struct crypto_value* arguments) {
  struct crypto_call call = {.operation = crypto->call.find(name), .in_count = count};
  assert_non_null(call.operation);
  if (count > 0)
    memcpy(call.in, arguments, count * sizeof(*arguments));
  crypto->call.run(&call);
  return call;
}

#define CALL(name, ...)                                                                  \
  call_of(name,                                                                          \
          sizeof((struct crypto_value[]){__VA_ARGS__}) / sizeof(struct crypto_value),    \
          (struct crypto_value[]){__VA_ARGS__})

/* The caller's from now on. */
static struct crypto_key* key_taken(struct crypto_call call) {
  assert_false(call.failed);
  assert_int_equal(call.out[0].kind, CRYPTO_KEY);
  struct crypto_key* key = call.out[0].key;
  call.out[0].kind = CRYPTO_NOTHING;
  crypto->call.clear(&call);
  return key;
}

static struct crypto_key* key_made(const char* kind) {
  if (strcmp(kind, "rsa") == 0)
    return key_taken(CALL("makeRsa", number(1024), number(65537)));
  if (strcmp(kind, "ec") == 0)
    return key_taken(CALL("makeEc", text("prime256v1"), truth(false)));
  return key_taken(CALL("makeEdwards", text(kind)));
}

/* ---- tests
 * ----------------------------------------------------------------------------- */

static void what_is_signed_verifies(void** state) {
  static const char* const kinds[] = {"rsa", "ec", "ed25519", "ed448"};
  (void) state;
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++) {
    struct crypto_key* key = key_made(kinds[i]);
    struct crypto_value digest =
        i < 2 ? text("sha256") : (struct crypto_value){.kind = CRYPTO_NOTHING};
    struct crypto_value none = {.kind = CRYPTO_NOTHING};
    struct crypto_call made =
        CALL("sign", key_value(key), digest, bytes("data", 4), none, none, truth(true));
    assert_false(made.failed);
    struct crypto_call good = CALL("verify", key_value(key), digest, bytes("data", 4),
                                   none, none, truth(true), made.out[0]);
    assert_true(!good.failed && good.out[0].number == 1);
    struct crypto_call bad = CALL("verify", key_value(key), digest, bytes("date", 4),
                                  none, none, truth(true), made.out[0]);
    assert_true(!bad.failed && bad.out[0].number == 0);
    crypto->call.clear(&made);
    crypto->call.clear(&good);
    crypto->call.clear(&bad);
    crypto->call.key_drop(key);
  }
}

static void a_key_is_read_as_it_was_written(void** state) {
  (void) state;
  struct crypto_key* key = key_made("ec");
  struct crypto_call written =
      CALL("keyWritePrivate", key_value(key), text("der"), text("pkcs8"),
           text("aes-128-cbc"), bytes("secret", 6));
  assert_false(written.failed);
  struct crypto_value none = {.kind = CRYPTO_NOTHING};
  struct crypto_call unopened =
      CALL("keyRead", written.out[0], text("der"), text("pkcs8"), none, text("private"));
  assert_true(unopened.failed);
  assert_string_equal(unopened.refusal.code, "ERR_MISSING_PASSPHRASE");
  struct crypto_call wrong = CALL("keyRead", written.out[0], text("der"), text("pkcs8"),
                                  bytes("other", 5), text("private"));
  assert_true(wrong.failed && wrong.refusal.kind == NULL && wrong.failure.first != 0);
  struct crypto_key* again =
      key_taken(CALL("keyRead", written.out[0], text("der"), text("pkcs8"),
                     bytes("secret", 6), text("private")));
  struct crypto_call equal = CALL("keyEquals", key_value(key), key_value(again));
  assert_true(!equal.failed && equal.out[0].number == 1);
  crypto->call.clear(&equal);
  crypto->call.clear(&written);
  crypto->call.key_drop(again);
  crypto->call.key_drop(key);
}

static void a_counter_comes_around_once(void** state) {
  (void) state;
  uint8_t counter[16], data[64] = {0}, key[16] = {1};
  memset(counter, 0xff, sizeof(counter));
  /* Two bits: four blocks, of which the first has the counter 3. */
  struct crypto_call whole =
      CALL("aesCounter", truth(true), text("aes-128-ctr"), bytes(key, 16),
           bytes(counter, 16), bytes(data, 64), number(2));
  assert_false(whole.failed);
  for (size_t block = 0; block < 4; block++) {
    counter[15] = (uint8_t) (0xfc | ((block + 3) & 3));
    struct crypto_call one =
        CALL("aesCounter", truth(true), text("aes-128-ctr"), bytes(key, 16),
             bytes(counter, 16), bytes(data, 16), number(128));
    assert_memory_equal(one.out[0].bytes.bytes, whole.out[0].bytes.bytes + 16 * block,
                        16);
    crypto->call.clear(&one);
  }
  crypto->call.clear(&whole);
  struct crypto_call more =
      CALL("aesCounter", truth(true), text("aes-128-ctr"), bytes(key, 16),
           bytes(counter, 16), bytes(data, 64), number(1));
  assert_true(more.failed); /* with one block twice */
  crypto->call.clear(&more);
}

/* Every operation, with arguments of every kind in every place. What comes of it doesn't
 * matter: nothing is touched that isn't there, and nothing is left behind. */
static void wrong_arguments_are_survived(void** state) {
  static const char* const names[] = {"keyType",
                                      "keyDetails",
                                      "keyEquals",
                                      "keyOfRaw",
                                      "keyRaw",
                                      "keyPublic",
                                      "keyIsSound",
                                      "curves",
                                      "keyRead",
                                      "keyWritePublic",
                                      "keyWritePrivate",
                                      "keyOfRsa",
                                      "keyRsaParts",
                                      "keyOfEc",
                                      "keyEcParts",
                                      "keyOfPoint",
                                      "keyPoint",
                                      "makeEc",
                                      "makeEdwards",
                                      "isCurve",
                                      "sign",
                                      "verify",
                                      "signDigest",
                                      "verifyDigest",
                                      "publicEncrypt",
                                      "privateDecrypt",
                                      "privateEncrypt",
                                      "publicDecrypt",
                                      "aes",
                                      "aesCounter",
                                      "digest",
                                      "hmac",
                                      "dhGroup",
                                      "dhCheck",
                                      "dhKeys",
                                      "dhSecret",
                                      "agree",
                                      "ecdhIsCurve",
                                      "ecdhKeys",
                                      "ecdhPublic",
                                      "ecdhPoint",
                                      "ecdhSecret",
                                      "primeLimits",
                                      "primeCheck",
                                      "secureHeap",
                                      "certificateRead",
                                      "certificateRaw",
                                      "certificatePem",
                                      "certificateName",
                                      "certificateNameParts",
                                      "certificateOtherNames",
                                      "certificateInfoAccess",
                                      "certificateDate",
                                      "certificateFingerprint",
                                      "certificateUsages",
                                      "certificateSerial",
                                      "certificateIsCa",
                                      "certificateKey",
                                      "certificateKeyFacts",
                                      "certificateHasHost",
                                      "certificateHasEmail",
                                      "certificateHasAddress",
                                      "certificateIsFrom",
                                      "certificateFits",
                                      "certificateVerify",
                                      "spkacVerify",
                                      "spkacKey",
                                      "spkacChallenge"};
  static const uint8_t some[] = {0x30, 0x82, 0x01, 0x00, 0x02, 0x01, 0x00, 0xff};
  (void) state;
  struct crypto_key *rsa = key_made("rsa"), *ec = key_made("ec"), *x = key_made("x25519");
  const struct crypto_value values[] = {
      {.kind = CRYPTO_NOTHING},
      number(-1),
      number(0),
      number(4),
      number(300),
      truth(true),
      text(""),
      text("sha256"),
      text("prime256v1"),
      text("der"),
      text("pkcs8"),
      text("aes-128-cbc"),
      bytes(some, 0),
      bytes(some, 8),
      bytes(some, 1),
      key_value(rsa),
      key_value(ec),
      key_value(x),
  };
  const size_t count = sizeof(values) / sizeof(*values);
  unsigned seed = 1;
  for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
    for (int round = 0; round < 150; round++) {
      struct crypto_value arguments[8];
      for (size_t at = 0; at < 8; at++) {
        seed = seed * 1103515245u + 12345u;
        arguments[at] = values[(seed >> 16) % count];
      }
      struct crypto_call call = call_of(names[i], (size_t) round % 9, arguments);
      assert_true(!call.failed || call.out == NULL);
      crypto->call.clear(&call);
    }
  crypto->call.key_drop(rsa);
  crypto->call.key_drop(ec);
  crypto->call.key_drop(x);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(what_is_signed_verifies),
      cmocka_unit_test(a_key_is_read_as_it_was_written),
      cmocka_unit_test(a_counter_comes_around_once),
      cmocka_unit_test(wrong_arguments_are_survived),
  };
  void* object = dlopen(RONDO_BINARY_DIR "/librondo-crypto.so", RTLD_NOW);
  if (object == NULL)
    return 77; /* a build without OpenSSL, or without the runtime */
  crypto = dlsym(object, CRYPTO_LIBRARY);
  return crypto != NULL ? cmocka_run_group_tests(tests, NULL, NULL) : 1;
}
