// What users, groups and accounts have had of a site, beside the shares that its administrator
// gives them: use in windows, and dates that ceilings give to new work. What has ended is on record
// (verifier/use_book.h); what runs and is booked is worked out from the holds. Maui Sect. III
// (Fairshare); scheduling.md section 12.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "base/calendar.h"
#include "base/credentials.h"
#include "base/time.h"
#include "policy/ceilings.h"
#include "policy/shares.h"
#include "policy/shares_now.h"
#include "schemas/hold.h"
#include "schemas/use.h"
#include "verifier/use_book.h"

namespace muster::site {

// Value type. Invariant: whoever is barred was above a ceiling when the ceilings were last judged.
class SiteShares {
 public:
  using Holds = std::map<Fence, schemas::HoldRecord>;

  // Without rules nothing is counted and nobody is barred.
  SiteShares(std::optional<policy::FairshareRules> rules, Zone zone)
      : rules_(std::move(rules)), zone_(std::move(zone)) {}

  bool counts() const { return rules_.has_value(); }
  // Adds what the part had, once its usage is final: for everybody, its user, groups and account.
  // Nothing for what ran inside of a reservation: the reservation counts.
  void Count(const schemas::HoldRecord& hold, const schemas::PartRecord& part,
             verifier::UseBook& book) const;
  // Forgets windows that count no more, once in each window.
  void ForgetOld(verifier::UseBook& book, Moment now) const;

  // Empty without shares.
  policy::SharesNow At(const Holds& holds, const verifier::UseBook& book, Moment now) const;
  // For people, as they stand now.
  std::vector<schemas::ShareRow> Rows(const Holds& holds, const verifier::UseBook& book,
                                      Moment now) const;

  // Judges the ceilings that date new work, once a second of plan time. True if somebody is barred
  // who was not, or until another time, or no more.
  bool Judge(const Holds& holds, const verifier::UseBook& book, Moment now);
  // From when on new work with these credentials may start, and by which share; none: now.
  std::optional<policy::Ceilings::Barred> Barred(const Credentials& who) const {
    return ceilings_.Of(who);
  }
  // When somebody who is barred may be admitted by the passing of time alone; none: nobody is.
  std::optional<Instant> NextEnd() const { return ceilings_.First(); }

 private:
  std::optional<policy::FairshareRules> rules_;
  Zone zone_;
  policy::Ceilings ceilings_;
};

}  // namespace muster::site
