// Shared by tests of verbs: a fake meta with given answers, one call of the command, sample jobs.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "cli/command.h"
#include "cli/fake_meta.h"

namespace muster::cli {

struct Ran {
  int exit = 0;
  std::string out;
  std::string err;
};

inline Ran Muster(const std::vector<std::string>& words) {
  testing::internal::CaptureStdout();
  testing::internal::CaptureStderr();
  Ran ran;
  ran.exit = Run(words);
  ran.out = testing::internal::GetCapturedStdout();
  ran.err = testing::internal::GetCapturedStderr();
  return ran;
}

inline schemas::JobView Job(uint64_t id,
                            schemas::RequestState state = schemas::RequestState::kPromised) {
  schemas::JobView job;
  job.id = std::to_string(id);
  job.name = "solve";
  job.user = "kim";
  job.state = state;
  job.submitted_at = Moment{1795209245000};
  job.duration_s = Span{1800};
  job.queue = "normal";
  schemas::PartView part;
  part.id = job.id + ".1";
  part.site = "lakes";
  part.nodes = {"n3", "n4"};
  part.chunks = {{2, {{"ncpus", 4}}, {}}};
  job.parts = {part};
  if (state == schemas::RequestState::kPromised) {
    job.figures.starts_by = schemas::StartsBy{Instant{1795209841}, true};
    job.figures.ends_by = Instant{1795211641};
  }
  return job;
}

inline schemas::JobView EndedJob(uint64_t id, schemas::Outcome outcome, int exit_code) {
  schemas::JobView job = Job(id, schemas::RequestState::kEnded);
  job.outcome = outcome;
  job.parts[0].state = schemas::PartShown::kEnded;
  job.parts[0].started_at = Moment{1795209580000};
  job.parts[0].ended_at = Moment{1795210692000};
  job.parts[0].exit_code = exit_code;
  return job;
}

inline schemas::Rows JobRows(std::vector<schemas::JobView> jobs) {
  schemas::Rows rows;
  rows.as_of = Moment{1795209245000};
  rows.jobs = std::move(jobs);
  return rows;
}

class VerbsTest : public testing::Test {
 protected:
  VerbsTest() {
    folder_ = testing::TempDir() + "muster-verbs-" + std::to_string(getpid());
    std::filesystem::create_directories(folder_);
    setenv("LC_ALL", "C.UTF-8", 1);
    setenv("XDG_STATE_HOME", folder_.c_str(), 1);
  }
  ~VerbsTest() override {
    meta_.reset();
    std::filesystem::remove_all(folder_);
  }
  void Start(Answerer answer, bool listed = true) {
    meta_ = std::make_unique<FakeMeta>(folder_, std::move(answer), listed);
  }

  std::string folder_;
  std::unique_ptr<FakeMeta> meta_;
};

}  // namespace muster::cli
