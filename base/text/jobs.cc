// A hand-written scanner: the notation is small, and each refusal has its own sentence.
#include "base/text/jobs.h"

#include <limits>
#include <set>
#include <utility>

namespace muster::text {
namespace {

constexpr char kHelp[] = "as in 42, 42.2, 42[7], 42-48,50, last or all";

struct Range {
  uint64_t first = 0;
  uint64_t last = 0;
};

class Parser {
 public:
  explicit Parser(std::string_view text) : text_(text) {}

  Diagnosed<JobSet> Parse() {
    if (text_.empty()) return Wrong("no job is named", 0);
    while (true) {
      if (!ReadItem()) return wrong_;
      if (at_ == text_.size()) return std::move(set_);
      if (text_[at_] != ',') {
        return Wrong("expected ',' between jobs, not '" + std::string(1, text_[at_]) + "'", at_);
      }
      ++at_;
    }
  }

 private:
  Diagnostic Wrong(std::string message, size_t at, size_t length = 1) {
    wrong_ = Diagnostic{.code = "usage",
                        .message = std::move(message),
                        .where = SourceSpan{},
                        .notes = {},
                        .help = {kHelp}};
    wrong_.where->column = static_cast<uint32_t>(at + 1);
    wrong_.where->length = static_cast<uint32_t>(length == 0 ? 1 : length);
    wrong_.where->source_line = std::string(text_);
    return wrong_;
  }
  bool Refuse(std::string message, size_t at, size_t length = 1) {
    Wrong(std::move(message), at, length);
    return false;
  }
  bool Next(char c) const { return at_ < text_.size() && text_[at_] == c; }

  bool ReadItem() {
    const size_t begin = at_;
    const std::string_view item = text_.substr(begin, text_.find(',', begin) - begin);
    if (item == "last" || item == "all") {
      (item == "last" ? set_.last : set_.all) = true;
      at_ += item.size();
      return true;
    }
    if (item.empty()) return Refuse("expected a job", begin);
    if (item[0] < '0' || item[0] > '9') {
      return Refuse("'" + std::string(item) + "' is no job", begin, item.size());
    }
    Range jobs;
    if (!ReadNumber(jobs.first)) return false;
    jobs.last = jobs.first;
    if (Next('-')) {
      ++at_;
      if (!ReadNumber(jobs.last)) return false;
      if (jobs.last < jobs.first) return Refuse("this range falls", begin, at_ - begin);
      return AddRange(jobs, std::nullopt, std::nullopt, begin);
    }
    std::optional<Range> elements;
    if (!ReadElements(elements)) return false;
    std::optional<uint32_t> part;
    if (Next('.')) {
      const size_t part_at = ++at_;
      uint64_t number = 0;
      if (!ReadNumber(number)) return false;
      if (number < 1 || number > std::numeric_limits<uint32_t>::max()) {
        return Refuse("parts count from 1", part_at, at_ - part_at);
      }
      part = static_cast<uint32_t>(number);
    }
    return AddRange(jobs, elements, part, begin);
  }

  // "[7]", "[1-9]" or "_7"; none if neither stands here.
  bool ReadElements(std::optional<Range>& elements) {
    if (!Next('[') && !Next('_')) return true;
    const bool bracket = text_[at_] == '[';
    const size_t begin = at_++;
    Range range;
    if (!ReadNumber(range.first)) return false;
    range.last = range.first;
    if (bracket && Next('-')) {
      ++at_;
      if (!ReadNumber(range.last)) return false;
      if (range.last < range.first) return Refuse("this range falls", begin, at_ - begin);
    }
    if (bracket) {
      if (!Next(']')) return Refuse("this [ is never closed", begin);
      ++at_;
    }
    elements = range;
    return true;
  }

  bool ReadNumber(uint64_t& number) {
    const size_t begin = at_;
    number = 0;
    while (at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9') {
      if (number > (std::numeric_limits<uint64_t>::max() - 9) / 10) {
        return Refuse("this number is too large", begin, text_.size() - begin);
      }
      number = number * 10 + static_cast<uint64_t>(text_[at_++] - '0');
    }
    if (at_ == begin) return Refuse("expected a number", begin);
    return true;
  }

  bool AddRange(Range jobs, std::optional<Range> elements, std::optional<uint32_t> part,
                size_t begin) {
    const Range& widest = elements ? *elements : jobs;
    if (widest.last - widest.first >= kMostJobsNamed - set_.names.size()) {
      return Refuse("more than " + std::to_string(kMostJobsNamed) + " jobs are named", begin,
                    at_ - begin);
    }
    for (uint64_t n = widest.first;; ++n) {
      JobName name{.job = elements ? jobs.first : n, .element = std::nullopt, .part = part};
      if (elements) name.element = n;
      if (name.job == 0) return Refuse("jobs count from 1", begin, at_ - begin);
      if (seen_.insert(name).second) set_.names.push_back(name);
      if (n == widest.last) return true;
    }
  }

  std::string_view text_;
  size_t at_ = 0;
  JobSet set_;
  std::set<JobName> seen_;
  Diagnostic wrong_;
};

}  // namespace

Diagnosed<JobSet> ParseJobs(std::string_view text) { return Parser(text).Parse(); }

std::string JobNameText(const JobName& name) {
  std::string text = std::to_string(name.job);
  if (name.element) text += "[" + std::to_string(*name.element) + "]";
  if (name.part) text += "." + std::to_string(*name.part);
  return text;
}

std::string JobsText(const JobSet& set) {
  std::string text;
  const auto add = [&](const std::string& item) { text += (text.empty() ? "" : ",") + item; };
  if (set.last) add("last");
  if (set.all) add("all");
  for (const JobName& name : set.names) add(JobNameText(name));
  return text;
}

}  // namespace muster::text
