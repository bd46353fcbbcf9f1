#include "python/src/options.h"

#include <cstring>
#include <string>
#include <thread>
#include <vector>

#include "python/src/buffer.h"
#include "python/src/core.h"
#include "python/src/errors.h"

namespace linefilter::python {
namespace {

// Threads that live for one call and never see Python. Those that the system refuses are done without.
void RunOnThreads(void*, void (*task)(void*, size_t), void* argument, size_t num_tasks) noexcept {
  std::vector<std::thread> threads;
  size_t done_here = num_tasks;
  try {
    threads.reserve(num_tasks);
    while (done_here > 1) {
      threads.emplace_back(task, argument, done_here - 1);
      --done_here;
    }
  } catch (...) {
  }
  for (size_t i = 0; i < done_here; ++i) task(argument, i);
  for (std::thread& thread : threads) thread.join();
}

void SetThreads(size_t threads, FilterOptions* options) {
  if (threads > 1) options->executor = {&RunOnThreads, nullptr, threads};
}

FilterOptions MakeOptions(double bits_per_key, double fpr, const py::object& layout, uint32_t num_probes, uint64_t seed,
                          const py::object& secret, bool caller_hashes, uint64_t memory_limit, size_t threads,
                          bool foldable, uint64_t num_keys, bool parquet_hash, bool removable, uint32_t turnovers) {
  FilterOptions options;
  options.bits_per_key = bits_per_key;
  options.fpr = fpr;
  options.layout = LayoutOf(layout);
  options.num_probes = num_probes;
  options.seed = seed;
  if (const auto given = SecretOf(secret)) {
    options.secret = *given;
    options.hash_id = HashId::kKeyed;
  }
  if (caller_hashes) options.hash_id = HashId::kCaller;
  if (parquet_hash) options.hash_id = HashId::kParquet;
  options.memory_limit = memory_limit;
  options.foldable = foldable;
  SetThreads(threads, &options);
  options.num_keys = num_keys;
  options.removable = removable;
  options.turnovers = turnovers;
  return options;
}

}  // namespace

std::string LayoutChoices(const std::string& first) {
  std::vector<std::string> names;
  if (!first.empty()) names.push_back(first);
  for (const Layout layout : SupportedLayouts()) {
    if (FactsOf(layout).buildable) names.push_back(LayoutName(layout));
  }
  std::string text;
  for (size_t i = 0; i < names.size(); ++i) {
    text += (i == 0 ? "" : i + 1 < names.size() ? ", " : " or ") + names[i];
  }
  return text;
}

Layout LayoutOf(const py::object& name) {
  if (!PyUnicode_Check(name.ptr())) {
    throw py::type_error(std::string("layout must be a str, not ") + Py_TYPE(name.ptr())->tp_name);
  }
  Py_ssize_t size = 0;
  const char* const text = PyUnicode_AsUTF8AndSize(name.ptr(), &size);
  if (text == nullptr) throw py::error_already_set();  // a lone surrogate
  Layout layout = Layout::kAuto;
  if (std::strlen(text) != static_cast<size_t>(size) || !ParseLayout(text, &layout)) {
    Check(Status::Error(StatusCode::kInvalidArgument, "there is no layout %.40s: choose %s",
                        std::string(py::repr(name)).c_str(), LayoutChoices("auto").c_str()));
  }
  return layout;
}

FilterOptions OptionsToOpen(const std::optional<HashSecret>& secret, uint64_t memory_limit) {
  FilterOptions options;
  if (secret) {
    options.hash_id = HashId::kKeyed;
    options.secret = *secret;
  }
  options.memory_limit = memory_limit;
  return options;
}

std::optional<HashSecret> SecretOf(const py::object& secret) {
  if (secret.is_none()) return std::nullopt;
  const Buffer bytes(secret);
  HashSecret copy;
  if (bytes.size() != sizeof(copy.bytes)) {
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "a secret has 16 bytes and this has %zu: make one by secrets.token_bytes(16), and keep it",
                        bytes.size()));
  }
  std::memcpy(copy.bytes, bytes.data(), sizeof(copy.bytes));
  const HashSecret none;
  if (std::memcmp(copy.bytes, none.bytes, sizeof(copy.bytes)) == 0) {
    Check(Status::Error(StatusCode::kInvalidArgument,
                        "16 zeros are no secret: make one by secrets.token_bytes(16), and keep it"));
  }
  return copy;
}

void BindOptions(py::module_& module) {
  // module_local, here and at every class: another module may bind the library's types for itself.
  py::class_<FilterOptions>(module, "Options", py::module_local())
      .def(py::init(&MakeOptions), py::kw_only(), py::arg("bits_per_key"), py::arg("fpr"), py::arg("layout"),
           py::arg("num_probes"), py::arg("seed"), py::arg("secret"), py::arg("caller_hashes"), py::arg("memory_limit"),
           py::arg("threads"), py::arg("foldable"), py::arg("num_keys"), py::arg("parquet_hash"), py::arg("removable"),
           py::arg("turnovers"))
      .def_static("same_size_as", [](const Core& core, uint64_t memory_limit, size_t threads) {
        FilterOptions options =
            core.ReadBriefly([](const FilterBase& filter) { return FilterOptions::SameSizeAs(filter); });
        options.memory_limit = memory_limit;
        SetThreads(threads, &options);
        return options;
      });
  // This lists the layouts of this build: their names, and whether each takes single keys.
  module.def("layouts", [] {
    py::list all;
    for (const Layout layout : SupportedLayouts()) {
      if (FactsOf(layout).buildable) all.append(py::make_tuple(LayoutName(layout), FactsOf(layout).takes_keys));
    }
    return all;
  });
}

}  // namespace linefilter::python
