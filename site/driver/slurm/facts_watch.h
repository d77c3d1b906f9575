// What a cluster is like, look by look: nodes may come and go, get other features, memory or
// generic resources, and licences another number, while the daemon runs. Pure.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "site/driver/facts.h"
#include "site/driver/slurm/machine.h"
#include "site/driver/slurm/options.h"
#include "site/driver/slurm/seen.h"

namespace muster::driver::slurm {

class FactsWatch {
 public:
  // `first`: as of the opening of the driver.
  FactsWatch(SlurmOptions options, SeenOptions seen, Facts first);

  // The facts, if they differ from those told last. REQUIRES: the look has rows. A cluster that
  // shows no node of the site says nothing: its nodes are out of use then (OutsideNode). A
  // controller that was restarted does not know the architecture of a node until that has reported:
  // it is as it was.
  std::optional<Facts> Next(const Look& look);

 private:
  const SlurmOptions options_;
  const SeenOptions seen_;
  Facts told_;
  std::map<std::string, std::string> architectures_;  // by node, as told last
  // Of the last look.
  std::vector<Node> nodes_;
  std::vector<Partition> partitions_;
  ResourceSet jobwide_;
  std::string scheduler_parameters_;
};

}  // namespace muster::driver::slurm
