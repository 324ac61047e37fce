/* The one name that librondo-tls.so exports (tls_library.h), and the list of ciphers. */
#include "tls_connection.h"

#include <openssl/err.h>

/* TLS 1.3's suites are named first, as OpenSSL lists them, which a program's list of
 * ciphers doesn't choose. */
static void each_cipher(crypto_visit visit, void* data) {
  SSL_CTX* ctx = SSL_CTX_new(TLS_method());
  SSL* ssl = NULL;
  if (ctx != NULL && SSL_CTX_set_cipher_list(ctx, "ALL:eNULL:@SECLEVEL=0") == 1)
    ssl = SSL_new(ctx);
  STACK_OF(SSL_CIPHER)* list = ssl != NULL ? SSL_get_ciphers(ssl) : NULL;
  for (int i = 0; i < sk_SSL_CIPHER_num(list); i++)
    visit(SSL_CIPHER_get_name(sk_SSL_CIPHER_value(list, i)), data);
  SSL_free(ssl);
  SSL_CTX_free(ctx);
  ERR_clear_error();
}

extern struct tls_library rondo_tls_library;

__attribute__((visibility("default"))) struct tls_library rondo_tls_library;

/* Before anybody can look the name up: the tables are of other files, and so no constant.
 */
__attribute__((constructor)) static void library_fill(void) {
  tls_settings_fill(&tls_connections);
  rondo_tls_library = (struct tls_library){
      .interface = MODULE_INTERFACE,
      .context = tls_contexts,
      .connection = tls_connections,
      .words = tls_words,
      .each_cipher = each_cipher,
      .each_root = tls_each_root,
  };
}
