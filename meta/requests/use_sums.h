// What counts as use: of parts that have ended by what is on record, of those that run up to now,
// and what is promised. Maui Sect. III (Fairshare); scheduling.md sections 12 and 16.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "meta/requests/layer.h"
#include "meta/turn/turn.h"
#include "policy/shares.h"

namespace muster::meta {

// Who has what a part of the request at this site uses: names of windows on record.
using Whose = std::function<std::set<std::string>(const Request&, const std::string& site)>;

// Who has what this request uses: all, the user, its account, and the user's groups that are valid
// now. Nobody for what runs inside of a reservation: the reservation counts.
std::set<std::string> SharersOf(const RequestsLayer& f, const Request& request, Moment now);
// What a promise would add to the use of its sharers, at a site where it is as long as asked.
// REQUIRES: f.options.fairshare.
int64_t BookedBy(const RequestsLayer& f, const schemas::RequestSpec& spec);

// Sums for the windows that count.
class UseSums {
 public:
  // For these names, which `whose` may give. `coming`: what is to be used is kept one by one.
  UseSums(const RequestsLayer& f, Moment now, const policy::FairshareRules& rules,
          const std::set<std::string>& names, Whose whose, bool coming = false);
  // REQUIRES: one of the names.
  const policy::Use& Of(const std::string& who) const { return sums_.at(who).use; }
  policy::Course CourseOf(const std::string& who) const;

 private:
  struct Sum {
    policy::Use use;
    std::vector<policy::Coming> coming;
  };
  // One part and those who have what it uses.
  struct Part;
  void Look(const Request& request);
  void AddRan(const Part& part, Span booked);
  void AddRest(const Part& part, Span booked);
  void AddBooked(const Part& part, Instant start, Span length);
  void AddComing(const Part& part, const policy::Coming& coming);

  const RequestsLayer& f_;
  const policy::FairshareRules& rules_;
  const Moment now_;
  const std::vector<Instant> begins_;
  const Whose whose_;
  const bool coming_;
  std::map<std::string, Sum> sums_;
};

// Puts the use of the attempt's parts whose final usage is known on record, each once: with the
// mark on the attempt, in one write; for shares, and for the balance of sites. Nothing if neither
// counts: what ended before is not counted when one does.
void CountUse(RequestsLayer& f, const Request& request, Attempt& attempt, Moment now);
// Forgets windows that do not count any more, once in each window.
void ForgetOldUse(RequestsLayer& f, Moment now);

}  // namespace muster::meta
