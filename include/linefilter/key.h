// A key, for all calls that take one, is an integer or bytes. Everything else does not compile.
//
//   filter.InsertKey(user_id);              // an integer of at most 8 bytes
//   filter.InsertKey(Color::kRed);          // an enum: the integer that it is
//   filter.InsertKey("alice@example.org");  // whatever converts to std::string_view: its bytes
//   filter.InsertKey(digest);               // std::array, std::vector, std::span, C array ... of std::byte or uint8_t
//
// An integer is 8 little-endian bytes, whatever its type. It is widened as C++ does: int32_t{-1} is uint64_t(-1), and
// not uint32_t{0xffffffff}. A const array of char, such as a literal, ends at its first zero byte.
//
// These are no keys, because two readers could take them for different bytes:
// - bool, char, wchar_t, char8_t, char16_t, char32_t, a single std::byte, and enums of one of them. A char may be meant
//   as text of one byte or as a number. signed char and unsigned char are numbers, for they are int8_t and uint8_t.
// - floating-point numbers of any kind, and integers of more than 8 bytes.
// - classes that merely convert to a number: std::atomic, an element of std::vector<bool>, std::reference_wrapper. Pass
//   what they hold.
// - null and pointers, but for const char* and char*, which are C strings. A constant of type long that is 0 (0L, and
//   for g++ int64_t{0}, too) is refused like NULL, because the compiler cannot tell them apart. Pass 0 or a variable.
//   (On systems of 32 bits NULL is the same as 0, and compiles.)
// - an array of char that is not const: it is a buffer, and only its owner knows how much of it is the key. Pass
//   std::string_view(buffer, size).
//
// std::is_convertible_v<const T&, linefilter::Key> tells whether a T is a key, but for these zeros.
#ifndef LINEFILTER_KEY_H_
#define LINEFILTER_KEY_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <iterator>
#include <string_view>
#include <type_traits>

#include "linefilter/internal/compiler.h"
#include "linefilter/internal/export.h"

namespace linefilter {

// The kinds of keys that a filter has. Text "1000" and the integer 1000 are different keys, so who asks with another
// kind is told "absent" of members. An image therefore remembers the kinds that the library was told of:
// FilterOptions::key_kind, KeyFilter::NoteKeyKind. FilterBase::key_kind tells them; no lookup looks at it.
enum class KeyKind : uint8_t {
  kUnknown = 0,  // nobody said, or keys came of which nobody said it
  kText = 1,     // bytes: lines, strings, fields
  kInteger = 2,  // 64-bit integers, or narrower ones
  kMixed = 3,    // both
};

// "unknown", "text", "integer" or "mixed"; "unknown" for what is no kind.
LINEFILTER_EXPORT const char* KeyKindName(KeyKind kind) noexcept;

// The key forms of the columns that were added to a filter, one byte for each of up to 8 columns (linefilter/column.h).
// They are unknown if nobody said them, or if columns of several forms came.
inline constexpr uint64_t kUnknownKeyForms = ~uint64_t{0};

namespace internal {

template <class T, class... Others>
inline constexpr bool kIsOneOf = (std::is_same_v<T, Others> || ...);

template <class T>
inline constexpr bool kIsCharacter = kIsOneOf<T, char, wchar_t,
#if defined(__cpp_char8_t)
                                              char8_t,
#endif
                                              char16_t, char32_t>;

// Seeds are such integers, too. __int128 is an integer to some compilers in some modes.
template <class T, bool = std::is_integral_v<T>>
inline constexpr bool kIsInteger = sizeof(T) <= 8 && !std::is_same_v<T, bool> && !kIsCharacter<T>;
template <class T>
inline constexpr bool kIsInteger<T, false> = false;

template <class T, bool = std::is_enum_v<T> && !std::is_same_v<T, std::byte>>
inline constexpr bool kIsNumberKey = kIsInteger<T>;
template <class T>
inline constexpr bool kIsNumberKey<T, true> = kIsInteger<std::underlying_type_t<T>>;

// NULL of g++ and clang has this type, unless it is an int, like 0: then they cannot be told apart.
#if defined(__GNUC__)
template <class T>
inline constexpr bool kIsNullsType = std::is_same_v<T, long>&& std::is_same_v<decltype(__null), long>;
#else
template <class T>
inline constexpr bool kIsNullsType = false;
#endif

// Arrays of a known size have a constructor of their own.
template <class T>
inline constexpr bool kIsTextKey =
    std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T> && std::extent_v<T> == 0;

template <class T, class = void>
inline constexpr bool kIsBytesKey = false;
template <class T>
inline constexpr bool
    kIsBytesKey<T, std::void_t<decltype(std::data(std::declval<const T&>()) + std::size(std::declval<const T&>()))>> =
        !kIsTextKey<T> && kIsOneOf<decltype(std::data(std::declval<const T&>())), const std::byte*, std::byte*,
                                   const unsigned char*, unsigned char*>;

// Whether an argument that was passed as T&& is a key.
template <class T, class U = std::remove_reference_t<T>>
inline constexpr bool kIsKey = kIsNumberKey<std::remove_cv_t<U>> || kIsTextKey<U> || kIsBytesKey<U>;

}  // namespace internal

// The parameter of every call that takes a key. It is made of the key by itself and refers to its bytes, so keep none.
// The compiler sees through it: a call costs as much as an overload for that type would.
class Key {
 public:
  // An integer or an enum.
  template <class T, std::enable_if_t<internal::kIsNumberKey<T> && !internal::kIsNullsType<T>, int> = 0>
  LINEFILTER_INLINE Key(T number) noexcept : number_(static_cast<uint64_t>(number)), is_number_(true) {}
  // This takes a long, too, by conversion. For NULL this and nullptr_t are equally good, which is an error.
  LINEFILTER_INLINE Key(long long number) noexcept : number_(static_cast<uint64_t>(number)), is_number_(true) {}
  Key(std::nullptr_t) = delete;

  // Anything that converts to std::string_view.
  template <class T, std::enable_if_t<internal::kIsTextKey<T>, int> = 0>
  LINEFILTER_INLINE Key(const T& text) noexcept(noexcept(AsView(text))) : bytes_(AsView(text)) {}
  // A literal: up to its first zero byte. Without one it is all of the array.
  template <size_t n>
  LINEFILTER_INLINE Key(const char (&literal)[n]) noexcept : bytes_(literal, LengthOf(literal, n)) {}
  template <size_t n>
  Key(char (&buffer)[n]) = delete;
  Key(char (&buffer)[]) = delete;

  // A contiguous range of std::byte or unsigned char.
  template <class T, std::enable_if_t<internal::kIsBytesKey<T>, int> = 0>
  LINEFILTER_INLINE Key(const T& bytes) noexcept
      : bytes_(reinterpret_cast<const char*>(std::data(bytes)), std::size(bytes)) {}

  // Everything else is refused.
  template <class T, std::enable_if_t<!internal::kIsKey<T> && !std::is_same_v<std::decay_t<T>, Key>, int> = 0>
  Key(T&&) = delete;

  // Whether it is an integer; else it is bytes.
  LINEFILTER_INLINE bool is_number() const noexcept { return is_number_; }
  // The integer, widened.
  LINEFILTER_INLINE uint64_t number() const noexcept { return number_; }
  // The bytes.
  LINEFILTER_INLINE std::string_view bytes() const noexcept { return bytes_; }
  // The bytes, or those of the integer, which are written to `word`.
  LINEFILTER_INLINE std::string_view bytes_or_word(char (&word)[8]) const noexcept {
    if (!is_number_) return bytes_;
    // It is no loop: g++ -O2 keeps a loop of eight stores, and a load of all eight bytes then waits for 10 ns.
    const auto byte = [this](int i) { return static_cast<char>(static_cast<unsigned char>(number_ >> (8 * i))); };
    const char bytes[8] = {byte(0), byte(1), byte(2), byte(3), byte(4), byte(5), byte(6), byte(7)};
    std::memcpy(word, bytes, 8);
    return std::string_view(word, 8);
  }

 private:
  static LINEFILTER_INLINE std::string_view AsView(std::string_view text) noexcept { return text; }
  static LINEFILTER_INLINE size_t LengthOf(const char* text, size_t most) noexcept {
    const void* const end = std::memchr(text, 0, most);
    return end == nullptr ? most : static_cast<size_t>(static_cast<const char*>(end) - text);
  }

  std::string_view bytes_;
  uint64_t number_ = 0;
  bool is_number_ = false;
};

}  // namespace linefilter

#endif  // LINEFILTER_KEY_H_
