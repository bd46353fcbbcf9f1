// What a C++ engineer writes first, from the documents alone. Each line once stopped or misled somebody.
#include <cstdint>
#include <cstdio>
#include <string_view>

#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/view.h"

#define CHECK(condition) \
  if (!(condition)) return std::printf("line %d: %s\n", __LINE__, #condition), 1

template <class Filter>
int SaveAndLoad(Filter* filter) {
  filter->InsertKey("alice@example.org");
  CHECK(filter->Save("saved.lf").ok());
  Filter again;
  CHECK(again.Load("saved.lf").ok());
  CHECK(again.MayContainKey("alice@example.org"));
  again.InsertKey("bob@example.org");  // it goes on
  CHECK(again.MayContainKey("bob@example.org"));
  CHECK(!again.Load("there is none").ok());
  return 0;
}

int main() {
  linefilter::BlockedFilter users;
  CHECK(users.Create(1000, linefilter::FilterOptions::AtFpr(0.01)).ok());
  linefilter::ClassicFilter classic;
  CHECK(classic.Create(1000, linefilter::FilterOptions::AtFpr(0.01)).ok());
  linefilter::ConcurrentFilter shared;
  CHECK(shared.Create(1000, linefilter::FilterOptions::AtFpr(0.01)).ok());
  if (SaveAndLoad(&users) != 0 || SaveAndLoad(&classic) != 0 || SaveAndLoad(&shared) != 0) return 1;

  const std::string_view keys[] = {"alice@example.org", "7", "bob@example.org"};
  users.InsertKeys(keys, 3);
  uint8_t bits[1] = {0};
  users.MayContainKeysToBits(keys, 3, bits);
  CHECK((bits[0] & 7) == 7);

  linefilter::BlockedFilter copy;
  CHECK(copy.CloneFrom(users).ok());
  copy.InsertKey("only in the copy");
  CHECK(copy.MayContainKey("only in the copy") && copy.MayContainKey("7"));
  std::puts("all good");
}
