#include "tests/testing/certificates.h"

#include <arpa/inet.h>
#include <openssl/ec.h>
#include <openssl/evp.h>
#include <openssl/pem.h>
#include <openssl/x509.h>
#include <openssl/x509v3.h>

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace linefilter::test {
namespace {

void Must(bool is_so, const char* what) {
  if (is_so) return;
  std::fprintf(stderr, "certificates: %s\n", what);
  std::abort();
}

EVP_PKEY* NewKey() {
  EVP_PKEY* key = nullptr;
  EVP_PKEY_CTX* const context = EVP_PKEY_CTX_new_id(EVP_PKEY_EC, nullptr);
  Must(EVP_PKEY_keygen_init(context) == 1 &&
           EVP_PKEY_CTX_set_ec_paramgen_curve_nid(context, NID_X9_62_prime256v1) == 1 &&
           EVP_PKEY_keygen(context, &key) == 1,
       "no key");
  EVP_PKEY_CTX_free(context);
  return key;
}

// Signed later.
X509* NewCertificate(EVP_PKEY* key, const std::string& subject, long number, long from_s, long until_s) {
  X509* const made = X509_new();
  X509_NAME* const name = X509_get_subject_name(made);
  Must(X509_set_version(made, 2) == 1 && ASN1_INTEGER_set(X509_get_serialNumber(made), number) == 1 &&
           X509_gmtime_adj(X509_getm_notBefore(made), from_s) != nullptr &&
           X509_gmtime_adj(X509_getm_notAfter(made), until_s) != nullptr && X509_set_pubkey(made, key) == 1 &&
           X509_NAME_add_entry_by_txt(name, "CN", MBSTRING_ASC, reinterpret_cast<const unsigned char*>(subject.c_str()),
                                      -1, -1, 0) == 1,
       "no certificate");
  return made;
}

void AddExtension(X509* to, X509* issuer, int kind, const std::string& text) {
  X509V3_CTX context;
  X509V3_set_ctx(&context, issuer, to, nullptr, nullptr, 0);
  X509_EXTENSION* const extension = X509V3_EXT_conf_nid(nullptr, &context, kind, text.c_str());
  Must(extension != nullptr && X509_add_ext(to, extension, -1) == 1, text.c_str());
  X509_EXTENSION_free(extension);
}

void Write(const std::string& path, X509* certificate) {
  FILE* const file = std::fopen(path.c_str(), "w");
  Must(file != nullptr && PEM_write_X509(file, certificate) == 1 && std::fclose(file) == 0, path.c_str());
}

}  // namespace

struct Authority::Parts {
  EVP_PKEY* key = nullptr;
  X509* certificate = nullptr;
};

Authority::Authority(std::string folder, std::string name)
    : folder_(std::move(folder)), name_(std::move(name)), parts_(new Parts) {
  parts_->key = NewKey();
  parts_->certificate = NewCertificate(parts_->key, "authority " + name_, 1, -86400, 86400);
  X509* const own = parts_->certificate;
  Must(X509_set_issuer_name(own, X509_get_subject_name(own)) == 1, "no issuer");
  AddExtension(own, own, NID_basic_constraints, "critical,CA:TRUE");
  AddExtension(own, own, NID_key_usage, "critical,keyCertSign,cRLSign");
  AddExtension(own, own, NID_subject_key_identifier, "hash");
  Must(X509_sign(own, parts_->key, EVP_sha256()) != 0, "not signed");
  Write(file(), own);
}

Authority::~Authority() {
  X509_free(parts_->certificate);
  EVP_PKEY_free(parts_->key);
}

std::string Authority::file() const { return folder_ + "/" + name_ + ".pem"; }

Certificate Authority::Issue(const std::vector<std::string>& hosts, long from_s, long until_s,
                             const std::string& passphrase) {
  const std::string path = folder_ + "/" + name_ + "-" + std::to_string(++num_issued_);
  const Certificate files = {path + ".pem", path + ".key"};
  EVP_PKEY* const key = NewKey();
  X509* const made = NewCertificate(key, "nobody", 1 + num_issued_, from_s, until_s);
  Must(X509_set_issuer_name(made, X509_get_subject_name(parts_->certificate)) == 1, "no issuer");
  std::string names;
  for (const std::string& host : hosts) {
    unsigned char bytes[16];
    const bool is_number =
        inet_pton(AF_INET, host.c_str(), bytes) == 1 || inet_pton(AF_INET6, host.c_str(), bytes) == 1;
    names += (names.empty() ? "" : ",") + std::string(is_number ? "IP:" : "DNS:") + host;
  }
  if (!names.empty()) AddExtension(made, parts_->certificate, NID_subject_alt_name, names);
  AddExtension(made, parts_->certificate, NID_authority_key_identifier, "keyid");
  Must(X509_sign(made, parts_->key, EVP_sha256()) != 0, "not signed");
  Write(files.certificate, made);
  FILE* const file = std::fopen(files.key.c_str(), "w");
  auto* const words = reinterpret_cast<unsigned char*>(const_cast<char*>(passphrase.c_str()));
  Must(file != nullptr &&
           PEM_write_PrivateKey(file, key, passphrase.empty() ? nullptr : EVP_aes_128_cbc(), words,
                                static_cast<int>(passphrase.size()), nullptr, nullptr) == 1 &&
           std::fclose(file) == 0,
       files.key.c_str());
  X509_free(made);
  EVP_PKEY_free(key);
  return files;
}

}  // namespace linefilter::test
