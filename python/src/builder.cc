// FilterBuilder behind a mutex, for Python.
#include "linefilter/builder.h"

#include <memory>
#include <mutex>
#include <string>

#include "linefilter/columns.h"
#include "python/src/buffer.h"
#include "python/src/columns.h"
#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/fair_mutex.h"
#include "python/src/image.h"

namespace linefilter::python {
namespace {

// It tells what Finish would answer, before there is memory for the image, and learns the kinds of keys as they come.
class AskedBuilder : public FilterBuilder {
 public:
  using FilterBuilder::CheckFinish;
  using FilterBuilder::FilterBuilder;

  void NoteKeyKind(KeyKind kind) {
    if (kind == KeyKind::kUnknown) has_hashes_ = true;
    kinds_ = BothKinds(kinds_, kind);
    SetKeyKind(has_hashes_ ? KeyKind::kUnknown : kinds_);
    if (has_columns_) NoteForms();
  }
  // The library notes the form of a column here, so it has to know of the keys that came otherwise.
  void NoteColumn() {
    has_columns_ = true;
    NoteForms();
  }
  void ForgetKeyKinds() {
    has_hashes_ = has_columns_ = false;
    kinds_ = KeyKind::kUnknown;
    SetKeyKind(kinds_);
  }
  // After an image there are no keys, unless it failed.
  Status Done(const Status& status) {
    if (status.ok()) ForgetKeyKinds();
    return status;
  }

 private:
  static bool Has(KeyKind kinds, KeyKind kind) { return BothKinds(kinds, kind) == kinds; }
  void NoteForms() {
    if (Has(kinds_, KeyKind::kText)) NoteKeyForms(static_cast<uint64_t>(KeyForm::kText));
    if (Has(kinds_, KeyKind::kInteger)) NoteKeyForms(static_cast<uint64_t>(KeyForm::kInteger));
    if (has_hashes_) NoteKeyForms(kUnknownKeyForms);
  }

  KeyKind kinds_ = KeyKind::kUnknown;  // of the keys that came
  bool has_hashes_ = false;            // whose kind nobody knows
  bool has_columns_ = false;
};

class Builder {
 public:
  explicit Builder(const FilterOptions& options) : options_(options), builder_(options), hasher_(options.key_hash()) {
    Check(builder_.status());
  }

  // Runs work(builder) alone and without the GIL.
  template <class Work>
  auto Use(const Work& work) {
    const ReleasedGil release;
    const std::lock_guard lock(mutex_);
    return work(builder_);
  }
  // The same for what is brief, with it.
  template <class Work>
  auto UseBriefly(const Work& work) {
    std::unique_lock lock(mutex_, std::defer_lock);
    LockFor(Gil::kHeld, &lock);
    return work(builder_);
  }

  const FilterOptions& options() const { return options_; }
  const Hasher& hasher() const { return hasher_; }

 private:
  const FilterOptions options_;
  FairMutex mutex_;
  AskedBuilder builder_;
  const Hasher hasher_;
};

// What was added may not have found memory: said at once, not at the end.
void AddHash(Builder& builder, uint64_t hash, KeyKind kind) {
  const auto add = [=](AskedBuilder& b) { return b.NoteKeyKind(kind), b.AddHash(hash), b.status().ok(); };
  if (builder.UseBriefly(add)) return;
  Check(builder.Use([](FilterBuilder& b) { return b.status(); }));
}

void AddHashesFrom(Builder& builder, const uint64_t* hashes, size_t n, KeyKind kind) {
  Check(builder.Use([&](AskedBuilder& b) {
    if (n != 0) b.NoteKeyKind(kind);
    b.AddHashes(hashes, n);
    return b.status();
  }));
}

void AddWords(Builder& builder, py::handle array) {
  builder.hasher().RequireKeys();
  const Words keys(array);
  Check(builder.Use([&](AskedBuilder& b) {
    if (keys.size() != 0) b.NoteKeyKind(KeyKind::kInteger);
    builder.hasher().OfGroups(keys.data(), keys.size(), [&](size_t, const uint64_t* hashes, size_t size) {
      b.AddHashes(hashes, size);
      return b.status().ok();
    });
    return b.status();
  }));
}

void AddColumns(Builder& builder, const py::tuple& columns) {
  const HeldColumns held(columns);
  Check(builder.Use([&](AskedBuilder& b) {
    Status status;
    b.NoteColumn();
    held.Each([&](const KeyRows& part, size_t first) {
      if (status.ok()) status = InPiece(AddColumn(part, &b), first);
    });
    return status.ok() ? b.status() : status;
  }));
}

std::unique_ptr<Image> Finish(Builder& builder) {
  std::unique_ptr<AlignedBytes> image;
  Check(builder.Use([&](AskedBuilder& b) {
    uint64_t image_bytes = 0;
    const Status ready = b.CheckFinish(&image_bytes);
    if (!ready.ok()) return ready;
    image = std::make_unique<AlignedBytes>(static_cast<size_t>(image_bytes));
    return b.Done(b.FinishTo(image->data(), image->size(), nullptr));
  }));
  const KeyHash key_hash = builder.options().key_hash();
  return std::make_unique<Image>(std::move(image), VerifyMode::kTrusted, key_hash.secret_or_null(), Broken::kRaise);
}

void FinishToFile(Builder& builder, const std::string& path) {
  Check(builder.Use([&](AskedBuilder& b) { return WithErrno([&] { return b.Done(b.FinishToFile(path.c_str())); }); }));
}

}  // namespace

void BindBuilder(py::module_& module) {
  py::class_<Builder>(module, "Builder", py::module_local())
      .def(py::init<const FilterOptions&>())
      .def("add",
           [](Builder& builder, py::handle key) {
             KeyKind kind;
             const uint64_t hash = builder.hasher().OfObject(key, &kind);
             AddHash(builder, hash, kind);
           })
      .def("add_hash", [](Builder& builder, uint64_t hash) { AddHash(builder, hash, KeyKind::kUnknown); })
      .def("add_words", &AddWords)
      .def("add_hashes",
           [](Builder& builder, py::handle array) {
             const Words hashes(array);
             AddHashesFrom(builder, hashes.data(), hashes.size(), KeyKind::kUnknown);
           })
      .def("add_iterable",
           [](Builder& builder, py::handle keys) {
             builder.hasher().OfIterable(keys, [&](const uint64_t* hashes, size_t n, KeyKind kinds) {
               AddHashesFrom(builder, hashes, n, kinds);
             });
           })
      .def("add_column", &AddColumns)
      .def("num_keys",
           [](Builder& builder) { return builder.UseBriefly([](FilterBuilder& b) { return b.num_keys(); }); })
      .def("image_bytes", [](Builder& builder) { return builder.Use([](FilterBuilder& b) { return b.ImageBytes(); }); })
      .def("finish", &Finish)
      .def("finish_to_file", &FinishToFile)
      .def("reset", [](Builder& builder) { builder.Use([](AskedBuilder& b) { b.Reset(), b.ForgetKeyKinds(); }); });
}

}  // namespace linefilter::python
