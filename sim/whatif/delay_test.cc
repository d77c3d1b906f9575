// Which cause a broken promise is told with.
#include "sim/whatif/delay.h"

#include <gtest/gtest.h>

#include <optional>
#include <vector>

namespace muster::sim {
namespace {

using schemas::CauseCode;
using schemas::FigureChange;

FigureChange Told(std::optional<int64_t> start, std::optional<CauseCode> code) {
  FigureChange change;
  if (start) change.figures.starts_by = {.at = Instant{*start}, .firm = true};
  if (code) change.cause = schemas::Cause{.code = *code};
  return change;
}

std::optional<CauseCode> CodeOf(const std::vector<FigureChange>& history) {
  const schemas::Cause* cause = CauseOfDelay(history);
  return cause ? std::optional(cause->code) : std::nullopt;
}

TEST(CauseOfDelay, IsTheOneThatMovedItLaterAndNotTheOneThatMovedItBack) {
  EXPECT_EQ(CodeOf({Told(100, {}), Told(900, CauseCode::kOperator),
                    Told(400, CauseCode::kBackfilled), Told(300, CauseCode::kBackfilled)}),
            CauseCode::kOperator);
}

TEST(CauseOfDelay, OfAFigureThatWasLostIsTheCauseOfTheLoss) {
  EXPECT_EQ(CodeOf({Told(100, {}), Told({}, CauseCode::kNodeLost), Told(400, {}),
                    Told(300, CauseCode::kBackfilled)}),
            CauseCode::kNodeLost);
}

TEST(CauseOfDelay, IsTheNewestOfSeveral) {
  EXPECT_EQ(
      CodeOf({Told(100, {}), Told(200, CauseCode::kNodeLost), Told(300, CauseCode::kOperator)}),
      CauseCode::kOperator);
}

TEST(CauseOfDelay, WithoutADelayIsThatOfTheNewestFigure) {
  EXPECT_EQ(CodeOf({Told(100, {}), Told(50, CauseCode::kBackfilled)}), CauseCode::kBackfilled);
  EXPECT_EQ(CodeOf({Told(100, {})}), std::nullopt);
  EXPECT_EQ(CodeOf({}), std::nullopt);
}

}  // namespace
}  // namespace muster::sim
