// A message that breaks a rule of common.capnp is refused, and the refusal names the field.
#include <capnp/dynamic.h>
#include <capnp/message.h>
#include <capnp/serialize.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/status.h"
#include "schemas/codec/codec.h"
#include "schemas/codec/kinds_test.h"
#include "schemas/limits.h"

namespace muster::schemas {
namespace {

// Why a peer's message is refused; "" if it is taken.
std::string Why(std::string_view bytes, absl::StatusOr<ToMeta> (*decode)(std::string_view)) {
  return std::string(Text(decode(bytes).status()));
}
template <class T>
std::string Why(const T& message) {
  return std::string(Text(Kind<T>::Value(Kind<T>::Bytes(message)).status()));
}
template <class Body>
std::string WhyToMeta(Body body) {
  return Why(ToMeta{.body = std::move(body)});
}
std::string WhyChange(decltype(Change::what) what) {
  return WhyToMeta(Report{.changes = {{.revision = {1}, .what = PartChanged{}},
                                      {.revision = {2}, .what = std::move(what)}}});
}
RequestSpec RequestOf(Chunk chunk) { return {.parts = {{.chunks = {std::move(chunk)}}}}; }
std::string WhySubmit(RequestSpec request) {
  return Why(ClientMessage{.body = Submit{.request = std::move(request)}});
}

TEST(Rules, APromiseMovesOnlyWithACause) {
  EXPECT_EQ(WhyChange(Moved{}), "body.report.changes[1].what.moved: moved without a cause");
  EXPECT_EQ(WhyChange(Moved{.cause = {.code = CauseCode::kBackfilled}}), "");
}

TEST(Rules, AHoldIsDroppedOnlyWithACause) {
  const HoldChanged dropped{.state = HoldState::kClosed, .closed_as = ClosedAs::kDropped};
  HoldChanged explained = dropped;
  explained.cause.code = CauseCode::kNodeLost;
  EXPECT_EQ(WhyChange(dropped), "body.report.changes[1].what.holdChanged: dropped without a cause");
  EXPECT_EQ(WhyChange(explained), "");
  EXPECT_EQ(WhyChange(HoldChanged{.state = HoldState::kClosed, .closed_as = ClosedAs::kReleased}),
            "");
  EXPECT_EQ(WhyToMeta(Answers{{{.kind = AnswerKind::kPresent, .present = dropped}}}),
            "body.answers.answers[0].present: dropped without a cause");
}

TEST(Rules, NobodyAsksForNegativeOrAbsurdAmounts) {
  constexpr int64_t kMost = int64_t{1} << 53;
  const std::string chunk = "body.submit.request.parts[0].chunks[0]";
  EXPECT_EQ(WhySubmit(RequestOf({.resources = {{"ncpus", -1}}})), chunk + ": negative amount");
  EXPECT_EQ(WhySubmit(RequestOf({.resources = {{"mem", kMost}}})), "");
  EXPECT_EQ(WhySubmit(RequestOf({.resources = {{"mem", kMost + 1}}})),
            chunk + ".resources: amount beyond 2^53");
  EXPECT_EQ(WhySubmit(RequestOf({.resources = {{"mem", std::numeric_limits<int64_t>::min()}}})),
            chunk + ".resources: amount beyond 2^53");
  EXPECT_EQ(WhySubmit(RequestOf({.count = kChunkCount + 1})), chunk + ".count: too large");
}

TEST(Rules, AmountsThatAreDifferencesMayBeNegative) {
  EXPECT_EQ(WhyToMeta(Hello{.capacity = {.free_now = {{"ncpus", -4}}}}), "");
}

TEST(Rules, TimesStayFarFromOverflow) {
  const std::string beyond = ": beyond 2^40 seconds";
  EXPECT_EQ(WhySubmit({.at = kFarFuture}), "");
  EXPECT_EQ(WhySubmit({.at = kFarFuture + Span{1}}), "body.submit.request.at" + beyond);
  EXPECT_EQ(WhySubmit({.from = Instant{} - Span{kFarFuture.seconds + 1}}),
            "body.submit.request.from" + beyond);
  EXPECT_EQ(WhySubmit({.duration = {std::numeric_limits<int64_t>::max()}}),
            "body.submit.request.duration" + beyond);
  EXPECT_EQ(Why(ToMeta{.expires = {std::numeric_limits<int64_t>::min()}}), "expires" + beyond);
  EXPECT_EQ(Why(ToMeta{.expires = ToMoment(kFarFuture)}), "");
  EXPECT_EQ(Why(ToSite{.body = Welcome{.values = {.lease = {kFarFuture.seconds * 1000 + 1}}}}),
            "body.welcome.values.lease" + beyond);
}

TEST(Rules, ListsAreBounded) {
  EXPECT_EQ(
      WhyToMeta(Report{.changes = std::vector<Change>(kReportChanges, {.what = PartChanged{}})}),
      "");
  EXPECT_EQ(WhyToMeta(Report{.changes =
                                 std::vector<Change>(kReportChanges + 1, {.what = PartChanged{}})}),
            "body.report.changes: more than 1000 entries");
  EXPECT_EQ(Why(ToSite{.body = Orders{std::vector<Order>(kOrdersPerMessage + 1)}}),
            "body.orders.orders: more than 1000 entries");
  EXPECT_EQ(
      Why(ToSite{.body = Propose{.entries = std::vector<ProposalEntry>(kProposalEntries + 1)}}),
      "body.propose.entries: more than 1000 entries");
  EXPECT_EQ(WhySubmit({.parts = std::vector<PartSpec>(kPartsPerRequest + 1)}),
            "body.submit.request.parts: more than 64 entries");
  EXPECT_EQ(WhySubmit({.parts = {{.chunks = std::vector<Chunk>(kChunksPerPart + 1)}}}),
            "body.submit.request.parts[0].chunks: more than 64 entries");
  EXPECT_EQ(Why(ClientMessage{.body = Cancel{std::vector<RequestId>(kActTargets + 1)}}),
            "body.cancel.requests: more than 10000 entries");
  EXPECT_EQ(WhySubmit({.payload = {.argv = std::vector<std::string>(kArguments + 1)}}),
            "body.submit.request.payload.argv: more than 10000 entries");
}

TEST(Rules, SetsAreBounded) {
  std::vector<Interval> intervals;
  for (int64_t i = 0; i <= static_cast<int64_t>(kStartIntervals); ++i)
    intervals.push_back({{10 * i}, {10 * i + 5}});
  EXPECT_EQ(WhyToMeta(Offer{.starts = IntervalSet(intervals)}),
            "body.offer.starts: more than 16 entries");
  intervals.pop_back();
  EXPECT_EQ(WhyToMeta(Offer{.starts = IntervalSet(intervals)}), "");
  Chunk chunk;
  for (size_t i = 0; i <= kNamesPerSet; ++i) {
    chunk.resources.Set("r" + std::to_string(i), 1);
  }
  EXPECT_EQ(WhySubmit(RequestOf(chunk)),
            "body.submit.request.parts[0].chunks[0].resources: more than 64 entries");
}

TEST(Rules, TextsAreBounded) {
  EXPECT_EQ(WhySubmit({.name = std::string(kNameBytes, 'x')}), "");
  EXPECT_EQ(WhySubmit({.name = std::string(kNameBytes + 1, 'x')}),
            "body.submit.request.name: longer than 255 bytes");
  EXPECT_EQ(WhySubmit({.payload = {.script = std::string(kScriptBytes, 'x')}}), "");
  EXPECT_EQ(WhySubmit({.payload = {.script = std::string(kScriptBytes + 1, 'x')}}),
            "body.submit.request.payload.script: longer than 1048576 bytes");
  EXPECT_EQ(WhyToMeta(View{.what = OutputView{.data = std::string(kOutputPieceBytes + 1, 'x')}}),
            "body.view.what.outputView.data: longer than 262144 bytes");
}

TEST(Rules, MessagesAreBounded) {
  const ClientMessage message{
      .body = Submit{.request = {.payload = {.submit_dir = std::string(kMessageBytes, 'x')}}}};
  const std::string size = std::to_string(Encode(message).size());
  EXPECT_EQ(Why(message), "message of " + size + " bytes; at most 4194304");
}

TEST(Rules, UnknownEnumeratorsAreRefused) {
  EXPECT_EQ(WhySubmit({.request_class = static_cast<RequestClass>(2)}),
            "body.submit.request.request_class: unknown value 2");
  EXPECT_EQ(WhyChange(PartChanged{.state = static_cast<PartState>(200)}),
            "body.report.changes[1].what.partChanged.state: unknown value 200");
  EXPECT_EQ(Why(ToClient{.body = Accepted{.states = {RequestState::kWaiting,
                                                     static_cast<RequestState>(8)}}}),
            "body.accepted.states[1]: unknown value 8");
  EXPECT_EQ(Why(ToClient{.body = Rows{.jobs = {{.outcome = static_cast<Outcome>(6)}}}}),
            "body.rows.jobs[0].outcome: unknown value 6");
}

TEST(Rules, UnknownUnionMembersAreRefused) {
  std::string bytes = Encode(ToMeta{});
  const codec::Layout& layout = Kind<ToMeta>::Layout();
  const uint16_t unknown = 8;
  std::memcpy(bytes.data() + 16 + layout.slots.back().child->discriminant, &unknown,
              sizeof unknown);
  EXPECT_EQ(Why(bytes, DecodeToMeta), "body: unknown kind 8");
}

TEST(Rules, FloatsAreNumbers) {
  EXPECT_EQ(Why(ToClient{.body = Rows{.basis = {{.age_s = std::nan("")}}}}),
            "body.rows.basis[0].age_s: not a number");
  EXPECT_EQ(Why(ToClient{
                .body = Rows{.sites = {{.kept_ratio = std::numeric_limits<double>::infinity()}}}}),
            "body.rows.sites[0].kept_ratio: not a number");
}

// Messages that no plain struct can hold, built by name.
class Handmade {
 public:
  explicit Handmade(capnp::StructSchema schema)
      : root_(builder_.initRoot<capnp::DynamicStruct>(schema)) {}
  capnp::DynamicStruct::Builder& root() { return root_; }
  std::string Bytes() {
    const kj::Array<capnp::word> words = capnp::messageToFlatArray(builder_);
    const auto bytes = words.asChars();
    return {bytes.begin(), bytes.size()};
  }

 private:
  capnp::MallocMessageBuilder builder_;
  capnp::DynamicStruct::Builder root_;
};

capnp::DynamicStruct::Builder Init(capnp::DynamicStruct::Builder in, const char* name) {
  return in.init(name).as<capnp::DynamicStruct>();
}
capnp::DynamicList::Builder Init(capnp::DynamicStruct::Builder in, const char* name,
                                 unsigned size) {
  return in.init(name, size).as<capnp::DynamicList>();
}
capnp::DynamicStruct::Builder At(capnp::DynamicList::Builder in, unsigned index) {
  return in[index].as<capnp::DynamicStruct>();
}

using Amounts = std::vector<std::pair<const char*, int64_t>>;
std::string WhyAmounts(const Amounts& amounts) {
  Handmade request(codec::RequestSpecSchema());
  Init(request.root(), "payload");
  const auto chunk = At(Init(At(Init(request.root(), "parts", 1), 0), "chunks", 1), 0);
  auto list = Init(chunk, "resources", static_cast<unsigned>(amounts.size()));
  for (unsigned i = 0; i < amounts.size(); ++i) {
    At(list, i).set("name", amounts[i].first);
    At(list, i).set("amount", amounts[i].second);
  }
  return std::string(Text(DecodeRequestSpec(request.Bytes()).status()));
}

TEST(Rules, ResourceSetsHaveOneForm) {
  const std::string where = "parts[0].chunks[0].resources: ";
  EXPECT_EQ(WhyAmounts({{"mem", 1}, {"ncpus", 2}}), "");
  EXPECT_EQ(WhyAmounts({{"ncpus", 2}, {"mem", 1}}), where + "names not ascending");
  EXPECT_EQ(WhyAmounts({{"mem", 1}, {"mem", 1}}), where + "names not ascending");
  EXPECT_EQ(WhyAmounts({{"mem", 1}, {"ncpus", 0}}), where + "zero amount");
}

using Intervals = std::vector<std::pair<int64_t, int64_t>>;
std::string WhyIntervals(const Intervals& intervals) {
  Handmade message(codec::ToMetaSchema());
  const auto offer = Init(Init(message.root(), "body"), "offer");
  Init(offer, "fence");
  auto list = Init(offer, "starts", static_cast<unsigned>(intervals.size()));
  for (unsigned i = 0; i < intervals.size(); ++i) {
    At(list, i).set("begin", intervals[i].first);
    At(list, i).set("end", intervals[i].second);
  }
  return Why(message.Bytes(), DecodeToMeta);
}

TEST(Rules, IntervalSetsHaveOneForm) {
  const std::string where = "body.offer.starts: ";
  EXPECT_EQ(WhyIntervals({{0, 10}, {11, 20}}), "");
  EXPECT_EQ(WhyIntervals({{11, 20}, {0, 10}}), where + "intervals not ascending and apart");
  EXPECT_EQ(WhyIntervals({{0, 10}, {5, 20}}), where + "intervals not ascending and apart");
  EXPECT_EQ(WhyIntervals({{0, 10}, {10, 20}}), where + "intervals not ascending and apart");
  EXPECT_EQ(WhyIntervals({{0, 10}, {15, 15}}), where + "empty interval");
  EXPECT_EQ(WhyIntervals({{10, 0}}), where + "empty interval");
  EXPECT_EQ(WhyIntervals({{0, kFarFuture.seconds + 1}}),
            "body.offer.starts[0].end: beyond 2^40 seconds");
}

TEST(Rules, MappingsHaveOneForm) {
  Handmade request(codec::RequestSpecSchema());
  auto variables = Init(Init(request.root(), "payload"), "environment", 2);
  At(variables, 0).set("name", "PATH");
  At(variables, 1).set("name", "PATH");
  EXPECT_EQ(Text(DecodeRequestSpec(request.Bytes()).status()),
            "payload.environment: names not ascending");
}

TEST(Rules, StructsAreThereUnlessNullHasAMeaning) {
  EXPECT_EQ(Text(DecodeRequestSpec(Handmade(codec::RequestSpecSchema()).Bytes()).status()),
            "payload: missing");
  EXPECT_EQ(Why(Handmade(codec::ToMetaSchema()).Bytes(), DecodeToMeta), "body.hello: missing");
}

TEST(Rules, DigestsHave32Bytes) {
  for (const unsigned size : {0u, 31u, 33u}) {
    Handmade message(codec::ToMetaSchema());
    auto feed = Init(Init(Init(message.root(), "body"), "heartbeat"), "feed");
    feed.init("digest", size);
    EXPECT_EQ(Why(message.Bytes(), DecodeToMeta), "body.heartbeat.feed.digest: not 32 bytes");
  }
}

TEST(Records, AreReadableToWhoWroteThemWhateverRuleTheyBreak) {
  const SiteRecord record =
      ChangeRecord{.change = {.what = Moved{.old_start = kFarFuture + Span{1}}}};
  const absl::StatusOr<SiteRecord> back = DecodeSiteRecord(EncodeRecord(record));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == record);
}

TEST(Records, MayBeLongerThanAMessage) {
  const MetaRecord record =
      ScriptRecord{.request = {1}, .script = std::string(2 * kMessageBytes, 'x')};
  const absl::StatusOr<MetaRecord> back = DecodeMetaRecord(EncodeRecord(record));
  ASSERT_TRUE(back.ok()) << back.status();
  EXPECT_TRUE(*back == record);
}

TEST(Records, OfTheOtherDaemonAndOtherFilesAreRecognised) {
  const std::string of_site = EncodeRecord(SiteRecord{});
  const std::string of_meta = EncodeRecord(MetaRecord{});
  EXPECT_EQ(Text(DecodeMetaRecord(of_site).status()), "not a record of a meta but of a site");
  EXPECT_EQ(Text(DecodeSiteRecord(of_meta).status()), "not a record of a site but of a meta");
  EXPECT_EQ(Text(DecodeSiteRecord("").status()), "not a record of a site");
  EXPECT_EQ(Text(DecodeSiteRecord("SQLite format 3").status()), "not a record of a site");
  EXPECT_EQ(Text(DecodeSiteRecord("musterS9" + of_site.substr(8)).status()),
            "not a record of a site in a form this version reads");
}

TEST(NumberOf, IsReadFromAMessageThatIsRefused) {
  const std::string refused = Encode(ClientMessage{
      .number = {77}, .body = Submit{.request = RequestOf({.resources = {{"ncpus", -1}}})}});
  ASSERT_FALSE(DecodeClientMessage(refused).ok());
  EXPECT_EQ(NumberOf(refused), MessageNumber{77});
  EXPECT_EQ(NumberOf(refused.substr(0, refused.size() - 8)), MessageNumber{});
  EXPECT_EQ(NumberOf("garbage"), MessageNumber{});
}

}  // namespace
}  // namespace muster::schemas
