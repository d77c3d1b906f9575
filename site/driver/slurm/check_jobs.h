// Jobs of one core by which a check tries a cluster: whether an account may submit, whether a node
// sees the shared folder, and how soon a job begins.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/io/clock.h"
#include "site/driver/accounts.h"
#include "site/driver/facts.h"
#include "site/driver/slurm/cluster.h"
#include "site/driver/slurm/options.h"
#include "site/driver/slurm/seen.h"

namespace muster::driver::slurm {

inline constexpr int kCheckPatienceS = 60;  // until a node is free for a job of a minute

// Where they are tried. REQUIRES: all of it outlives its users.
struct CheckGround {
  const SlurmOptions& options;
  const SeenOptions& seen;
  const Cluster& cluster;
  const Look& look;
  const Facts& facts;
};

class CheckJobs {
 public:
  // `name`: that of the jobs.
  CheckJobs(CheckGround ground, std::string name) : at_(ground), name_(std::move(name)) {}

  // A usable node of the site's, one without a job if there is one; "": there is none.
  std::string FreeNode() const;

  // OK: the cluster takes a held job of this account, which is removed again. `partition`: where.
  struct Taken {
    absl::Status status;
    std::string partition;
  };
  Taken TryAccount(const std::string& node, const std::optional<Account>& account) const;

  // Makes `folder`, lets a job on the node read what lies in it and answer there by a hard link,
  // and removes it. For a minute at most.
  struct Answer {
    enum class Kind : uint8_t { kSeen, kNotTaken, kCannotWrite, kNoAnswer, kNotBegun };
    Kind kind = Kind::kNotBegun;
    absl::Status status;  // of kNotTaken
    double after_s = 0;   // kSeen: from the submission until the job began
  };
  Answer AskFromNode(const std::string& node, const std::optional<Account>& account,
                     const std::string& folder, io::Clock& clock) const;

 private:
  absl::StatusOr<Submission> JobOn(const std::string& node,
                                   const std::optional<Account>& account) const;
  // Submits with the account among those who may enter the reservation of the commons, until Close.
  absl::StatusOr<uint32_t> Submit(const Submission& job,
                                  const std::optional<Account>& account) const;
  void Close(const Submission& job) const;
  Answer Await(uint32_t id, const std::string& folder, const std::string& asked,
               Moment handed_over) const;

  const CheckGround at_;
  const std::string name_;
};

}  // namespace muster::driver::slurm
