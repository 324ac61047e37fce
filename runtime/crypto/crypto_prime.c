/* Prime numbers, and what OpenSSL's heap for secrets has in use. */
#include "crypto_call.h"

#include <openssl/crypto.h>

static bool limits_fit(struct crypto_call* call, int bits, const BIGNUM* add,
                       const BIGNUM* rem) {
  if (add != NULL && BN_num_bits(add) > bits)
    call_refuse(call, "RangeError", "ERR_OUT_OF_RANGE", "invalid options.add");
  else if (add != NULL && rem != NULL && BN_cmp(add, rem) != 1)
    call_refuse(call, "RangeError", "ERR_OUT_OF_RANGE", "invalid options.rem");
  else
    return true;
  return false;
}

/* primeMake(bits, safe, add, rem) → bytes */
static void run_make(struct crypto_call* call) {
  int bits = call_int(call, 0, 0);
  BIGNUM* add = call_has(call, 2) ? call_big(call, 2) : NULL;
  BIGNUM* rem = call_has(call, 3) ? call_big(call, 3) : NULL;
  BIGNUM* prime = BN_secure_new();
  if (limits_fit(call, bits, add, rem)) {
    if (prime != NULL &&
        BN_generate_prime_ex(prime, bits, call_truth(call, 1), add, rem, NULL) == 1)
      call_give_big(call, prime, ((size_t) bits + 7) / 8);
    else
      call_fail(call, "could not generate prime");
  }
  BN_clear_free(prime);
  BN_free(add);
  BN_free(rem);
}

/* primeLimits(bits, add, rem): refuses what primeMake would */
static void run_limits(struct crypto_call* call) {
  BIGNUM* add = call_has(call, 1) ? call_big(call, 1) : NULL;
  BIGNUM* rem = call_has(call, 2) ? call_big(call, 2) : NULL;
  limits_fit(call, call_int(call, 0, 0), add, rem);
  BN_free(add);
  BN_free(rem);
}

/* primeCheck(bytes, how many checks) */
static void run_check(struct crypto_call* call) {
  BIGNUM* number = call_big(call, 0);
  BN_CTX* context = BN_CTX_new();
  int answer = number != NULL && context != NULL
                   ? BN_is_prime_ex(number, call_int(call, 1, 0), context, NULL)
                   : -1;
  if (answer < 0)
    call_fail(call, "Prime check failed");
  else
    call_give_truth(call, answer == 1);
  BN_CTX_free(context);
  BN_clear_free(number);
}

/* secureHeap() → [whether there is one, bytes in use] */
static void run_secure_heap(struct crypto_call* call) {
  call->is_list = true;
  bool is_there = CRYPTO_secure_malloc_initialized() == 1;
  call_give_truth(call, is_there);
  call_give_number(call, is_there ? (double) CRYPTO_secure_used() : 0);
}

const struct crypto_operation crypto_prime_operations[] = {
    {"primeMake", run_make},
    {"primeLimits", run_limits},
    {"primeCheck", run_check},
    {"secureHeap", run_secure_heap},
    {NULL, NULL},
};
