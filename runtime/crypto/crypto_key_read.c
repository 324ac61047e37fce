/* Keys from PEM and DER: public ones, private ones, encrypted ones, and those inside of
 * certificates. */
#include "crypto_call.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <string.h>

static const char NOT_READ[] = "Failed to read asymmetric key";
static const char NOT_READ_PRIVATE[] = "Failed to read private key";

/* keyRead(data, format, type, passphrase, wanted): the arguments' places */
enum { DATA, FORMAT, TYPE, PASSPHRASE, WANTED };

/* OpenSSL's callback for a passphrase: one that doesn't fit isn't cut. */
static int passphrase_copy(char* out, int room, int writes, void* data) {
  const struct crypto_call* call = data;
  struct crypto_bytes passphrase = call_bytes(call, PASSPHRASE);
  (void) writes;
  if (!call_has(call, PASSPHRASE) || passphrase.length > (size_t) room)
    return -1;
  memcpy(out, passphrase.bytes, passphrase.length);
  return (int) passphrase.length;
}

static bool type_is(const struct crypto_call* call, const char* type) {
  const char* given = call_text(call, TYPE);
  return given != NULL && strcmp(given, type) == 0;
}

static bool is_pem(const struct crypto_call* call) {
  const char* format = call_text(call, FORMAT);
  return format == NULL || strcmp(format, "pem") == 0;
}

/* ---- ASN.1, as far as it shows what it is ------------------------------------------ */

/* The content of a SEQUENCE that fills the bytes, or of what is left of them. */
static bool sequence_open(struct crypto_bytes data, struct crypto_bytes* content) {
  size_t length, head = 2;
  if (data.length < 2 || data.bytes[0] != 0x30)
    return false;
  length = data.bytes[1];
  if (length & 0x80) {
    size_t digits = length & 0x7f;
    head += digits;
    if (data.length < head)
      return false;
    length = 0;
    for (size_t i = 2; i < head; i++)
      length = length << 8 | data.bytes[i];
  }
  if (length > data.length - head)
    length = data.length - head;
  *content = (struct crypto_bytes){data.bytes + head, length};
  return true;
}

/* An RSA private key begins with its version, 0 or 1, and a public one with its modulus.
 */
static bool is_rsa_private(struct crypto_bytes data) {
  struct crypto_bytes content;
  return sequence_open(data, &content) && content.length >= 3 && content.bytes[0] == 2 &&
         content.bytes[1] == 1 && (content.bytes[2] & 0xfe) == 0;
}

/* An encrypted one begins with a SEQUENCE, a plain PKCS#8 with its version. */
static bool is_encrypted_pkcs8(struct crypto_bytes data) {
  struct crypto_bytes content;
  return sequence_open(data, &content) && content.length >= 1 && content.bytes[0] != 2;
}

/* ---- private keys --------------------------------------------------------------------
 */

static EVP_PKEY* private_from_pkcs8(struct crypto_call* call, BIO* bio) {
  if (is_encrypted_pkcs8(call_bytes(call, DATA)))
    return d2i_PKCS8PrivateKey_bio(bio, NULL, passphrase_copy, call);
  PKCS8_PRIV_KEY_INFO* info = d2i_PKCS8_PRIV_KEY_INFO_bio(bio, NULL);
  EVP_PKEY* key = info != NULL ? EVP_PKCS82PKEY(info) : NULL;
  PKCS8_PRIV_KEY_INFO_free(info);
  return key;
}

static EVP_PKEY* private_from_der(struct crypto_call* call, BIO* bio) {
  struct crypto_bytes data = call_bytes(call, DATA);
  const uint8_t* at = data.bytes;
  if (type_is(call, "pkcs8"))
    return private_from_pkcs8(call, bio);
  return d2i_PrivateKey(type_is(call, "sec1") ? EVP_PKEY_EC : EVP_PKEY_RSA, NULL, &at,
                        (long) data.length);
}

static void read_private(struct crypto_call* call) {
  BIO* bio = call_bio(call, DATA);
  EVP_PKEY* key = NULL;
  if (bio != NULL)
    key = is_pem(call) ? PEM_read_bio_PrivateKey(bio, NULL, passphrase_copy, call)
                       : private_from_der(call, bio);
  BIO_free(bio);
  /* A decoder may complain and still give something. */
  unsigned long error = ERR_peek_error();
  if (error != 0) {
    EVP_PKEY_free(key);
    key = NULL;
  }
  if (key != NULL)
    call_give_key(call, key);
  else if (!call_has(call, PASSPHRASE) && ERR_GET_LIB(error) == ERR_LIB_PEM &&
           ERR_GET_REASON(error) == PEM_R_BAD_PASSWORD_READ)
    call_refuse(call, "TypeError", "ERR_MISSING_PASSPHRASE",
                "Passphrase required for encrypted key");
  else
    call_fail(call, NOT_READ_PRIVATE);
}

/* ---- public keys
 * ----------------------------------------------------------------------- */

static EVP_PKEY* spki_of(const uint8_t** at, long length) {
  return d2i_PUBKEY(NULL, at, length);
}

static EVP_PKEY* pkcs1_of(const uint8_t** at, long length) {
  return d2i_PublicKey(EVP_PKEY_RSA, NULL, at, length);
}

static EVP_PKEY* certificate_of(const uint8_t** at, long length) {
  X509* certificate = d2i_X509(NULL, at, length);
  EVP_PKEY* key = certificate != NULL ? X509_get_pubkey(certificate) : NULL;
  X509_free(certificate);
  return key;
}

static const struct public_form {
  const char* title; /* of the block in PEM */
  EVP_PKEY* (*read)(const uint8_t** at, long length);
} forms[] = {
    {"PUBLIC KEY", spki_of},
    {"RSA PUBLIC KEY", pkcs1_of},
    {"CERTIFICATE", certificate_of},
};

/* False if there is no block that a public key could be in. */
static bool public_from_pem(struct crypto_call* call, EVP_PKEY** key) {
  for (size_t i = 0; i < sizeof(forms) / sizeof(*forms); i++) {
    uint8_t* der = NULL;
    long length = 0;
    BIO* bio = call_bio(call, DATA);
    ERR_set_mark();
    int found = bio != NULL ? PEM_bytes_read_bio(&der, &length, NULL, forms[i].title, bio,
                                                 NULL, NULL)
                            : 0;
    BIO_free(bio);
    ERR_pop_to_mark();
    if (found != 1)
      continue;
    const uint8_t* at = der;
    *key = forms[i].read(&at, length);
    OPENSSL_clear_free(der, (size_t) length);
    return true;
  }
  return false;
}

static EVP_PKEY* public_from_der(struct crypto_call* call) {
  struct crypto_bytes data = call_bytes(call, DATA);
  const uint8_t* at = data.bytes;
  return type_is(call, "pkcs1") ? pkcs1_of(&at, (long) data.length)
                                : spki_of(&at, (long) data.length);
}

/* Either half will do: the private one has the public one in it. */
static void read_any(struct crypto_call* call) {
  EVP_PKEY* key = NULL;
  bool is_public;
  if (is_pem(call))
    is_public = public_from_pem(call, &key);
  else {
    is_public = type_is(call, "spki") ||
                (type_is(call, "pkcs1") && !is_rsa_private(call_bytes(call, DATA)));
    if (is_public)
      key = public_from_der(call);
  }
  if (!is_public)
    read_private(call);
  else if (key != NULL)
    call_give_key(call, key);
  else
    call_fail(call, NOT_READ);
}

/* keyRead(data, "pem" or "der", type, passphrase, "private" or "any") → key */
static void run_read(struct crypto_call* call) {
  const char* wanted = call_text(call, WANTED);
  if (wanted != NULL && strcmp(wanted, "private") == 0)
    read_private(call);
  else
    read_any(call);
}

const struct crypto_operation crypto_key_read_operations[] = {
    {"keyRead", run_read},
    {NULL, NULL},
};
