// Random draws decide whether a message is altered, and how. No alteration is made that the codec
// cannot encode; instead, bytes of encoded messages are corrupted.
#include "sim/byzantine_site.h"

#include <utility>
#include <variant>

#include "schemas/codec/codec.h"

namespace muster::sim {
namespace {

constexpr int64_t kHuge = int64_t{1} << 52;
constexpr int64_t kFarSeconds = (int64_t{1} << 40) - 1;

}  // namespace

void ByzantineSite::Hears(const schemas::ToSite& message) { floor_ = message.floor; }

Fence ByzantineSite::SomeFence() {
  switch (random_.Below(5)) {
    case 0:
      return {{floor_.epoch.value + 7}, 1};
    case 1:
      return {{0}, 1 + random_.Below(9)};
    case 2:
      return {floor_.epoch, floor_.number + 1000};
    default:  // a fence that another site may hold
      return {floor_.epoch, 1 + random_.Below(floor_.number + 1)};
  }
}

Instant ByzantineSite::SomeInstant() {
  constexpr int64_t kTimes[] = {0, 1, -kFarSeconds, kFarSeconds, 1'500'000'000};
  return {kTimes[random_.Below(std::size(kTimes))]};
}

int64_t ByzantineSite::SomeAmount() {
  constexpr int64_t kAmounts[] = {-1, -kHuge, kHuge, 1};
  return kAmounts[random_.Below(std::size(kAmounts))];
}

void ByzantineSite::Twist(schemas::Capacity& capacity) {
  capacity.plan.value += random_.Below(3);
  switch (random_.Below(6)) {
    case 0:
      if (!capacity.classes.empty()) capacity.classes[0].per_node.Set("ncpus", SomeAmount());
      break;
    case 1:
      if (!capacity.classes.empty()) capacity.classes[0].up = 100'000;
      break;
    case 2:
      capacity.profile.push_back({SomeInstant(), {}});
      break;
    case 3:
      for (schemas::ProfileStep& step : capacity.profile) {
        for (ResourceSet& free : step.free) free.Set("ncpus", SomeAmount());
      }
      break;
    case 4:
      capacity.turnover = {SomeInstant().seconds};
      break;
    default:
      capacity.start_slack = {SomeInstant().seconds};
  }
}

void ByzantineSite::Twist(schemas::Verdict& verdict) {
  if (verdict.entries.empty() || random_.Chance(150)) {
    verdict.entries.emplace_back();
    return;
  }
  schemas::VerdictEntry& entry = verdict.entries[random_.Below(verdict.entries.size())];
  switch (random_.Below(7)) {
    case 0:
      verdict.entries.pop_back();
      break;
    case 1:
      entry.kind = schemas::VerdictKind::kAccepted;
      entry.start = SomeInstant();
      break;
    case 2:
      entry.kind = schemas::VerdictKind::kCountered;
      entry.start = SomeInstant();
      entry.starts = IntervalSet::Only(entry.start);
      break;
    case 3:
      entry.taken = {{{"ncpus", SomeAmount()}}};
      break;
    case 4:
      entry.kind = schemas::VerdictKind::kAccepted;  // though the entry may be impossible
      break;
    case 5:
      entry.kind = schemas::VerdictKind::kNever;
      break;
    default:
      verdict.gone = true;
  }
}

void ByzantineSite::Twist(schemas::Change& change) {
  if (random_.Chance(300)) change.fence = SomeFence();
  if (auto* hold = std::get_if<schemas::HoldChanged>(&change.what)) {
    if (random_.Chance(500)) hold->start = SomeInstant();
    if (random_.Chance(300)) hold->state = static_cast<schemas::HoldState>(random_.Below(6));
    if (random_.Chance(300)) hold->started = static_cast<schemas::Started>(random_.Below(3));
    if (random_.Chance(200)) hold->request = {1 + random_.Below(50)};
    if (random_.Chance(200)) hold->deadline = ToMoment(Instant{random_.Between(0, 1000)});
  } else if (auto* part = std::get_if<schemas::PartChanged>(&change.what)) {
    if (random_.Chance(300)) part->index = static_cast<uint32_t>(random_.Below(100));
    if (random_.Chance(300)) part->state = static_cast<schemas::PartState>(random_.Below(6));
    if (random_.Chance(300)) part->at = ToMoment(Instant{random_.Between(0, 1000)});
  } else if (auto* usage = std::get_if<schemas::UsageChanged>(&change.what)) {
    usage->usage.elapsed = {random_.Chance(500) ? -5 : int64_t{1} << 40};
  } else if (auto* moved = std::get_if<schemas::Moved>(&change.what)) {
    moved->new_start = SomeInstant();
  }
}

void ByzantineSite::Twist(schemas::Report& report) {
  switch (random_.Below(5)) {
    case 0:
      report.after.revision.value += 1 + random_.Below(50);
      break;
    case 1:
      report.after.digest.bytes[0] ^= 1;
      break;
    case 2:
      report.after.revision.value /= 2;
      for (schemas::Change& change : report.changes) change.revision.value /= 2;
      break;
    default:
      if (!report.changes.empty()) {
        Twist(report.changes[random_.Below(report.changes.size())]);
      }
  }
}

void ByzantineSite::Twist(schemas::Listing& listing) {
  if (random_.Chance(300)) listing.holds.clear();
  if (random_.Chance(300)) listing.feed.revision.value += random_.Below(100);
  if (random_.Chance(300)) listing.feed.digest.bytes[0] ^= 1;
  for (schemas::HoldRecord& hold : listing.holds) {
    if (random_.Chance(300)) hold.order.fence = SomeFence();
    if (random_.Chance(300)) hold.state = static_cast<schemas::HoldState>(random_.Below(6));
    if (random_.Chance(200)) hold.parts.clear();
    if (random_.Chance(200)) hold.order.parts.clear();
    if (random_.Chance(200)) hold.start = SomeInstant();
  }
}

void ByzantineSite::Twist(schemas::Answers& answers) {
  for (schemas::Answer& answer : answers.answers) {
    if (random_.Chance(500)) answer.fence = SomeFence();
    if (random_.Chance(300)) answer.kind = static_cast<schemas::AnswerKind>(random_.Below(4));
    if (answer.verdict && random_.Chance(500)) {
      answer.verdict->start = SomeInstant();
      answer.verdict->starts = IntervalSet::Only(answer.verdict->start);
    }
  }
}

bool ByzantineSite::Alter(schemas::ToMeta& message) {
  if (auto* hello = std::get_if<schemas::Hello>(&message.body)) {
    if (random_.Chance(300)) hello->highest_epoch = {uint64_t{1} << 60};
    if (random_.Chance(300)) hello->feed.revision.value += random_.Below(1000);
    if (random_.Chance(500)) Twist(hello->capacity);
  } else if (auto* beat = std::get_if<schemas::Heartbeat>(&message.body)) {
    if (random_.Chance(300)) beat->feed.revision.value += random_.Below(1000);
    if (random_.Chance(300)) beat->feed.revision.value /= 2;
    if (random_.Chance(200)) beat->feed.digest.bytes[0] ^= 1;
    if (beat->capacity) Twist(*beat->capacity);
  } else if (auto* verdict = std::get_if<schemas::Verdict>(&message.body)) {
    Twist(*verdict);
  } else if (auto* report = std::get_if<schemas::Report>(&message.body)) {
    Twist(*report);
  } else if (auto* listing = std::get_if<schemas::Listing>(&message.body)) {
    Twist(*listing);
  } else if (auto* answers = std::get_if<schemas::Answers>(&message.body)) {
    Twist(*answers);
  } else if (auto* view = std::get_if<schemas::View>(&message.body)) {
    view->inspection = 1 + random_.Below(view->inspection + 2);
  } else {
    return false;
  }
  return true;
}

// An answer or report that nobody asked for.
schemas::ToMeta ByzantineSite::Invent(const schemas::ToMeta& honest) {
  schemas::ToMeta out = honest;
  out.number.value += random_.Below(3);
  if (random_.Chance(500)) {
    const auto kind = static_cast<schemas::AnswerKind>(random_.Below(4));
    out.body = schemas::Answers{{{.fence = SomeFence(), .kind = kind}}};
    return out;
  }
  schemas::HoldChanged hold{.state = schemas::HoldState::kCommitted};
  hold.request = {1 + random_.Below(50)};
  hold.start = SomeInstant();
  const Revision revision{1 + random_.Below(100)};
  out.body = schemas::Report{.after = {{revision.value - 1}, {}},
                             .changes = {{revision, SomeFence(), std::move(hold)}}};
  return out;
}

std::vector<std::string> ByzantineSite::Instead(const schemas::ToMeta& honest, BootInstant now) {
  if (now < silent_until_) return {};
  if (random_.Chance(10)) {
    silent_until_ = now + Milliseconds(random_.Between(1000, 20'000));
    ++lies_;
    return {};
  }
  std::vector<std::string> out;
  schemas::ToMeta said = honest;
  if (random_.Chance(350) && Alter(said)) ++lies_;
  out.push_back(schemas::Encode(said));
  if (random_.Chance(50)) {
    std::string& bytes = out.back();
    bytes[random_.Below(bytes.size())] ^= static_cast<char>(1 + random_.Below(255));
    ++lies_;
  }
  if (random_.Chance(150)) {
    out.push_back(schemas::Encode(Invent(honest)));
    ++lies_;
  }
  if (random_.Chance(20)) {
    out.insert(out.end(), 300, out.front());  // floods the meta
    ++lies_;
  }
  return out;
}

}  // namespace muster::sim
