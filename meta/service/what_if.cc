// Checked first, then asked of all sites that listen; what they show goes to the shell at once.
#include "meta/service/what_if.h"

#include <algorithm>
#include <utility>

#include "meta/sites/say.h"
#include "schemas/limits.h"

namespace muster::meta {
namespace {

using schemas::ActVerb;
using schemas::Refused;
using schemas::TriedChange;

constexpr BootSpan kSnapshotWait = Seconds(10);  // for the records of the sites
constexpr BootSpan kAnswerWait = Seconds(90);    // for the program, which gives up before
constexpr Span kFarthest{30 * 86400};            // ahead or back
constexpr char kNothing[] = "nothing was tried";

size_t KindsOf(const TriedChange& change) {
  return (change.file ? 1u : 0u) + (change.submit ? 1u : 0u) + (change.act ? 1u : 0u) +
         (change.cancel ? 1u : 0u);
}

bool CanBeTried(ActVerb verb) {
  return verb == ActVerb::kDrain || verb == ActVerb::kResume || verb == ActVerb::kAlter ||
         verb == ActVerb::kPark || verb == ActVerb::kUnpark || verb == ActVerb::kSchedule ||
         verb == ActVerb::kPost;
}

std::optional<Refused> Wrong(const ServiceLayer& f, const schemas::WhatIf& question,
                             const TriedChange& change) {
  const auto usage = [&](const std::string& why, const std::string& help) {
    return Refused{.code = "usage",
                   .message = "'" + change.text + "': " + why,
                   .help = help,
                   .changed = kNothing};
  };
  if (KindsOf(change) != 1) return usage("is not one change", "one [[change]] for each");
  if (change.when && !question.ahead) {
    return usage("comes later", "--for says how far to look ahead, as in --for 7d");
  }
  if (change.when && change.file) {
    return usage("a file is changed at once", "leave out 'when'");
  }
  if (question.replay && !change.file) {
    return usage("a record is taken again with other settings alone",
                 "--replay goes with do = \"set\", \"add\" and \"remove\"");
  }
  if (change.file && change.file->at != "meta" && !f.Lists(change.file->at)) {
    return usage("there is no site '" + change.file->at + "' in this federation",
                 "at = \"meta\", or a site");
  }
  if (change.act && !CanBeTried(change.act->verb)) {
    return usage("cannot be tried", "drain, resume, alter, park, unpark, scheduler or account");
  }
  return std::nullopt;
}

std::optional<Refused> Wrong(const ServiceLayer& f, const schemas::Get& get) {
  const auto usage = [](std::string message, std::string help) {
    return Refused{.code = "usage",
                   .message = std::move(message),
                   .help = std::move(help),
                   .changed = kNothing};
  };
  if (!get.what_if || get.what_if->changes.empty()) {
    return usage("no change is named", "as in muster whatif --change FILE");
  }
  const schemas::WhatIf& question = *get.what_if;
  if (question.ahead && question.replay) {
    return usage("--for looks ahead and --replay back", "one of both");
  }
  for (const std::optional<Span>& span : {question.ahead, question.replay}) {
    if (!span || (*span > Span{0} && *span <= kFarthest)) continue;
    return usage("that is too far", "at most 30d");
  }
  for (const TriedChange& change : question.changes) {
    if (auto wrong = Wrong(f, question, change)) return wrong;
  }
  return std::nullopt;
}

// What users may try is what they may do. False: a refusal was sent.
bool MayTry(ServiceLayer& f, Turn& t, const Asker& asker, const TriedChange& change) {
  if (change.submit) return true;
  const bool own = change.cancel || (change.act && (change.act->verb == ActVerb::kAlter ||
                                                    change.act->verb == ActVerb::kPark ||
                                                    change.act->verb == ActVerb::kUnpark));
  if (own) {
    return MayActOn(f, t, asker, change.cancel ? change.cancel->requests : change.act->requests,
                    kNothing);
  }
  Refuse(f, t, asker,
         {.code = "denied",
          .message = "'" + change.text + "' is for operators of the federation",
          .help = "you may try to submit, and to change your own jobs",
          .changed = kNothing});
  return false;
}

Client Over(ServiceLayer& f, Turn& t) {
  Client client = f.what_if.client();
  f.what_if.End();
  t.out.what_if.ends = true;
  return client;
}

void Fail(ServiceLayer& f, Turn& t, std::string why) {
  const Client client = Over(f, t);
  Refuse(f, t, AskerOf(client),
         {.code = "unreachable", .message = std::move(why), .changed = kNothing});
}

// All that will come is here.
void RunIfComplete(ServiceLayer& f, Turn& t) {
  if (!f.what_if.Complete()) return;
  const schemas::WhatIfOrder& order = f.what_if.order();
  for (const TriedChange& change : order.question.changes) {
    if (!change.file) continue;
    const auto silent =
        std::find_if(order.silent.begin(), order.silent.end(),
                     [&](const auto& site) { return site.site == change.file->at; });
    if (silent == order.silent.end()) continue;
    return Fail(f, t, "'" + change.text + "': " + silent->site + " " + silent->why);
  }
  t.out.what_if.order = order;
  f.what_if.GiveUpAt(t.boot() + kAnswerWait);
}

void AskForPage(ServiceLayer& f, Turn& t, Site& site, uint64_t page) {
  const schemas::WhatIfOrder& order = f.what_if.order();
  schemas::Inspect inspect{.inspection = order.number, .kind = schemas::InspectKind::kSnapshot};
  inspect.offset = page;
  if (!order.is_operator) inspect.user = order.user;
  Say(f, t, site, std::move(inspect));
}

}  // namespace

void OnWhatIf(ServiceLayer& f, Turn& t, const Asker& asker, const schemas::Get& get) {
  if (auto wrong = Wrong(f, get)) return Refuse(f, t, asker, *std::move(wrong));
  const bool is_operator = IsOperator(f, asker.user);
  if (!is_operator && get.what_if->replay) {
    return Refuse(f, t, asker,
                  {.code = "denied",
                   .message = "a record is taken again for operators of the federation",
                   .changed = kNothing});
  }
  for (const TriedChange& change : get.what_if->changes) {
    if (!is_operator && !MayTry(f, t, asker, change)) return;
  }
  if (f.what_if.IsOpen()) {
    return Refuse(f, t, asker,
                  {.code = "busy",
                   .message = "another what-if is being answered",
                   .help = "try again in a moment",
                   .changed = kNothing});
  }
  if (!is_operator && !f.what_if.TakeTurn(asker.user, t.boot())) {
    return Refuse(
        f, t, asker,
        {.code = "busy",
         .message = std::to_string(schemas::kWhatIfsPerMinute) + " what-ifs a minute for each user",
         .help = "try again in a minute",
         .changed = kNothing});
  }
  const uint64_t number = f.prover.NewOwner();
  f.what_if.Begin(
      ClientOf(asker),
      {.number = number, .user = asker.user, .is_operator = is_operator, .question = *get.what_if});
  f.what_if.GiveUpAt(t.boot() + kSnapshotWait);
  t.out.what_if.begins = number;
  for (auto& [name, site] : f.sites) {
    f.what_if.Await(name);
    if (site.Listens()) {
      AskForPage(f, t, site, 0);
    } else {
      f.what_if.Silent(name, "is not connected");
    }
  }
  RunIfComplete(f, t);
}

void TakeSnapshot(ServiceLayer& f, Turn& t, Site& site, uint64_t inspection,
                  const schemas::SnapshotView& view) {
  if (f.what_if.AwaitedOf(inspection, site.name) != view.page) return;
  if (!view.refused.empty()) {
    f.what_if.Silent(site.name, view.refused);
  } else {
    t.out.what_if.pages.push_back({inspection, site.name, view.frame});
    f.what_if.Shown(site.name, view.more);
    if (view.more) AskForPage(f, t, site, view.page + 1);
  }
  RunIfComplete(f, t);
}

void EndSnapshotOf(ServiceLayer& f, Turn& t, const std::string& site) {
  if (!f.what_if.IsOpen() || !f.what_if.awaited().contains(site)) return;
  f.what_if.Silent(site, "is not connected");
  RunIfComplete(f, t);
}

void EndOverdueWhatIf(ServiceLayer& f, Turn& t) {
  if (!f.what_if.IsOpen() || t.boot() < f.what_if.until()) return;
  if (f.what_if.Complete()) return Fail(f, t, "the what-if takes too long");
  const std::map<std::string, uint64_t> awaited = f.what_if.awaited();
  for (const auto& [site, page] : awaited) f.what_if.Silent(site, "did not show its records");
  RunIfComplete(f, t);
}

void OnWhatIfDone(ServiceLayer& f, Turn& t, const WhatIfDone& done) {
  if (!f.what_if.IsOpen() || f.what_if.order().number != done.number) return;
  if (!done.view) return Fail(f, t, done.why);
  const Client client = Over(f, t);
  schemas::Rows rows;
  rows.what_if = done.view;
  SendRows(f, t, AskerOf(client), std::move(rows));
}

std::optional<BootInstant> NextWhatIfEnd(const ServiceLayer& f) {
  if (!f.what_if.IsOpen()) return std::nullopt;
  return f.what_if.until();
}

}  // namespace muster::meta
