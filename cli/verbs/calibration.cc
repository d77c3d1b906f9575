// `calibration`: how well promises and forecasts held. cli.md section 3.
#include <utility>

#include "cli/documents.h"
#include "cli/verbs/look.h"
#include "cli/views/views.h"

namespace muster::cli {
namespace {

Options CalibrationOptions() {
  Options options("calibration [options]",
                  "How good our promises and forecasts were, over the last 30 days.",
                  Words::kAnywhere);
  options.Globals().Note(
      "A promise counts once, when its job has ended, unless its user took it back\n"
      "before the start. An interval counts if it was wider than a minute when it was\n"
      "first told.\n");
  return options;
}

Result RunCalibration(Given given) {
  if (!given.words.empty()) return NoWords("calibration", given.words.front());
  auto session = OpenSession(std::move(given));
  if (!session.ok()) return session.failure();
  auto rows = session->client.Rows(schemas::Get{.kind = schemas::GetKind::kCalibration});
  if (!rows.ok()) return rows.failure();
  CalibrationDocument document;
  if (rows->calibration) {
    document = {rows->calibration->from, rows->calibration->to, std::move(rows->calibration->rows)};
  }
  Show(session->context, ToDocument(document), views::CalibrationView);
  return kExitDone;
}

}  // namespace

const Verb kCalibrationVerb = {"calibration", "Look", "how good our promises and forecasts were",
                               CalibrationOptions, RunCalibration};

}  // namespace muster::cli
