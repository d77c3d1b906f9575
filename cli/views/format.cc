// Text building blocks, one function each, so that all views look alike.
#include "cli/views/format.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "base/phrases.h"
#include "base/units.h"

namespace muster::cli::views {
namespace {

bool StartsCharacter(char c) { return (static_cast<unsigned char>(c) & 0xC0) != 0x80; }

// "" for today, "11-21 " for this year, else "2027-01-05 ".
std::string DatePrefix(const text::Civil& at, const ViewOptions& options) {
  const text::Civil today = options.zone.Local(options.now);
  if (at.year != today.year) {
    return fmt::format("{:04}-{:02}-{:02} ", at.year, at.month, at.day);
  }
  if (at.month == today.month && at.day == today.day) return "";
  return fmt::format("{:02}-{:02} ", at.month, at.day);
}

// A node name, split into its stem and its final number.
struct NodeName {
  std::string stem;
  std::string digits;
};
NodeName SplitNode(const std::string& name) {
  size_t at = name.size();
  while (at > 0 && name[at - 1] >= '0' && name[at - 1] <= '9') --at;
  // Longer numbers are treated as part of the name, since they may overflow.
  if (name.size() - at > 9) at = name.size();
  return {name.substr(0, at), name.substr(at)};
}

const Json& Null() {
  static const Json null;
  return null;
}

std::string Clean(std::string text) {
  for (char& c : text) {
    const auto byte = static_cast<unsigned char>(c);
    if (byte < 0x20 || byte == 0x7F) c = '?';
  }
  return text;
}

}  // namespace

const Json& At(const Json& object, std::string_view name) {
  if (!object.is_object()) return Null();
  const auto it = object.find(std::string(name));
  return it == object.end() ? Null() : *it;
}

std::string TextAt(const Json& object, std::string_view name) {
  const Json& value = At(object, name);
  if (!value.is_string()) return "";
  return Clean(value.get<std::string>());
}

std::optional<double> NumberAt(const Json& object, std::string_view name) {
  const Json& value = At(object, name);
  if (!value.is_number()) return std::nullopt;
  return value.get<double>();
}

bool FlagAt(const Json& object, std::string_view name) {
  const Json& value = At(object, name);
  return value.is_boolean() && value.get<bool>();
}

std::optional<Instant> TimeAt(const Json& object, std::string_view name) {
  const Json& value = At(object, name);
  if (!value.is_string()) return std::nullopt;
  const auto moment = text::FromRfc3339(value.get_ref<const std::string&>());
  if (!moment) return std::nullopt;
  return moment->Floor();
}

std::vector<std::string> TextsAt(const Json& object, std::string_view name) {
  std::vector<std::string> texts;
  const Json& values = At(object, name);
  if (!values.is_array()) return texts;
  for (const Json& value : values) {
    if (value.is_string()) texts.push_back(Clean(value.get<std::string>()));
  }
  return texts;
}

std::string IdOfJob(const Json& job) {
  std::string id = TextAt(job, "id");
  const Json& array = At(job, "array");
  if (!array.is_object() || id.find('[') != std::string::npos) return id;
  const auto number = [&](const char* name) {
    return std::to_string(static_cast<uint64_t>(NumberAt(array, name).value_or(0)));
  };
  id += "[" + number("first");
  if (number("last") != number("first")) id += "-" + number("last");
  if (NumberAt(array, "step").value_or(1) > 1) id += ":" + number("step");
  return id + "]";
}

std::string ReasonText(const Json& reason) {
  const std::string code = TextAt(reason, "code");
  const Json& subject = At(reason, "subject");
  const std::string job = TextAt(subject, "job");
  std::string text = TextAt(reason, "text");
  const std::string prefix = code == "reservation" ? "reservation " : "job ";
  if (!job.empty() && (code == "job" || code == "reservation")) {
    // A text that contains the name, as "job 37 (ana)", says more.
    return text.starts_with(prefix + job) ? text : prefix + job;
  }
  if (!text.empty()) return text;
  const std::string node = TextAt(subject, "node");
  if (code == "node" && !node.empty()) return code + " " + node;
  return code.empty() ? "?" : code;
}

std::vector<std::string> SitesOf(const Json& job) {
  std::vector<std::string> sites = TextsAt(At(job, "array"), "sites");
  if (!sites.empty()) return sites;
  for (const Json& part : At(job, "parts")) {
    std::string site = TextAt(part, "site");
    if (site.empty() || std::find(sites.begin(), sites.end(), site) != sites.end()) continue;
    sites.push_back(std::move(site));
  }
  return sites;
}

std::string Upper(std::string text) {
  for (char& c : text) {
    if (c >= 'a' && c <= 'z') c = static_cast<char>(c - 'a' + 'A');
  }
  return text;
}

std::string ClockTime(Instant at, const ViewOptions& options) {
  const text::Civil c = options.zone.Local(at);
  return DatePrefix(c, options) + fmt::format("{:02}:{:02}:{:02}", c.hour, c.minute, c.second);
}

std::string WithClockTimes(const std::string& said, const ViewOptions& options) {
  constexpr std::string_view kForm = "0000-00-00T00:00:00Z";
  const auto is_time = [&](size_t at) {
    for (size_t i = 0; i < kForm.size(); ++i) {
      const bool digit = said[at + i] >= '0' && said[at + i] <= '9';
      if (kForm[i] == '0' ? !digit : said[at + i] != kForm[i]) return false;
    }
    return true;
  };
  std::string out;
  for (size_t i = 0; i < said.size();) {
    const bool room = i + kForm.size() <= said.size();
    const auto at = room && is_time(i) ? text::FromRfc3339(said.substr(i, kForm.size()))
                                       : std::optional<Moment>();
    if (at) {
      out += ClockTime(at->Floor(), options);
      i += kForm.size();
    } else {
      out += said[i++];
    }
  }
  return out;
}

std::string ClockMinute(Instant at, const ViewOptions& options) {
  const text::Civil c = options.zone.Local(at);
  return DatePrefix(c, options) + fmt::format("{:02}:{:02}", c.hour, c.minute);
}

std::string ClockRange(Instant low, Instant high, const ViewOptions& options) {
  return ClockMinute(low, options) + "–" + ClockMinute(high, options);
}

std::string About(Span span) {
  const int64_t s = std::abs(span.seconds);
  if (s < 60) return fmt::format("{}s", s);
  const int64_t minutes = (s + 30) / 60;
  if (minutes < 60) return fmt::format("{}m", minutes);
  const int64_t hours = minutes / 60;
  if (hours < 24) return fmt::format("{}h{:02}m", hours, minutes % 60);
  const int64_t days = hours / 24;
  if (hours % 24 == 0) return fmt::format("{}d", days);
  return fmt::format("{}d{}h", days, hours % 24);
}

std::string InAbout(Span span) {
  return span.seconds >= 0 ? "in " + About(span) : About(span) + " ago";
}

std::string Age(double seconds) {
  if (seconds < 0) seconds = 0;
  if (seconds < 9.95) return fmt::format("{:.1f} s", seconds);
  if (seconds < 59.5) return fmt::format("{:.0f} s", seconds);
  return DurationText(Span{std::llround(std::min(seconds, 1e9))});
}

std::string Percent(double ratio) {
  // Rounds down, so that only a ratio of 1 shows as 100 %: at 0.99996 a promise was broken.
  if (ratio >= 1) return "100 %";
  return fmt::format("{:.1f} %", std::floor(ratio * 1000) / 10);
}

std::string WholePercent(double ratio) { return fmt::format("{:.0f} %", ratio * 100); }

std::string AmountsText(const Json& resources) {
  std::vector<std::string> first(3);
  std::vector<std::string> rest;
  if (resources.is_object()) {
    for (auto it = resources.begin(); it != resources.end(); ++it) {
      if (!it.value().is_number()) continue;
      const auto amount = it.value().get<int64_t>();
      if (it.key() == "ncpus") {
        first[0] = Counted(amount, "cpu");
      } else if (it.key() == "ngpus") {
        first[1] = Counted(amount, "gpu");
      } else if (it.key() == "mem_bytes" && amount >= 0) {
        first[2] = SizeText(amount);
      } else {
        rest.push_back(fmt::format("{} {}", amount, it.key()));
      }
    }
  }
  std::vector<std::string> words;
  for (std::string& word : first) {
    if (!word.empty()) words.push_back(std::move(word));
  }
  words.insert(words.end(), rest.begin(), rest.end());
  return Joined(words);
}

std::string ChunksShown(const Json& chunks) {
  std::vector<std::string> texts;
  for (const Json& chunk : chunks) {
    std::vector<std::string> inside;
    if (std::string amounts = AmountsText(At(chunk, "resources")); !amounts.empty()) {
      inside.push_back(std::move(amounts));
    }
    const Json& properties = At(chunk, "properties");
    if (properties.is_object()) {
      for (auto it = properties.begin(); it != properties.end(); ++it) {
        inside.push_back(it.key() + "=" + TextAt(properties, it.key()));
      }
    }
    const auto count = static_cast<int64_t>(NumberAt(chunk, "count").value_or(1));
    texts.push_back(fmt::format("{} × ({})", count, Joined(inside)));
  }
  return Joined(texts, " + ");
}

std::string NodesShown(const std::vector<std::string>& nodes) {
  std::string text;
  std::string stem;
  for (size_t i = 0; i < nodes.size();) {
    const NodeName first = SplitNode(nodes[i]);
    size_t end = i + 1;
    NodeName last = first;
    while (end < nodes.size() && !first.digits.empty()) {
      const NodeName next = SplitNode(nodes[end]);
      if (next.stem != first.stem || next.digits.empty()) break;
      if (std::stoll(next.digits) != std::stoll(last.digits) + 1) break;
      last = next;
      ++end;
    }
    // In "n1-2,5" the stem is written once for adjacent names that share it.
    const bool same_stem = i > 0 && !first.digits.empty() && first.stem == stem;
    text += (i == 0 ? "" : ",") + (same_stem ? first.digits : nodes[i]);
    if (end - i > 1) text += "-" + last.digits;
    stem = first.stem;
    i = end;
  }
  return text;
}

size_t Columns(std::string_view text) {
  return static_cast<size_t>(std::count_if(text.begin(), text.end(), StartsCharacter));
}

std::string Cut(std::string_view text, size_t columns) {
  if (Columns(text) <= columns) return std::string(text);
  if (columns == 0) return "";
  size_t at = 0;
  for (size_t taken = 0; at < text.size(); ++at) {
    if (!StartsCharacter(text[at])) continue;
    if (taken == columns - 1) break;
    ++taken;
  }
  return std::string(text.substr(0, at)) + "…";
}

std::string Padded(std::string text, size_t columns) {
  const size_t width = Columns(text);
  if (width < columns) text.append(columns - width, ' ');
  return text;
}

std::string Finished(std::string text, const ViewOptions& options) {
  if (options.unicode) return text;
  static constexpr std::array<std::pair<std::string_view, char>, 14> kSigns = {{
      {"–", '-'},
      {"×", 'x'},
      {"·", '-'},
      {"…", '~'},
      {"→", '>'},
      {"█", '#'},
      {"▒", '='},
      {"◆", '*'},
      {"╱", '/'},
      {"│", '|'},
      {"⠹", '|'},
      {"━", '#'},
      {"╺", '-'},
      {"•", '*'},
  }};
  std::string ascii;
  for (size_t i = 0; i < text.size();) {
    if (static_cast<unsigned char>(text[i]) < 0x80) {
      ascii += text[i++];
      continue;
    }
    size_t end = i + 1;
    while (end < text.size() && !StartsCharacter(text[end])) ++end;
    const std::string_view sign = std::string_view(text).substr(i, end - i);
    const auto* const known = std::find_if(kSigns.begin(), kSigns.end(),
                                           [&](const auto& entry) { return entry.first == sign; });
    ascii += known == kSigns.end() ? '?' : known->second;
    i = end;
  }
  return ascii;
}

std::string Painted(std::string_view text, Paint paint, const ViewOptions& options) {
  if (!options.color || paint == Paint::kNone || text.empty()) return std::string(text);
  static constexpr std::array<const char*, 6> kCodes = {"", "2", "1", "32", "33", "31"};
  return std::string("\x1b[") + kCodes[static_cast<size_t>(paint)] + "m" + std::string(text) +
         "\x1b[0m";
}

Paint PaintOfState(std::string_view word) {
  const std::string_view first = word.substr(0, word.find(' '));
  for (const char* good : {"running", "done", "up"}) {
    if (first == good) return Paint::kGood;
  }
  for (const char* bad : {"failed", "timeout", "lost", "refused", "quarantined", "revoked"}) {
    if (first == bad) return Paint::kBad;
  }
  for (const char* warn : {"silent", "down", "unknown", "parked", "paused", "cancelling",
                           "cancelled", "draining", "drained", "rotated"}) {
    if (first == warn) return Paint::kWarn;
  }
  return Paint::kNone;
}

}  // namespace muster::cli::views
