/* X.509 certificates: what they say, whose they are, who signed them. */
#include "crypto_certificate.h"

#include <openssl/ec.h>
#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/rsa.h>
#include <openssl/x509v3.h>
#include <string.h>

static X509* call_certificate(const struct crypto_call* call, size_t index) {
  return call_has(call, index) ? (X509*) call->in[index].certificate : NULL;
}

static void give_or_fail(struct crypto_call* call, BIO* bio, bool done) {
  if (done)
    call_give_bio(call, bio);
  else
    call_fail(call, "Failed to read the certificate");
  BIO_free(bio);
}

/* certificateRead(PEM or DER) → certificate */
static void run_read(struct crypto_call* call) {
  struct crypto_bytes data = call_bytes(call, 0);
  const uint8_t* at = data.bytes;
  BIO* bio = call_bio(call, 0);
  X509* certificate = bio != NULL ? PEM_read_bio_X509_AUX(bio, NULL, NULL, NULL) : NULL;
  BIO_free(bio);
  if (certificate == NULL)
    certificate = d2i_X509(NULL, &at, (long) data.length);
  if (certificate != NULL)
    call_give_certificate(call, certificate);
  else
    call_fail(call, "Failed to read the certificate");
}

static void run_raw(struct crypto_call* call) {
  BIO* bio = BIO_new(BIO_s_mem());
  give_or_fail(call, bio,
               bio != NULL && i2d_X509_bio(bio, call_certificate(call, 0)) == 1);
}

static void run_pem(struct crypto_call* call) {
  BIO* bio = BIO_new(BIO_s_mem());
  give_or_fail(call, bio,
               bio != NULL && PEM_write_bio_X509(bio, call_certificate(call, 0)) == 1);
}

/* ---- names ---------------------------------------------------------------------------
 */

static X509_NAME* name_asked(struct crypto_call* call) {
  const X509* certificate = call_certificate(call, 0);
  return call_truth(call, 1) ? X509_get_issuer_name(certificate)
                             : X509_get_subject_name(certificate);
}

/* certificateName(certificate, the issuer's) → lines of text */
static void run_name(struct crypto_call* call) {
  static const unsigned long flags = ASN1_STRFLGS_ESC_2253 | ASN1_STRFLGS_ESC_CTRL |
                                     ASN1_STRFLGS_UTF8_CONVERT | XN_FLAG_SEP_MULTILINE |
                                     XN_FLAG_FN_SN;
  BIO* bio = BIO_new(BIO_s_mem());
  const X509_NAME* name = name_asked(call);
  if (bio != NULL && name != NULL && X509_NAME_entry_count(name) > 0 &&
      X509_NAME_print_ex(bio, name, 0, flags) > 0)
    call_give_bio(call, bio);
  else
    call_give_nothing(call);
  BIO_free(bio);
}

static void give_name_entry(struct crypto_call* call, const X509_NAME_ENTRY* entry) {
  const ASN1_OBJECT* object = X509_NAME_ENTRY_get_object(entry);
  const ASN1_STRING* value = X509_NAME_ENTRY_get_data(entry);
  char number[80];
  uint8_t* text = NULL;
  int nid = OBJ_obj2nid(object);
  if (nid == NID_undef)
    OBJ_obj2txt(number, sizeof(number), object, 1);
  call_give_text(call, nid == NID_undef ? number : OBJ_nid2sn(nid));
  int length = ASN1_STRING_to_UTF8(&text, value);
  if (length >= 0)
    call_give_bytes(call, text, (size_t) length);
  else
    call_give_nothing(call);
  OPENSSL_free(text);
}

/* certificateNameParts(certificate, the issuer's) → [name, value, name, value …] */
static void run_name_parts(struct crypto_call* call) {
  const X509_NAME* name = name_asked(call);
  int count = name != NULL ? X509_NAME_entry_count(name) : 0;
  call->is_list = true;
  for (int i = 0; i < count; i++)
    give_name_entry(call, X509_NAME_get_entry(name, i));
}

/* certificateOtherNames(certificate) → text, or nothing */
static void run_other_names(struct crypto_call* call) {
  GENERAL_NAMES* names =
      X509_get_ext_d2i(call_certificate(call, 0), NID_subject_alt_name, NULL, NULL);
  BIO* bio = names != NULL ? BIO_new(BIO_s_mem()) : NULL;
  if (bio != NULL && crypto_names_write(bio, names))
    call_give_bio(call, bio);
  else
    call_give_nothing(call);
  BIO_free(bio);
  GENERAL_NAMES_free(names);
}

/* certificateInfoAccess(certificate) → text, or nothing */
static void run_info_access(struct crypto_call* call) {
  AUTHORITY_INFO_ACCESS* list =
      X509_get_ext_d2i(call_certificate(call, 0), NID_info_access, NULL, NULL);
  BIO* bio = list != NULL ? BIO_new(BIO_s_mem()) : NULL;
  if (bio != NULL && crypto_access_write(bio, list))
    call_give_bio(call, bio);
  else
    call_give_nothing(call);
  BIO_free(bio);
  AUTHORITY_INFO_ACCESS_free(list);
}

/* ---- facts
 * ------------------------------------------------------------------------------ */

/* certificateDate(certificate, whether the last one) → text */
static void run_date(struct crypto_call* call) {
  const X509* certificate = call_certificate(call, 0);
  BIO* bio = BIO_new(BIO_s_mem());
  if (bio != NULL)
    ASN1_TIME_print(bio, call_truth(call, 1) ? X509_get0_notAfter(certificate)
                                             : X509_get0_notBefore(certificate));
  call_give_bio(call, bio);
  BIO_free(bio);
}

/* certificateFingerprint(certificate, digest) → bytes */
static void run_fingerprint(struct crypto_call* call) {
  uint8_t bytes[EVP_MAX_MD_SIZE];
  unsigned int length = 0;
  const char* name = call_text(call, 1);
  const EVP_MD* digest = name != NULL ? EVP_get_digestbyname(name) : NULL;
  if (digest != NULL &&
      X509_digest(call_certificate(call, 0), digest, bytes, &length) == 1)
    call_give_bytes(call, bytes, length);
  else
    call_give_nothing(call);
}

/* certificateUsages(certificate) → numbers of extended usages, or nothing */
static void run_usages(struct crypto_call* call) {
  EXTENDED_KEY_USAGE* usages =
      X509_get_ext_d2i(call_certificate(call, 0), NID_ext_key_usage, NULL, NULL);
  char text[256];
  if (usages == NULL) {
    call_give_nothing(call);
    return;
  }
  call->is_list = true;
  for (int i = 0; i < sk_ASN1_OBJECT_num(usages); i++)
    if (OBJ_obj2txt(text, sizeof(text), sk_ASN1_OBJECT_value(usages, i), 1) >= 0)
      call_give_text(call, text);
  EXTENDED_KEY_USAGE_free(usages);
}

/* certificateSerial(certificate) → hexadecimal digits */
static void run_serial(struct crypto_call* call) {
  BIGNUM* number =
      ASN1_INTEGER_to_BN(X509_get_serialNumber(call_certificate(call, 0)), NULL);
  char* text = number != NULL ? BN_bn2hex(number) : NULL;
  call_give_text(call, text);
  OPENSSL_free(text);
  BN_free(number);
}

static void run_is_ca(struct crypto_call* call) {
  call_give_truth(call, X509_check_ca(call_certificate(call, 0)) == 1);
}

/* certificateKey(certificate) → public key */
static void run_key(struct crypto_call* call) {
  call_give_key(call, X509_get_pubkey(call_certificate(call, 0)));
}

/* ---- the key, as older programs read it
 * ---------------------------------------------------- */

static void give_hex(struct crypto_call* call, const BIGNUM* number) {
  char* text = BN_bn2hex(number);
  call_give_text(call, text);
  OPENSSL_free(text);
}

static void give_rsa(struct crypto_call* call, const RSA* rsa) {
  const BIGNUM *modulus = NULL, *exponent = NULL;
  uint8_t* der = NULL;
  RSA_get0_key(rsa, &modulus, &exponent, NULL);
  call_give_text(call, "rsa");
  give_hex(call, modulus);
  call_give_number(call, BN_num_bits(modulus));
  call_give_number(call, (double) BN_get_word(exponent));
  int length = i2d_RSA_PUBKEY(rsa, &der);
  call_give_bytes(call, der, length > 0 ? (size_t) length : 0);
  OPENSSL_free(der);
}

static void give_ec(struct crypto_call* call, const EC_KEY* ec) {
  uint8_t* point = NULL;
  const EC_GROUP* group = EC_KEY_get0_group(ec);
  int nid = EC_GROUP_get_curve_name(group);
  call_give_text(call, "ec");
  call_give_number(call, EC_GROUP_order_bits(group));
  size_t length = EC_KEY_key2buf(ec, EC_KEY_get_conv_form(ec), &point, NULL);
  call_give_bytes(call, point, length);
  call_give_text(call, nid != NID_undef ? OBJ_nid2sn(nid) : NULL);
  call_give_text(call, nid != NID_undef ? EC_curve_nid2nist(nid) : NULL);
  OPENSSL_free(point);
}

/* certificateKeyFacts(certificate) → ["rsa", modulus, bits, exponent, bytes],
 * ["ec", bits, bytes, curve, its other name] or [] */
static void run_key_facts(struct crypto_call* call) {
  EVP_PKEY* key = X509_get0_pubkey(call_certificate(call, 0));
  int id = key != NULL ? EVP_PKEY_get_base_id(key) : EVP_PKEY_NONE;
  call->is_list = true;
  if (id == EVP_PKEY_RSA && EVP_PKEY_get0_RSA(key) != NULL)
    give_rsa(call, EVP_PKEY_get0_RSA(key));
  else if (id == EVP_PKEY_EC && EVP_PKEY_get0_EC_KEY(key) != NULL)
    give_ec(call, EVP_PKEY_get0_EC_KEY(key));
}

/* ---- questions
 * -------------------------------------------------------------------------- */

/* 1: it is. 0: it isn't. -2: what was asked for is no such name. */
static void give_answer(struct crypto_call* call, int answer, const char* text,
                        const char* asked) {
  if (answer == -2)
    call_refuse(call, "TypeError", "ERR_INVALID_ARG_VALUE", "Invalid %s", asked);
  else if (answer < 0)
    call_fail(call, "Operation failed");
  else if (answer == 1)
    call_give_text(call, text);
  else
    call_give_nothing(call);
}

/* OpenSSL takes a length of 0 for that of a C string. */
static const char* name_of(struct crypto_bytes name) {
  return name.length > 0 ? (const char*) name.bytes : "";
}

/* certificateHasHost(certificate, name, flags) → the name that matches, or nothing */
static void run_has_host(struct crypto_call* call) {
  struct crypto_bytes name = call_bytes(call, 1);
  char* peer = NULL;
  int answer = X509_check_host(call_certificate(call, 0), name_of(name), name.length,
                               (unsigned int) call_int(call, 2, 0), &peer);
  give_answer(call, answer, peer, "name");
  OPENSSL_free(peer);
}

static void run_has_email(struct crypto_call* call) {
  struct crypto_bytes name = call_bytes(call, 1);
  int answer = X509_check_email(call_certificate(call, 0), name_of(name), name.length,
                                (unsigned int) call_int(call, 2, 0));
  give_answer(call, answer, "", "name");
}

static void run_has_address(struct crypto_call* call) {
  const char* name = call_text(call, 1);
  int answer = X509_check_ip_asc(call_certificate(call, 0), name != NULL ? name : "",
                                 (unsigned int) call_int(call, 2, 0));
  give_answer(call, answer, "", "IP");
}

/* certificateIsFrom(certificate, the issuer's) */
static void run_is_from(struct crypto_call* call) {
  X509* issuer = call_certificate(call, 1);
  call_give_truth(call,
                  issuer != NULL &&
                      X509_check_issued(issuer, call_certificate(call, 0)) == X509_V_OK);
}

/* certificateFits(certificate, private key) */
static void run_fits(struct crypto_call* call) {
  call_give_truth(
      call, X509_check_private_key(call_certificate(call, 0), call_key(call, 1)) == 1);
}

/* certificateVerify(certificate, public key) */
static void run_verify(struct crypto_call* call) {
  EVP_PKEY* key = call_key(call, 1);
  call_give_truth(call, key != NULL && X509_verify(call_certificate(call, 0), key) == 1);
}

const struct crypto_operation crypto_certificate_operations[] = {
    {"certificateRead", run_read},
    {"certificateRaw", run_raw},
    {"certificatePem", run_pem},
    {"certificateName", run_name},
    {"certificateNameParts", run_name_parts},
    {"certificateOtherNames", run_other_names},
    {"certificateInfoAccess", run_info_access},
    {"certificateDate", run_date},
    {"certificateFingerprint", run_fingerprint},
    {"certificateUsages", run_usages},
    {"certificateSerial", run_serial},
    {"certificateIsCa", run_is_ca},
    {"certificateKey", run_key},
    {"certificateKeyFacts", run_key_facts},
    {"certificateHasHost", run_has_host},
    {"certificateHasEmail", run_has_email},
    {"certificateHasAddress", run_has_address},
    {"certificateIsFrom", run_is_from},
    {"certificateFits", run_fits},
    {"certificateVerify", run_verify},
    {NULL, NULL},
};

/* All but the first, which makes one. */
bool crypto_operation_needs_certificate(const struct crypto_operation* operation) {
  for (size_t i = 1; crypto_certificate_operations[i].name != NULL; i++)
    if (operation == &crypto_certificate_operations[i])
      return true;
  return false;
}
