// Jobs of a program that no model knows run as their fates say.
#include "sim/app/replay_apps.h"

#include <algorithm>

#include "sim/app/models.h"

namespace muster::sim {
namespace {

bool Fits(const config::AppConfig& app, const FederationJob& job) {
  const auto among = [](const std::vector<int64_t>& numbers, int64_t number) {
    return numbers.empty() || std::find(numbers.begin(), numbers.end(), number) != numbers.end();
  };
  const int64_t processors = job.Processors();
  return among(app.users, job.user) && among(app.executables, job.executable) &&
         processors >= app.least && (!app.most || processors <= *app.most);
}

class Programs : public driver::Applications {
 public:
  Programs(const config::AppsConfig& apps, const std::vector<FederationJob>& jobs)
      : media_{apps.media.network, apps.media.memory, apps.media.storage}, jobs_(jobs) {
    for (const config::AppConfig& app : apps.apps) models_.push_back(ModelOf(app));
  }
  const driver::Media& media() const override { return media_; }
  const driver::Application* Of(const driver::StartPart& start) const override {
    const size_t job = JobOfStart(start);
    if (job >= jobs_.size() || !jobs_[job].app) return nullptr;
    return models_[*jobs_[job].app].get();
  }

 private:
  driver::Media media_;
  const std::vector<FederationJob>& jobs_;
  std::vector<std::unique_ptr<const driver::Application>> models_;
};

}  // namespace

void GiveApps(const config::AppsConfig& apps, std::vector<FederationJob>& jobs) {
  for (FederationJob& job : jobs) {
    for (size_t i = 0; i < apps.apps.size() && !job.app; ++i) {
      if (!Fits(apps.apps[i], job)) continue;
      job.app = i;
      if (job.parts.size() == 1) job.times = apps.apps[i].times;
    }
  }
}

std::shared_ptr<const driver::Applications> ApplicationsOf(const config::AppsConfig& apps,
                                                           const std::vector<FederationJob>& jobs) {
  return std::make_shared<Programs>(apps, jobs);
}

std::vector<AppFigures> MeasureApps(const config::AppsConfig& apps,
                                    const std::vector<FederationJob>& jobs,
                                    const FederationResult& result) {
  std::vector<AppFigures> out;
  for (const config::AppConfig& app : apps.apps) out.push_back({.name = app.name});
  for (size_t i = 0; i < jobs.size(); ++i) {
    const JobOutcome& outcome = result.jobs[i];
    const bool ended = outcome.fate == JobFate::kEnded && outcome.start && outcome.end;
    if (!ended || !jobs[i].app) continue;
    AppFigures& figures = out[*jobs[i].app];
    ++figures.jobs;
    figures.cut += outcome.cut ? 1 : 0;
    figures.grown += outcome.grown ? 1 : 0;
    figures.stretch += static_cast<double>((*outcome.end - *outcome.start).seconds) /
                       static_cast<double>(jobs[i].runs.seconds);
  }
  for (AppFigures& figures : out) {
    if (figures.jobs > 0) figures.stretch /= static_cast<double>(figures.jobs);
  }
  return out;
}

}  // namespace muster::sim
