// Collects the verbs, their options with help, and the first words that some verbs accept; then
// prints them in the syntax of each shell.
#include "cli/completion.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/phrases.h"
#include "base/text/words.h"
#include "cli/options.h"
#include "cli/verbs/verb.h"

namespace muster::cli {
namespace {

struct Tree {
  struct Node {
    std::string name;
    std::string about;
    Options options;
  };
  std::vector<Node> verbs;
};

Tree WalkVerbs() {
  Tree tree;
  for (const Verb& verb : Verbs()) {
    tree.verbs.push_back({std::string(verb.name), std::string(verb.about), verb.options()});
  }
  return tree;
}

std::vector<std::string> NamesOf(const Options& options, bool with_value_only = false) {
  std::vector<std::string> names;
  for (const Options::Listed& option : options.List()) {
    if (with_value_only && option.placeholder.empty()) continue;
    names.insert(names.end(), option.names.begin(), option.names.end());
  }
  return names;
}

// Bash completes the value of any option but --color, and words without known choices, as file
// names.
constexpr char kBashHead[] = R"(# muster completion for bash: source <(muster completion bash)
_muster() {
  local word=${COMP_WORDS[COMP_CWORD]} verb= place=0 i options= words= valued=
  local globals=')";
constexpr char kBashFind[] = R"(
  for ((i = 1; i < COMP_CWORD; i++)); do
    if [[ -z $verb ]]; then
      case ${COMP_WORDS[i]} in
        --federation|--via|--config|--color) ((i++)) ;;
        -*) ;;
        *) verb=${COMP_WORDS[i]} place=$i ;;
      esac
    elif [[ ${COMP_WORDS[i]} == -- ]]; then
      COMPREPLY=($(compgen -f -- "$word"))
      return
    fi
  done
)";
constexpr char kBashTail[] = R"(
  local before=${COMP_WORDS[COMP_CWORD - 1]}
  if [[ $before == --color ]]; then
    COMPREPLY=($(compgen -W 'auto always never' -- "$word"))
  elif [[ -n $verb && " $valued " == *" $before "* ]]; then
    COMPREPLY=($(compgen -f -- "$word"))
  elif [[ $word == -* ]]; then
    COMPREPLY=($(compgen -W "$options" -- "$word"))
  elif [[ -n $words && ( -z $verb || $COMP_CWORD -eq $((place + 1)) ) ]]; then
    COMPREPLY=($(compgen -W "$words" -- "$word"))
  else
    COMPREPLY=($(compgen -f -- "$word"))
  fi
}
complete -o filenames -F _muster muster
)";

std::vector<std::string> VerbNames(const Tree& tree) {
  std::vector<std::string> names;
  for (const Tree::Node& verb : tree.verbs) names.push_back(verb.name);
  return names;
}

std::string Bash(const Tree& tree) {
  Options globals("", "", Words::kEnd);
  globals.Globals();
  std::string text = kBashHead + Joined(NamesOf(globals), " ") + "'" + kBashFind;
  text += "  case ${verb:-.} in\n";
  text += "    .) words=" + text::SingleQuoted(Joined(VerbNames(tree), " ")) +
          " options=\"$globals --version\" ;;\n";
  for (const Tree::Node& verb : tree.verbs) {
    text += "    " + verb.name + (verb.name == "queue" ? "|q" : "") +
            ")\n      options=" + text::SingleQuoted(Joined(NamesOf(verb.options), " ")) +
            "\n      valued=" + text::SingleQuoted(Joined(NamesOf(verb.options, true), " ")) + '\n';
    if (!verb.options.choices().empty()) {
      text += "      words=" + text::SingleQuoted(Joined(verb.options.choices(), " ")) + '\n';
    }
    text += "      ;;\n";
  }
  return text + "  esac" + kBashTail;
}

// Escapes text inside "[…]" of _arguments, where brackets, ':' and '\' have a meaning.
std::string ZshText(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    if (c == '[' || c == ']' || c == ':' || c == '\\') safe += '\\';
    safe += c;
  }
  return safe;
}

std::string ZshOption(const Options::Listed& option) {
  std::string text;
  for (const std::string& name : option.names) {
    const bool takes = !option.placeholder.empty();
    text += " \\\n        " +
            text::SingleQuoted("*" + name + (takes && name.starts_with("--") ? "=" : "") + "[" +
                               ZshText(option.text) + "]" +
                               (takes ? ":" + ZshText(option.placeholder) + ":_files" : ""));
  }
  return text;
}

std::string Zsh(const Tree& tree) {
  std::string text =
      "#compdef muster\n# muster completion for zsh: source <(muster completion zsh)\n"
      "_muster() {\n  local -a verbs\n  verbs=(\n";
  for (const Tree::Node& verb : tree.verbs) {
    text += "    " + text::SingleQuoted(ZshText(verb.name) + ":" + verb.about) + '\n';
  }
  text +=
      "  )\n  local i verb=\n"
      "  for ((i = 2; i < CURRENT; i++)); do\n"
      "    case ${words[i]} in\n"
      "      --federation|--via|--config|--color) ((i++)) ;;\n"
      "      -*) ;;\n"
      "      *) verb=${words[i]}; break ;;\n"
      "    esac\n"
      "  done\n"
      "  if [[ -z $verb ]]; then\n    _describe command verbs\n    return\n  fi\n"
      "  shift $((i - 1)) words\n  ((CURRENT -= i - 1))\n"
      "  case $verb in\n";
  for (const Tree::Node& verb : tree.verbs) {
    text += "    " + verb.name + (verb.name == "queue" ? "|q" : "") + ")\n      _arguments -S";
    for (const Options::Listed& option : verb.options.List()) text += ZshOption(option);
    const std::vector<std::string>& choices = verb.options.choices();
    if (!choices.empty())
      text += " \\\n        " + text::SingleQuoted("1:word:(" + Joined(choices, " ") + ")");
    text += " \\\n        '*:file:_files'\n      ;;\n";
  }
  return text + "  esac\n}\ncompdef _muster muster\n";
}

std::string Fish(const Tree& tree) {
  std::string text =
      "# muster completion for fish: muster completion fish | source\n"
      "function __muster_needs_verb\n"
      "    for word in (commandline -opc)[2..]\n"
      "        string match -q -- '-*' $word; or return 1\n"
      "    end\n"
      "end\n"
      "complete -c muster -n __muster_needs_verb -f\n";
  for (const Tree::Node& verb : tree.verbs) {
    text += "complete -c muster -n __muster_needs_verb -a " + verb.name + " -d " +
            text::SingleQuoted(verb.about) + '\n';
    const std::string here = " -n '__fish_seen_subcommand_from " + verb.name + "'";
    for (const std::string& word : verb.options.choices()) {
      text += "complete -c muster" + here + " -a " + word + '\n';
    }
    for (const Options::Listed& option : verb.options.List()) {
      text += "complete -c muster" + here;
      for (const std::string& name : option.names) {
        const bool is_long = name.starts_with("--");
        text += (is_long ? " -l " : " -s ") + name.substr(is_long ? 2 : 1);
      }
      text += (option.placeholder.empty() ? " -d " : " -r -d ") + text::SingleQuoted(option.text) +
              '\n';
    }
  }
  return text;
}

}  // namespace

const std::vector<std::string>& Shells() {
  static const std::vector<std::string> kShells = {"bash", "fish", "zsh"};
  return kShells;
}

std::string CompletionFor(std::string_view shell) {
  const Tree tree = WalkVerbs();
  if (shell == "bash") return Bash(tree);
  if (shell == "fish") return Fish(tree);
  MUSTER_CHECK(shell == "zsh");
  return Zsh(tree);
}

}  // namespace muster::cli
