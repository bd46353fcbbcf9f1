// Arrays of Arrow's C data interface as an input orders them: sound ones with damage.
//
// Each buffer is a heap block of exactly the bytes that the rows need, so AddressSanitizer finds any read outside. Only
// what the ABI could tell is damaged. A length that is larger than its buffers cannot be noticed by anybody, and is not
// made; one that no memory could have is.
#ifndef LINEFILTER_TESTS_FUZZ_ARRAYS_OF_ARROW_H_
#define LINEFILTER_TESTS_FUZZ_ARRAYS_OF_ARROW_H_

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <memory>
#include <string>
#include <vector>

#include "linefilter/arrow.h"
#include "tests/fuzz/fuzz.h"
#include "tests/testing/random.h"

namespace linefilter::fuzz {

class ArrayOfArrow {
 public:
  ArrayOfArrow(Input* in, int depth) : random_(in->Number(2)) {
    ChooseFormat(in);
    array.length = in->Byte() % 48;
    if (array.length == 47) array.length = static_cast<int64_t>(in->Number(2) % 2100);
    array.offset = in->Byte() % 20;
    const uint8_t parts = in->Byte();
    MakeValidity(parts);
    if (is_views_) {
      MakeViews(in);
    } else if (is_text_) {
      width_ == 4 ? MakeTexts<int32_t>(in) : MakeTexts<int64_t>(in);
    } else if (format_ != "+r" && format_ != "n") {
      MakeNumbers(parts, in);
    }
    if (depth < 2) MakeParts(parts, depth, in);
    schema.format = format_.c_str();
    schema.release = [](ArrowSchema*) {};
    array.release = [](ArrowArray*) {};
    array.buffers = buffers_.data();
    array.n_buffers = static_cast<int64_t>(buffers_.size());
    if ((parts & 0xc0) == 0xc0) {
      for (int i = in->Byte() % 3; i >= 0; --i) Damage(in->Byte(), in);
    }
  }
  ArrayOfArrow(const ArrayOfArrow&) = delete;
  ArrayOfArrow& operator=(const ArrayOfArrow&) = delete;

  ArrowSchema schema{};
  ArrowArray array{};

 private:
  struct Free {
    void operator()(uint8_t* bytes) const { std::free(bytes); }
  };

  size_t num_rows() const { return static_cast<size_t>(array.offset + array.length); }

  uint8_t* New(size_t size) {
    memory_.emplace_back(static_cast<uint8_t*>(std::malloc(size)));
    if (size != 0) std::memset(memory_.back().get(), 0, size);
    return memory_.back().get();
  }

  void ChooseFormat(Input* in) {
    struct Choice {
      const char* format;
      size_t width;
    };
    static constexpr Choice kChoices[] = {
        {"c", 1},           {"C", 1},       {"s", 2},      {"S", 2},        {"i", 4},        {"I", 4},
        {"l", 8},           {"L", 8},       {"f", 4},      {"g", 8},        {"u", 4},        {"U", 8},
        {"z", 4},           {"Z", 8},       {"vu", 16},    {"vz", 16},      {"w:0", 0},      {"w:1", 1},
        {"w:17", 17},       {"tdD", 4},     {"tdm", 8},    {"tts", 4},      {"ttu", 8},      {"tss:", 8},
        {"tsn:UTC", 8},     {"tDu", 8},     {"d:9,2", 16}, {"d:9,2,32", 4}, {"d:9,0,64", 8}, {"d:9,3,128", 16},
        {"d:50,2,256", 32}, {"d:9,-2", 16}, {"n", 0},      {"+r", 0},       {"b", 1},        {"e", 2},
        {"tiM", 4},         {"+l", 4}};
    const size_t choice = in->Byte() % (std::size(kChoices) + 1);
    if (choice == std::size(kChoices)) {
      format_ = std::string(in->Take(in->Byte() % 12));
      format_.resize(std::strlen(format_.c_str()));
      width_ = 16;  // of any type that it may be by chance, but for wide ones
      if (format_[0] == 'w' || format_[0] == 'u' || format_[0] == 'U' || format_[0] == 'v') format_ = "?";
      if (format_[0] == 'z' || format_[0] == 'Z') format_ = "?";
    } else {
      format_ = kChoices[choice].format;
      width_ = kChoices[choice].width;
    }
    is_views_ = format_ == "vu" || format_ == "vz";
    is_text_ = format_ == "u" || format_ == "U" || format_ == "z" || format_ == "Z";
  }

  void MakeValidity(uint8_t parts) {
    if (format_ == "+r" || format_ == "n") return;
    buffers_.push_back(nullptr);
    if ((parts & 1) == 0) return;
    uint8_t* const bits = New((num_rows() + 7) / 8);
    for (size_t i = 0; i < (num_rows() + 7) / 8; ++i) bits[i] = static_cast<uint8_t>(random_() | random_());
    buffers_[0] = bits;
    array.null_count = (parts & 2) != 0 ? -1 : (parts & 4) != 0 ? 1 : 0;
  }

  // Values that are small half of the time: they are indices and ends of runs, too. Some are those of the input.
  void MakeNumbers(uint8_t parts, Input* in) {
    uint8_t* const values = New(num_rows() * width_);
    buffers_.push_back(values);
    uint64_t end = 0;
    for (size_t i = 0; i < num_rows() && width_ != 0; ++i) {
      end += 1 + random_.Below(4);
      const uint64_t value = (parts & 8) != 0 ? end : (parts & 16) != 0 ? random_.Below(16) : random_();
      std::memcpy(values + i * width_, &value, std::min<size_t>(width_, 8));
    }
    for (int i = in->Byte() % 4; i != 0 && num_rows() != 0; --i) {
      const size_t row = in->Below(num_rows());
      const uint64_t value = in->Number(8);
      std::memcpy(values + row * width_, &value, std::min<size_t>(width_, 8));
    }
  }

  // There are as many bytes as the last offset says: offsets that rise reach no further.
  template <class Offset>
  void MakeTexts(Input* in) {
    const size_t num_offsets = array.length == 0 ? 0 : num_rows() + 1;
    std::vector<Offset> offsets(num_offsets);
    Offset at = 0;
    for (Offset& offset : offsets) {
      offset = at;
      at = static_cast<Offset>(at + static_cast<Offset>(random_.Below(40)));
    }
    for (int i = in->Byte() % 4; i > 1 && num_offsets != 0; --i) {
      offsets[in->Below(num_offsets)] = static_cast<Offset>(static_cast<int16_t>(in->Number(2)) % 5000);
    }
    uint8_t* const to = New(num_offsets * sizeof(Offset));
    if (num_offsets != 0) std::memcpy(to, offsets.data(), num_offsets * sizeof(Offset));
    const Offset last = num_offsets == 0 ? 0 : std::max<Offset>(offsets.back(), 0);
    buffers_.push_back(to);
    buffers_.push_back(New(static_cast<size_t>(last)));
  }

  // The sizes that are told are true, or smaller.
  void MakeViews(Input* in) {
    const size_t num_buffers = in->Byte() % 4;
    int64_t sizes[3] = {};
    for (size_t i = 0; i < num_buffers; ++i) sizes[i] = in->Byte();
    uint8_t* const views = New(num_rows() * 16);
    buffers_.push_back(views);
    for (size_t i = 0; i < num_rows(); ++i) {
      int32_t view[4] = {static_cast<int32_t>(random_.Below(20)), 0, 0, 0};
      const int32_t place = static_cast<int32_t>(num_buffers == 0 ? 0 : random_.Below(num_buffers));
      if (view[0] > 12 && sizes[place] < view[0]) view[0] = 3;
      if (view[0] > 12) {
        view[2] = place;
        view[3] = static_cast<int32_t>(random_.Below(static_cast<uint64_t>(sizes[place] - view[0] + 1)));
      }
      std::memcpy(views + 16 * i, view, 16);
    }
    for (int i = in->Byte() % 4; i > 1 && num_rows() != 0; --i) {
      const size_t word = in->Below(4 * num_rows());
      const uint32_t value = static_cast<uint32_t>(in->Number(4));
      std::memcpy(views + 4 * word, &value, 4);
    }
    for (size_t i = 0; i < num_buffers; ++i) {
      buffers_.push_back(New(static_cast<size_t>(sizes[i])));
      if (in->Byte() % 16 == 15) sizes[i] -= 1 + static_cast<int64_t>(in->Byte());
    }
    uint8_t* const told = New(num_buffers * 8);
    if (num_buffers != 0) std::memcpy(told, sizes, num_buffers * 8);
    buffers_.push_back(told);
  }

  void MakeParts(uint8_t parts, int depth, Input* in) {
    const bool has_dictionary = (parts & 32) != 0;
    for (int i = 0; i < (format_ == "+r" ? 2 : has_dictionary ? 1 : 0); ++i) {
      ArrayOfArrow& part = *parts_.emplace_back(std::make_unique<ArrayOfArrow>(in, depth + 1));
      schemas_.push_back(&part.schema);
      arrays_.push_back(&part.array);
    }
    if (format_ == "+r") {
      schema.n_children = array.n_children = 2;
      schema.children = schemas_.data();
      array.children = arrays_.data();
    } else if (has_dictionary) {
      schema.dictionary = schemas_[0];
      array.dictionary = arrays_[0];
    }
  }

  // Large ones only where no memory has so many rows: those of a byte could be, as far as anybody knows.
  int64_t Extreme(uint8_t which) const {
    constexpr int64_t kMost = std::numeric_limits<int64_t>::max(), kLeast = std::numeric_limits<int64_t>::min();
    constexpr int64_t kValues[] = {-1, -2, kLeast, kMost, kMost - 1, kMost - 20};
    const bool has_no_limit = width_ < 2 && format_ != "n" && format_ != "+r";
    return kValues[which % (has_no_limit ? 3 : std::size(kValues))];
  }

  void Damage(uint8_t what, Input* in) {
    const uint8_t how = in->Byte();
    // The number of buffers says which one has the sizes of views; nobody can tell that it lies a little.
    const int64_t few = is_views_ ? how % 3 : static_cast<int8_t>(how);
    switch (what % 14) {
      case 0:
        array.length = Extreme(how);
        return;
      case 1:
        array.offset = Extreme(how);
        return;
      case 2:
        array.null_count = Extreme(how);
        return;
      case 3:
        array.n_buffers = what >= 128 ? Extreme(how % 3) : few;
        return;
      case 4:
      case 5:
        if (!buffers_.empty()) buffers_[how % buffers_.size()] = nullptr;
        return;
      case 6:
        array.buffers = nullptr;
        return;
      case 7:
        (how % 2 == 0 ? schema.n_children : array.n_children) = how % 4 < 2 ? how % 3 : Extreme(how >> 2);
        return;
      case 8:
        if (how % 2 == 0) schema.children = nullptr;
        if (how % 2 != 0) array.children = nullptr;
        return;
      case 9:
        if (how % 2 == 0 && !schemas_.empty()) schemas_[how / 2 % schemas_.size()] = nullptr;
        if (how % 2 != 0 && !arrays_.empty()) arrays_[how / 2 % arrays_.size()] = nullptr;
        return;
      case 10:
        if (how % 2 == 0) schema.dictionary = nullptr;
        if (how % 2 != 0) array.dictionary = nullptr;
        return;
      case 11:
        schema.release = nullptr;
        return;
      case 12:
        array.release = nullptr;
        return;
      default:
        schema.format = nullptr;
        return;
    }
  }

  test::Random random_;
  std::string format_;
  size_t width_ = 0;
  bool is_views_ = false, is_text_ = false;
  std::vector<std::unique_ptr<uint8_t, Free>> memory_;
  std::vector<const void*> buffers_;
  std::vector<std::unique_ptr<ArrayOfArrow>> parts_;
  std::vector<ArrowSchema*> schemas_;
  std::vector<ArrowArray*> arrays_;
};

}  // namespace linefilter::fuzz

#endif  // LINEFILTER_TESTS_FUZZ_ARRAYS_OF_ARROW_H_
