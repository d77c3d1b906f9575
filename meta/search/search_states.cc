// Reading a state does not create one.
#include "meta/search/search_states.h"

#include <algorithm>
#include <utility>

namespace muster::meta {

const SearchState& Searches::Of(RequestId id) const {
  static const SearchState kUnsought;
  const auto it = all_.find(id);
  return it == all_.end() ? kUnsought : it->second;
}

bool Searches::SaidNever(RequestId id, size_t part, const std::string& site) const {
  const auto& never = Of(id).never;
  return std::find(never.begin(), never.end(), std::pair(part, site)) != never.end();
}

void Searches::StartOver(RequestId id) {
  SearchState& state = all_[id];
  state.tries = 0;
  state.asks_fresh = false;
  state.gap_refused = false;
  state.left_queue = false;
}

void Searches::StartAsBefore(RequestId id) {
  StartOver(id);
  ForgetPrices(id);
  all_[id].never.clear();
  all_[id].fruitless.reset();
}

void Searches::StartAsAnother(RequestId id) {
  StartAsBefore(id);
  all_[id].asks_fresh = true;
}

void Searches::Bound(RequestId id) {
  StartOver(id);
  ForgetPrices(id);
  all_[id].moves_failed = 0;
  all_[id].guessed_wrong.clear();
}

void Searches::NoteWrongGuess(RequestId id, const std::string& site) {
  if (!GuessedWrong(id, site)) all_[id].guessed_wrong.push_back(site);
}

bool Searches::GuessedWrong(RequestId id, const std::string& site) const {
  const std::vector<std::string>& wrong = Of(id).guessed_wrong;
  return std::find(wrong.begin(), wrong.end(), site) != wrong.end();
}

void Searches::MeetAlone(RequestId id) {
  SearchState& state = all_[id];
  state.left_queue = true;
  state.asks_fresh = true;
}

void Searches::SeekBelow(RequestId id, size_t part, int64_t price, schemas::Reason why) {
  all_[id].below[part] = price;
  all_[id].too_dear = std::move(why);
}

void Searches::ForgetPrices(RequestId id) {
  const auto it = all_.find(id);
  if (it == all_.end()) return;
  it->second.below.clear();
  it->second.too_dear.reset();
}

void Searches::ForgetAllPrices() {
  for (auto& [id, state] : all_) ForgetPrices(id);
}

void Searches::Learn(RequestId id, size_t part, const std::string& site) {
  if (!SaidNever(id, part, site)) all_[id].never.push_back({part, site});
}

void Searches::ForgetNever(const std::string& site) {
  for (auto& [id, state] : all_) {
    const auto of_site = [&](const auto& pair) { return pair.second == site; };
    if (std::erase_if(state.never, of_site) > 0) state.fruitless.reset();
  }
}

void Searches::ForgetAllFruitless() {
  for (auto& [id, state] : all_) state.fruitless.reset();
}

void Searches::Hear(RequestId id, std::map<std::string, schemas::VerdictEntry> heard,
                    BootInstant until) {
  SearchState& state = all_[id];
  state.heard = std::move(heard);
  state.heard_until = until;
}

std::map<std::string, schemas::VerdictEntry> Searches::TakeHeard(RequestId id) {
  const auto it = all_.find(id);
  if (it == all_.end()) return {};
  return std::exchange(it->second.heard, {});
}

}  // namespace muster::meta
