// The texts of causes in timelines. protocol.md section 5 (the closed list of causes).
#include "verifier/ending.h"

#include <gtest/gtest.h>

namespace muster::verifier {
namespace {

using schemas::Cause;
using schemas::CauseCode;

TEST(CauseText, NamesSiteNodeResourceAndJob) {
  EXPECT_EQ(CauseText(Cause{.code = CauseCode::kNone}), "no cause");
  EXPECT_EQ(CauseText(Cause{.code = CauseCode::kNodeLost,
                            .subject = {.site = "lakes", .node = "n1"},
                            .resource = "ngpus"}),
            "node_lost at lakes/n1, ngpus");
  EXPECT_EQ(CauseText(Cause{.code = CauseCode::kPacked, .subject = {.packing = "ffdh"}}),
            "packed by ffdh");
}

TEST(CauseText, OfAPartnerNamesThePartnersOwnCause) {
  EXPECT_EQ(CauseText(Cause{.code = CauseCode::kPartner,
                            .subject = {.site = "lakes", .job = "7"},
                            .because = CauseCode::kPreempted}),
            "partner: preempted at lakes, job 7");
  EXPECT_EQ(CauseText(Cause{.code = CauseCode::kPartner, .subject = {.site = "lakes"}}),
            "partner at lakes");
}

TEST(CauseText, OfACodeFromANewerPeerSaysSo) {
  EXPECT_EQ(CauseText(Cause{.code = static_cast<CauseCode>(200)}), "unknown cause");
}

}  // namespace
}  // namespace muster::verifier
