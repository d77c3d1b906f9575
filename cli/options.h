// Options of one verb: what it takes, how that is shown, and what was given. A thin front of CLI11,
// whose header is too heavy to be in every verb.
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

// What was given. Options are asked for by the first name they were declared with.
class Given {
 public:
  bool Has(std::string_view option) const { return values_.contains(option); }
  // REQUIRES Has(option) and that it takes a value.
  const std::string& Value(std::string_view option) const;
  std::optional<std::string> Maybe(std::string_view option) const;
  std::vector<std::string> All(std::string_view option) const;
  // Words that are no options, in order; see Words.
  std::vector<std::string> words;
  // All words, options too, as they were given.
  std::vector<std::string> line;

 private:
  friend class Options;
  std::map<std::string, std::vector<std::string>, std::less<>> values_;
};

// kAnywhere: words and options may be mixed. kEnd: the first word that is no option ends the
// options; it and all that follows are words (":" and "--" are such words). kUnread: what looks
// like an option is for another program, and all are words.
enum class Words { kAnywhere, kEnd, kUnread };

class Options {
 public:
  // `usage` follows "muster " in the help, `about` is its first sentence.
  Options(std::string usage, std::string about, Words words);
  Options(Options&&) noexcept;
  ~Options();

  // `names` as in "-t,--time"; `text` is one line of help.
  Options& Flag(const std::string& names, const std::string& text);
  Options& Value(const std::string& names, const std::string& placeholder, const std::string& text);
  // May be given several times.
  Options& Values(const std::string& names, const std::string& placeholder,
                  const std::string& text);
  // Declared only to be refused: options of the page that this version does not have.
  Options& Later(const std::string& names);
  // The words it knows in its first place, as `keys` has them; for completion.
  Options& Choices(std::vector<std::string> words);
  // Lines below the options in the help.
  Options& Note(const std::string& text);
  // Options of every verb: --json, --utc, --color, -q, --federation, --via, --config, -h.
  Options& Globals();

  // Unknown options, missing values and doubled options are usage errors.
  Expect<Given> Parse(const std::vector<std::string>& words) const;
  std::string Help() const;

  // As declared, without those to come.
  struct Listed {
    std::vector<std::string> names;  // with their dashes
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
