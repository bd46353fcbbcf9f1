// The scripts have one form: two cases over "COMMAND WORD" find the command that was reached, and what the word before
// takes; a third one tells what else may stand there.
#include "tools/program/completion.h"

namespace linefilter::tools {
namespace {

std::string Quoted(const std::string& text) {
  std::string quoted = "'";
  for (const char c : text) quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return quoted + "'";
}

std::string Joined(const std::vector<std::string>& words) {
  std::string all;
  for (const std::string& word : words) all += (all.empty() ? "" : " ") + word;
  return all;
}

bool IsDirectlyBelow(const CompletionCommand& command, const CompletionCommand& parent) {
  const std::string begin = parent.path + " ";
  return command.path.compare(0, begin.size(), begin) == 0 && command.path.find(' ', begin.size()) == std::string::npos;
}

std::string LastWord(const std::string& path) { return path.substr(path.rfind(' ') + 1); }

// "'linefilter build'|'linefilter query'|...": all commands below another one.
std::string PathsOfCommands(const std::vector<CompletionCommand>& commands) {
  std::string paths;
  for (size_t i = 1; i < commands.size(); ++i) paths += (i == 1 ? "" : "|") + Quoted(commands[i].path);
  return paths;
}

// The cases of options that take a value: what `files`, `choices` and `nothing` say is done.
struct ValueCases {
  std::string files, nothing;
  std::string (*choices)(const std::vector<std::string>& words);

  std::string Of(const CompletionValue& value) const {
    return value.is_file ? files : !value.choices.empty() ? choices(value.choices) : nothing;
  }
  std::string Of(const std::vector<CompletionCommand>& commands) const {
    std::string cases;
    for (const CompletionCommand& command : commands) {
      for (const CompletionOption& option : command.options) {
        if (!option.takes_value) continue;
        std::string names;
        for (const std::string& name : option.names) {
          names += (names.empty() ? "" : "|") + Quoted(command.path + " " + name);
        }
        cases += "    " + names + ") " + Of(option.value) + "; return ;;\n";
      }
    }
    return cases;
  }
};

// What stands without a name in front: files, or words to choose.
CompletionValue PositionalsOf(const CompletionCommand& command) {
  CompletionValue all;
  for (const CompletionValue& value : command.positionals) {
    all.is_file = all.is_file || value.is_file;
    all.choices.insert(all.choices.end(), value.choices.begin(), value.choices.end());
  }
  return all;
}

// The end of both functions of the shells: `word` goes on with the path of the command, then a value or a word is
// completed.
std::string CasesOf(const std::vector<CompletionCommand>& commands, const std::string& word, const ValueCases& values,
                    const std::string& words) {
  return "    case \"$command " + word +
         "\" in\n"
         "    " +
         PathsOfCommands(commands) + ") command+=\" " + word +
         "\" ;;\n"
         "    esac\n"
         "  done\n"
         "  case \"$command $previous\" in\n" +
         values.Of(commands) +
         "  esac\n"
         "  case $command in\n" +
         words +
         "  esac\n"
         "}\n";
}

}  // namespace

std::string BashCompletion(const std::vector<CompletionCommand>& commands) {
  const ValueCases values = {"_linefilter_files", ":", [](const std::vector<std::string>& words) {
                               return "_linefilter_words " + Quoted(Joined(words));
                             }};
  std::string words;
  for (const CompletionCommand& command : commands) {
    std::string names, rest;
    for (const CompletionOption& option : command.options) names += Joined(option.names) + " ";
    for (const CompletionCommand& below : commands) {
      if (IsDirectlyBelow(below, command)) rest += LastWord(below.path) + " ";
    }
    const CompletionValue positionals = PositionalsOf(command);
    rest += Joined(positionals.choices);
    words += "    " + Quoted(command.path) + ")\n      case $current in\n        -*) _linefilter_words " +
             Quoted(names) + " ;;\n        *) " +
             (positionals.is_file ? "_linefilter_files" : "_linefilter_words " + Quoted(rest)) + " ;;\n      esac ;;\n";
  }
  return "# Completion of linefilter for bash, made by: linefilter completion bash\n"
         "_linefilter_words() {\n"
         "  local word\n"
         "  while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -W \"$1\" -- \"$current\")\n"
         "}\n"
         "_linefilter_files() {\n"
         "  local word\n"
         "  compopt -o filenames 2> /dev/null\n"
         "  while IFS= read -r word; do COMPREPLY+=(\"$word\"); done < <(compgen -f -- \"$current\")\n"
         "}\n"
         "_linefilter() {\n"
         "  local current=${COMP_WORDS[COMP_CWORD]} previous=${COMP_WORDS[COMP_CWORD - 1]} command=linefilter i\n"
         "  COMPREPLY=()\n"
         "  # Bash takes --option=value for three words.\n"
         "  if [[ $current == '=' ]]; then current=\n"
         "  elif [[ $previous == '=' ]]; then previous=${COMP_WORDS[COMP_CWORD - 2]}; fi\n"
         "  for ((i = 1; i < COMP_CWORD; ++i)); do\n" +
         CasesOf(commands, "${COMP_WORDS[i]}", values, words) + "complete -F _linefilter linefilter\n";
}

std::string ZshCompletion(const std::vector<CompletionCommand>& commands) {
  const ValueCases values = {"_files", "_message value",
                             [](const std::vector<std::string>& words) { return "compadd -- " + Joined(words); }};
  const auto described = [](const std::string& word, const std::string& help) {
    return " " + Quoted(word + ":" + help);
  };
  std::string words;
  for (const CompletionCommand& command : commands) {
    std::string options, below_it;
    for (const CompletionOption& option : command.options) {
      for (const std::string& name : option.names) options += described(name, option.help);
    }
    for (const CompletionCommand& below : commands) {
      if (IsDirectlyBelow(below, command)) below_it += described(LastWord(below.path), below.help);
    }
    const CompletionValue positionals = PositionalsOf(command);
    words += "    " + Quoted(command.path) + ")\n      if [[ $PREFIX == -* ]]; then\n        list=(" + options +
             " )\n        _describe option list\n      else\n        ";
    words += below_it.empty() ? values.Of(positionals) : "list=(" + below_it + " )\n        _describe command list";
    words += "\n      fi ;;\n";
  }
  return "#compdef linefilter\n"
         "# Completion of linefilter for zsh, made by: linefilter completion zsh\n"
         "_linefilter() {\n"
         "  local command=linefilter previous=${words[CURRENT - 1]} i\n"
         "  local -a list\n"
         "  if [[ $PREFIX == --*=* ]]; then\n"
         "    previous=${PREFIX%%=*}\n"
         "    compset -P 1 '*='\n"
         "  fi\n"
         "  for ((i = 2; i < CURRENT; ++i)); do\n" +
         CasesOf(commands, "${words[i]}", values, words) +
         "if [[ $funcstack[1] == _linefilter ]]; then _linefilter \"$@\"; else compdef _linefilter linefilter; fi\n";
}

}  // namespace linefilter::tools
