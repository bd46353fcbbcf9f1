// Memory between two pages that cannot be touched: whoever reads in front of it or behind it is killed.
#ifndef LINEFILTER_TESTS_TESTING_GUARDED_PAGES_H_
#define LINEFILTER_TESTS_TESTING_GUARDED_PAGES_H_

#include <sys/mman.h>
#include <unistd.h>

#include <cstddef>
#include <cstdint>

namespace linefilter::test {

class GuardedPages {
 public:
  // Room for at least `bytes`, rounded up to whole pages.
  explicit GuardedPages(size_t bytes) : page_(static_cast<size_t>(sysconf(_SC_PAGESIZE))) {
    inner_ = (bytes + page_ - 1) / page_ * page_;
    void* all = mmap(nullptr, inner_ + 2 * page_, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (all == MAP_FAILED) return;
    all_ = static_cast<uint8_t*>(all);
    if (mprotect(begin(), inner_, PROT_READ | PROT_WRITE) != 0) {
      munmap(all_, inner_ + 2 * page_);
      all_ = nullptr;
    }
  }
  ~GuardedPages() {
    if (ok()) munmap(all_, inner_ + 2 * page_);
  }
  GuardedPages(const GuardedPages&) = delete;
  GuardedPages& operator=(const GuardedPages&) = delete;

  bool ok() const { return all_ != nullptr; }
  uint8_t* begin() { return all_ + page_; }
  uint8_t* end() { return begin() + inner_; }

 private:
  size_t page_, inner_ = 0;
  uint8_t* all_ = nullptr;
};

}  // namespace linefilter::test

#endif  // LINEFILTER_TESTS_TESTING_GUARDED_PAGES_H_
