// Numbers of a record are the user's to change: they are taken as they are, or not at all.
#include "site/driver/slurm/token_record.h"

#include <charconv>
#include <cmath>
#include <cstdlib>

namespace muster::driver::slurm {
namespace {

constexpr int64_t kFirstSignalCode = 128;
constexpr int64_t kLastSignal = 64;

// "0m1.25s" in milliseconds.
std::optional<int64_t> MinutesAndSeconds(const std::string& word) {
  const size_t minute = word.find('m');
  if (minute == std::string::npos || !word.ends_with('s')) return std::nullopt;
  char* stop = nullptr;
  const double minutes = std::strtod(word.c_str(), &stop);
  if (*stop != 'm') return std::nullopt;
  const double seconds = std::strtod(word.c_str() + minute + 1, &stop);
  if (*stop != 's' || !std::isfinite(minutes) || !std::isfinite(seconds)) return std::nullopt;
  const double total = (minutes * 60 + seconds) * 1000;
  if (total < 0 || total > 1e15) return std::nullopt;
  return static_cast<int64_t>(total + 0.5);
}

}  // namespace

Entries EntriesIn(std::string_view text, char by) {
  Entries entries;
  while (!text.empty()) {
    const size_t end = std::min(text.find(by), text.size());
    std::string_view piece = text.substr(0, end);
    if (piece.ends_with('\n')) piece.remove_suffix(1);
    text.remove_prefix(std::min(end + 1, text.size()));
    const size_t equals = piece.find('=');
    if (equals == std::string_view::npos) continue;
    entries[std::string(piece.substr(0, equals))] = piece.substr(equals + 1);
  }
  return entries;
}

std::optional<int64_t> NumberOf(const Entries& entries, const std::string& name) {
  const auto entry = entries.find(name);
  if (entry == entries.end()) return std::nullopt;
  const std::string& text = entry->second;
  int64_t number = 0;
  const auto [stop, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || stop != text.data() + text.size()) return std::nullopt;
  return number;
}

std::optional<BootSpan> ProcessorTime(std::string_view times) {
  int64_t sum = 0;
  int words = 0;
  std::string word;
  for (const char c : std::string(times) + "\n") {
    if (c != ' ' && c != '\n') {
      word += c;
      continue;
    }
    if (word.empty()) continue;
    const auto time = MinutesAndSeconds(word);
    if (!time) return std::nullopt;
    sum += *time;
    ++words;
    word.clear();
  }
  if (words != 4) return std::nullopt;
  return BootSpan{sum};
}

void TakeRecord(const Entries& record, const std::string& times, const std::string& token,
                Marks& marks) {
  const auto by = record.find("by");
  if (by == record.end()) return;
  const auto started = NumberOf(record, "started_ms");
  if (!started) return;
  PartEnded ended{.token = token};
  ended.at = Moment{NumberOf(record, "ended_ms").value_or(*started)};
  ended.end.by = by->second == "exit"       ? schemas::EndedBy::kExit
                 : by->second == "walltime" ? schemas::EndedBy::kWalltime
                                            : schemas::EndedBy::kRelease;
  marks.by_term = by->second == "term";
  if (const auto code = NumberOf(record, "code")) {
    const bool signal = *code > kFirstSignalCode && *code <= kFirstSignalCode + kLastSignal;
    if (signal) {
      ended.end.signal = static_cast<int32_t>(*code - kFirstSignalCode);
    } else {
      ended.end.exit_code = static_cast<int32_t>(*code);
    }
  }
  ended.usage.elapsed = BootSpan{NumberOf(record, "elapsed_ms").value_or(0)};
  ended.usage.cpu = ProcessorTime(times);
  if (!marks.started_at) marks.started_at = Moment{*started};
  marks.ended = std::move(ended);
}

}  // namespace muster::driver::slurm
