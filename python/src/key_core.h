// What every filter of the module that takes keys is: a KeyFilter, and ways to keep others away while it is changed,
// and while its image is written.
#ifndef LINEFILTER_PYTHON_SRC_KEY_CORE_H_
#define LINEFILTER_PYTHON_SRC_KEY_CORE_H_

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>

#include "linefilter/key_filter.h"
#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/errors.h"
#include "python/src/image.h"
#include "python/src/options.h"

namespace linefilter::python {

class KeyCore : public Core {
 public:
  const KeyFilter& filter() const override = 0;
  // Calls change(filter): nobody else reads or changes it meanwhile, if that would harm.
  virtual void Change(Gil gil, const std::function<void(KeyFilter&)>& change) = 0;
  // Calls write(filter), which writes its image. Without the GIL.
  virtual void Write(const std::function<void(const KeyFilter&)>& write) const {
    Ask(Gil::kReleased, [&](const FilterBase&) { write(filter()); });
  }

  // Adds one key, which is any object, and tells whether it was new. With the GIL.
  bool AddKey(py::handle key) {
    struct {
      KeyKind kind;
      uint64_t hash;
      bool is_new;
    } one;  // a reference to it fits into the std::function, which else would allocate
    one.hash = Hasher(key_hash()).OfObject(key, &one.kind);
    Change(Gil::kHeld, [&one](KeyFilter& filter) {
      filter.NoteKeyKind(one.kind);
      one.is_new = filter.InsertHash(one.hash);
    });
    return one.is_new;
  }

  // Calls change(filter, begin, size), which counts, for the pieces of n keys, without the GIL. Between two of them
  // others get in.
  template <class ChangePiece>
  uint64_t ChangeInPieces(size_t n, const ChangePiece& change) {
    uint64_t count = 0;
    for (size_t begin = 0; begin < n; begin += kPiece) {
      Change(Gil::kReleased, [&](KeyFilter& filter) { count += change(filter, begin, std::min(kPiece, n - begin)); });
    }
    return count;
  }

 protected:
  using Core::Core;
};

// A filter of the library behind a mutex: one writer, or any number of readers.
template <class Own>
class Locked final : public KeyCore {
 public:
  Locked() : KeyCore(&mutex_) {}

  const Own& filter() const override { return own_; }
  FairMutex& mutex() const { return mutex_; }
  // Under mutex(), but for what makes it, before anybody else knows this object.
  Own& own() { return own_; }
  void Change(Gil gil, const std::function<void(KeyFilter&)>& change) override {
    std::unique_lock lock(mutex_, std::defer_lock);
    LockFor(gil, &lock);
    change(own_);
  }

  // change(own) is a Status, which is thrown.
  template <class ChangeOwn>
  void Do(const ChangeOwn& change) {
    CheckWithoutGil([&] {
      const std::unique_lock lock(mutex_);
      return change(own_);
    });
  }

 private:
  mutable FairMutex mutex_;
  Own own_;
};

// How a core is changed, by member functions of Own, which it holds. Insertions note the kind of their keys; what takes
// out many keys refuses another kind than the filter has.
template <class Own>
struct Changes {
  bool (Own::*one)(uint64_t hash) noexcept;
  uint64_t (Own::*many)(const uint64_t* hashes, size_t n, uint8_t* told) noexcept;
  bool inserts;

  void RequireKind(const KeyCore& core, KeyKind kind) const {
    if (!inserts) core.RequireKind(kind);
  }
  Own& Begin(KeyFilter& filter, KeyKind kind) const {
    if (inserts) filter.NoteKeyKind(kind);
    return static_cast<Own&>(filter);
  }
};

// These change by many hashes, or integers, and count; `told` is null, or gets what became of each. With the GIL,
// without which it is done.
template <class Own>
uint64_t ChangeByHashes(KeyCore& core, const Changes<Own>& changes, const uint64_t* hashes, size_t n, KeyKind kind,
                        uint8_t* told) {
  changes.RequireKind(core, kind);
  const ReleasedGil release;
  return core.ChangeInPieces(n, [&](KeyFilter& filter, size_t begin, size_t size) {
    Own& own = changes.Begin(filter, kind);
    return (own.*changes.many)(hashes + begin, size, told == nullptr ? nullptr : told + begin);
  });
}

template <class Own>
uint64_t ChangeByWords(KeyCore& core, const Changes<Own>& changes, const Words& keys, uint8_t* told) {
  const Hasher hasher(core.key_hash());
  hasher.RequireKeys();
  changes.RequireKind(core, KeyKind::kInteger);
  const ReleasedGil release;
  return core.ChangeInPieces(keys.size(), [&](KeyFilter& filter, size_t begin, size_t size) {
    Own& own = changes.Begin(filter, KeyKind::kInteger);
    uint64_t count = 0;
    hasher.OfGroups(keys.data() + begin, size, [&](size_t at, const uint64_t* hashes, size_t n) {
      count += (own.*changes.many)(hashes, n, told == nullptr ? nullptr : told + begin + at);
      return true;
    });
    return count;
  });
}

// Binds "add" or "remove" (`name`), and what begins so.
template <class Own, class Class>
void BindChanges(Class& bound, const std::string& name, const Changes<Own>& changes) {
  const auto change_one = [changes](KeyCore& core, uint64_t hash, KeyKind kind) {
    bool done = false;
    core.Change(Gil::kHeld, [&](KeyFilter& filter) { done = (changes.Begin(filter, kind).*changes.one)(hash); });
    return done;
  };
  const auto by_words = [changes](KeyCore& core, py::handle array, const py::object& answers) {
    const Words keys(array);
    std::optional<Answers> out;
    if (!answers.is_none()) out.emplace(answers, keys.size());
    return ChangeByWords(core, changes, keys, out ? out->data() : nullptr);
  };
  const auto by_hashes = [changes](KeyCore& core, py::handle array) {
    const Words hashes(array);
    return ChangeByHashes(core, changes, hashes.data(), hashes.size(), KeyKind::kUnknown, nullptr);
  };
  const auto by_iterable = [changes](KeyCore& core, py::handle keys) {
    uint64_t count = 0;
    Hasher(core.key_hash()).OfIterable(keys, [&](const uint64_t* hashes, size_t n, KeyKind kinds) {
      count += ChangeByHashes(core, changes, hashes, n, kinds, nullptr);
    });
    return count;
  };
  const auto by_each = [changes](KeyCore& core, py::handle keys) {
    const auto change = [&](const uint64_t* hashes, size_t n, KeyKind kinds, uint8_t* told) {
      ChangeByHashes(core, changes, hashes, n, kinds, told);
    };
    return BytesOfIterable(Hasher(core.key_hash()), keys, change);
  };
  bound
      .def((name + "_hash").c_str(),
           [change_one](KeyCore& core, uint64_t hash) { return change_one(core, hash, KeyKind::kUnknown); })
      .def(name.c_str(),
           [change_one](KeyCore& core, py::handle key) {
             KeyKind kind;
             const uint64_t hash = Hasher(core.key_hash()).OfObject(key, &kind);
             return change_one(core, hash, kind);
           })
      .def((name + "_words").c_str(), by_words, py::arg("keys"), py::arg("answers") = py::none())
      .def((name + "_hashes").c_str(), by_hashes)
      .def((name + "_iterable").c_str(), by_iterable)
      .def((name + "_each").c_str(), by_each);
}

// What tell(filter) says at once, for Python: of the filter that the core holds.
template <class Bound, class Tell>
auto Telling(Tell tell) {
  return [tell](const Bound& core) {
    return core.ReadBriefly([&](const FilterBase&) { return std::invoke(tell, core.filter()); });
  };
}

// A core that make(filter) has given its filter, by a Status, which is thrown.
template <class Bound, class Make>
std::unique_ptr<Bound> Made(const Make& make) {
  auto core = std::make_unique<Bound>();
  CheckWithoutGil([&] { return make(core->own()); });
  return core;
}

// A core of what an image holds, with the options of the library's CreateFromImage.
template <class Bound>
std::unique_ptr<Bound> FromImage(const py::object& image, const py::object& secret, uint64_t memory_limit) {
  const FilterOptions options = OptionsToOpen(SecretOf(secret), memory_limit);
  const Buffer bytes(image);
  return Made<Bound>([&](auto& filter) { return filter.CreateFromImage(bytes.data(), bytes.size(), options); });
}

// A copy of its own, made while nobody changes the filter.
template <class Own>
std::unique_ptr<Locked<Own>> CopyOf(const Locked<Own>& core) {
  return Made<Locked<Own>>([&](Own& copy) {
    Status status;
    core.Write([&](const KeyFilter&) { status = copy.CloneFrom(core.filter()); });
    return status;
  });
}

}  // namespace linefilter::python

template <>
class pybind11::detail::type_caster<linefilter::python::KeyCore>
    : public linefilter::python::BaseCaster<linefilter::python::KeyCore> {};

#endif  // LINEFILTER_PYTHON_SRC_KEY_CORE_H_
