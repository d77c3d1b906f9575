// What a program does with a cluster that has libslurm and nothing else: the references of the
// figures. Made of slurm.h alone, so that nothing of the driver's own is in them.
//
// SLURM_CONF chooses the cluster. What fails ends the benchmark.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/interval.h"

namespace muster::bench::bare {

struct Job {
  std::string name = "bare";
  std::string script = "#!/bin/sh\nexit 0\n";
  std::string node;         // "": any
  uint32_t cpus = 1;        // of that node
  std::string reservation;  // "": none
  std::string user;         // whose job it is
  uint32_t minutes = 1;
  bool held = false;
};

// Reads the configuration. Before anything else, and once.
void Open();
// The id of the job. Ids are given out one after the other.
uint32_t Submit(const Job& job);
void Release(uint32_t id);
void Cancel(uint32_t id);
void SetLimit(uint32_t id, uint32_t minutes);
// Whether the controller has taken a batch job of this id, by its state folder, which is beside its
// slurm.conf: asking it would take as long as a submission.
bool HasSaved(uint32_t id);
// Jobs whose names begin so, and that have not ended.
std::vector<uint32_t> Living(const std::string& beginning);
// When the job would start: in the cluster's seconds.
int64_t WillRun(const Job& job);

// One core of a node, for one user.
void Reserve(const std::string& name, const std::string& node, Interval when,
             const std::string& user);
void Unreserve(const std::string& name);
// Takes nodes out of service, so that nothing starts there, or back into it,
// which takes a second.
void Drain(const std::vector<std::string>& nodes);
void Resume(const std::vector<std::string>& nodes);
size_t Reservations(const std::string& beginning);

}  // namespace muster::bench::bare
