// A hand-written scanner: the notation is small, and each error has its own message.
#include "base/text/jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <utility>

#include "base/characters.h"
#include "base/phrases.h"

namespace muster::text {
namespace {

constexpr char kJobsHelp[] = "as in 42, 42.2, 42[7], 42-48,50, last or all";

struct Range {
  uint64_t first = 0;
  uint64_t last = 0;
};

// The scanner that all notations of this file use.
class Scanner {
 public:
  Scanner(std::string_view text, std::string_view help) : text_(text), help_(help) {}

  bool Refuse(std::string message, size_t at, size_t length = 1) {
    wrong_ = Diagnostic{.code = "usage",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {std::string(help_)}};
    wrong_.where->column = static_cast<uint32_t>(at + 1);
    wrong_.where->length = static_cast<uint32_t>(length == 0 ? 1 : length);
    wrong_.where->source_line = std::string(text_);
    return false;
  }
  const Diagnostic& wrong() const { return wrong_; }

  bool Done() const { return at_ == text_.size(); }
  bool Next(char c) const { return at_ < text_.size() && text_[at_] == c; }
  bool Take(char c) {
    if (!Next(c)) return false;
    ++at_;
    return true;
  }
  size_t at() const { return at_; }
  std::string_view Rest() const { return text_.substr(at_); }
  // The text up to the next comma.
  std::string_view Item() const { return Rest().substr(0, Rest().find(',')); }
  void Skip(size_t count) { at_ += count; }
  char Peek() const { return text_[at_]; }

  bool ReadNumber(uint64_t& number) {
    const size_t begin = at_;
    number = 0;
    while (at_ < text_.size() && IsDigit(text_[at_])) {
      if (number > (std::numeric_limits<uint64_t>::max() - 9) / 10) {
        return Refuse("this number is too large", begin, text_.size() - begin);
      }
      number = number * 10 + static_cast<uint64_t>(text_[at_++] - '0');
    }
    if (at_ == begin) return Refuse("expected a number", begin);
    return true;
  }
  // Reads "7" or "1-9"; the range begins at `begin`.
  bool ReadRange(Range& range, size_t begin) {
    if (!ReadNumber(range.first)) return false;
    range.last = range.first;
    if (!Take('-')) return true;
    if (!ReadNumber(range.last)) return false;
    if (range.last < range.first) return Refuse("this range falls", begin, at_ - begin);
    return true;
  }

 private:
  std::string_view text_;
  std::string_view help_;
  size_t at_ = 0;
  Diagnostic wrong_;
};

// One item: a job, a range of jobs, or elements of one job, possibly with a part. ForEach calls
// `add` for each job or element.
struct Item {
  std::string site;
  Range jobs;
  std::optional<Range> elements;
  std::optional<uint32_t> part;
  bool reservation = false;
  size_t begin = 0;
};

// Reads "[7]", "[1-9]" or "_7", if present.
bool ReadElements(Scanner& scan, std::optional<Range>& elements) {
  if (!scan.Next('[') && !scan.Next('_')) return true;
  const size_t begin = scan.at();
  const bool bracket = scan.Next('[');
  scan.Skip(1);
  Range range;
  if (bracket) {
    if (!scan.ReadRange(range, begin)) return false;
    if (!scan.Take(']')) return scan.Refuse("this [ is never closed", begin);
  } else {
    if (!scan.ReadNumber(range.first)) return false;
    range.last = range.first;
  }
  if (range.last > kLastElement) {
    return scan.Refuse(fmt::format("elements count to {}", kLastElement), begin, scan.at() - begin);
  }
  elements = range;
  return true;
}

// Reads the "lakes/" of "lakes/17"; nothing before a plain number.
bool ReadSite(Scanner& scan, std::string& site) {
  const std::string_view item = scan.Item();
  if (item.empty()) return scan.Refuse("expected a job", scan.at());
  const size_t slash = item.find('/');
  if (slash == std::string_view::npos) {
    if (IsDigit(item[0])) return true;
    return scan.Refuse("'" + std::string(item) + "' is no job", scan.at(), item.size());
  }
  if (slash == 0 || slash + 1 == item.size() || !IsDigit(item[slash + 1])) {
    return scan.Refuse("'" + std::string(item) + "' is no job", scan.at(), item.size());
  }
  site = item.substr(0, slash);
  scan.Skip(slash + 1);
  return true;
}

bool ReadItem(Scanner& scan, Item& item) {
  item.begin = scan.at();
  const std::string_view word = scan.Item();
  item.reservation = word.size() > 1 && word[0] == 'R' && IsDigit(word[1]) &&
                     word.find('/') == std::string_view::npos;
  if (item.reservation) scan.Skip(1);
  if (!item.reservation && !ReadSite(scan, item.site)) return false;
  const size_t number = scan.at();
  if (!scan.ReadRange(item.jobs, number)) return false;
  if (item.jobs.first == 0) {
    return scan.Refuse("jobs count from 1", item.begin, scan.at() - item.begin);
  }
  if (item.jobs.first != item.jobs.last) return true;
  if (item.site.empty() && !ReadElements(scan, item.elements)) return false;
  if (!scan.Take('.')) return true;
  const size_t part_at = scan.at();
  uint64_t part = 0;
  if (!scan.ReadNumber(part)) return false;
  if (part < 1 || part > std::numeric_limits<uint32_t>::max()) {
    return scan.Refuse("parts count from 1", part_at, scan.at() - part_at);
  }
  item.part = static_cast<uint32_t>(part);
  return true;
}

// Calls `add` for each job; refuses more than `room` jobs.
template <class Add>
bool ForEach(Scanner& scan, const Item& item, size_t room, const Add& add) {
  const Range& widest = item.elements ? *item.elements : item.jobs;
  if (widest.last - widest.first >= room) {
    return scan.Refuse(fmt::format("more than {} jobs are named", kMostJobsNamed), item.begin,
                       scan.at() - item.begin);
  }
  for (uint64_t n = widest.first;; ++n) {
    JobName name{.site = item.site, .job = n, .element = std::nullopt, .part = item.part};
    name.reservation = item.reservation;
    if (item.elements) {
      name.job = item.jobs.first;
      name.element = n;
    }
    add(std::move(name));
    if (n == widest.last) return true;
  }
}

bool ReadComma(Scanner& scan) {
  if (scan.Take(',')) return true;
  return scan.Refuse("expected ',' between jobs, not '" + std::string(1, scan.Peek()) + "'",
                     scan.at());
}

constexpr std::pair<std::string_view, AfterText::Kind> kKinds[] = {
    {"ok:", AfterText::Kind::kOk},
    {"any:", AfterText::Kind::kAny},
    {"fail:", AfterText::Kind::kFail}};

}  // namespace

Diagnosed<JobSet> ParseJobs(std::string_view text) {
  Scanner scan(text, kJobsHelp);
  JobSet set;
  std::set<JobName> seen;
  if (text.empty()) {
    scan.Refuse("no job is named", 0);
    return scan.wrong();
  }
  while (true) {
    const std::string_view word = scan.Item();
    if (word == "last" || word == "all") {
      (word == "last" ? set.last : set.all) = true;
      scan.Skip(word.size());
    } else {
      Item item;
      if (!ReadItem(scan, item)) return scan.wrong();
      const bool read = ForEach(scan, item, kMostJobsNamed - set.names.size(), [&](JobName name) {
        if (seen.insert(name).second) set.names.push_back(std::move(name));
      });
      if (!read) return scan.wrong();
    }
    if (scan.Done()) return set;
    if (!ReadComma(scan)) return scan.wrong();
  }
}

std::optional<JobName> ParseShownJob(std::string_view text) {
  // A whole array counts as its job.
  const size_t bracket = text.find('[');
  const std::string_view inside = bracket == std::string_view::npos ? "" : text.substr(bracket);
  const bool whole = inside.find('-') < inside.find(']') && !inside.empty();
  Scanner scan(whole ? text.substr(0, bracket) : text, kJobsHelp);
  Item item;
  if (text.find(',') != std::string_view::npos || !ReadItem(scan, item) || !scan.Done()) {
    return std::nullopt;
  }
  if (item.jobs.first != item.jobs.last) return std::nullopt;
  JobName name{
      .site = item.site, .job = item.jobs.first, .element = std::nullopt, .part = item.part};
  if (item.elements) name.element = item.elements->first;
  name.reservation = item.reservation;
  return name;
}

std::string JobNameText(const JobName& name) {
  std::string text = name.site.empty() ? "" : name.site + "/";
  text += fmt::format("{}{}", name.reservation ? "R" : "", name.job);
  if (name.element) text += fmt::format("[{}]", *name.element);
  if (name.part) text += fmt::format(".{}", *name.part);
  return text;
}

std::string JobsText(const JobSet& set) {
  std::vector<std::string> texts;
  if (set.last) texts.emplace_back("last");
  if (set.all) texts.emplace_back("all");
  for (const JobName& name : set.names) texts.push_back(JobNameText(name));
  return Joined(texts, ",");
}

Diagnosed<ArrayText> ParseArray(std::string_view text) {
  Scanner scan(text, "as in 1-100, 1-100:2 (every second), 1-100%20 (20 at once)");
  ArrayText array;
  Range range;
  if (!scan.ReadRange(range, 0)) return scan.wrong();
  array.first = range.first;
  array.last = range.last;
  if (scan.Take(':')) {
    const size_t begin = scan.at();
    if (!scan.ReadNumber(array.step)) return scan.wrong();
    if (array.step == 0) {
      scan.Refuse("a step is at least 1", begin, scan.at() - begin);
      return scan.wrong();
    }
  }
  if (scan.Take('%')) {
    const size_t begin = scan.at();
    if (!scan.ReadNumber(array.at_once)) return scan.wrong();
    if (array.at_once == 0) {
      scan.Refuse("none at once would never end", begin, scan.at() - begin);
      return scan.wrong();
    }
  }
  if (!scan.Done()) {
    scan.Refuse("expected elements, not '" + std::string(scan.Rest()) + "'", scan.at(),
                scan.Rest().size());
    return scan.wrong();
  }
  if (array.last > kLastElement) {
    scan.Refuse(fmt::format("elements count to {}", kLastElement), 0, text.size());
    return scan.wrong();
  }
  if (ElementsOf(array) > kMostElements) {
    scan.Refuse(fmt::format("an array has at most {} elements", kMostElements), 0, text.size());
    return scan.wrong();
  }
  // Reduces `last` to the highest index that the steps reach.
  array.last = array.first + (ElementsOf(array) - 1) * array.step;
  return array;
}

uint64_t ElementsOf(const ArrayText& array) {
  return (array.last - array.first) / std::max<uint64_t>(array.step, 1) + 1;
}

std::string ElementsText(const ArrayText& array) {
  std::string text = fmt::format("[{}", array.first);
  if (array.last != array.first) text += fmt::format("-{}", array.last);
  if (array.step > 1 && array.last != array.first) text += fmt::format(":{}", array.step);
  return text + "]";
}

Diagnosed<std::vector<AfterText>> ParseAfter(std::string_view text) {
  Scanner scan(text, "as in 41, any:41, fail:41 or ok:41,any:43[7]");
  std::vector<AfterText> after;
  while (true) {
    AfterText::Kind kind = AfterText::Kind::kOk;
    const std::string_view word = scan.Item();
    const size_t colon = word.find(':');
    if (colon != std::string_view::npos) {
      const auto* const known =
          std::find_if(std::begin(kKinds), std::end(kKinds),
                       [&](const auto& entry) { return entry.first == word.substr(0, colon + 1); });
      if (known == std::end(kKinds)) {
        scan.Refuse("'" + std::string(word.substr(0, colon)) + "' is none of ok, any and fail",
                    scan.at(), colon);
        return scan.wrong();
      }
      kind = known->second;
      scan.Skip(colon + 1);
    }
    Item item;
    if (!ReadItem(scan, item)) return scan.wrong();
    if (item.part) {
      scan.Refuse("parts of a job end together", item.begin, scan.at() - item.begin);
      return scan.wrong();
    }
    const bool read = ForEach(scan, item, kMostJobsNamed - after.size(),
                              [&](JobName name) { after.push_back({kind, std::move(name)}); });
    if (!read) return scan.wrong();
    if (scan.Done()) return after;
    if (!ReadComma(scan)) return scan.wrong();
  }
}

}  // namespace muster::text
