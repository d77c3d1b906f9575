// The options of one verb: declaration, help and parsing. A thin wrapper of CLI11, whose header is
// too heavy to include in every verb.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "cli/failure.h"

namespace muster::cli {

// The parsed words. Options are looked up by the first name in their declaration.
class Given {
 public:
  bool Has(std::string_view option) const { return values_.contains(option); }
  // REQUIRES: Has(option), and the option takes a value.
  const std::string& Value(std::string_view option) const;
  std::optional<std::string> Maybe(std::string_view option) const;
  std::vector<std::string> All(std::string_view option) const;
  // Words that are not options, in order; see Words.
  std::vector<std::string> words;
  // All words including options, as given.
  std::vector<std::string> line;

 private:
  friend class Options;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// kAnywhere: words and options may be mixed. kEnd: the first word that is not an option ends the
// options; it and all that follow are words (":" and "--" are such words). kUnread: nothing is
// parsed; all words are meant for another program.
enum class Words { kAnywhere, kEnd, kUnread };

class Options {
 public:
  // `usage` follows "muster " in the help; `about` is its first sentence.
  Options(std::string usage, std::string about, Words words);
  Options(Options&&) noexcept;
  ~Options();

  // `names` as in "-t,--time"; `text` is one line of help.
  Options& Flag(const std::string& names, const std::string& text);
  Options& Value(const std::string& names, const std::string& placeholder, const std::string& text);
  // An option that may be given several times.
  Options& Values(const std::string& names, const std::string& placeholder,
                  const std::string& text);
  // Declares options of cli.md that this version does not have, so that they are refused with a
  // clear message.
  Options& Later(const std::string& names);
  // The words that the verb accepts as its first word; for completion.
  Options& Choices(std::vector<std::string> words);
  // Adds lines below the options in the help.
  Options& Note(const std::string& text);
  // Adds the options of every verb: --json, --utc, --color, -q, --federation, --via, --config, -h.
  Options& Globals();

  // Errors: unknown options, missing values and repeated options are usage errors.
  Expect<Given> Parse(const std::vector<std::string>& words) const;
  std::string Help() const;

  // An option as declared; options of later versions are left out.
  struct Listed {
    std::vector<std::string> names;  // including the dashes
    std::string placeholder;         // empty: it takes no value
    std::string text;
  };
  std::vector<Listed> List() const;
  const std::vector<std::string>& choices() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace muster::cli
