// Collects answers to a client's question from several sources. The client is answered once every
// source has answered or will not answer, or at the time-out. Used for quotes, site queries,
// explanations and alterations. protocol.md section 2b.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/time.h"
#include "meta/service/client.h"

namespace muster::meta {

// `Question`: what the client asks. `Answer`: what one source answers. `From`: names a source.
// Value type. Invariant: each source that was asked has answered, is awaited, or will not answer.
// An answer that is not awaited changes nothing.
template <class Question, class Answer, class From = std::string>
class Gatherings {
 public:
  struct Gathering {
    Client client;
    Question question;
    std::set<From> asked;
    std::map<From, Answer> answers;
  };

  // Opens a gathering that awaits no source yet. Without `until` it has no time-out. REQUIRES: no
  // gathering has this number.
  Question& Begin(uint64_t number, Client client, Question question,
                  std::optional<BootInstant> until = std::nullopt) {
    const auto [at, is_new] =
        open_.emplace(number, Open{{std::move(client), std::move(question), {}, {}}, {}, until});
    MUSTER_CHECK(is_new);
    return at->second.gathering.question;
  }
  // Awaits this source from now on and drops its earlier answer. REQUIRES: the gathering exists.
  void Ask(uint64_t number, const From& from) {
    Open& open = open_.at(number);
    open.gathering.asked.insert(from);
    open.gathering.answers.erase(from);
    open.awaited.insert(from);
  }

  // Sets another time-out. REQUIRES: the gathering exists.
  void Extend(uint64_t number, BootInstant until) { open_.at(number).until = until; }

  // Stores an answer. Returns false and changes nothing if this gathering does not await `from`.
  bool Take(uint64_t number, const From& from, Answer answer) {
    if (!Miss(number, from)) return false;
    open_.at(number).gathering.answers.emplace(from, std::move(answer));
    return true;
  }
  // Stops awaiting a source that will not answer. Returns false and changes nothing if this
  // gathering does not await `from`.
  bool Miss(uint64_t number, const From& from) {
    const auto at = open_.find(number);
    return at != open_.end() && at->second.awaited.erase(from) > 0;
  }

  // Removes and returns the gathering if it awaits no source; nullopt otherwise, or if it does not
  // exist.
  std::optional<Gathering> TakeComplete(uint64_t number) {
    const auto at = open_.find(number);
    if (at == open_.end() || !at->second.awaited.empty()) return std::nullopt;
    return Close(number);
  }
  // Removes and returns the gathering, even if it still awaits sources; nullopt if it does not
  // exist.
  std::optional<Gathering> Close(uint64_t number) {
    const auto at = open_.find(number);
    if (at == open_.end()) return std::nullopt;
    std::optional<Gathering> out = std::move(at->second.gathering);
    open_.erase(at);
    return out;
  }
  // Stops awaiting this source in all gatherings. Removes and returns those that are complete now,
  // by number.
  std::vector<Gathering> End(const From& from) {
    std::vector<Gathering> over;
    for (const uint64_t number : Awaiting(from)) {
      Miss(number, from);
      if (auto gathering = TakeComplete(number)) over.push_back(*std::move(gathering));
    }
    return over;
  }
  // Removes and returns the gatherings whose time is up, by number.
  std::vector<Gathering> EndOverdue(BootInstant now) {
    std::vector<Gathering> over;
    for (const uint64_t number : Overdue(now)) over.push_back(*Close(number));
    return over;
  }

  // Null if no gathering has this number.
  const Gathering* Find(uint64_t number) const {
    const auto at = open_.find(number);
    return at == open_.end() ? nullptr : &at->second.gathering;
  }
  Question* FindQuestion(uint64_t number) {
    const auto at = open_.find(number);
    return at == open_.end() ? nullptr : &at->second.gathering.question;
  }
  // Numbers of gatherings, ascending: all, those that await `from`, those whose time is up.
  std::vector<uint64_t> numbers() const {
    return NumbersOf([](const Open&) { return true; });
  }
  std::vector<uint64_t> Awaiting(const From& from) const {
    return NumbersOf([&](const Open& open) { return open.awaited.contains(from); });
  }
  std::vector<uint64_t> Overdue(BootInstant now) const {
    return NumbersOf([&](const Open& open) { return open.until && *open.until <= now; });
  }
  // Sources still awaited. REQUIRES: the gathering exists.
  const std::set<From>& Awaited(uint64_t number) const { return open_.at(number).awaited; }

  // Number of open questions of this user.
  size_t CountOf(const std::string& user) const {
    return NumbersOf([&](const Open& open) { return open.gathering.client.user == user; }).size();
  }
  // The earliest time-out; nullopt if there is none.
  std::optional<BootInstant> NextEnd() const {
    std::optional<BootInstant> next;
    for (const auto& [number, open] : open_) {
      if (open.until && (!next || *open.until < *next)) next = open.until;
    }
    return next;
  }

 private:
  struct Open {
    Gathering gathering;
    std::set<From> awaited;
    std::optional<BootInstant> until;
  };
  template <class Chosen>
  std::vector<uint64_t> NumbersOf(Chosen chosen) const {
    std::vector<uint64_t> out;
    for (const auto& [number, open] : open_) {
      if (chosen(open)) out.push_back(number);
    }
    return out;
  }

  std::map<uint64_t, Open> open_;
};

}  // namespace muster::meta
