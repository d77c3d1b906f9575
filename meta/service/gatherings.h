// Questions of clients that others have to answer first: whoever is asked answers or goes away, and
// with the last of them, or when its time is up, the client is answered. One mechanism for quotes,
// for what only sites know, for explanations and for alterations. protocol.md section 2b.
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

// `Question`: what is asked; `Answer`: what each of those asked says, who is told by a `From`.
// Value type. Invariant: of those asked each has answered, or is awaited, or will not answer; an
// answer that nobody awaits changes nothing.
template <class Question, class Answer, class From = std::string>
class Gatherings {
 public:
  struct Gathering {
    Client client;
    Question question;
    std::set<From> asked;
    std::map<From, Answer> answers;
  };

  // Awaits nobody yet. None for `until`: it has no time-out of its own.
  // REQUIRES: no gathering has this number.
  Question& Begin(uint64_t number, Client client, Question question,
                  std::optional<BootInstant> until = std::nullopt) {
    const auto [at, is_new] =
        open_.emplace(number, Open{{std::move(client), std::move(question), {}, {}}, {}, until});
    MUSTER_CHECK(is_new);
    return at->second.gathering.question;
  }
  // Awaits it from now on; what it has answered before does not count. REQUIRES: there is this
  // gathering.
  void Ask(uint64_t number, const From& from) {
    Open& open = open_.at(number);
    open.gathering.asked.insert(from);
    open.gathering.answers.erase(from);
    open.awaited.insert(from);
  }

  // REQUIRES: there is this gathering.
  void Extend(uint64_t number, BootInstant until) { open_.at(number).until = until; }

  // False, and nothing happens, if this gathering does not await it.
  bool Take(uint64_t number, const From& from, Answer answer) {
    if (!Miss(number, from)) return false;
    open_.at(number).gathering.answers.emplace(from, std::move(answer));
    return true;
  }
  // It will not answer. False, and nothing happens, if this gathering does not await it.
  bool Miss(uint64_t number, const From& from) {
    const auto at = open_.find(number);
    return at != open_.end() && at->second.awaited.erase(from) > 0;
  }

  // The gathering is over and gone; none, and it goes on, while it awaits anybody, or is not there.
  std::optional<Gathering> TakeComplete(uint64_t number) {
    const auto at = open_.find(number);
    if (at == open_.end() || !at->second.awaited.empty()) return std::nullopt;
    return Close(number);
  }
  // The same whomever it awaits.
  std::optional<Gathering> Close(uint64_t number) {
    const auto at = open_.find(number);
    if (at == open_.end()) return std::nullopt;
    std::optional<Gathering> out = std::move(at->second.gathering);
    open_.erase(at);
    return out;
  }
  // This one answers nobody any more: those that awaited only it are over and gone, by number.
  std::vector<Gathering> End(const From& from) {
    std::vector<Gathering> over;
    for (const uint64_t number : Awaiting(from)) {
      Miss(number, from);
      if (auto gathering = TakeComplete(number)) over.push_back(*std::move(gathering));
    }
    return over;
  }
  // Those whose time is up are over and gone, by number.
  std::vector<Gathering> EndOverdue(BootInstant now) {
    std::vector<Gathering> over;
    for (const uint64_t number : Overdue(now)) over.push_back(*Close(number));
    return over;
  }

  // Null: there is none of this number.
  const Gathering* Find(uint64_t number) const {
    const auto at = open_.find(number);
    return at == open_.end() ? nullptr : &at->second.gathering;
  }
  Question* FindQuestion(uint64_t number) {
    const auto at = open_.find(number);
    return at == open_.end() ? nullptr : &at->second.gathering.question;
  }
  // Ascending.
  std::vector<uint64_t> numbers() const {
    return NumbersOf([](const Open&) { return true; });
  }
  std::vector<uint64_t> Awaiting(const From& from) const {
    return NumbersOf([&](const Open& open) { return open.awaited.contains(from); });
  }
  std::vector<uint64_t> Overdue(BootInstant now) const {
    return NumbersOf([&](const Open& open) { return open.until && *open.until <= now; });
  }
  // Whom it awaits. REQUIRES: there is this gathering.
  const std::set<From>& Awaited(uint64_t number) const { return open_.at(number).awaited; }

  // Questions of this user that are not answered yet.
  size_t CountOf(const std::string& user) const {
    return NumbersOf([&](const Open& open) { return open.gathering.client.user == user; }).size();
  }
  // When the next one is overdue.
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
