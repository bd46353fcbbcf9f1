#include "examples/redis_dedup/list.h"

#include <fstream>
#include <stdexcept>
#include <unordered_map>

namespace redis_dedup {

List::List(const std::string& path) {
  std::ifstream in(path);
  std::unordered_map<std::string, uint64_t> numbers;
  for (std::string line; std::getline(in, line);) {
    if (line.empty()) continue;
    const auto [number, is_new] = numbers.try_emplace(line, lines_.size());
    if (is_new) lines_.push_back(line);
    number_at_.push_back(number->second);
  }
  items_ = number_at_.size();
  if (items_ == 0) throw std::runtime_error("--list " + path + " has no lines, or cannot be read");
}

}  // namespace redis_dedup
