// Answers are matched by number; what belongs to an earlier question is dropped.
#include "tests/bench/federation/conversation.h"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "schemas/codec/codec.h"

namespace muster::bench {

void Fail(const std::string& what) { throw std::runtime_error(what); }

uint64_t Conversation::Say(schemas::ClientMessage message) {
  SayAgain(++number_, std::move(message));
  return number_;
}

void Conversation::SayAgain(uint64_t number, schemas::ClientMessage message) {
  message.number = {number};
  while (!client_->Send(schemas::Encode(message))) Hear(Milliseconds(1));
}

std::vector<schemas::ToClient> Conversation::Hear(BootSpan wait) {
  std::vector<schemas::ToClient> out;
  for (const std::string& bytes : client_->Receive(1024, wait)) {
    absl::StatusOr<schemas::ToClient> message = schemas::DecodeToClient(bytes);
    if (message.ok()) out.push_back(*std::move(message));
  }
  return out;
}

schemas::ToClient Conversation::Ask(schemas::ClientMessage message) {
  const uint64_t number = Say(message);
  const auto until = std::chrono::steady_clock::now() + std::chrono::seconds(60);
  while (std::chrono::steady_clock::now() < until) {
    for (schemas::ToClient& answer : Hear(Milliseconds(100))) {
      if (answer.answers.value == number) return std::move(answer);
    }
  }
  Fail("no answer from the meta");
}

schemas::Rows Conversation::Get(schemas::Get get) {
  schemas::ToClient answer = Ask({.body = std::move(get)});
  if (auto* rows = std::get_if<schemas::Rows>(&answer.body)) return std::move(*rows);
  Fail("refused");
}

schemas::RequestSpec SmallRequest(int parts, Span duration, std::optional<Instant> from) {
  schemas::RequestSpec spec;
  spec.name = "bench";
  spec.duration = duration;
  spec.from = from;
  spec.apart = parts > 1;
  for (int p = 0; p < parts; ++p) {
    spec.parts.push_back({.chunks = {{.count = 1, .resources = {{"ncpus", 1}}}}});
  }
  spec.payload.argv = {"/bin/true"};
  return spec;
}

schemas::ClientKey NextKey() {
  static uint64_t count = 0;
  char text[40];
  std::snprintf(text, sizeof text, "%032llx", static_cast<unsigned long long>(++count));
  using std::chrono::milliseconds;
  const auto now = std::chrono::system_clock::now().time_since_epoch();
  return {.text = text, .generated = Moment{std::chrono::duration_cast<milliseconds>(now).count()}};
}

Instant WallNow() { return {static_cast<int64_t>(time(nullptr))}; }

}  // namespace muster::bench
