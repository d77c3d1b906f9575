// The rows that need a cluster and no daemon: the driver alone, beside bare calls of libslurm.
#pragma once

#include <string>
#include <vector>

namespace muster::bench {

// What tests/bench/slurm/lab.py has prepared on the cluster of SLURM_CONF.
struct Ground {
  std::string shared_folder;  // nodes see it, and any account may write into it
  std::string letter;         // nodes are LETTER-n1 to LETTER-n4
  std::vector<std::string> All() const { return {Node(0), Node(1), Node(2), Node(3)}; }
  std::string Node(size_t i) const { return letter + "-n" + std::to_string(1 + i % 4); }
};

// Nodes 1 and 2 are in the reservation "commons", 3 and 4 in "bare"; a job keeps each of them busy,
// so that what is handed over waits, and nothing but handing over is measured.
void SubmitRow(const Ground& ground);
// No reservation, and no job. 32 cores a node.
void WalledRow(const Ground& ground);
void StartErrorRow(const Ground& ground);

}  // namespace muster::bench
