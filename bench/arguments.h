// The options and the main function of a benchmark. They hide CLI11, which takes nine seconds to compile in each
// program.
#ifndef LINEFILTER_BENCH_ARGUMENTS_H_
#define LINEFILTER_BENCH_ARGUMENTS_H_

#include <functional>
#include <limits>
#include <memory>
#include <string>

namespace CLI {
class App;
}  // namespace CLI

namespace linefilter::bench {

class Arguments {
 public:
  // The program's name, and what it measures.
  Arguments(const char* program, const char* summary);
  ~Arguments();

  // Options, each with its name (--NAME) and its help. Values keep what they are where a line does not name them.
  void Add(const char* name, std::string* value, const char* help);
  void AddRequired(const char* name, std::string* value, const char* help);
  void AddFlag(const char* name, bool* value, const char* help);
  // Number: int, uint64_t, double, or a vector of uint64_t, whose values stand between commas.
  template <class Number>
  void AddNumber(const char* name, Number* value, const char* help, double least = 0,
                 double most = std::numeric_limits<double>::max());

  // Reads the line, then runs `work`; the exit code. A refused line and an exception are told on stderr.
  int Run(int argc, char** argv, const std::function<int()>& work);

 private:
  std::string program_;
  std::unique_ptr<CLI::App> app_;
};

}  // namespace linefilter::bench

#endif  // LINEFILTER_BENCH_ARGUMENTS_H_
