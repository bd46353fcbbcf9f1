// This reads dates and times of ISO 8601 in the proleptic Gregorian calendar, which is Parquet's.
#include "tools/program/parquet/value.h"

namespace linefilter::tools {
namespace {

using Logical = ParquetLogicalType;

constexpr char kNoDate[] = "is no date: write it like 2024-02-29";
constexpr char kNoTime[] = "is no time: write it like 08:30:00.25, with Z at its end in a column of instants";
constexpr char kNoTimestamp[] =
    "is no timestamp: write it like 2024-02-29T08:30:00.25, with Z at its end in a column of instants";

// Takes digits from the text; false if there are fewer than `least`.
class Scanner {
 public:
  explicit Scanner(const std::string& text) : text_(text) {}
  bool Take(char c) {
    const bool is_there = at_ < text_.size() && text_[at_] == c;
    at_ += is_there ? 1 : 0;
    return is_there;
  }
  bool Digits(size_t least, size_t most, int64_t* value, size_t* count = nullptr) {
    const size_t begin = at_;
    *value = 0;
    for (; at_ < text_.size() && at_ - begin < most && text_[at_] >= '0' && text_[at_] <= '9'; ++at_) {
      *value = 10 * *value + (text_[at_] - '0');
    }
    if (count != nullptr) *count = at_ - begin;
    return at_ - begin >= least;
  }
  bool IsAtEnd() const { return at_ == text_.size(); }

 private:
  const std::string& text_;
  size_t at_ = 0;
};

// Days since 1970-01-01. Years begin in March here, so that the leap day is the last of its year.
int64_t DaysOf(int64_t year, int64_t month, int64_t day) {
  constexpr int64_t kDaysOf400Years = 146097, kMarchOfYear0To1970 = 719468;
  const int64_t months = month > 2 ? month - 3 : month + 9;
  year -= month > 2 ? 0 : 1;
  const int64_t era = (year >= 0 ? year : year - 399) / 400, of_era = year - 400 * era;
  const int64_t day_of_year = (153 * months + 2) / 5 + day - 1;  // 153 days are the five months from March to July
  return era * kDaysOf400Years + 365 * of_era + of_era / 4 - of_era / 100 + day_of_year - kMarchOfYear0To1970;
}

bool TakeDate(Scanner* scanner, int64_t* days) {
  const bool is_negative = scanner->Take('-');
  int64_t year = 0, month = 0, day = 0;
  if (!scanner->Digits(4, 8, &year) || !scanner->Take('-') || !scanner->Digits(2, 2, &month) || !scanner->Take('-') ||
      !scanner->Digits(2, 2, &day) || month < 1 || month > 12 || day < 1) {
    return false;
  }
  if (is_negative) year = -year;
  *days = DaysOf(year, month, day);
  const int64_t next = month == 12 ? DaysOf(year + 1, 1, 1) : DaysOf(year, month + 1, 1);
  return *days < next;
}

// Counts units of the least size that holds the fraction: milliseconds, microseconds or nanoseconds.
bool TakeTime(Scanner* scanner, int64_t* count, ParquetTimeUnit* unit) {
  int64_t hour = 0, minute = 0, second = 0, fraction = 0;
  size_t digits = 0;
  if (!scanner->Digits(2, 2, &hour) || !scanner->Take(':') || !scanner->Digits(2, 2, &minute)) return false;
  const bool has_seconds = scanner->Take(':');
  if (has_seconds && !scanner->Digits(2, 2, &second)) return false;
  if (hour > 23 || minute > 59 || second > 59) return false;
  // In ISO 8601 08:30.5 would be half a minute: it is refused, as most programs do.
  if (has_seconds && scanner->Take('.') && !scanner->Digits(1, 9, &fraction, &digits)) return false;
  const size_t stored = digits <= 3 ? 3 : digits <= 6 ? 6 : 9;
  *unit = static_cast<ParquetTimeUnit>(stored / 3);
  *count = 3600 * hour + 60 * minute + second;
  for (size_t i = 0; i < stored; ++i) *count *= 10;
  for (; digits < stored; ++digits) fraction *= 10;
  *count += fraction;
  return true;
}

int64_t OfDay(ParquetTimeUnit unit) {
  return unit == ParquetTimeUnit::kMillis   ? int64_t{86400} * 1000
         : unit == ParquetTimeUnit::kMicros ? int64_t{86400} * 1000000
                                            : int64_t{86400} * 1000000000;
}

}  // namespace

bool ParseParquetTime(Logical logical, const std::string& text, ParquetValue* value, std::string* error) {
  Scanner scanner(text);
  int64_t days = 0, count = 0;
  ParquetTimeUnit unit = ParquetTimeUnit::kMillis;
  const bool has_date = logical != Logical::kTime, is_timestamp = logical == Logical::kTimestamp;
  *error = logical == Logical::kDate ? kNoDate : is_timestamp ? kNoTimestamp : kNoTime;
  if (has_date && !TakeDate(&scanner, &days)) return false;
  if (logical == Logical::kDate) {
    *value = ParquetValue::Date(days);
    return scanner.IsAtEnd();
  }
  if (is_timestamp && !scanner.Take('T') && !scanner.Take(' ')) return false;
  if (!TakeTime(&scanner, &count, &unit)) return false;
  const bool is_utc = scanner.Take('Z');
  if (!scanner.IsAtEnd()) return false;
  if (!is_timestamp) {
    *value = ParquetValue::Time(count, unit, is_utc);
    return true;
  }
  // The first day that 64 bits count begins before their least number, so it is counted from its end.
  int64_t since_1970 = 0;
  if (days < 0) {
    ++days;
    count -= OfDay(unit);
  }
  if (__builtin_mul_overflow(days, OfDay(unit), &since_1970) ||
      __builtin_add_overflow(since_1970, count, &since_1970)) {
    *error = "is beyond what 64 bits count in its unit: write fewer digits behind the point";
    return false;
  }
  *value = ParquetValue::Timestamp(since_1970, unit, is_utc);
  return true;
}

}  // namespace linefilter::tools
