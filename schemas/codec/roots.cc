// The only file that compiles the generated headers. So it also checks that the bounds in
// common.capnp equal those in schemas/limits.h.
#include "schemas/codec/roots.h"

#include "schemas/codec/client.capnp.h"
#include "schemas/codec/common.capnp.h"
#include "schemas/codec/records.capnp.h"
#include "schemas/codec/request.capnp.h"
#include "schemas/codec/site_link.capnp.h"
#include "schemas/limits.h"
#include "schemas/meta_records.h"

namespace muster::schemas::codec {

static_assert(wire::MESSAGE_BYTES == kMessageBytes);
static_assert(wire::SCRIPT_BYTES == kScriptBytes);
static_assert(wire::OUTPUT_PIECE_BYTES == kOutputPieceBytes);
static_assert(wire::PROPOSAL_ENTRIES == kProposalEntries);
static_assert(wire::ORDERS_PER_MESSAGE == kOrdersPerMessage);
static_assert(wire::REPORT_CHANGES == kReportChanges);
static_assert(wire::LISTING_HOLDS == kListingHolds);
static_assert(wire::START_INTERVALS == kStartIntervals);
static_assert(wire::SEARCH_INTERVALS == kSearchIntervals);
static_assert(wire::ALLOWED_INTERVALS == kAllowedIntervals);
static_assert(wire::PROFILE_STEPS == kProfileSteps);
static_assert(wire::NODE_CLASSES == kNodeClasses);
static_assert(wire::OUTSIDE_RUNS == kOutsideRuns);
static_assert(wire::DEFAULT_DURATIONS == kDefaultDurations);
static_assert(wire::ACT_TARGETS == kActTargets);
static_assert(wire::ROWS_PER_PAGE == kRowsPerPage);
static_assert(wire::PARTS_PER_REQUEST == kPartsPerRequest);
static_assert(wire::CHUNKS_PER_PART == kChunksPerPart);
static_assert(wire::CHUNK_COUNT == kChunkCount);
static_assert(wire::NAMES_PER_SET == kNamesPerSet);
static_assert(wire::NAME_BYTES == kNameBytes);
static_assert(wire::ARGUMENTS == kArguments);
static_assert(wire::GROUPS_PER_USER == kGroupsPerUser);
static_assert(wire::NODES_PER_SITE == kNodesPerSite);
static_assert(wire::NODES_PER_PART == kNodesPerPart);
static_assert(wire::BOOKING_ROWS == kBookingRows);
static_assert(wire::HISTORY_ROWS == kHistoryRows && kHistoryRows > kHistoryKept);
static_assert(wire::DEPENDENCIES == kDependencies);
static_assert(wire::FAILURES_SHOWN == kFailuresShown);
static_assert(wire::SLOT_ROWS == kSlotRows);
static_assert(wire::BLOCKERS == kBlockers);
static_assert(wire::VERDICT_ROWS == kVerdictRows);
static_assert(wire::STANDING_ROWS == kStandingRows);
static_assert(wire::TRIED_CHANGES == kTriedChanges);

capnp::StructSchema ToMetaSchema() { return capnp::Schema::from<wire::ToMeta>(); }
capnp::StructSchema ToSiteSchema() { return capnp::Schema::from<wire::ToSite>(); }
capnp::StructSchema ClientMessageSchema() { return capnp::Schema::from<wire::ClientMessage>(); }
capnp::StructSchema ToClientSchema() { return capnp::Schema::from<wire::ToClient>(); }
capnp::StructSchema RequestSpecSchema() { return capnp::Schema::from<wire::RequestSpec>(); }
capnp::StructSchema SiteRecordSchema() { return capnp::Schema::from<wire::SiteRecord>(); }
capnp::StructSchema MetaRecordSchema() { return capnp::Schema::from<wire::MetaRecord>(); }

}  // namespace muster::schemas::codec
