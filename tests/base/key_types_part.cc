// What is a key and what is none (linefilter/key.h), for every call that takes one. All of it is said by static_assert:
// hash_test contains this file. key_types_test compiles it in each standard by each compiler, with
// LINEFILTER_TEST_ONE_CALL.
#include <array>
#include <atomic>
#include <bitset>
#include <complex>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>
#if __cplusplus >= 202002L
#include <span>
#endif

#include "linefilter/builder.h"
#include "linefilter/concurrent.h"
#include "linefilter/filter.h"
#include "linefilter/hash.h"
#include "linefilter/key.h"
#include "linefilter/redis.h"
#include "linefilter/rotating.h"
#include "linefilter/scalable.h"
#include "linefilter/swappable.h"
#include "linefilter/view.h"
// inline.h refuses an Arm that was not said to have AES.
#if __has_include(<hwy/highway.h>) && (!defined(__aarch64__) || defined(__ARM_FEATURE_AES))
#include "linefilter/inline.h"
#define LINEFILTER_TEST_HAS_HIGHWAY 1
#endif

namespace linefilter {
namespace {

// ---- The calls ----

struct Taker {
  void operator()(Key key) const;
};

// CALL(name, S, expression) for each: S is an argument of the expression, so that it is looked up late enough to fail
// softly. KEY stands in it as written, because NULL is no NULL any more when it was a parameter.
#define LINEFILTER_CALLS(CALL, KEY)                                                                           \
  CALL(Conversion, Taker, std::declval<S>()(KEY))                                                             \
  CALL(Hash, uint64_t, HashKey(KEY, std::declval<S>()))                                                       \
  CALL(HashWithSecret, HashSecret, KeyedHash(KEY, std::declval<S>()))                                         \
  CALL(OfBase, FilterBase&, std::declval<S>().MayContainKey(KEY))                                             \
  CALL(OfView, FilterView, std::declval<S>().MayContainKey(KEY))                                              \
  CALL(OfImage, void*, ImageMayContainKey(std::declval<S>(), 0, KEY, VerifyMode::kLazy))                      \
  CALL(OfTrustedImage, void*, ImageMayContainKey(std::declval<S>(), 0, KEY, VerifyMode::kTrusted))            \
  CALL(Insertion, BlockedFilter, std::declval<S>().InsertKey(KEY))                                            \
  CALL(InsertionIntoClassic, ClassicFilter, std::declval<S>().InsertKey(KEY))                                 \
  CALL(InsertionIntoQuotient, QuotientFilter, std::declval<S>().InsertKey(KEY))                               \
  CALL(Removal, QuotientFilter, std::declval<S>().RemoveKey(KEY))                                             \
  CALL(Addition, FilterBuilder&, std::declval<S>().AddKey(KEY))                                               \
  CALL(OfConcurrent, ConcurrentFilter&, std::declval<S>().MayContainKey(KEY))                                 \
  CALL(InsertionIntoConcurrent, ConcurrentFilter&, std::declval<S>().InsertKey(KEY))                          \
  CALL(InsertionIntoScalable, ScalableFilter, std::declval<S>().InsertKey(KEY))                               \
  CALL(OfRotating, RotatingFilter&, std::declval<S>().MayContainKey(KEY))                                     \
  CALL(InsertionIntoRotating, RotatingFilter&, std::declval<S>().InsertKey(KEY))                              \
  CALL(OfSwappable, SwappableFilter&, std::declval<S>().MayContainKey(KEY))                                   \
  CALL(OfRedis, RedisFilter, std::declval<S>().MayContainKey(KEY, static_cast<bool*>(nullptr)))               \
  CALL(InsertionIntoRedis, RedisFilter, std::declval<S>().InsertKey(KEY, static_cast<RedisInsert*>(nullptr))) \
  CALL(HashForRedis, RedisFilter, std::declval<S>().HashOf(KEY))                                              \
  LINEFILTER_INLINED_CALLS(CALL, KEY)
#ifdef LINEFILTER_TEST_HAS_HIGHWAY
#define LINEFILTER_INLINED_CALLS(CALL, KEY) CALL(OfProber, inlined::Prober, std::declval<S>().MayContainKey(KEY))
#else
#define LINEFILTER_INLINED_CALLS(CALL, KEY)
#endif

// name<K> is true if the call takes a K.
#define LINEFILTER_TAKES(name, subject, ...)          \
  template <class K, class S = subject, class = void> \
  struct name : std::false_type {};                   \
  template <class K, class S>                         \
  struct name<K, S, std::void_t<decltype(__VA_ARGS__)>> : std::true_type {};
LINEFILTER_CALLS(LINEFILTER_TAKES, std::declval<K>())

template <class K>
struct IsKeyOfEveryCall {
#define LINEFILTER_AND(name, ...) name<K>::value&&
  static constexpr bool value = LINEFILTER_CALLS(LINEFILTER_AND, ) std::is_convertible_v<K, Key>;
};
template <class K>
struct IsKeyOfNoCall {
#define LINEFILTER_NOR(name, ...) !name<K>::value&&
  static constexpr bool value = LINEFILTER_CALLS(LINEFILTER_NOR, ) !std::is_convertible_v<K, Key>;
};
// All calls take a Key. That is shown by some types; the rest of them need not be asked of each call (half of the
// time).
static_assert(IsKeyOfEveryCall<long>::value && IsKeyOfEveryCall<std::string>::value &&
              IsKeyOfEveryCall<const char (&)[4]>::value && IsKeyOfEveryCall<std::array<std::byte, 3>>::value);
static_assert(IsKeyOfNoCall<double>::value && IsKeyOfNoCall<bool>::value && IsKeyOfNoCall<std::nullptr_t>::value &&
              IsKeyOfNoCall<char (&)[4]>::value && IsKeyOfNoCall<std::atomic<long>&>::value);
#ifdef LINEFILTER_TEST_ONE_CALL
template <class K>
struct IsKey : std::is_convertible<K, Key> {};
template <class K>
struct IsNoKey : std::bool_constant<!std::is_convertible_v<K, Key>> {};
#else
template <class K>
using IsKey = IsKeyOfEveryCall<K>;
template <class K>
using IsNoKey = IsKeyOfNoCall<K>;
#endif

// An error names the type: "Refused<double>".
template <class K>
struct Accepted {
  static_assert(IsKey<K>::value, "this is a key, and some call does not take it");
  static constexpr bool value = true;
};
template <class K>
struct Refused {
  static_assert(IsNoKey<K>::value, "this is no key, and some call takes it");
  static constexpr bool value = true;
};
// As a temporary, as a variable and as a constant.
template <class... Ks>
constexpr bool AreKeys() {
  return (... && (Accepted<Ks>::value && Accepted<Ks&>::value && Accepted<const Ks&>::value));
}
template <class... Ks>
constexpr bool AreNoKeys() {
  return (... && (Refused<Ks>::value && Refused<Ks&>::value && Refused<const Ks&>::value));
}

// ---- What is accepted ----

enum Plain { kPlain };
enum PlainOf32 : int32_t { kPlainOf32 };
enum class Scoped : uint64_t {};
enum class ScopedOfSignedChar : signed char {};
struct Text : std::string {};
struct ConvertsToView {
  operator std::string_view() const;
};
struct OwnBytes {
  const unsigned char* data() const;
  size_t size() const;
};

static_assert(AreKeys<signed char, unsigned char, short, unsigned short, int, unsigned, long, unsigned long, long long,
                      unsigned long long, int8_t, uint8_t, int16_t, uint16_t, int32_t, uint32_t, int64_t, uint64_t,
                      size_t, ptrdiff_t>());
static_assert(AreKeys<volatile int, volatile long, volatile uint64_t>());
static_assert(AreKeys<Plain, PlainOf32, Scoped, ScopedOfSignedChar>());
static_assert(AreKeys<const char*, char*, std::string, std::string_view, Text, ConvertsToView>());
static_assert(AreKeys<std::array<std::byte, 3>, std::array<uint8_t, 3>, std::vector<std::byte>, std::vector<uint8_t>,
                      std::basic_string<unsigned char>, std::basic_string_view<std::byte>, std::byte[3], uint8_t[3],
                      std::initializer_list<std::byte>, OwnBytes>());
static_assert(AreKeys<Key>());
static_assert(IsKey<const char (&)[4]>::value && IsKey<const char (&)[]>::value);
static_assert(IsKey<decltype("literal")>::value);
#if __cplusplus >= 202002L
static_assert(
    AreKeys<std::span<std::byte>, std::span<const std::byte>, std::span<uint8_t>, std::span<const uint8_t, 3>>());
#endif

// ---- What is refused ----

template <class T>
struct ConvertsTo {
  operator T() const;
};
enum PlainOfBool : bool {};
enum PlainOfChar : char {};
enum class ScopedOfBool : bool {};
enum class ScopedOfChar : char {};
enum class ScopedOfChar16 : char16_t {};
enum class ScopedOfWchar : wchar_t {};
struct Nothing {};
struct WideBytes {
  const uint16_t* data() const;
  size_t size() const;
};

static_assert(AreNoKeys<bool, char, wchar_t, char16_t, char32_t, std::byte>());
static_assert(AreNoKeys<volatile bool, volatile char, volatile std::byte, volatile double>());
static_assert(AreNoKeys<float, double, long double, std::complex<double>>());
static_assert(AreNoKeys<PlainOfBool, PlainOfChar, ScopedOfBool, ScopedOfChar, ScopedOfChar16, ScopedOfWchar>());
static_assert(AreNoKeys<std::vector<bool>::reference, std::bitset<3>::reference, std::vector<bool>, std::bitset<3>>());
static_assert(AreNoKeys<std::atomic<int>, std::atomic<uint64_t>, std::atomic<long>, std::atomic<bool>>());
static_assert(
    AreNoKeys<std::reference_wrapper<double>, std::reference_wrapper<int>, std::reference_wrapper<uint64_t>>());
static_assert(AreNoKeys<ConvertsTo<double>, ConvertsTo<float>, ConvertsTo<bool>, ConvertsTo<char>, ConvertsTo<int>,
                        ConvertsTo<long>, ConvertsTo<long long>, ConvertsTo<uint64_t>, ConvertsTo<const char*>,
                        ConvertsTo<std::string>, ConvertsTo<std::nullptr_t>, ConvertsTo<void*>, Nothing,
                        std::integral_constant<int, 3>>());
static_assert(AreNoKeys<std::nullptr_t, void*, const void*, int*, const unsigned char*, const std::byte*, bool*,
                        volatile char*, const wchar_t*, const char16_t*, int Nothing::*, void (*)()>());
static_assert(AreNoKeys<std::wstring, std::u16string, std::wstring_view, std::optional<std::string>, std::optional<int>,
                        std::vector<std::string>, std::pair<int, int>>());
static_assert(AreNoKeys<std::vector<char>, std::array<char, 3>, std::vector<int8_t>, std::vector<uint16_t>,
                        std::initializer_list<char>, std::initializer_list<int>, WideBytes>());
static_assert(AreNoKeys<int[3], bool[3], wchar_t[3], char16_t[3], char[2][3], uint8_t[2][3], volatile uint8_t[3]>());
static_assert(IsNoKey<char (&)[4]>::value && IsNoKey<char (&)[]>::value, "a buffer");
static_assert(IsNoKey<decltype(L"wide")>::value && IsNoKey<decltype(u"wide")>::value &&
              IsNoKey<decltype(U"wide")>::value);
#if defined(__cpp_char8_t)
enum class ScopedOfChar8 : char8_t {};
static_assert(AreNoKeys<char8_t, ScopedOfChar8, const char8_t*, std::u8string>());
static_assert(IsNoKey<decltype(u8"text")>::value);
#endif
#if __cplusplus >= 202002L
static_assert(AreNoKeys<std::span<char>, std::span<const char>, std::span<int>>());
#endif
#if defined(__SIZEOF_INT128__)
__extension__ typedef __int128 Int128;
__extension__ typedef unsigned __int128 UInt128;
static_assert(AreNoKeys<Int128, UInt128, volatile UInt128, ConvertsTo<Int128>, ConvertsTo<UInt128>>());
#if !defined(__STRICT_ANSI__)  // else no enum can have it
enum class ScopedOf128 : UInt128 {};
static_assert(AreNoKeys<ScopedOf128>());
#endif
#endif
#if defined(__FLT16_MANT_DIG__) && (defined(__clang__) || __GNUC__ >= 13 || defined(__SSE2__))  // g++ 12: on x86 alone
static_assert(AreNoKeys<_Float16, ConvertsTo<_Float16>>());
#endif
#if defined(__SIZEOF_FLOAT128__)
static_assert(AreNoKeys<__float128, ConvertsTo<__float128>>());
#endif

// NULL itself: as a parameter it would be a long like others.
#define LINEFILTER_REFUSES(name, subject, ...)                                    \
  template <class S = subject, class = void>                                      \
  struct name##OfNull : std::false_type {};                                       \
  template <class S>                                                              \
  struct name##OfNull<S, std::void_t<decltype(__VA_ARGS__)>> : std::true_type {}; \
  static_assert(!name##OfNull<>::value || std::is_same_v<decltype(NULL), int>, #name " takes NULL");
LINEFILTER_CALLS(LINEFILTER_REFUSES, NULL)
#define LINEFILTER_TAKES_ZERO(name, subject, ...)                                 \
  template <class S = subject, class = void>                                      \
  struct name##OfZero : std::false_type {};                                       \
  template <class S>                                                              \
  struct name##OfZero<S, std::void_t<decltype(__VA_ARGS__)>> : std::true_type {}; \
  static_assert(name##OfZero<>::value, #name " does not take 0");
LINEFILTER_CALLS(LINEFILTER_TAKES_ZERO, 0)

// ---- Seeds ----

template <class Seed, class = void>
struct IsSeed : std::false_type {};
template <class Seed>
struct IsSeed<Seed, std::void_t<decltype(HashKey(1, std::declval<Seed>()))>> : std::true_type {};
static_assert(IsSeed<int>::value && IsSeed<uint64_t>::value && IsSeed<uint8_t>::value && IsSeed<long>::value);
static_assert(!IsSeed<double>::value && !IsSeed<float>::value && !IsSeed<bool>::value && !IsSeed<char>::value &&
              !IsSeed<std::nullptr_t>::value && !IsSeed<void*>::value && !IsSeed<Plain>::value &&
              !IsSeed<std::atomic<int>&>::value && !IsSeed<ConvertsTo<double>>::value &&
              !IsSeed<std::vector<bool>::reference>::value && !IsSeed<const char*>::value);
#if defined(__SIZEOF_INT128__)
static_assert(!IsSeed<UInt128>::value);
#endif

}  // namespace
}  // namespace linefilter
