// Authorities of a test, and certificates that they sign: files in PEM, in a folder.
//
//   Authority authority(folder.path(), "ours");
//   const Certificate server = authority.Issue({"127.0.0.1", "redis.example"});
#ifndef LINEFILTER_TESTS_TESTING_CERTIFICATES_H_
#define LINEFILTER_TESTS_TESTING_CERTIFICATES_H_

#include <memory>
#include <string>
#include <vector>

namespace linefilter::test {

struct Certificate {
  std::string certificate, key;  // files
};

class Authority {
 public:
  Authority(std::string folder, std::string name);
  Authority(const Authority&) = delete;
  Authority& operator=(const Authority&) = delete;
  ~Authority();

  std::string file() const;  // its own certificate
  // For these hosts: names, or addresses in numbers; with none the subject alone has a name, "nobody". Valid from and
  // until so many seconds from now. `passphrase`: of the key, if not empty.
  Certificate Issue(const std::vector<std::string>& hosts, long from_s = -86400, long until_s = 86400,
                    const std::string& passphrase = "");

 private:
  struct Parts;
  const std::string folder_, name_;
  const std::unique_ptr<Parts> parts_;
  int num_issued_ = 0;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_CERTIFICATES_H_
