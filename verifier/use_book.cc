// One record for each window and each who.
#include "verifier/use_book.h"

#include <algorithm>
#include <cstdio>

namespace muster::verifier {

std::string UseKey(Instant window, const std::string& who) {
  char number[17];
  std::snprintf(number, sizeof number, "%016llx", static_cast<unsigned long long>(window.seconds));
  return "use/" + std::string(number) + "/" + who;
}

void UseBook::Restore(schemas::UseRecord record) {
  const Key key{record.who, record.window};
  kept_.Restore(key, std::move(record));
}

void UseBook::Add(const std::string& who, Instant window, int64_t amount) {
  schemas::UseRecord& record = kept_.Edit({who, window});
  record.who = who;
  record.window = window;
  record.amount = amount > INT64_MAX - record.amount ? INT64_MAX : record.amount + amount;
}

void UseBook::ForgetBefore(Instant first) {
  std::vector<Key> old;
  for (const auto& [key, record] : kept_.all()) {
    if (record.window < first) old.push_back(key);
  }
  for (Key& key : old) kept_.Erase(std::move(key));
}

std::vector<int64_t> UseBook::Of(const std::string& who, const std::vector<Instant>& begins) const {
  std::vector<int64_t> out(begins.size());
  for (auto it = kept_.all().lower_bound({who, begins.back()}); it != kept_.all().end(); ++it) {
    if (it->first.first != who) break;
    const auto window = std::find_if(begins.begin(), begins.end(),
                                     [&](Instant begin) { return begin <= it->second.window; });
    out[static_cast<size_t>(window - begins.begin())] += it->second.amount;
  }
  return out;
}

}  // namespace muster::verifier
