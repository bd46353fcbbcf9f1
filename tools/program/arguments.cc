#include "tools/program/arguments.h"

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <utility>

#include "linefilter/options.h"
#include "tools/measure/layouts.h"
#include "tools/program/command.h"
#include "tools/program/key_reader.h"
#include "tools/program/number.h"

namespace linefilter::tools {
namespace {

// Adds an option whose text goes through `parse(text, &error)`; a false answer is a usage error.
template <class Parse>
CLI::Option* AddParsed(CLI::App* app, const std::string& name, const char* type, const char* help, Parse parse) {
  return app
      ->add_option_function<std::string>(
          name,
          [name, parse](const std::string& text) {
            std::string error;
            if (!parse(text, &error)) throw CLI::ValidationError(name, "'" + text + "' " + error);
          },
          help)
      ->type_name(type);
}

std::string Joined(const std::vector<std::string>& words, const char* separator) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : separator) + word;
  return all;
}

}  // namespace

void Arguments::Path(const char* name, std::string* value, const char* help, Need need) {
  Text(name, value, "PATH", help, need);
}

void Arguments::Text(const char* name, std::string* value, const char* type, const char* help, Need need) {
  AddParsed(app_, name, type, help, [value](const std::string& text, std::string* error) {
    *error = "is empty: give a value";
    *value = text;
    return !text.empty();
  })->required(need == Need::kRequired);
}

void Arguments::Paths(const char* name, std::vector<std::string>* values, const char* help, Need need) {
  app_->add_option_function<std::vector<std::string>>(
          name,
          [name, values](const std::vector<std::string>& given) {
            for (const std::string& path : given) {
              if (path.empty()) throw CLI::ValidationError(name, "'' is empty: give a value");
            }
            if (std::count(given.begin(), given.end(), "-") > 1) {
              throw CLI::ValidationError(name, "standard input (-) can be read only once");
            }
            *values = given;
          },
          help)
      ->type_name("PATH")
      ->expected(name[0] == '-' ? 1 : -1)  // an option takes one path each time that it is given
      ->multi_option_policy(CLI::MultiOptionPolicy::TakeAll)
      ->required(need == Need::kRequired);
}

void Arguments::Choice(const char* name, std::string* value, std::vector<std::string> choices, const char* help,
                       Need need) {
  const std::string type = Joined(choices, "|");
  AddParsed(app_, name, type.c_str(), help,
            [value, choices = std::move(choices)](const std::string& text, std::string* error) {
              for (const std::string& choice : choices) {
                if (choice == text) {
                  *value = text;
                  return true;
                }
              }
              *error = "is not one of " + Joined(choices, ", ");
              return false;
            })
      ->required(need == Need::kRequired);
}

void Arguments::LayoutName(Layout* value, bool with_auto, const char* help, bool made_empty) {
  const std::string type = LayoutChoices(with_auto, made_empty, "|");
  AddParsed(app_, "--layout", type.c_str(), help,
            [value, with_auto, made_empty](const std::string& text, std::string* error) {
              *error = "is no layout to choose here: " + LayoutChoices(with_auto, made_empty);
              return ParseLayout(text.c_str(), value) && (with_auto || *value != Layout::kAuto);
            });
}

void Arguments::Count(const char* name, uint64_t* value, const char* help, Need need) {
  AddParsed(app_, name, "N", help, [value](const std::string& text, std::string* error) {
    return ParseCount(text, value, error);
  })->required(need == Need::kRequired);
}

void Arguments::Keys(KeysOption* keys) {
  keys->paths = {"-"};
  Paths("KEYS", &keys->paths, "Files of the keys, one per line; - is standard input, as by default", Need::kOptional);
  HowKeysAreWritten(keys);
}

void Arguments::Keys(const char* name, KeysOption* keys, const char* help) {
  Paths(name, &keys->paths, help, Need::kOptional);
  for (const char* const how : {"--u64", "--null", "--field"}) Needs(how, name);
  HowKeysAreWritten(keys);
}

void Arguments::HowKeysAreWritten(KeysOption* keys) {
  Flag("--u64", &keys->u64, "Keys are raw 8-byte little-endian integers instead of lines");
  Flag("-0,--null", &keys->null, "Lines end with a zero byte instead of a newline, as find -print0 writes them");
  AddParsed(app_, "--field", "N", "The key is field N of its line, from 1; nothing is unquoted",
            [keys](const std::string& text, std::string* error) {
              if (!ParseCount(text, &keys->field, error)) return false;
              *error = "is no field: they count from 1";
              return keys->field != 0;
            });
  AddParsed(app_, "--delimiter", "C", "With --field: the byte between fields; a tab (\\t) by default",
            [keys](const std::string& text, std::string* error) {
              *error = "is no delimiter: give one byte, or \\t for a tab";
              keys->delimiter = text == "\\t" ? "\t" : text;
              return keys->delimiter.size() == 1;
            });
  Needs("--delimiter", "--field");
  AtMostOneOf("--u64", "--null");
  AtMostOneOf("--u64", "--field");
}

void Arguments::Rate(const char* name, double* value, const char* help) {
  AddParsed(app_, name, "P", help,
            [value](const std::string& text, std::string* error) { return ParseRate(text, value, error); });
}

void Arguments::Duration(const char* name, uint64_t* milliseconds, const char* help) {
  AddParsed(app_, name, "TIME", help, [milliseconds](const std::string& text, std::string* error) {
    return ParseDuration(text, milliseconds, error);
  });
}

void Arguments::Seed(uint64_t* value, const char* help) {
  AddParsed(app_, "--seed", "S", help,
            [value](const std::string& text, std::string* error) { return ParseSeed(text, value, error); });
}

void Arguments::Removable(FilterOptions* options) {
  Flag("--removable", &options->removable,
       "Keys can be removed again (add --remove), as often as they were added; auto is quotient");
  AddParsed(app_, "--turnovers", "N", "With --removable: --fpr is the rate after all keys were replaced so many times",
            [options](const std::string& text, std::string* error) {
              uint64_t turnovers = 0;
              if (!ParseCount(text, &turnovers, error)) return false;
              *error = "is more than 4294967295, and after some hundred the rate stays";
              options->turnovers = static_cast<uint32_t>(turnovers);
              return turnovers <= UINT32_MAX;
            });
  Needs("--turnovers", "--removable");
}

void Arguments::Hash(HashId* value) {
  AddParsed(app_, "--hash", "xxh3|parquet", "xxh3 by default; parquet is that of Parquet files, which has no seed",
            [value](const std::string& text, std::string* error) {
              for (const HashId id : {HashId::kXxh3, HashId::kParquet}) {
                if (text != HashIdName(id)) continue;
                *value = id;
                return true;
              }
              *error = "is no hash to choose: take xxh3 or parquet (--secret makes it keyed)";
              return false;
            });
}

void Arguments::Secret(SecretOption* value, SecretUse use, const KeysOption* keys) {
  AddParsed(app_, "--secret", "PATH", kSecretHelp, [value, use, keys](const std::string& path, std::string* error) {
    if (keys != nullptr && keys->Has(path)) {  // from a pipe the secret's reader would take the keys
      *error = "is where the keys come from, too: give the secret in a file of its own";
      return false;
    }
    return value->is_given = ReadSecret(path, use, &value->secret, error);
  });
}

void Arguments::Real(const char* name, double* value, const char* type, const char* help) {
  AddParsed(app_, name, type, help,
            [value](const std::string& text, std::string* error) { return ParseReal(text, value, error); });
}

void Arguments::Flag(const char* name, bool* value, const char* help) { app_->add_flag(name, *value, help); }

void Arguments::Json(bool* value) { Flag("--json", value, "Report as one JSON object on standard output"); }

std::function<int()> Arguments::Commands(const std::vector<const Command*>& commands) {
  app_->require_subcommand(1);
  for (const Command* command : commands) {
    CLI::App* sub = app_->add_subcommand(command->name, command->summary);
    sub->footer(command->notes);
    of_commands_.push_back(std::make_unique<Arguments>(sub));
    const Arguments* own = of_commands_.back().get();
    sub->final_callback([this, own, declared = command->declare(*of_commands_.back())] {
      chosen_action_ = declared;
      chosen_ = own;
    });
  }
  return [this] { return chosen_action_(); };
}

void Arguments::TakeAnything() { app_->prefix_command(); }

void Arguments::ExactlyOneOf(std::initializer_list<const char*> names) { rules_.push_back({names, true}); }

void Arguments::Needs(const char* name, const char* other) { needs_.emplace_back(name, other); }

void Arguments::AtMostOneOf(const char* first, const char* second) { rules_.push_back({{first, second}, false}); }

bool Arguments::Given(const char* name) const { return app_->count(name) > 0; }

std::string Arguments::Check() const {
  for (const Rule& rule : rules_) {
    std::string given, all;
    for (const char* const name : rule.names) {
      all += (all.empty() ? "" : " or ") + std::string(name);
      if (!Given(name)) continue;
      if (!given.empty()) return "give " + given + " or " + name + ", not both";
      given = name;
    }
    if (rule.one_needed && given.empty()) return "give " + all;
  }
  for (const auto& [name, other] : needs_) {
    if (Given(name) && !Given(other)) return std::string(name) + " goes with " + other + ": give both, or neither";
  }
  return chosen_ != nullptr ? chosen_->Check() : "";
}

}  // namespace linefilter::tools
