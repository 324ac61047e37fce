/* Whom the machine trusts: OpenSSL's own file and folder (SSL_CERT_FILE and SSL_CERT_DIR
 * name others), or where distributions keep theirs, and those of NODE_EXTRA_CA_CERTS. */
#include "tls_library.h"

#include <openssl/err.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509_vfy.h>
#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const char* const known_files[] = {
    "/etc/ssl/certs/ca-certificates.crt",                /* Debian, Alpine, Arch */
    "/etc/pki/ca-trust/extracted/pem/tls-ca-bundle.pem", /* Fedora */
    "/etc/pki/tls/certs/ca-bundle.crt",                  /* older ones */
    "/etc/ssl/ca-bundle.pem",                            /* SUSE */
    "/etc/ssl/cert.pem",
};

/* The file with all authorities, NULL if there is none. */
static const char* roots_file(void) {
  const char* named = getenv(X509_get_default_cert_file_env());
  if (named != NULL)
    return named;
  const char* usual = X509_get_default_cert_file();
  if (access(usual, R_OK) == 0)
    return usual;
  for (size_t i = 0; i < sizeof(known_files) / sizeof(*known_files); i++)
    if (access(known_files[i], R_OK) == 0)
      return known_files[i];
  return NULL;
}

/* Whether a folder has certificates under the hashes of their names: "5ed36f99.0". */
static bool has_hashes(const char* path) {
  DIR* folder = opendir(path);
  bool found = false;
  struct dirent* entry;
  while (!found && folder != NULL && (entry = readdir(folder)) != NULL) {
    size_t length = strlen(entry->d_name);
    found = length == 10 && strcmp(entry->d_name + 8, ".0") == 0;
  }
  if (folder != NULL)
    closedir(folder);
  return found;
}

/* Adds all certificates of a file; NULL, or what is wrong with it. */
static const char* add_file(X509_STORE* store, const char* path) {
  ERR_clear_error();
  BIO* file = BIO_new_file(path, "r");
  int count = 0;
  X509* certificate;
  while (file != NULL &&
         (certificate = PEM_read_bio_X509(file, NULL, NULL, NULL)) != NULL) {
    X509_STORE_add_cert(store, certificate);
    X509_free(certificate);
    count++;
  }
  unsigned long error = ERR_peek_last_error();
  bool is_whole = file != NULL && count > 0 && ERR_GET_LIB(error) == ERR_LIB_PEM &&
                  ERR_GET_REASON(error) == PEM_R_NO_START_LINE;
  static char text[256];
  if (!is_whole)
    ERR_error_string_n(ERR_peek_error(), text, sizeof(text));
  ERR_clear_error();
  BIO_free(file);
  return is_whole ? NULL : text;
}

X509_STORE* tls_roots_new(const char** problem) {
  X509_STORE* store = X509_STORE_new();
  if (store == NULL)
    return NULL;
  /* A folder is looked into by a certificate's name when it is needed. A file is read
   * here as a whole: the one that is named, or where there is no folder. */
  const char* folder = getenv(X509_get_default_cert_dir_env());
  X509_LOOKUP* lookup = X509_STORE_add_lookup(store, X509_LOOKUP_hash_dir());
  if (folder == NULL)
    folder = X509_get_default_cert_dir();
  if (lookup != NULL)
    X509_LOOKUP_add_dir(lookup, folder, X509_FILETYPE_PEM);
  bool is_named = getenv(X509_get_default_cert_file_env()) != NULL;
  const char* file = is_named || !has_hashes(folder) ? roots_file() : NULL;
  if (file != NULL)
    add_file(store, file);
  const char* extra = getenv("NODE_EXTRA_CA_CERTS");
  const char* wrong = extra != NULL && *extra != '\0' ? add_file(store, extra) : NULL;
  if (problem != NULL)
    *problem = wrong;
  ERR_clear_error();
  return store;
}

X509_STORE* tls_roots_shared(const char** problem) {
  static X509_STORE* shared;
  *problem = NULL;
  if (shared == NULL)
    shared = tls_roots_new(problem);
  return shared;
}

static void visit_pem(X509* certificate, crypto_visit visit, void* data) {
  BIO* out = BIO_new(BIO_s_mem());
  char* text = NULL;
  if (out != NULL && PEM_write_bio_X509(out, certificate) == 1 &&
      BIO_write(out, "", 1) == 1 && BIO_get_mem_data(out, &text) > 1) {
    size_t length = strlen(text);
    if (length > 0 && text[length - 1] == '\n')
      text[length - 1] = '\0';
    visit(text, data);
  }
  BIO_free(out);
}

void tls_each_root(crypto_visit visit, void* data) {
  const char* path = roots_file();
  BIO* file = path != NULL ? BIO_new_file(path, "r") : NULL;
  X509* certificate;
  while (file != NULL &&
         (certificate = PEM_read_bio_X509(file, NULL, NULL, NULL)) != NULL) {
    visit_pem(certificate, visit, data);
    X509_free(certificate);
  }
  BIO_free(file);
  ERR_clear_error();
}
