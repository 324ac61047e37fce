/* Slow jobs, for the pool: random bytes, and keys derived from passwords and other keys.
 */
#include "crypto_library.h"

#include <limits.h>
#include <openssl/core_names.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/rand.h>

/* The library refuses a pointer that leads nowhere, even to no bytes. */
static const uint8_t nothing[1];

static const uint8_t* bytes_of(struct crypto_bytes data) {
  return data.length > 0 ? data.bytes : nothing;
}

static bool random_fill(uint8_t* out, size_t length) {
  while (length > 0) {
    int part = length > INT_MAX ? INT_MAX : (int) length;
    if (RAND_bytes(out, part) != 1)
      return false;
    out += part;
    length -= (size_t) part;
  }
  return true;
}

static bool pbkdf2_run(struct crypto_job* job) {
  const EVP_MD* digest = EVP_get_digestbyname(job->digest);
  return job->length == 0 ||
         (digest != NULL &&
          PKCS5_PBKDF2_HMAC((const char*) bytes_of(job->secret), (int) job->secret.length,
                            bytes_of(job->salt), (int) job->salt.length,
                            (int) job->iterations, digest, (int) job->length,
                            job->out) == 1);
}

/* Without room for the key only the parameters are checked. */
static bool scrypt_run(struct crypto_job* job) {
  return EVP_PBE_scrypt((const char*) bytes_of(job->secret), job->secret.length,
                        bytes_of(job->salt), job->salt.length, job->iterations,
                        job->block_size, job->parallel, job->memory_most, job->out,
                        job->length) == 1;
}

static OSSL_PARAM octets(const char* name, struct crypto_bytes data) {
  return OSSL_PARAM_construct_octet_string(name, (void*) (uintptr_t) bytes_of(data),
                                           data.length);
}

static bool hkdf_run(struct crypto_job* job) {
  EVP_KDF* kind = EVP_KDF_fetch(NULL, "HKDF", NULL);
  EVP_KDF_CTX* context = kind != NULL ? EVP_KDF_CTX_new(kind) : NULL;
  const EVP_MD* digest = EVP_get_digestbyname(job->digest);
  bool done = job->length == 0;
  if (!done && context != NULL && digest != NULL) {
    OSSL_PARAM parameters[] = {
        OSSL_PARAM_construct_utf8_string(OSSL_KDF_PARAM_DIGEST,
                                         (char*) (uintptr_t) EVP_MD_get0_name(digest), 0),
        octets(OSSL_KDF_PARAM_KEY, job->secret), octets(OSSL_KDF_PARAM_SALT, job->salt),
        octets(OSSL_KDF_PARAM_INFO, job->info), OSSL_PARAM_construct_end()};
    done = EVP_KDF_derive(context, job->out, job->length, parameters) == 1;
  }
  EVP_KDF_CTX_free(context);
  EVP_KDF_free(kind);
  return done;
}

void crypto_job_run(struct crypto_job* job) {
  bool done = false;
  crypto_forget_failures();
  switch (job->kind) {
  case CRYPTO_RANDOM:
    done = random_fill(job->out, job->length);
    break;
  case CRYPTO_PBKDF2:
    done = pbkdf2_run(job);
    break;
  case CRYPTO_SCRYPT:
    done = scrypt_run(job);
    break;
  case CRYPTO_HKDF:
    done = hkdf_run(job);
    break;
  }
  job->failed = !done;
  if (job->failed)
    crypto_take_failure(&job->failure);
}
