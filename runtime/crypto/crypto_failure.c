/* OpenSSL's queue of errors, and what Node's codes call the parts of OpenSSL. Compiled
 * into librondo-crypto.so and librondo-tls.so, of which neither needs the other. */
#include "crypto_library.h"

#include <openssl/err.h>
#include <string.h>

void crypto_forget_failures(void) {
  ERR_clear_error();
}

void crypto_take_failure(struct crypto_failure* failure) {
  unsigned long error;
  *failure = (struct crypto_failure){.first = ERR_get_error()};
  while ((error = ERR_get_error()) != 0) {
    if (failure->other_count == CRYPTO_ERRORS_MOST)
      continue;
    memmove(failure->others + 1, failure->others,
            (size_t) failure->other_count++ * sizeof(*failure->others));
    failure->others[0] = error;
  }
}

/* Codes of Node name these parts of OpenSSL, and no others. */
const char* crypto_prefix_of(unsigned long error) {
  static const struct {
    int part;
    const char* prefix;
  } known[] = {
      {ERR_LIB_SYS, "OSSL_SYS_"},
      {ERR_LIB_BN, "OSSL_BN_"},
      {ERR_LIB_RSA, "OSSL_RSA_"},
      {ERR_LIB_DH, "OSSL_DH_"},
      {ERR_LIB_EVP, "OSSL_EVP_"},
      {ERR_LIB_BUF, "OSSL_BUF_"},
      {ERR_LIB_OBJ, "OSSL_OBJ_"},
      {ERR_LIB_PEM, "OSSL_PEM_"},
      {ERR_LIB_DSA, "OSSL_DSA_"},
      {ERR_LIB_X509, "OSSL_X509_"},
      {ERR_LIB_ASN1, "OSSL_ASN1_"},
      {ERR_LIB_CONF, "OSSL_CONF_"},
      {ERR_LIB_CRYPTO, "OSSL_CRYPTO_"},
      {ERR_LIB_EC, "OSSL_EC_"},
      {ERR_LIB_SSL, "SSL_"},
      {ERR_LIB_BIO, "OSSL_BIO_"},
      {ERR_LIB_PKCS7, "OSSL_PKCS7_"},
      {ERR_LIB_X509V3, "OSSL_X509V3_"},
      {ERR_LIB_PKCS12, "OSSL_PKCS12_"},
      {ERR_LIB_RAND, "OSSL_RAND_"},
      {ERR_LIB_DSO, "OSSL_DSO_"},
      {ERR_LIB_ENGINE, "OSSL_ENGINE_"},
      {ERR_LIB_OCSP, "OSSL_OCSP_"},
      {ERR_LIB_UI, "OSSL_UI_"},
      {ERR_LIB_COMP, "OSSL_COMP_"},
      {ERR_LIB_ECDSA, "OSSL_ECDSA_"},
      {ERR_LIB_ECDH, "OSSL_ECDH_"},
      {ERR_LIB_FIPS, "OSSL_FIPS_"},
      {ERR_LIB_CMS, "OSSL_CMS_"},
      {ERR_LIB_TS, "OSSL_TS_"},
      {ERR_LIB_HMAC, "OSSL_HMAC_"},
      {ERR_LIB_CT, "OSSL_CT_"},
      {ERR_LIB_ASYNC, "OSSL_ASYNC_"},
      {ERR_LIB_KDF, "OSSL_KDF_"},
      {ERR_LIB_SM2, "OSSL_SM2_"},
      {ERR_LIB_USER, "OSSL_USER_"},
  };
  int part = ERR_GET_LIB(error);
  for (size_t i = 0; i < sizeof(known) / sizeof(*known); i++)
    if (known[i].part == part)
      return known[i].prefix;
  return "OSSL_";
}
