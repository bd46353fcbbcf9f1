// These are the options of one command. They hide CLI11, slow to compile, and parse numbers as people write them.
#ifndef LINEFILTER_TOOLS_PROGRAM_ARGUMENTS_H_
#define LINEFILTER_TOOLS_PROGRAM_ARGUMENTS_H_

#include <cstdint>
#include <functional>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "linefilter/layout.h"
#include "tools/program/secret.h"

namespace CLI {
class App;
class Option;
}  // namespace CLI

namespace linefilter {
struct FilterOptions;
}

namespace linefilter::tools {

struct Command;
struct KeysOption;

enum class Need { kOptional, kRequired };

class Arguments {
 public:
  explicit Arguments(CLI::App* app) : app_(app) {}

  // `name` is "--like-this" or, for a positional argument, "LIKE_THIS". Values must outlive the parsing.
  void Path(const char* name, std::string* value, const char* help, Need need = Need::kOptional);
  // Takes any text that is no file: a name, an address.
  void Text(const char* name, std::string* value, const char* type, const char* help, Need need = Need::kOptional);
  // Takes one positional argument or more, or an option that may be given again.
  void Paths(const char* name, std::vector<std::string>* values, const char* help, Need need = Need::kRequired);
  void Choice(const char* name, std::string* value, std::vector<std::string> choices, const char* help,
              Need need = Need::kOptional);
  // With `made_empty` help does not offer retrieval; if that is asked for, the library says what to do instead.
  void LayoutName(Layout* value, bool with_auto, const char* help, bool made_empty = false);
  // Declares KEYS... and how they are written. Without KEYS they come from standard input.
  void Keys(KeysOption* keys);
  // Declares the same for a command that has no KEYS: `name` "--like-this" may be given again for another file.
  void Keys(const char* name, KeysOption* keys, const char* help);
  // Takes a whole number: 1000000, 1e6, 1.5e6, 1M, 64Mi.
  void Count(const char* name, uint64_t* value, const char* help, Need need = Need::kOptional);
  // Takes a whole number of 64 bits, decimal or 0x hexadecimal.
  void Seed(uint64_t* value, const char* help);
  // Declares whether keys can be removed again, and how often they will be replaced.
  void Removable(FilterOptions* options);
  // Takes xxh3 or parquet; the other hashes come with --secret, or take no keys.
  void Hash(HashId* value);
  // `keys` are declared before (options are filled in in that order), or null: one file cannot be read as both.
  void Secret(SecretOption* value, SecretUse use, const KeysOption* keys = nullptr);
  // Takes a rate: 0.01 or 1%.
  void Rate(const char* name, double* value, const char* help);
  // Takes a duration: 30 (seconds), 500ms, 30s, 5m, 2h, 7d.
  void Duration(const char* name, uint64_t* milliseconds, const char* help);
  void Real(const char* name, double* value, const char* type, const char* help);
  void Flag(const char* name, bool* value, const char* help);
  void Json(bool* value);

  // One of these must follow, with its own options; the returned function runs the chosen one. Check goes by its rules.
  std::function<int()> Commands(const std::vector<const Command*>& commands);
  // Refuses nothing, for a command that only explains why there is nothing to do.
  void TakeAnything();

  // These are rules between options; Check checks them.
  void ExactlyOneOf(std::initializer_list<const char*> names);
  void AtMostOneOf(const char* first, const char* second);
  // The first one says nothing without the second one.
  void Needs(const char* name, const char* other);
  bool Given(const char* name) const;
  // What was declared, for those that know CLI11.
  const CLI::App& app() const { return *app_; }
  // Returns the sentence that tells which rule is broken, or nothing.
  std::string Check() const;

 private:
  struct Rule {
    std::vector<const char*> names;
    bool one_needed;
  };
  void HowKeysAreWritten(KeysOption* keys);

  CLI::App* app_;
  std::vector<Rule> rules_;
  std::vector<std::pair<const char*, const char*>> needs_;
  std::vector<std::unique_ptr<Arguments>> of_commands_;  // stay where they are: the actions refer to them
  const Arguments* chosen_ = nullptr;
  std::function<int()> chosen_action_;
};

}  // namespace linefilter::tools

#endif  // LINEFILTER_TOOLS_PROGRAM_ARGUMENTS_H_
