// Answers of the meta as the documents of cli.md section 4: what --json prints and what the views
// are given.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/diagnostic.h"
#include "cli/json.h"
#include "schemas/client.h"

namespace muster::cli {

// muster.job/1.
Json JobDocument(const schemas::JobView& job, Moment as_of);
// muster.queue/1: the same objects without history and events. `yours` counts the caller's among
// them; none if not asked for.
Json QueueDocument(const std::vector<schemas::JobView>& jobs,
                   const std::vector<schemas::Basis>& basis, std::optional<size_t> yours,
                   Moment as_of);
// muster.ask/1.
Json AskDocument(const std::vector<schemas::OfferView>& offers, Moment as_of);
// muster.sites/1.
Json SitesDocument(const std::vector<schemas::SiteView>& sites, Moment as_of);
// muster.gantt/1: the plan from `from` to `until`.
Json GanttDocument(const std::vector<schemas::GanttSite>& sites, Instant from, Instant until,
                   Moment as_of);
// muster.cancel/1: one entry per job, with a line for people where there is one.
Json CancelDocument(const schemas::Accepted& accepted, Moment as_of);
// muster.output/1: a piece of one part's output, `offset` bytes into it.
Json OutputDocument(const schemas::OutputRow& row, bool error_stream, uint64_t offset);
// muster.error/1.
Json ErrorDocument(const Diagnostic& diagnostic, const std::string& changed, int exit_code);

}  // namespace muster::cli
