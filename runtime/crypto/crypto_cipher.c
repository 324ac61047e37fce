/* Ciphers, with and without authentication. The rules of each mode (when a tag may be
 * set, how long a message may be) are those that Node's users know. */
#include "crypto_library.h"

#include <ctype.h>
#include <limits.h>
#include <openssl/evp.h>
#include <openssl/objects.h>
#include <stdlib.h>
#include <string.h>

enum { TAG_MOST = 16, SMALL_NONCE_MESSAGE = 65535, NONCE_MESSAGE = 16777215 };

struct crypto_cipher {
  EVP_CIPHER_CTX* context; /* NULL after the end */
  int mode;
  bool encrypts, is_authenticated, is_chacha;
  bool has_tag;    /* set for deciphering, or made by enciphering */
  bool tag_passed; /* to the library */
  bool failed;     /* a CCM message that isn't authentic, reported at the end */
  int tag_length;  /* -1 as long as it isn't known */
  uint8_t tag[TAG_MOST];
  int message_most;
};

static bool mode_is_authenticated(const EVP_CIPHER* kind) {
  int mode = EVP_CIPHER_get_mode(kind);
  return mode == EVP_CIPH_GCM_MODE || mode == EVP_CIPH_CCM_MODE ||
         mode == EVP_CIPH_OCB_MODE || EVP_CIPHER_get_nid(kind) == NID_chacha20_poly1305;
}

static const char* mode_name(int mode) {
  switch (mode) {
  case EVP_CIPH_STREAM_CIPHER:
    return "stream";
  case EVP_CIPH_ECB_MODE:
    return "ecb";
  case EVP_CIPH_CBC_MODE:
    return "cbc";
  case EVP_CIPH_CFB_MODE:
    return "cfb";
  case EVP_CIPH_OFB_MODE:
    return "ofb";
  case EVP_CIPH_CTR_MODE:
    return "ctr";
  case EVP_CIPH_GCM_MODE:
    return "gcm";
  case EVP_CIPH_CCM_MODE:
    return "ccm";
  case EVP_CIPH_XTS_MODE:
    return "xts";
  case EVP_CIPH_WRAP_MODE:
    return "wrap";
  case EVP_CIPH_OCB_MODE:
    return "ocb";
  default:
    return NULL;
  }
}

/* ---- what there is
 * ----------------------------------------------------------------------- */

static bool lengths_fit(const EVP_CIPHER* kind, int key_length, int iv_length) {
  EVP_CIPHER_CTX* context = EVP_CIPHER_CTX_new();
  bool fit = context != NULL && EVP_CipherInit_ex(context, kind, NULL, NULL, NULL, 1);
  if (fit && key_length >= 0)
    fit = EVP_CIPHER_CTX_set_key_length(context, key_length) == 1;
  if (fit && iv_length >= 0)
    fit =
        mode_is_authenticated(kind)
            ? EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_IVLEN, iv_length, NULL) == 1
            : iv_length == EVP_CIPHER_get_iv_length(kind);
  EVP_CIPHER_CTX_free(context);
  crypto_forget_failures();
  return fit;
}

static bool cipher_info(const char* name, int nid, int key_length, int iv_length,
                        struct crypto_cipher_info* info) {
  const EVP_CIPHER* kind =
      name != NULL ? EVP_get_cipherbyname(name) : EVP_get_cipherbynid(nid);
  if (kind == NULL || key_length < -1 || iv_length < -1)
    return false;
  if ((key_length >= 0 || iv_length >= 0) && !lengths_fit(kind, key_length, iv_length))
    return false;
  *info = (struct crypto_cipher_info){
      .mode = mode_name(EVP_CIPHER_get_mode(kind)),
      .nid = EVP_CIPHER_get_nid(kind),
      .is_stream = EVP_CIPHER_get_mode(kind) == EVP_CIPH_STREAM_CIPHER,
      .block_size = EVP_CIPHER_get_block_size(kind),
      .iv_length = iv_length >= 0 ? iv_length : EVP_CIPHER_get_iv_length(kind),
      .key_length = key_length >= 0 ? key_length : EVP_CIPHER_get_key_length(kind),
  };
  const char* text = OBJ_nid2sn(info->nid);
  for (size_t i = 0; text != NULL && text[i] != '\0' && i < sizeof(info->name) - 1; i++)
    info->name[i] = (char) tolower((unsigned char) text[i]);
  return true;
}

/* ---- beginning
 * -------------------------------------------------------------------------------- */

static bool tag_fits_gcm(size_t length) {
  return length == 4 || length == 8 || (length >= 12 && length <= TAG_MOST);
}

static enum crypto_outcome open_authenticated(struct crypto_cipher* cipher,
                                              const struct crypto_cipher_options* asked) {
  int tag_length = asked->tag_length;
  if (EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_IVLEN,
                          (int) asked->iv.length, NULL) != 1)
    return CRYPTO_BAD_IV;
  cipher->tag_length = tag_length;
  if (cipher->mode == EVP_CIPH_GCM_MODE)
    return tag_length < 0 || tag_fits_gcm((size_t) tag_length) ? CRYPTO_OK
                                                               : CRYPTO_BAD_TAG_LENGTH;
  if (tag_length < 0 && !cipher->is_chacha)
    return CRYPTO_TAG_NEEDED;
  if (tag_length < 0)
    tag_length = cipher->tag_length = TAG_MOST;
  if (tag_length > TAG_MOST ||
      EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_TAG, tag_length, NULL) != 1)
    return CRYPTO_BAD_TAG_LENGTH;
  /* The rest of CCM's nonce counts the message's bytes. */
  if (cipher->mode == EVP_CIPH_CCM_MODE)
    cipher->message_most = asked->iv.length == 13   ? SMALL_NONCE_MESSAGE
                           : asked->iv.length == 12 ? NONCE_MESSAGE
                                                    : INT_MAX;
  return CRYPTO_OK;
}

static enum crypto_outcome open_with(struct crypto_cipher* cipher, const EVP_CIPHER* kind,
                                     const struct crypto_cipher_options* asked) {
  int iv_length = EVP_CIPHER_get_iv_length(kind);
  if (!asked->has_iv && iv_length != 0)
    return CRYPTO_BAD_IV;
  if (!cipher->is_authenticated && asked->has_iv &&
      asked->iv.length != (size_t) iv_length)
    return CRYPTO_BAD_IV;
  if (cipher->is_chacha && asked->iv.length > 12)
    return CRYPTO_BAD_IV;
  cipher->context = EVP_CIPHER_CTX_new();
  if (cipher->context == NULL)
    return CRYPTO_FAILED;
  if (cipher->mode == EVP_CIPH_WRAP_MODE)
    EVP_CIPHER_CTX_set_flags(cipher->context, EVP_CIPHER_CTX_FLAG_WRAP_ALLOW);
  if (!EVP_CipherInit_ex(cipher->context, kind, NULL, NULL, NULL, asked->encrypts))
    return CRYPTO_FAILED;
  if (cipher->is_authenticated) {
    enum crypto_outcome outcome = open_authenticated(cipher, asked);
    if (outcome != CRYPTO_OK)
      return outcome;
  }
  if (asked->key.length > INT_MAX ||
      !EVP_CIPHER_CTX_set_key_length(cipher->context, (int) asked->key.length))
    return CRYPTO_BAD_KEY_LENGTH;
  return EVP_CipherInit_ex(cipher->context, NULL, NULL, asked->key.bytes, asked->iv.bytes,
                           asked->encrypts)
             ? CRYPTO_OK
             : CRYPTO_FAILED;
}

static void cipher_close(struct crypto_cipher* cipher) {
  EVP_CIPHER_CTX_free(cipher->context);
  free(cipher);
}

static enum crypto_outcome cipher_open(const struct crypto_cipher_options* asked,
                                       struct crypto_cipher** made,
                                       struct crypto_failure* failure) {
  crypto_forget_failures();
  *failure = (struct crypto_failure){0};
  const EVP_CIPHER* kind = EVP_get_cipherbyname(asked->name);
  if (kind == NULL)
    return CRYPTO_UNKNOWN_CIPHER;
  struct crypto_cipher* cipher = calloc(1, sizeof(*cipher));
  if (cipher == NULL)
    return CRYPTO_FAILED;
  cipher->mode = EVP_CIPHER_get_mode(kind);
  cipher->encrypts = asked->encrypts;
  cipher->is_authenticated = mode_is_authenticated(kind);
  cipher->is_chacha = EVP_CIPHER_get_nid(kind) == NID_chacha20_poly1305;
  cipher->tag_length = -1;
  cipher->message_most = INT_MAX;
  enum crypto_outcome outcome = open_with(cipher, kind, asked);
  if (outcome == CRYPTO_OK) {
    *made = cipher;
    return CRYPTO_OK;
  }
  crypto_take_failure(failure);
  cipher_close(cipher);
  return outcome;
}

/* ---- data
 * ---------------------------------------------------------------------------------------
 */

/* The library wants the tag before the first data. */
static bool tag_pass(struct crypto_cipher* cipher) {
  if (!cipher->has_tag || cipher->tag_passed)
    return true;
  cipher->tag_passed = EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_SET_TAG,
                                           cipher->tag_length, cipher->tag) == 1;
  return cipher->tag_passed;
}

/* A wrapped key is up to two blocks longer. */
static size_t cipher_room(const struct crypto_cipher* cipher, size_t length) {
  (void) cipher;
  return length + EVP_MAX_BLOCK_LENGTH + 16;
}

static bool reads_tag(const struct crypto_cipher* cipher) {
  return cipher->is_authenticated && !cipher->encrypts;
}

static enum crypto_outcome cipher_update(struct crypto_cipher* cipher,
                                         struct crypto_bytes data, uint8_t* out,
                                         size_t* length, struct crypto_failure* failure) {
  static const uint8_t nothing[1];
  int written = 0;
  crypto_forget_failures();
  *failure = (struct crypto_failure){0};
  *length = 0;
  if (cipher->context == NULL)
    return CRYPTO_FAILED;
  if (data.length > (size_t) cipher->message_most)
    return CRYPTO_BAD_MESSAGE_LENGTH;
  if (reads_tag(cipher) && !tag_pass(cipher))
    return CRYPTO_FAILED;
  bool done =
      EVP_CipherUpdate(cipher->context, out, &written,
                       data.length > 0 ? data.bytes : nothing, (int) data.length) == 1;
  /* A CCM message is one piece. A message that isn't authentic is reported at the end. */
  if (cipher->mode == EVP_CIPH_CCM_MODE && !done) {
    cipher->failed = true;
    crypto_forget_failures();
    return cipher->encrypts ? CRYPTO_FAILED : CRYPTO_OK;
  }
  if (!done) {
    crypto_take_failure(failure);
    return CRYPTO_FAILED;
  }
  *length = (size_t) written;
  return CRYPTO_OK;
}

static bool finish_run(struct crypto_cipher* cipher, uint8_t* out, size_t* length) {
  int written = 0;
  if (reads_tag(cipher) && !tag_pass(cipher))
    return false;
  if (cipher->is_chacha && !cipher->encrypts && !cipher->has_tag)
    return false;
  if (cipher->mode == EVP_CIPH_CCM_MODE && !cipher->encrypts)
    return !cipher->failed;
  if (EVP_CipherFinal_ex(cipher->context, out, &written) != 1)
    return false;
  *length = (size_t) written;
  if (!cipher->is_authenticated || !cipher->encrypts)
    return true;
  if (cipher->tag_length < 0)
    cipher->tag_length = TAG_MOST;
  cipher->has_tag = EVP_CIPHER_CTX_ctrl(cipher->context, EVP_CTRL_AEAD_GET_TAG,
                                        cipher->tag_length, cipher->tag) == 1;
  return cipher->has_tag;
}

static enum crypto_outcome cipher_finish(struct crypto_cipher* cipher, uint8_t* out,
                                         size_t* length, struct crypto_failure* failure) {
  crypto_forget_failures();
  *failure = (struct crypto_failure){0};
  *length = 0;
  if (cipher->context == NULL)
    return CRYPTO_BAD_STATE;
  bool done = finish_run(cipher, out, length);
  if (!done)
    crypto_take_failure(failure);
  EVP_CIPHER_CTX_free(cipher->context);
  cipher->context = NULL;
  return done                       ? CRYPTO_OK
         : cipher->is_authenticated ? CRYPTO_NOT_AUTHENTIC
                                    : CRYPTO_FAILED;
}

/* ---- what is authenticated
 * ---------------------------------------------------------------- */

/* message_length: of the message to come, for CCM */
static enum crypto_outcome cipher_set_aad(struct crypto_cipher* cipher,
                                          struct crypto_bytes data, int message_length) {
  int written;
  bool done = cipher->context != NULL && cipher->is_authenticated;
  if (done && cipher->mode == EVP_CIPH_CCM_MODE) {
    if (message_length > cipher->message_most)
      return CRYPTO_BAD_MESSAGE_LENGTH;
    done = (cipher->encrypts || tag_pass(cipher)) &&
           EVP_CipherUpdate(cipher->context, NULL, &written, NULL, message_length) == 1;
  }
  if (done && data.length > 0)
    done = data.length <= INT_MAX && EVP_CipherUpdate(cipher->context, NULL, &written,
                                                      data.bytes, (int) data.length) == 1;
  crypto_forget_failures();
  return done ? CRYPTO_OK : CRYPTO_BAD_STATE;
}

static enum crypto_outcome cipher_set_tag(struct crypto_cipher* cipher,
                                          struct crypto_bytes tag) {
  if (cipher->context == NULL || !reads_tag(cipher) || cipher->has_tag)
    return CRYPTO_BAD_STATE;
  bool fits = cipher->tag_length < 0 || (size_t) cipher->tag_length == tag.length;
  if (cipher->mode == EVP_CIPH_GCM_MODE)
    fits = fits && tag_fits_gcm(tag.length);
  if (!fits || tag.length > TAG_MOST)
    return CRYPTO_BAD_TAG_LENGTH;
  cipher->tag_length = (int) tag.length;
  cipher->has_tag = true;
  if (tag.length > 0)
    memcpy(cipher->tag, tag.bytes, tag.length);
  return CRYPTO_OK;
}

static struct crypto_bytes cipher_tag(const struct crypto_cipher* cipher) {
  if (cipher->context != NULL || !cipher->encrypts || !cipher->has_tag)
    return (struct crypto_bytes){0};
  return (struct crypto_bytes){cipher->tag, (size_t) cipher->tag_length};
}

static bool cipher_set_padding(struct crypto_cipher* cipher, bool pads) {
  return cipher->context != NULL &&
         EVP_CIPHER_CTX_set_padding(cipher->context, pads) == 1;
}

static bool cipher_is_ccm(const struct crypto_cipher* cipher) {
  return cipher->mode == EVP_CIPH_CCM_MODE;
}

const struct crypto_cipher_kind crypto_ciphers = {
    .info = cipher_info,
    .open = cipher_open,
    .room = cipher_room,
    .update = cipher_update,
    .finish = cipher_finish,
    .set_aad = cipher_set_aad,
    .set_tag = cipher_set_tag,
    .tag = cipher_tag,
    .set_padding = cipher_set_padding,
    .is_ccm = cipher_is_ccm,
    .close = cipher_close,
};
