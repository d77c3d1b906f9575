// Others: no permit is written before a request's dependencies are satisfied, beyond its array's
// limit of elements at once, or while it is parked. cli.md section 2 (--after, -a, hold).
#include <map>
#include <optional>
#include <set>

#include "sim/checkers/checker.h"

namespace muster::sim {
namespace {

using schemas::AttemptRecord;
using schemas::DependencyKind;
using schemas::RequestRecord;

class Others : public Checker {
 public:
  std::string Name() const override { return "others"; }

  void OnMetaWrites(Moment at, const MetaWrites& writes) override {
    // A batch is one instant: a request that ends in it has ended for the permits in it, and one
    // that is parked in it may have been permitted before.
    std::set<RequestId> held_now;
    for (const auto& write : writes) {
      if (!write.value) {
        open_.erase(write.key);
      } else if (const auto* request = std::get_if<RequestRecord>(&*write.value)) {
        RequestRecord& known = requests_[request->id];
        if (request->parked && !known.parked) held_now.insert(request->id);
        known = *request;
      } else if (const auto* attempt = std::get_if<AttemptRecord>(&*write.value)) {
        if (attempt->state == schemas::AttemptState::kClosed) open_.erase(write.key);
      }
    }
    for (const auto& write : writes) {
      if (!write.value) continue;
      const auto* attempt = std::get_if<AttemptRecord>(&*write.value);
      if (attempt == nullptr || !attempt->permit) continue;
      const bool open = attempt->state != schemas::AttemptState::kClosed;
      if (open) open_[write.key] = attempt->request;
      if (!permitted_.insert(attempt->fence).second) continue;
      Permitted(at, *attempt, held_now.contains(attempt->request));
    }
  }

 private:
  void Permitted(Moment at, const AttemptRecord& attempt, bool held_now) {
    const RequestId id = attempt.request;
    const std::string by = " by attempt " + ToText(attempt.fence);
    const auto it = requests_.find(id);
    if (it == requests_.end()) return;  // G1 reports it
    const RequestRecord& request = it->second;
    if (request.parked && !held_now)
      Violated(at, "request " + ToText(id) + " was permitted" + by + " while it was held");
    for (const schemas::Dependency& d : request.spec.after) {
      const auto other = requests_.find(d.request);
      if (other == requests_.end() || Holds(d.kind, other->second)) continue;
      Violated(at, "request " + ToText(id) + " was permitted" + by + " before " +
                       ToText(d.request) + " had ended as asked");
    }
    if (id.is_element()) CheckPlaces(at, id, by);
  }

  static bool Holds(DependencyKind kind, const RequestRecord& other) {
    if (!other.outcome) return false;
    const bool well = *other.outcome == schemas::Outcome::kDone;
    return kind == DependencyKind::kAny || well == (kind == DependencyKind::kOk);
  }

  void CheckPlaces(Moment at, RequestId element, const std::string& by) {
    const auto array = requests_.find(element.array());
    if (array == requests_.end() || !array->second.spec.array) return;
    const uint64_t at_once = array->second.spec.array->at_once;
    std::set<RequestId> running;
    for (const auto& [key, id] : open_) {
      if (id.is_element() && id.array() == element.array()) running.insert(id);
    }
    if (at_once > 0 && running.size() > at_once) {
      Violated(at, std::to_string(running.size()) + " elements of " + ToText(element.array()) +
                       " have permits, " + ToText(element) + by + "; at most " +
                       std::to_string(at_once));
    }
  }

  std::map<RequestId, RequestRecord> requests_;
  // requests with a permitted, unclosed attempt, by the attempt's key
  std::map<std::string, RequestId> open_;
  std::set<Fence> permitted_;
};

}  // namespace

std::unique_ptr<Checker> CheckOthers(const CheckedWorld&) { return std::make_unique<Others>(); }

}  // namespace muster::sim
