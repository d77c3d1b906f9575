// See site_trace.h. Uses the words of the protocol's tables, and short numbers.
#include "tests/scenario/site_trace.h"

#include <utility>

#include "tests/scenario/trace_words.h"

namespace muster::scenario {
namespace {

class Tracer : public TraceWords {
 public:
  explicit Tracer(Instant zero) : TraceWords(zero), zero_(zero) {}

  // --- clients of the site itself
  std::string Tell(const schemas::Accepted& accepted) const {
    std::string text = accepted.repeated ? "accepted before" : "accepted";
    for (const RequestId id : accepted.requests) text += " lakes/" + ToText(id);
    return text;
  }
  std::string Tell(const schemas::Refused& refused) const {
    return "refused " + refused.code + ": " + refused.message;
  }
  std::string Tell(const schemas::Rows& rows) const {
    return std::to_string(rows.jobs.size()) + " jobs";
  }

  // --- driver
  std::string Do(const driver::StartPart& c) const {
    std::string text = "start " + c.token + " part " + c.part_name + " for " + c.user + " on";
    for (const auto& chunk : c.place.chunks) text += " " + chunk.node;
    return text + " not_after=" + At(c.not_after) +
           " walltime=" + std::to_string(c.walltime.seconds) +
           " peers=" + c.environment.at("MUSTER_RENDEZVOUS");
  }
  std::string Do(const driver::StopPart& c) const { return "stop " + c.token; }
  std::string Do(const driver::PausePart& c) const { return "pause " + c.token; }
  std::string Do(const driver::ResumePart& c) const { return "resume " + c.token; }
  std::string Do(const driver::LimitPart& c) const {
    return "limit " + c.token + " to " + std::to_string(c.walltime.seconds);
  }
  std::string Do(const driver::ResizePart& c) const {
    std::string text = "resize " + c.token + " to";
    for (const auto& chunk : c.place.chunks) text += " " + chunk.node;
    return text;
  }
  std::string Do(const driver::FindParts& c) const {
    std::string text = "find";
    for (const std::string& token : c.tokens) text += " " + token;
    return text;
  }
  std::string Do(const driver::ForgetPart& c) const { return "forget " + c.token; }
  std::string Do(const driver::ReadOutput& c) const {
    return "read " + c.part_name + " from " + std::to_string(c.offset);
  }

  std::string Write(const schemas::Write<schemas::SiteRecord>& write) const {
    if (!write.value) return "delete " + Short(write.key);
    if (const auto* hold = std::get_if<schemas::HoldRecord>(&*write.value)) {
      return "write hold " + TraceOf(*hold, zero_);
    }
    return "write " + Short(write.key);
  }

 private:
  // Drops the leading zeros of the keys' numbers, which tell a reader nothing.
  static std::string Short(const std::string& key) {
    std::string text;
    bool leading = true;
    for (char c : key) {
      const bool digit = (c >= '0' && c <= '9') || (c >= 'a' && c <= 'f' && leading == false);
      if (c == '/' || c == '.') leading = true;
      if (leading && c == '0') continue;
      if (digit) leading = false;
      text += c == '/' ? ' ' : c;
    }
    return text;
  }

  Instant zero_;
};

}  // namespace

std::vector<std::string> TraceOf(const site::Effects& effects, Instant zero, bool beats) {
  const Tracer tracer(zero);
  std::vector<std::string> lines;
  for (const auto& write : effects.writes) {
    // Skips the records of what nodes had when first seen: the file has that already.
    if (!write.key.starts_with("size/")) lines.push_back(tracer.Write(write));
  }
  for (const auto& message : effects.to_meta) {
    if (!beats && std::holds_alternative<schemas::Heartbeat>(message.body)) continue;
    bool first = true;
    for (std::string& line : SaidBySite(message.body, zero)) {
      const bool more = !first && line.starts_with(" ");
      lines.push_back((more ? "  " : "say ") + line);
      first = false;
    }
  }
  for (const auto& answer : effects.to_clients) {
    lines.push_back("tell " + answer.user + " " +
                    std::visit([&](const auto& b) { return tracer.Tell(b); }, answer.message.body));
  }
  for (const auto& command : effects.driver) {
    // A site sends FindParts at every start. Without tokens it tells nothing.
    if (command == driver::Command(driver::FindParts{})) continue;
    std::visit(
        [&](const auto& c) {
          if constexpr (requires { tracer.Do(c); }) lines.push_back("do " + tracer.Do(c));
        },
        command);
  }
  for (const std::string& note : effects.notes) lines.push_back("note " + note);
  return lines;
}

}  // namespace muster::scenario
