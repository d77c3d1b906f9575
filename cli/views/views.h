// The views that people read: each is a pure function of the document that --json prints. cli.md
// section 3 is binding; tests/golden holds its examples.
#pragma once

#include <string>

#include "cli/views/format.h"

namespace muster::cli::views {

// After a submission: where, when, and the basis of the figures (muster.job/1).
std::string SubmittedView(const Json& document, const ViewOptions& options);
// `show` of a job (muster.job/1).
std::string JobView(const Json& document, const ViewOptions& options);
// muster.queue/1.
std::string QueueView(const Json& document, const ViewOptions& options);
// muster.ask/1.
std::string AskView(const Json& document, const ViewOptions& options);
// muster.sites/1.
std::string SitesView(const Json& document, const ViewOptions& options);
std::string HomesView(const Json& document, const ViewOptions& options);
// muster.gantt/1.
std::string GanttView(const Json& document, const ViewOptions& options);
// muster.nodes/1.
std::string NodesView(const Json& document, const ViewOptions& options);
// muster.slots/1.
std::string SlotsView(const Json& document, const ViewOptions& options);
// muster.explain/1.
std::string ExplainView(const Json& document, const ViewOptions& options);
// muster.priority/1.
std::string PriorityView(const Json& document, const ViewOptions& options);
// muster.shares/1.
std::string SharesView(const Json& document, const ViewOptions& options);
// muster.order/1.
std::string OrderView(const Json& document, const ViewOptions& options);
// muster.accounts/1: a line per account; with one account also its allocations. LiensView: what is
// set aside, by job.
std::string AccountsView(const Json& document, const ViewOptions& options);
std::string LiensView(const Json& document, const ViewOptions& options);
// muster.statement/1.
std::string StatementView(const Json& document, const ViewOptions& options);
// muster.verdicts/1.
std::string VerdictsView(const Json& document, const ViewOptions& options);
// muster.keys/1.
std::string KeysView(const Json& document, const ViewOptions& options);
// muster.cancel/1 and muster.act/1: a line per job and per target.
std::string ActView(const Json& document, const ViewOptions& options);

// After `alter`: what changed, and the effect on the figures (muster.job/1).
std::string AlteredView(const Json& document, const ViewOptions& options);
// After `reserve`: where and when (muster.job/1).
std::string ReservedView(const Json& document, const ViewOptions& options);
// muster.limits/1.
std::string LimitsView(const Json& document, const ViewOptions& options);
// muster.calibration/1.
std::string CalibrationView(const Json& document, const ViewOptions& options);
// muster.scheduler/1.
std::string SchedulerView(const Json& document, const ViewOptions& options);
// muster.whatif/1: of a single command; of a file of changes.
std::string MovesView(const Json& document, const ViewOptions& options);
std::string WhatIfView(const Json& document, const ViewOptions& options);

// muster.up/1.
std::string UpView(const Json& document, const ViewOptions& options);

// One ended job of `wait` (muster.job/1), its id padded to `id_width`.
std::string WaitLine(const Json& document, size_t id_width, const ViewOptions& options);
// The progress line of `wait`, without a newline: how many of `jobs` (an array of Job) have ended.
// `turn` counts up and moves the spinner.
std::string WaitProgress(const Json& jobs, size_t turn, const ViewOptions& options);

// Output lines, each prefixed by its part. An incomplete line stays in `rest` until the next call;
// `last`: it is completed and printed.
std::string PrefixedLines(const std::string& part, std::string_view data, bool last,
                          std::string& rest);

}  // namespace muster::cli::views
