// linefilter_bench_parallel: what a filter costs that two threads build, by the clock, beside two processes that build
// half of the keys each at the same time. Both take two CPUs, which should have nothing else to do.
//
//   linefilter_bench_parallel [--keys 1e7] [--rows REGEX] [--rounds 7]
//
// A row is a layout, and how the array of hashes comes: borrowed, copied (add), or read as a stream by BuildFromSource.
// The share is that of the keys per second which both processes build together, the median of the rounds. One thread is
// told for comparison, and the most memory that it holds beside the image and 8 bytes for each key. What a stream takes
// is told without its image, which is not in memory as a whole, and with the hashes that memory_limit lets in.
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <new>
#include <regex>
#include <string>
#include <utility>
#include <vector>

#include "bench/arguments.h"
#include "bench/memory.h"
#include "bench/peer.h"
#include "bench/results.h"
#include "bench/threads.h"
#include "linefilter/builder.h"
#include "linefilter/bulk.h"
#include "linefilter/hash.h"
#include "linefilter/layout.h"
#include "linefilter/target.h"

namespace linefilter::bench {
namespace {

constexpr double kBitsPerKey = 10;

enum class Way { kBorrow, kAdd, kSource };

struct Row {
  std::string name;
  Layout layout;
  Way way;
};

std::vector<Row> RowsFor(const std::string& pattern) {
  std::vector<Row> rows;
  for (const Layout layout : {Layout::kBlocked, Layout::kRetrieval}) {
    for (const auto& [name, way] :
         {std::pair(" borrow", Way::kBorrow), {" add", Way::kAdd}, {" source", Way::kSource}}) {
      const Row row{LayoutName(layout) + std::string(name), layout, way};
      if (std::regex_search(row.name, std::regex(pattern))) rows.push_back(row);
    }
  }
  return rows;
}

struct Hashes {
  const uint64_t* begin;
  size_t size;
};

// The memory that a builder of one thread holds, and the most that it held.
struct Held {
  uint64_t now = 0, most = 0;
  Allocator allocator() {
    Allocator counted;
    counted.allocate = [](void* held, size_t size, size_t alignment) noexcept {
      Held* const self = static_cast<Held*>(held);
      self->now += size;
      self->most = std::max(self->most, self->now);
      return std::aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
    };
    counted.deallocate = [](void* held, void* memory, size_t size, size_t) noexcept {
      static_cast<Held*>(held)->now -= size;
      std::free(memory);
    };
    counted.context = this;
    return counted;
  }
};

// The array as a stream, and the bytes of an image as one.
struct Stream {
  Hashes hashes;
  HugeBuffer* image;
  size_t num_read = 0, num_written = 0;

  HashSource source() {
    HashSource source;
    source.read = [](void* stream, uint64_t* out, size_t capacity) noexcept {
      Stream* const self = static_cast<Stream*>(stream);
      const size_t n = std::min(capacity, self->hashes.size - self->num_read);
      if (n != 0) memcpy(out, self->hashes.begin + self->num_read, sizeof(*out) * n);
      self->num_read += n;
      return n;
    };
    source.rewind = [](void* stream) noexcept {
      static_cast<Stream*>(stream)->num_read = 0;
      return true;
    };
    source.context = this;
    return source;
  }
  Sink sink() {
    Sink sink;
    sink.write = [](void* stream, const void* bytes, size_t n) noexcept {
      Stream* const self = static_cast<Stream*>(stream);
      if (self->image->size() - self->num_written < n) return false;
      memcpy(self->image->data() + self->num_written, bytes, n);
      self->num_written += n;
      return true;
    };
    sink.context = this;
    return sink;
  }
};

Status Build(const Row& row, const FilterOptions& options, const Hashes& hashes, HugeBuffer* image) {
  if (row.way == Way::kSource) {
    Stream stream{hashes, image};
    return BuildFromSource(options, stream.source(), stream.sink());
  }
  FilterBuilder builder(options);
  row.way == Way::kBorrow ? builder.BorrowHashes(hashes.begin, hashes.size)
                          : builder.AddHashes(hashes.begin, hashes.size);
  size_t written = 0;
  return builder.FinishTo(image->data(), image->size(), &written);
}

// Seconds by the clock, with all that a caller waits for.
double SecondsToBuild(const Row& row, const Hashes& hashes, const Executor& executor, HugeBuffer* image,
                      Held* held = nullptr) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point begin = Clock::now();
  FilterOptions options;
  options.layout = row.layout;
  options.bits_per_key = kBitsPerKey;
  options.executor = executor;
  if (held != nullptr) options.allocator = held->allocator();
  const Status status = Build(row, options, hashes, image);
  if (!status.ok()) Die("%s: %s", row.name.c_str(), status.message());
  return std::chrono::duration<double>(Clock::now() - begin).count();
}

uint64_t BytesForImages(const std::vector<Row>& rows, size_t keys) {
  uint64_t most = 0;
  for (const Row& row : rows) {
    FilterOptions options;
    options.layout = row.layout;
    options.bits_per_key = kBitsPerKey;
    uint64_t bytes = 0;
    const Status status = FilterBuilder::EstimateBytes(options, keys, &bytes);
    if (!status.ok()) Die("%s", status.message());
    most = std::max(most, bytes);
  }
  return most + most / 8;
}

// Processes that build at the same time, one on each CPU, whenever they are asked. They are made before any thread.
class Processes {
 public:
  Processes(const std::vector<Row>& rows, const Hashes& hashes) : rows_(rows) {
    void* const memory = mmap(nullptr, sizeof(*ready_), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) Die("no memory that processes share");
    ready_ = new (memory) std::atomic<size_t>(0);
    const size_t half = hashes.size / kNumProcesses;
    for (size_t i = 0; i < kNumProcesses; ++i) Start(i, {hashes.begin + i * half, half});
  }
  ~Processes() {
    for (const Process& process : processes_) {
      close(process.tasks);  // which ends it
      waitpid(process.id, nullptr, 0);
      close(process.answers);
    }
    munmap(ready_, sizeof(*ready_));
  }
  Processes(const Processes&) = delete;
  Processes& operator=(const Processes&) = delete;

  // What all build together of that row, each counted for as long as it builds.
  double KeysPerSecond(size_t row) {
    for (const Process& process : processes_) {
      if (write(process.tasks, &row, sizeof(row)) != sizeof(row)) Die("a process that builds is gone");
    }
    double sum = 0;
    for (const Process& process : processes_) {
      double keys_per_second = 0;
      if (read(process.answers, &keys_per_second, sizeof(keys_per_second)) != sizeof(keys_per_second)) {
        Die("a process that builds is gone");
      }
      sum += keys_per_second;
    }
    return sum;
  }

 private:
  static constexpr size_t kNumProcesses = 2;
  struct Process {
    pid_t id;
    int tasks, answers;
  };

  void Start(size_t index, const Hashes& hashes) {
    int tasks[2], answers[2];
    if (pipe(tasks) != 0 || pipe(answers) != 0) Die("no pipe to another process");
    const pid_t id = fork();
    if (id < 0) Die("no other process");
    if (id == 0) {
      for (const Process& older : processes_) close(older.tasks);  // else they would not end before this one
      close(tasks[1]);
      if (!PinToCpu(index)) Die("there is no CPU of its own for each of %zu processes", kNumProcesses);
      Serve(tasks[0], answers[1], hashes);
    }
    close(tasks[0]);
    close(answers[1]);
    processes_.push_back({id, tasks[1], answers[0]});
  }

  [[noreturn]] void Serve(int tasks, int answers, const Hashes& hashes) {
    HugeBuffer image(BytesForImages(rows_, hashes.size));
    size_t row = 0;
    for (size_t round = 1; read(tasks, &row, sizeof(row)) == sizeof(row); ++round) {
      for (++*ready_; *ready_ < round * kNumProcesses;) continue;
      const double seconds = SecondsToBuild(rows_[row], hashes, {}, &image);
      const double keys_per_second = static_cast<double>(hashes.size) / seconds;
      if (write(answers, &keys_per_second, sizeof(keys_per_second)) != sizeof(keys_per_second)) break;
    }
    _exit(0);
  }

  const std::vector<Row>& rows_;
  std::atomic<size_t>* ready_ = nullptr;  // how often a process was ready, in memory that they share
  std::vector<Process> processes_;
};

struct Column {
  std::vector<double> one, two, processes, share;
  double megabytes = 0;
};

int Run(size_t keys, const std::string& pattern, int rounds) {
  if (!HasSecondCpu()) Die("two threads need two CPUs");
  const std::vector<Row> rows = RowsFor(pattern);
  HugeBuffer memory(8 * keys);
  uint64_t* const all = reinterpret_cast<uint64_t*>(memory.data());
  for (size_t i = 0; i < keys; ++i) all[i] = MixHash(i);
  const Hashes hashes{all, keys};
  Processes processes(rows, hashes);
  PinToCpu(0);
  HugeBuffer image(BytesForImages(rows, keys));
  std::vector<Column> columns(rows.size());
  for (int round = 0; round <= rounds; ++round) {
    for (size_t i = 0; i < rows.size(); ++i) {
      Held held;
      const double n = static_cast<double>(keys);
      const double one = n / SecondsToBuild(rows[i], hashes, {}, &image, round == 0 ? &held : nullptr);
      const double two = n / SecondsToBuild(rows[i], hashes, TwoThreads(), &image), both = processes.KeysPerSecond(i);
      if (round == 0) {  // it is not timed: it is for memory, caches and clocks
        columns[i].megabytes = 1e-6 * (static_cast<double>(held.most) - (rows[i].way == Way::kAdd ? 8 * n : 0));
        continue;
      }
      columns[i].one.push_back(1e9 / one);
      columns[i].two.push_back(1e9 / two);
      columns[i].processes.push_back(1e9 / both);
      columns[i].share.push_back(two / both);
    }
  }
  printf("%zu keys, %g bits per key, ns per key by the clock, median of %d rounds, target %s\n", keys, kBitsPerKey,
         rounds, ChosenTarget());
  printf("%-18s %12s %12s %14s %8s %10s\n", "", "one thread", "two threads", "two processes", "share", "MB beside");
  for (size_t i = 0; i < rows.size(); ++i) {
    printf("%-18s %12.2f %12.2f %14.2f %8.2f %10.1f\n", rows[i].name.c_str(), Median(columns[i].one),
           Median(columns[i].two), Median(columns[i].processes), Median(columns[i].share), columns[i].megabytes);
  }
  return 0;
}

}  // namespace
}  // namespace linefilter::bench

int main(int argc, char** argv) {
  double keys = 1e7;
  std::string rows = ".";
  int rounds = 7;
  linefilter::bench::Arguments arguments("linefilter_bench_parallel", "Filters by two threads, beside two processes");
  arguments.AddNumber("--keys", &keys, "Keys per filter", 1e4, 1e9);
  arguments.Add("--rows", &rows, "Rows whose names this expression finds");
  arguments.AddNumber("--rounds", &rounds, "Rounds, of which the medians are told", 1, 1000);
  return arguments.Run(argc, argv, [&] { return linefilter::bench::Run(static_cast<size_t>(keys), rows, rounds); });
}
