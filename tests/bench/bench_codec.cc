// The cost of a message. The meta takes 20,000 submissions a second, so each must cost far less
// than the 50 us that it has. Measured at -O2: ./dev bench codec.
#include <benchmark/benchmark.h>

#include "schemas/canonical.h"
#include "schemas/codec/codec.h"

namespace muster::schemas {
namespace {

Payload TypicalPayload() {
  Payload payload;
  payload.script = "#!/bin/sh\n" + std::string(600, 'x') + "\n";
  payload.argv = {"--steps", "10000", "--input", "/scratch/lakes/input.nc"};
  for (int i = 0; i < 20; ++i)
    payload.environment["VARIABLE_" + std::to_string(i)] = "/some/path/value";
  payload.submit_dir = "/home/ada/lakes";
  return payload;
}

Chunk TypicalChunk() {
  return {.count = 4,
          .resources = {{"mem", int64_t{8} << 30}, {"ncpus", 16}, {"ngpus", 2}},
          .properties = {{"arch", "x86_64"}}};
}

ClientMessage TypicalSubmit() {
  Submit submit;
  submit.key = {.text = "0123456789abcdef0123456789abcdef", .generated = Moment{1'790'000'000'000}};
  submit.request.name = "lake-model";
  submit.request.duration = {3600};
  submit.request.parts = {{.chunks = {TypicalChunk()}, .sites = {"alster", "bode"}},
                          {.chunks = {TypicalChunk()}}};
  submit.request.deadline = Instant{1'790'009'000};
  submit.request.payload = TypicalPayload();
  return {.federation = "lakes", .number = {17}, .body = submit};
}

ToSite TypicalHold() {
  HoldOrder hold{.fence = {{3}, 17}, .request = {42}, .job_name = "lake-model"};
  hold.requester = {.user = "ada", .groups = {"hydro", "users"}};
  hold.members = {"alster", "bode", "chiem"};
  hold.part_count = 3;
  hold.part_sites = hold.members;
  hold.parts = {{.index = 1, .chunks = {TypicalChunk()}, .duration = {3600}, .tail = {90}}};
  hold.payload = TypicalPayload();
  hold.payload_digest.bytes[3] = 7;
  hold.allowed =
      IntervalSet({{{1'790'000'000}, {1'790'000'600}}, {{1'790'001'000}, {1'790'002'000}}});
  hold.stage = HoldState::kPrepared;
  return {.federation = "lakes", .epoch = {3}, .number = {5}, .body = Orders{{Order{hold}}}};
}

void EncodeSubmit(benchmark::State& state) {
  const ClientMessage message = TypicalSubmit();
  for (auto _ : state) benchmark::DoNotOptimize(Encode(message));
  state.counters["bytes"] = static_cast<double>(Encode(message).size());
}
BENCHMARK(EncodeSubmit);

void DecodeSubmit(benchmark::State& state) {
  const std::string bytes = Encode(TypicalSubmit());
  for (auto _ : state) benchmark::DoNotOptimize(DecodeClientMessage(bytes));
}
BENCHMARK(DecodeSubmit);

void EncodeHold(benchmark::State& state) {
  const ToSite message = TypicalHold();
  for (auto _ : state) benchmark::DoNotOptimize(Encode(message));
  state.counters["bytes"] = static_cast<double>(Encode(message).size());
}
BENCHMARK(EncodeHold);

void DecodeHold(benchmark::State& state) {
  const std::string bytes = Encode(TypicalHold());
  for (auto _ : state) benchmark::DoNotOptimize(DecodeToSite(bytes));
}
BENCHMARK(DecodeHold);

// The canonical form of the same request, to compare with.
void DigestSubmit(benchmark::State& state) {
  const RequestSpec request = std::get<Submit>(TypicalSubmit().body).request;
  for (auto _ : state) benchmark::DoNotOptimize(DigestOf(request));
}
BENCHMARK(DigestSubmit);

}  // namespace
}  // namespace muster::schemas

BENCHMARK_MAIN();
