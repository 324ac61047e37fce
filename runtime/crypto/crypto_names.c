/* Names inside of certificates as text (crypto_certificate.h). */
#include "crypto_certificate.h"

#include <openssl/objects.h>
#include <string.h>

/* Whether bytes above 127 are parts of UTF-8, or characters of Latin-1. */
enum letters { LATIN1, UTF8 };

static bool is_plain(uint8_t letter, enum letters letters) {
  if (letter >= 0x80)
    return letters == UTF8;
  return letter >= ' ' && letter <= '~' && strchr("\"\\,'", letter) == NULL;
}

static bool all_plain(const uint8_t* text, size_t length, enum letters letters) {
  for (size_t i = 0; i < length; i++)
    if (!is_plain(text[i], letters))
      return false;
  return true;
}

/* With `before` in front, inside of the quotes if there are any. */
static void text_write(BIO* out, const char* before, const void* data, size_t length,
                       enum letters letters) {
  const uint8_t* text = data;
  if (all_plain(text, length, letters)) {
    BIO_printf(out, "%s", before);
    BIO_write(out, text, (int) length);
    return;
  }
  BIO_printf(out, "\"%s", before);
  for (size_t i = 0; i < length; i++)
    if (is_plain(text[i], letters))
      BIO_write(out, &text[i], 1);
    else if (text[i] == '"' || text[i] == '\\')
      BIO_printf(out, "\\%c", text[i]);
    else
      BIO_printf(out, "\\u%04x", text[i]);
  BIO_write(out, "\"", 1);
}

static void string_write(BIO* out, const char* before, const ASN1_STRING* string,
                         enum letters letters) {
  text_write(out, before, ASN1_STRING_get0_data(string),
             (size_t) ASN1_STRING_length(string), letters);
}

/* ---- kinds of names -------------------------------------------------------------- */

static void directory_write(BIO* out, const X509_NAME* name) {
  /* Control characters and letters beyond ASCII are the quotes' business. */
  static const unsigned long flags =
      XN_FLAG_RFC2253 & ~(unsigned long) (ASN1_STRFLGS_ESC_MSB | ASN1_STRFLGS_ESC_CTRL);
  char* text = NULL;
  BIO* part = BIO_new(BIO_s_mem());
  if (part != NULL && X509_NAME_print_ex(part, name, 0, flags) >= 0) {
    long length = BIO_get_mem_data(part, &text);
    text_write(out, "", text, length > 0 ? (size_t) length : 0, UTF8);
  }
  BIO_free(part);
}

static void address_write(BIO* out, const ASN1_OCTET_STRING* address) {
  const uint8_t* bytes = ASN1_STRING_get0_data(address);
  int length = ASN1_STRING_length(address);
  if (length == 4)
    BIO_printf(out, "%d.%d.%d.%d", bytes[0], bytes[1], bytes[2], bytes[3]);
  else if (length == 16)
    for (int i = 0; i < 16; i += 2)
      BIO_printf(out, "%s%X", i > 0 ? ":" : "", bytes[i] << 8 | bytes[i + 1]);
  else
    BIO_printf(out, "<invalid length=%d>", length);
}

static void other_write(BIO* out, const OTHERNAME* other) {
  static const struct {
    int nid, type;
    enum letters letters;
    const char* before;
  } kinds[] = {
      {NID_id_on_SmtpUTF8Mailbox, V_ASN1_UTF8STRING, UTF8, "SmtpUTF8Mailbox:"},
      {NID_XmppAddr, V_ASN1_UTF8STRING, UTF8, "XmppAddr:"},
      {NID_SRVName, V_ASN1_IA5STRING, LATIN1, "SRVName:"},
      {NID_ms_upn, V_ASN1_UTF8STRING, UTF8, "UPN:"},
      {NID_NAIRealm, V_ASN1_UTF8STRING, UTF8, "NAIRealm:"},
  };
  int nid = OBJ_obj2nid(other->type_id);
  for (size_t i = 0; i < sizeof(kinds) / sizeof(*kinds); i++)
    if (nid == kinds[i].nid && other->value->type == kinds[i].type) {
      string_write(out, kinds[i].before, other->value->value.asn1_string,
                   kinds[i].letters);
      return;
    }
  BIO_printf(out, "<unsupported>");
}

static void name_write(BIO* out, const GENERAL_NAME* name) {
  char number[128];
  switch (name->type) {
  case GEN_EMAIL:
    BIO_printf(out, "email:");
    string_write(out, "", name->d.rfc822Name, LATIN1);
    break;
  case GEN_DNS:
    BIO_printf(out, "DNS:");
    string_write(out, "", name->d.dNSName, LATIN1);
    break;
  case GEN_URI:
    BIO_printf(out, "URI:");
    string_write(out, "", name->d.uniformResourceIdentifier, LATIN1);
    break;
  case GEN_DIRNAME:
    BIO_printf(out, "DirName:");
    directory_write(out, name->d.directoryName);
    break;
  case GEN_IPADD:
    BIO_printf(out, "IP Address:");
    address_write(out, name->d.iPAddress);
    break;
  case GEN_RID:
    OBJ_obj2txt(number, sizeof(number), name->d.registeredID, 1);
    BIO_printf(out, "Registered ID:%s", number);
    break;
  case GEN_OTHERNAME:
    BIO_printf(out, "othername:");
    other_write(out, name->d.otherName);
    break;
  case GEN_X400:
    BIO_printf(out, "X400Name:<unsupported>");
    break;
  default:
    BIO_printf(out, "EdiPartyName:<unsupported>");
    break;
  }
}

/* ---- lists --------------------------------------------------------------------------
 */

bool crypto_names_write(BIO* out, const GENERAL_NAMES* names) {
  for (int i = 0; i < sk_GENERAL_NAME_num(names); i++) {
    if (i > 0)
      BIO_write(out, ", ", 2);
    name_write(out, sk_GENERAL_NAME_value(names, i));
  }
  return true;
}

bool crypto_access_write(BIO* out, const AUTHORITY_INFO_ACCESS* list) {
  char method[128];
  for (int i = 0; i < sk_ACCESS_DESCRIPTION_num(list); i++) {
    const ACCESS_DESCRIPTION* entry = sk_ACCESS_DESCRIPTION_value(list, i);
    OBJ_obj2txt(method, sizeof(method), entry->method, 0);
    BIO_printf(out, "%s%s - ", i > 0 ? "\n" : "", method);
    name_write(out, entry->location);
  }
  return true;
}
