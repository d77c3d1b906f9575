// What requests cost, what is set aside for them, and that each part is charged once. Maui Sect.
// III (Allocation Manager Interface); scheduling.md section 14.
#include "meta/requests/credits.h"

#include "meta/requests/requests_fixture.h"

namespace muster::meta {
namespace {

using policy::kCredit;
using schemas::EndedBy;
using schemas::PartState;

// A credit an hour for a processor. Account chem has 20 credits; kim and ana may use it.
class Credits : public RequestsRoom {
 protected:
  Credits() {
    f_.options.bank = policy::BankRules{.rates = {{"ncpus", kCredit, 1}}};
    f_.options.credentials.accounts = {{.name = "chem", .owners = {"*"}}};
    Grants(20);
  }
  void Grants(int64_t credits) {
    ASSERT_TRUE(
        f_.bank
            .Deposit({.key = "d" + std::to_string(++keys_), .by = "ops", .note = "", .at = t_.plan},
                     "chem", credits * kCredit, t_.plan.Floor(), {})
            .ok());
  }
  // A request of chem for this many processors and hours at lakes.
  Request& Wants(int64_t cpus, int64_t hours) {
    schemas::RequestSpec spec = Spec({{"lakes"}});
    spec.duration = Span{hours * 3600};
    spec.account = "chem";
    spec.parts[0].chunks[0].resources = {{"ncpus", cpus}};
    return Submitted(spec);
  }
  std::optional<schemas::Reason> Asks(Request& request) {
    return SetAside(f_, request, {"lakes"}, t_.plan.Floor(), Span{0}, t_.plan);
  }
  // The request gets its place, as the commit protocol does it.
  Attempt& Has(Request& request, Instant start, const std::string& site = "lakes") {
    schemas::AttemptRecord record{.fence = Fence{Epoch{1}, ++fences_},
                                  .request = request.id(),
                                  .state = schemas::AttemptState::kHolding,
                                  .members = {site},
                                  .part_sites = {site},
                                  .start = start};
    Attempt& attempt = f_.attempts.Add(std::move(record));
    TakeLien(f_, request, attempt, t_.plan);
    for (const Fence& old : request.attempts) {
      f_.attempts.Enter(f_.attempts.at(old), schemas::AttemptState::kClosed);
    }
    f_.attempts.Enter(attempt, schemas::AttemptState::kPermitted);
    f_.attempts.MakeDurable(attempt);
    request.attempts.insert(attempt.fence());
    f_.requests.Edit(request).attempt = attempt.fence();
    f_.requests.SetState(request, schemas::RequestState::kPromised);
    return attempt;
  }
  // What the site's feed says of its end.
  void Ended(const Attempt& attempt, Instant from, int64_t elapsed, EndedBy by = EndedBy::kExit,
             schemas::CauseCode why = schemas::CauseCode::kNone) {
    schemas::MirrorRecord hold{.site = attempt.record().members[0], .fence = attempt.fence()};
    hold.state = schemas::HoldState::kClosed;
    hold.cause.code = why;
    schemas::MirrorPart part{.state = PartState::kEnded, .started_at = ToMoment(from)};
    part.ended_at = ToMoment(from + Span{elapsed});
    part.end.by = by;
    part.usage = {.elapsed = Seconds(elapsed)};
    part.usage_final = true;
    hold.parts = {part};
    f_.sites.at(hold.site).mirror.Restore(std::move(hold));
  }
  int64_t Free() { return f_.bank.Free("chem", t_.plan.Floor()); }
  int64_t Balance(const std::string& account) { return f_.bank.accounts().at(account).balance; }
  static int64_t Open(const Request& request) {
    return request.record().lien ? request.record().lien->Open() : 0;
  }

  int keys_ = 0;
};

TEST_F(Credits, OfTwoRequestsInOneTurnTheSecondFindsTheAccountEmpty) {
  Request& first = Wants(4, 4);
  Request& second = Wants(4, 4);
  EXPECT_EQ(Asks(first), std::nullopt);
  const auto why = Asks(second);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->code, schemas::ReasonCode::kCredit);
  EXPECT_EQ(why->text, "account chem has 4 of 16 credits");
  EXPECT_EQ(why->until, std::nullopt);
  Has(first, t_.plan.Floor());
  EXPECT_EQ(Open(first), 16 * kCredit);
  EXPECT_TRUE(Asks(second).has_value()) << "set aside on record now";
  Grants(12);
  EXPECT_EQ(Asks(second), std::nullopt);
}

TEST_F(Credits, AnAllocationThatEndsWhileAPlaceIsHeldStaysAliveForIt) {
  const Order order{.key = "short", .by = "ops", .note = "", .at = t_.plan};
  const Instant now = t_.plan.Floor();
  ASSERT_TRUE(f_.bank.Deposit(order, "chem", 12 * kCredit, now, now + Span{5}).ok());
  Request& request = Wants(8, 4);
  EXPECT_EQ(Asks(request), std::nullopt);
  Pass(Span{5});
  f_.bank.Advance(t_.plan);
  Has(request, t_.plan.Floor());
  f_.bank.Advance(t_.plan);
  EXPECT_EQ(Open(request), 32 * kCredit);
  EXPECT_GE(Free(), 0) << "what is set aside is there";
}

TEST_F(Credits, AnOverdraftMayBeSetAsideToo) {
  f_.options.credentials.accounts[0].overdraft = 12 * kCredit;
  EXPECT_EQ(Asks(Wants(8, 4)), std::nullopt);
  EXPECT_TRUE(Asks(Wants(1, 1)).has_value());
}

TEST_F(Credits, AChargeIsWhatWasUsedAndTheRestIsFree) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  EXPECT_EQ(Free(), 4 * kCredit);
  const Instant start = t_.plan.Floor();
  Pass(Span{3700});
  Ended(attempt, start, 3600);
  SettleLien(f_, request, attempt, t_.plan);
  SettleLien(f_, request, attempt, t_.plan);
  EXPECT_EQ(Balance("chem"), 16 * kCredit) << "4 of 16 were used";
  EXPECT_EQ(Balance("site:lakes"), 4 * kCredit);
  EXPECT_EQ(Free(), 16 * kCredit);
  EXPECT_EQ(request.record().lien->charged, 4 * kCredit);
  const schemas::EntryRecord& entry = f_.bank.entries().rbegin()->second;
  EXPECT_EQ(entry.job, request.id());
  EXPECT_EQ(entry.key, "charge/lakes/0000000000000001.0000000000000001/1");
}

TEST_F(Credits, ASiteThatReportsMoreThanItBookedIsPaidNoMore) {
  Request& request = Wants(4, 1);
  Attempt& attempt = Has(request, t_.plan.Floor());
  const Instant start = t_.plan.Floor();
  Pass(Span{36000});
  Ended(attempt, start, 36000);
  SettleLien(f_, request, attempt, t_.plan);
  EXPECT_EQ(Balance("site:lakes"), 4 * kCredit);
}

TEST_F(Credits, WhatASiteTookAwayIsChargedToNobody) {
  for (const auto why : {schemas::CauseCode::kNodeLost, schemas::CauseCode::kOperator}) {
    Request& request = Wants(4, 4);
    Attempt& attempt = Has(request, t_.plan.Floor());
    const Instant start = t_.plan.Floor();
    Pass(Span{3700});
    Ended(attempt, start, 3600, EndedBy::kRelease, why);
    SettleLien(f_, request, attempt, t_.plan);
    EXPECT_EQ(Balance("chem"), 20 * kCredit);
    EXPECT_EQ(Open(request), 16 * kCredit) << "it may need another place";
    End(request, schemas::Outcome::kFailed);
    EXPECT_EQ(Free(), 20 * kCredit);
  }
}

TEST_F(Credits, ACancelledRequestPaysForWhatItUsed) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  const Instant start = t_.plan.Floor();
  Pass(Span{1900});
  Ended(attempt, start, 1800, EndedBy::kRelease, schemas::CauseCode::kUser);
  SettleLien(f_, request, attempt, t_.plan);
  End(request, schemas::Outcome::kCancelled);
  EXPECT_EQ(Balance("site:lakes"), 2 * kCredit);
  EXPECT_EQ(Free(), 18 * kCredit);
}

TEST_F(Credits, ARequestThatEndsWithoutAStartFreesAll) {
  Request& request = Wants(4, 4);
  Has(request, t_.plan.Floor());
  End(request, schemas::Outcome::kCancelled);
  EXPECT_EQ(Free(), 20 * kCredit);
  EXPECT_EQ(request.record().lien, std::nullopt);
}

TEST_F(Credits, AnotherPlaceForWhatIsPromisedNeverCostsMore) {
  f_.options.terms["woods"].charge = 3000;
  f_.options.terms["hills"].charge = 500;
  Request& request = Wants(4, 4);
  Has(request, t_.plan.Floor());
  f_.requests.Try(request, request.record().spec, {.purpose = Trial::For::kElsewhere});
  EXPECT_EQ(SetAside(f_, request, {"woods"}, t_.plan.Floor(), Span{0}, t_.plan), std::nullopt)
      << "48 credits, but its user asked for none of them";
  Has(request, t_.plan.Floor(), "woods");
  EXPECT_EQ(Open(request), 16 * kCredit);
  Has(request, t_.plan.Floor(), "hills");
  EXPECT_EQ(Open(request), 8 * kCredit);
}

TEST_F(Credits, AMoveOfItsSiteNeverCostsMoreAndAnEarlierHourMayCostLess) {
  // Half price from 23:00 on; kBegin is 22:13:20.
  f_.options.bank->hours = {
      {.valid = {.kind = Validity::Kind::kBetween,
                 .begin = CalendarPoint{{2023, 11, 14, 23, 0, 0}, false, true},
                 .end = {{2023, 11, 15, 12, 0, 0}, false, true}},
       .times = 500}};
  Request& request = Wants(4, 1);
  Attempt& attempt = Has(request, Instant{kBegin + 7200});
  EXPECT_EQ(Open(request), 2 * kCredit);
  f_.attempts.Edit(attempt).start = Instant{kBegin};
  EaseLien(f_, request, attempt);
  EXPECT_EQ(Open(request), 2 * kCredit) << "2.888889 now, but it was told 2";
  f_.options.bank->hours[0].times = 100;
  f_.attempts.Edit(attempt).start = Instant{kBegin + 7200};
  EaseLien(f_, request, attempt);
  EXPECT_EQ(Open(request), 400'000);
}

TEST_F(Credits, MoreTimeForWhatRunsIsSetAsideFirstOrNotGiven) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  schemas::RequestSpec next = request.record().spec;
  next.duration = Span{6 * 3600};
  const auto why = RaiseLien(f_, request, attempt, next, false, t_.plan);
  ASSERT_TRUE(why.has_value());
  EXPECT_EQ(why->text, "account chem has 20 of 24 credits");
  EXPECT_EQ(Open(request), 16 * kCredit);
  next.duration = Span{5 * 3600};
  EXPECT_EQ(RaiseLien(f_, request, attempt, next, false, t_.plan), std::nullopt);
  EXPECT_EQ(Open(request), 20 * kCredit);
  EaseLien(f_, request, attempt);
  EXPECT_EQ(Open(request), 16 * kCredit) << "its site refused: as before";
}

TEST_F(Credits, AResizedPartIsChargedForTheSizesThatItHad) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  const Instant start = t_.plan.Floor();
  Pass(Span{3600});
  schemas::MirrorRecord runs{.site = "lakes", .fence = attempt.fence()};
  runs.parts = {{.state = PartState::kRunning, .started_at = ToMoment(start)}};
  f_.sites.at("lakes").mirror.Restore(std::move(runs));
  AccrueLien(f_, request, attempt, 1, t_.plan);
  f_.requests.Edit(request).spec.parts[0].chunks[0].resources = {{"ncpus", 1}};
  EaseLien(f_, request, attempt);
  EXPECT_EQ(Open(request), 7 * kCredit) << "an hour of four, three of one";
  Pass(Span{3600});
  Ended(attempt, start, 7200);
  SettleLien(f_, request, attempt, t_.plan);
  EXPECT_EQ(Balance("site:lakes"), 5 * kCredit);
}

TEST_F(Credits, AnEndHeardWithTheNewSizeIsChargedUpToTheEndAlone) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  const Instant start = t_.plan.Floor();
  Pass(Span{7200});
  Ended(attempt, start, 3600);
  AccrueLien(f_, request, attempt, 1, t_.plan);
  f_.requests.Edit(request).spec.parts[0].chunks[0].resources = {{"ncpus", 1}};
  SettleLien(f_, request, attempt, t_.plan);
  EXPECT_EQ(Balance("site:lakes"), 4 * kCredit) << "an hour of four, though heard an hour later";
}

TEST_F(Credits, WhatItsUserAltersAfterALossIsPaidForAnew) {
  Request& request = Wants(4, 1);
  Has(request, t_.plan.Floor());
  for (const Fence& old : request.attempts) {
    f_.attempts.Enter(f_.attempts.at(old), schemas::AttemptState::kClosed);
  }
  request.attempts.clear();
  PlaceAgain(f_, t_, request, {schemas::CauseCode::kNodeLost, {}, "site:lakes"}, "lost");
  EXPECT_EQ(Open(request), 4 * kCredit);
  EXPECT_EQ(WhyNotPaid(f_, request, t_.plan), std::nullopt);
  f_.requests.Edit(request).spec.duration = Span{10 * 3600};
  EXPECT_EQ(Asks(request), std::nullopt) << "another place never costs more";
  AskAnew(f_, request);
  EXPECT_TRUE(Asks(request).has_value()) << "40 of 20";
  f_.requests.Edit(request).spec.duration = Span{5 * 3600};
  EXPECT_EQ(Asks(request), std::nullopt);
  Has(request, t_.plan.Floor());
  EXPECT_EQ(Open(request), 20 * kCredit);
  EXPECT_FALSE(request.record().lien->asked_anew);
}

TEST_F(Credits, ACheaperAlterationIsNeverRefused) {
  Request& request = Wants(4, 4);
  Has(request, t_.plan.Floor());
  f_.bank.Charge({.key = "c", .by = "", .note = "", .at = t_.plan}, "chem", "woods", 19 * kCredit,
                 request.id());
  schemas::RequestSpec next = request.record().spec;
  next.duration = Span{2 * 3600};
  f_.requests.Try(request, next, {});
  EXPECT_EQ(Asks(request), std::nullopt);
  Has(request, t_.plan.Floor());
  EXPECT_EQ(Open(request), 8 * kCredit);
}

TEST_F(Credits, WhatWasPromisedBeforeThereWasABankIsFree) {
  const auto bank = std::exchange(f_.options.bank, std::nullopt);
  Request& request = Wants(4, 4);
  Has(request, t_.plan.Floor());
  f_.options.bank = bank;
  f_.requests.Try(request, request.record().spec, {.purpose = Trial::For::kElsewhere});
  EXPECT_EQ(SetAside(f_, request, {"woods"}, t_.plan.Floor(), Span{0}, t_.plan), std::nullopt);
  Has(request, t_.plan.Floor(), "woods");
  EXPECT_EQ(Open(request), 0);
  EXPECT_EQ(Free(), 20 * kCredit);
}

TEST_F(Credits, WhatRunsInsideOfAReservationIsPaidByIt) {
  Request& request = Wants(4, 4);
  f_.requests.Edit(request).spec.inside = RequestId{99};
  EXPECT_EQ(Asks(request), std::nullopt);
  Has(request, t_.plan.Floor());
  EXPECT_EQ(Open(request), 0);
}

TEST_F(Credits, WhatCannotBePaidAtTheCheapestIsNotEvenAskedFor) {
  f_.options.terms["woods"].charge = 100;
  Request& request = Wants(8, 10);
  EXPECT_TRUE(WhyNotPaid(f_, request, t_.plan).has_value()) << "80 of 20, at lakes alone";
  f_.requests.Edit(request).spec.parts[0].sites = {"lakes", "woods"};
  EXPECT_EQ(WhyNotPaid(f_, request, t_.plan), std::nullopt) << "8 at woods";
}

TEST_F(Credits, ALostOutcomeFreesAll) {
  Request& request = Wants(4, 4);
  Attempt& attempt = Has(request, t_.plan.Floor());
  schemas::MirrorRecord hold{.site = "lakes", .fence = attempt.fence()};
  hold.state = schemas::HoldState::kPermitted;
  hold.parts = {{.state = PartState::kRunning, .started_at = t_.plan}};
  f_.sites.at("lakes").mirror.Restore(std::move(hold));
  End(request, schemas::Outcome::kLost);
  EXPECT_EQ(Free(), 20 * kCredit);
}

}  // namespace
}  // namespace muster::meta
