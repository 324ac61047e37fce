/* Names inside of certificates as text that can't be mistaken for another list of names:
 * whatever could be a separator or a quote makes its name a JSON text. */
#ifndef RONDO_CRYPTO_CERTIFICATE_H
#define RONDO_CRYPTO_CERTIFICATE_H

#include "crypto_call.h"

#include <openssl/x509v3.h>

/* "DNS:a.example, IP Address:…" */
bool crypto_names_write(BIO* out, const GENERAL_NAMES* names);
/* "OCSP - URI:http://…", one a line */
bool crypto_access_write(BIO* out, const AUTHORITY_INFO_ACCESS* list);

#endif
