// The client service for users of the site itself: envelope, submit, ask, cancel, act, follow, get.
// An accepted order is on disk before its answer leaves, since messages are sent after the batch.
// protocol.md section 2b.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "site/local/local_jobs.h"

namespace muster::site {

// Invariant: every client message is answered: at once, or when the driver has read the output that
// it asked for, or its walls stand or were refused, or, for a reload, by the shell. Exceptions: a
// `follow` that stops or keeps alive, and a read of output while kReadingsOpen newer ones are under
// way.
class Clients : public LocalJobs {
 public:
  using LocalJobs::LocalJobs;

  // `user` is authenticated, without "user:".
  void Hear(const std::string& user, const std::string& link,
            const schemas::ClientMessage& message);
  // Sends the jobs that changed in this turn to their followers.
  void TellFollowers();
  // Passes on output that the driver has read. True if a client asked for it.
  bool TellReader(const driver::OutputRead& read);
  // When the next follower expires or LocalJobs has something due.
  std::optional<BootInstant> NextOfClients() const;

  // Takes again the submissions that waited for their walls, where these are answered.
  void TakeParked();

 private:
  struct Follower {
    std::vector<uint64_t> jobs;
    BootInstant until;  // expires then unless kept alive
  };

  void Asked(const ClientLine& line, const schemas::Submit& submit);
  // `number`: that it has already.
  void Take(const ClientLine& line, const schemas::Submit& submit, std::optional<uint64_t> number);
  void Asked(const ClientLine& line, const schemas::Ask& ask);
  void Asked(const ClientLine& line, const schemas::Cancel& cancel);
  void Asked(const ClientLine& line, const schemas::Act& act);
  void Asked(const ClientLine& line, const schemas::Follow& follow);
  void Asked(const ClientLine& line, const schemas::Get& get);
  void Tell(const ClientLine& line, decltype(schemas::ToClient::body) body);
  void TellFollower(const ClientLine& line, const std::vector<uint64_t>& jobs);
  void Alter(const ClientLine& line, const schemas::Act& act);
  size_t BookedOn(const std::vector<std::string>& nodes) const;
  schemas::Refused NoSuchLocal(uint64_t number, std::string changed) const;
  schemas::Refused NotYours(const std::string& job, const std::string& owner,
                            const std::string& user, std::string changed) const;
  // --- client_views.cc
  void GetJobs(const ClientLine& line, const schemas::Get& get);
  void GetJob(const ClientLine& line, const schemas::Get& get);
  void GetOutput(const ClientLine& line, const schemas::Get& get);
  void GetSlots(const ClientLine& line, const schemas::Get& get);
  schemas::JobView FederationJob(const schemas::HoldRecord& hold) const;
  const schemas::HoldRecord* HoldOf(RequestId request) const;
  schemas::SiteView SiteNow() const;

  std::map<ClientLine, Follower> followers_;
  std::map<uint64_t, std::pair<ClientLine, std::string>> readings_;  // output reads under way
  // No two cores give the same: what one asked for may be answered to the next.
  uint64_t NextReading();
  uint64_t last_reading_ = 0;
  // Submissions that wait for their walls, and the numbers that they have.
  struct Parked {
    ClientLine line;
    schemas::Submit submit;
    uint64_t number = 0;
  };
  std::vector<Parked> parked_;
};

}  // namespace muster::site
