// Unit tests of the meta's core: a federation of scripted sites, users who ask, and what is on
// record of their requests.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "meta/core.h"
#include "schemas/canonical.h"
#include "tests/scenario/scripted_federation.h"

namespace muster::meta {

using scenario::FakeSite;
using scenario::kBegin;
using schemas::HoldState;
using schemas::Outcome;
using schemas::PartState;
using schemas::RequestState;

// Three sites, two users and an operator; time passes only by Advance.
class MetaCore : public ::testing::Test, protected scenario::ScriptedFederation {
 protected:
  MetaCore() { Start(); }
  using ScriptedFederation::Run;  // hides testing::Test::Run

  schemas::ToClient Client(const std::string& user, decltype(schemas::ClientMessage::body) body) {
    answers_.clear();
    schemas::ClientMessage m;
    m.number = MessageNumber{++number_};
    m.body = std::move(body);
    Turn({ClientSays{user, "terminal", std::move(m)}});
    Settle();
    EXPECT_FALSE(answers_.empty());
    return answers_.empty() ? schemas::ToClient{} : answers_.front().message;
  }

  static schemas::RequestSpec Spec(std::vector<std::vector<std::string>> part_sites,
                                   uint32_t cpus = 1) {
    schemas::RequestSpec spec;
    spec.name = "halo";
    spec.duration = Span{600};
    for (auto& sites : part_sites) {
      schemas::PartSpec part;
      part.chunks = {{.count = 1, .resources = {{"ncpus", cpus}}}};
      part.sites = std::move(sites);
      spec.parts.push_back(std::move(part));
    }
    spec.payload.argv = {"hostname"};
    return spec;
  }

  schemas::Accepted Acted(const std::string& user, schemas::Act act) {
    const schemas::ToClient answer = Client(user, std::move(act));
    const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
    EXPECT_TRUE(accepted != nullptr);
    return accepted ? *accepted : schemas::Accepted{};
  }
  RequestId Submit(const schemas::RequestSpec& spec) {
    const schemas::ToClient answer =
        Client("kim", schemas::Submit{{.text = "key-" + std::to_string(++keys_)}, spec});
    const auto* accepted = std::get_if<schemas::Accepted>(&answer.body);
    EXPECT_TRUE(accepted != nullptr);
    return accepted ? accepted->requests[0] : RequestId{};
  }
  schemas::Refused RefusedBy(const schemas::ToClient& answer) {
    const auto* refused = std::get_if<schemas::Refused>(&answer.body);
    EXPECT_TRUE(refused != nullptr);
    return refused ? *refused : schemas::Refused{};
  }
  schemas::JobView Job(RequestId id) {
    const schemas::ToClient answer =
        Client("kim", schemas::Get{.kind = schemas::GetKind::kJob, .requests = {id}});
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    EXPECT_TRUE(rows && rows->jobs.size() == 1);
    return rows ? rows->jobs[0] : schemas::JobView{};
  }
  schemas::RequestRecord Record(RequestId id) {
    for (const schemas::RequestRecord& r : core_->Requests()) {
      if (r.id == id) return r;
    }
    return {};
  }
  Fence FenceOf(RequestId id) { return Record(id).attempt.value_or(Fence{}); }

  uint64_t keys_ = 0;
};

}  // namespace muster::meta
