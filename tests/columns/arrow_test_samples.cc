// Arrays of each kind are made here. Rows before the offset have other values; those of nulls are rubbish where nobody
// may look at them.
#include "tests/columns/arrow_test.h"

namespace linefilter::test {

std::unique_ptr<ArrowSample> FixedArrowSample(const ArrowType& type, const Shape& shape) {
  auto sample = NewArrowSample(type.format, shape);
  uint8_t* const values = sample->New((shape.gap + shape.n) * type.width);
  Random random(shape.n + shape.gap);
  for (size_t i = 0; i < shape.gap + shape.n; ++i) {
    const int64_t value = static_cast<int64_t>(random.Below(97)) - 48;
    const double half = static_cast<double>(value) / 2;
    const float single = static_cast<float>(half);
    uint8_t* const row = values + i * type.width;
    PutNumber(value, type.width, row);
    if (type.format[0] == 'f') std::memcpy(row, &single, sizeof(single));
    if (type.format[0] == 'g') std::memcpy(row, &half, sizeof(half));
  }
  for (size_t i = 0; i < shape.n; ++i) sample->keys.push_back(type.key(values + (shape.gap + i) * type.width));
  sample->buffers.push_back(values);
  sample->form = type.form;
  sample->Finish();
  return sample;
}

namespace {

template <class Offset>
void AddOffsets(const std::vector<std::string>& texts, ArrowSample* sample) {
  Offset* const offsets = reinterpret_cast<Offset*>(sample->New((texts.size() + 1) * sizeof(Offset)));
  std::string all = "xyz";
  for (size_t i = 0; i < texts.size(); ++i) {
    offsets[i] = static_cast<Offset>(all.size());
    all += texts[i];
  }
  offsets[texts.size()] = static_cast<Offset>(all.size());
  uint8_t* const bytes = sample->New(all.size());
  std::memcpy(bytes, all.data(), all.size());
  sample->buffers.push_back(offsets);
  sample->buffers.push_back(bytes);
}

}  // namespace

std::unique_ptr<ArrowSample> TextArrowSample(const std::string& format, const Shape& shape) {
  auto sample = NewArrowSample(format, shape);
  const std::vector<std::string> texts = SampleTexts(shape);
  if (format == "u" || format == "z") {
    AddOffsets<int32_t>(texts, sample.get());
  } else {
    AddOffsets<int64_t>(texts, sample.get());
  }
  sample->keys.assign(texts.begin() + static_cast<std::ptrdiff_t>(shape.gap), texts.end());
  sample->form = KeyForm::kText;
  sample->Finish();
  return sample;
}

// Texts of more than 12 bytes lie in two buffers, in turn.
std::unique_ptr<ArrowSample> ViewArrowSample(const std::string& format, const Shape& shape) {
  auto sample = NewArrowSample(format, shape);
  const std::vector<std::string> texts = SampleTexts(shape);
  uint8_t* const views = sample->New(texts.size() * 16);
  std::string outside[2] = {"", "--"};
  for (size_t i = 0; i < texts.size(); ++i) {
    const uint32_t size = static_cast<uint32_t>(texts[i].size()), buffer = i % 2;
    const uint32_t offset = static_cast<uint32_t>(outside[buffer].size());
    std::memcpy(views + 16 * i, &size, 4);
    std::memcpy(views + 16 * i + 4, texts[i].data(), size < 12 ? size : 12);
    if (size > 12) {
      std::memcpy(views + 16 * i + 8, &buffer, 4);
      std::memcpy(views + 16 * i + 12, &offset, 4);
      outside[buffer] += texts[i];
    }
    if (i >= shape.gap && IsNullRow(shape, i - shape.gap)) std::memset(views + 16 * i, 0xff, 16);
  }
  sample->buffers.push_back(views);
  const int64_t sizes[2] = {static_cast<int64_t>(outside[0].size()), static_cast<int64_t>(outside[1].size())};
  for (const std::string& bytes : outside) {
    uint8_t* const buffer = sample->New(bytes.size());
    std::memcpy(buffer, bytes.data(), bytes.size());
    sample->buffers.push_back(buffer);
  }
  uint8_t* const of_sizes = sample->New(sizeof(sizes));
  std::memcpy(of_sizes, sizes, sizeof(sizes));
  sample->buffers.push_back(of_sizes);
  sample->keys.assign(texts.begin() + static_cast<std::ptrdiff_t>(shape.gap), texts.end());
  sample->form = KeyForm::kText;
  sample->Finish();
  return sample;
}

namespace {

constexpr size_t kValues = 23;

NullRows InnerNulls(const Shape& shape) { return shape.nulls == NullRows::kNone ? NullRows::kNone : NullRows::kSome; }

void TakeRow(const ArrowSample& values, size_t row, size_t i, ArrowSample* sample) {
  sample->keys.push_back(values.keys[row]);
  if (values.is_null[row]) sample->is_null[i] = true;
}

}  // namespace

std::unique_ptr<ArrowSample> DictionaryArrowSample(const ArrowType& indices, const Shape& shape) {
  auto sample = NewArrowSample(indices.format, shape);
  auto values = ViewArrowSample("vu", {kValues, 3, InnerNulls(shape)});
  uint8_t* const places = sample->New((shape.gap + shape.n) * indices.width);
  Random random(shape.n);
  for (size_t i = 0; i < shape.gap + shape.n; ++i) {
    const uint64_t row = random.Below(kValues);
    PutNumber(static_cast<int64_t>(row), indices.width, places + i * indices.width);
    if (i < shape.gap) continue;
    const bool is_null = sample->is_null[i - shape.gap];
    TakeRow(*values, static_cast<size_t>(row), i - shape.gap, sample.get());
    if (is_null) std::memset(places + i * indices.width, 0x7f, indices.width);
  }
  sample->form = values->form;
  sample->buffers.push_back(places);
  sample->parts.push_back(std::move(values));
  sample->Finish();
  return sample;
}

std::unique_ptr<ArrowSample> RunArrowSample(const ArrowType& ends, const Shape& shape) {
  auto sample = std::make_unique<ArrowSample>();
  sample->format = "+r";
  sample->array.length = static_cast<int64_t>(shape.n);
  sample->array.offset = static_cast<int64_t>(shape.gap);
  sample->is_null.assign(shape.n, false);
  auto values = TextArrowSample("u", {kValues, 2, InnerNulls(shape)});
  auto of_ends = FixedArrowSample(ends, {kValues, 1, NullRows::kNone});
  of_ends->array.null_count = -1;  // there are none
  const size_t length = (shape.gap + shape.n + kValues - 1) / kValues + 1;
  for (size_t i = 0; i < kValues; ++i) {
    const int64_t end = static_cast<int64_t>(length * (i + 1));
    PutNumber(end, ends.width, of_ends->Values<uint8_t>(1) + (1 + i) * ends.width);
  }
  for (size_t i = 0; i < shape.n; ++i) TakeRow(*values, (shape.gap + i) / length, i, sample.get());
  sample->form = values->form;
  sample->parts.push_back(std::move(of_ends));
  sample->parts.push_back(std::move(values));
  sample->Finish();
  return sample;
}

}  // namespace linefilter::test
