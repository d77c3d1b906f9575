// CLI11 splits words into options and values; the messages for unknown, repeated and incomplete
// options are written here.
#include "cli/options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/phrases.h"

namespace muster::cli {
namespace {

constexpr size_t kTextColumn = 26;  // column of the texts in the help

enum class Takes { kNothing, kOne, kMany };

struct Declared {
  std::vector<std::string> names;  // including the dashes
  std::string placeholder;
  std::string text;
  Takes takes = Takes::kNothing;
  bool global = false;
  bool later = false;
};

std::vector<std::string> SplitNames(const std::string& names) {
  std::vector<std::string> out;
  size_t begin = 0;
  while (begin <= names.size()) {
    const size_t end = std::min(names.find(',', begin), names.size());
    out.push_back(names.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

std::string Line(const Declared& option) {
  std::string left = "  " + Joined(option.names);
  if (!option.placeholder.empty()) left += " " + option.placeholder;
  left += left.size() + 2 <= kTextColumn ? std::string(kTextColumn - left.size(), ' ')
                                         : "\n" + std::string(kTextColumn, ' ');
  return left + option.text + '\n';
}

}  // namespace

struct Options::State {
  std::string usage;
  std::string about;
  Words words = Words::kAnywhere;
  std::vector<Declared> declared;
  std::vector<std::string> choices;
  std::string notes;
};

const std::string& Given::Value(std::string_view option) const {
  const auto it = values_.find(option);
  MUSTER_CHECK(it != values_.end() && !it->second.empty());
  return it->second.back();
}

std::optional<std::string> Given::Maybe(std::string_view option) const {
  return Has(option) ? std::optional(Value(option)) : std::nullopt;
}

std::vector<std::string> Given::All(std::string_view option) const {
  const auto it = values_.find(option);
  return it == values_.end() ? std::vector<std::string>{} : it->second;
}

Options::Options(std::string usage, std::string about, Words words)
    : state_(std::make_unique<State>()) {
  state_->usage = std::move(usage);
  state_->about = std::move(about);
  state_->words = words;
}
Options::Options(Options&&) noexcept = default;
Options::~Options() = default;

Options& Options::Flag(const std::string& names, const std::string& text) {
  state_->declared.push_back({SplitNames(names), "", text, Takes::kNothing, false, false});
  return *this;
}
Options& Options::Value(const std::string& names, const std::string& placeholder,
                        const std::string& text) {
  state_->declared.push_back({SplitNames(names), placeholder, text, Takes::kOne, false, false});
  return *this;
}
Options& Options::Values(const std::string& names, const std::string& placeholder,
                         const std::string& text) {
  state_->declared.push_back({SplitNames(names), placeholder, text, Takes::kMany, false, false});
  return *this;
}
Options& Options::Later(const std::string& names) {
  state_->declared.push_back({SplitNames(names), "", "", Takes::kMany, false, true});
  return *this;
}
Options& Options::Choices(std::vector<std::string> words) {
  state_->choices = std::move(words);
  return *this;
}
Options& Options::Note(const std::string& text) {
  state_->notes += text;
  return *this;
}
Options& Options::Globals() {
  const size_t before = state_->declared.size();
  Flag("--json", "one JSON document (streams: JSON Lines)");
  Flag("--utc", "times in UTC instead of local time");
  Value("--color", "WHEN", "auto, always or never");
  Flag("-q,--quiet", "ids only");
  Value("--federation", "NAME", "ask this federation of the configuration");
  Value("--via", "SITE", "ask this site itself, for when the meta is gone");
  Value("--config", "FILE", "read this configuration");
  Flag("-h,--help", "this text");
  for (size_t i = before; i < state_->declared.size(); ++i) state_->declared[i].global = true;
  return *this;
}

std::string Options::Help() const {
  std::string text = "Usage: muster " + state_->usage + '\n' + state_->about + '\n';
  for (const bool global : {false, true}) {
    bool headed = false;
    for (const Declared& option : state_->declared) {
      if (option.global != global || option.later) continue;
      if (!headed) text += global ? "\nAs everywhere\n" : "\nOptions\n";
      headed = true;
      text += Line(option);
    }
  }
  if (!state_->notes.empty()) text += '\n' + state_->notes;
  return text;
}

std::vector<Options::Listed> Options::List() const {
  std::vector<Listed> listed;
  for (const Declared& option : state_->declared) {
    if (!option.later) listed.push_back({option.names, option.placeholder, option.text});
  }
  return listed;
}

const std::vector<std::string>& Options::choices() const { return state_->choices; }

Expect<Given> Options::Parse(const std::vector<std::string>& words) const {
  Given given;
  given.line = words;
  if (state_->words == Words::kUnread) {
    given.words = words;
    return given;
  }
  CLI::App app;
  app.set_help_flag();
  if (state_->words == Words::kEnd) {
    app.prefix_command();
  } else {
    app.allow_extras();
  }
  std::vector<std::pair<const Declared*, CLI::Option*>> options;
  // CLI11 needs variables to fill; the results are read from its options instead.
  std::vector<std::string> unused_values;
  bool unused_flag = false;
  for (const Declared& declared : state_->declared) {
    const std::string names = Joined(declared.names, ",");
    CLI::Option* option =
        declared.takes == Takes::kNothing
            ? app.add_flag(names, unused_flag)
            : app.add_option(names, unused_values)->expected(1)->allow_extra_args(false);
    option->multi_option_policy(CLI::MultiOptionPolicy::TakeAll);
    if (declared.takes == Takes::kNothing) {
      option->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    }
    options.emplace_back(&declared, option);
  }
  std::vector<std::string> reversed(words.rbegin(), words.rend());
  try {
    app.parse(reversed);
  } catch (const CLI::ArgumentMismatch& wrong) {
    const std::string what = wrong.what();
    const std::string name = what.substr(0, what.find(':'));
    return UsageError(
        name + " needs a value",
        "see 'muster " + state_->usage.substr(0, state_->usage.find(' ')) + " --help'");
  } catch (const CLI::Error& wrong) {
    return UsageError(wrong.what());
  }
  std::vector<std::string> known;
  for (const auto& [declared, option] : options) {
    if (!declared->later) known.insert(known.end(), declared->names.begin(), declared->names.end());
    if (option->count() == 0) continue;
    if (declared->later) {
      return UsageError(
          "'" + declared->names.back() + "' is not in this version of muster",
          "see 'muster " + state_->usage.substr(0, state_->usage.find(' ')) + " --help'");
    }
    if (declared->takes == Takes::kOne && option->results().size() > 1) {
      return UsageError("'" + declared->names.front() + "' is given twice");
    }
    given.values_[declared->names.front()] =
        declared->takes == Takes::kNothing ? std::vector<std::string>{} : option->results();
  }
  given.words = app.remaining();
  const auto is_option = [](const std::string& word) {
    const bool number = word.size() > 1 && word[1] >= '0' && word[1] <= '9';  // "-20"
    return word.size() > 1 && word[0] == '-' && word != "--" && !number;
  };
  const size_t looked_at =
      state_->words == Words::kEnd ? std::min<size_t>(1, given.words.size()) : given.words.size();
  for (size_t i = 0; i < looked_at; ++i) {
    if (given.words[i] == "--") break;
    if (!is_option(given.words[i])) continue;
    const std::string name = given.words[i].substr(0, given.words[i].find('='));
    std::string help = DidYouMean(name, known);
    if (help.empty())
      help = "see 'muster " + state_->usage.substr(0, state_->usage.find(' ')) + " --help'";
    return UsageError("unknown option '" + name + "'", help);
  }
  return given;
}

}  // namespace muster::cli
