// Prints for people; what is tried and removed is the driver's.
#include "site/shell/slurm_site.h"

#include <sys/stat.h>

#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/io/rocks/store.h"
#include "base/phrases.h"
#include "schemas/canonical.h"
#include "site/driver/slurm/cluster_check.h"
#include "site/driver/slurm/leaving.h"

namespace muster::site {
namespace {

// With which the names of this site's walls and jobs begin on a cluster that several sites may
// share: four letters of the digest of its name and its meta's key.
std::string PrefixOf(const config::SiteConfig& config) {
  constexpr size_t kLetters = 4;
  const Digest digest = schemas::Hash(config.meta_key + "\n" + config.name);
  std::string letters;
  for (size_t i = 0; i < kLetters; ++i) {
    letters.push_back(static_cast<char>('a' + digest.bytes[i] % 26));
  }
  return "mu_" + letters + "_";
}

const char* WordOf(driver::slurm::CheckLine::Verdict verdict) {
  using Verdict = driver::slurm::CheckLine::Verdict;
  return verdict == Verdict::kGood ? "ok" : verdict == Verdict::kWarning ? "warning" : "bad";
}

void Print(const char* word, const std::vector<std::string>& names) {
  for (const std::string& name : names) std::printf("%-9s %s\n", word, name.c_str());
}

}  // namespace

driver::SlurmOptions SlurmOptionsOf(const config::SiteConfig& config) {
  const config::SlurmConfig& slurm = *config.slurm;
  driver::SlurmOptions options{.conf = slurm.conf,
                               .shared_folder = slurm.shared_folder,
                               .prefix = PrefixOf(config),
                               .partitions = slurm.partitions,
                               .commons = slurm.commons};
  options.walls = slurm.walls == "each"      ? driver::SlurmWalls::kEach
                  : slurm.walls == "commons" ? driver::SlurmWalls::kCommons
                                             : driver::SlurmWalls::kNone;
  options.most_walls = static_cast<size_t>(slurm.most_walls);
  options.respect_pending = slurm.pending == "respect";
  options.strict = slurm.strict;
  options.start_ahead = slurm.start_ahead;
  options.accounts = config.federation.users;
  options.output_keep = config.output_keep;
  return options;
}

Diagnostic WhereItIsSaid(const config::SiteConfig& config, const absl::Status& error) {
  Diagnostic out{.code = "config", .message = std::string(Text(error))};
  const auto at = config.slurm_where.find(out.message.substr(0, out.message.find(':')));
  if (at != config.slurm_where.end()) out.where = at->second;
  out.help = {"'muster check " + config.path +
              " --cluster' tries what a site needs of its cluster"};
  return out;
}

int CheckSlurm(const config::SiteConfig& config) {
  using Line = driver::slurm::CheckLine;
  bool bad = false;
  driver::slurm::CheckCluster(SlurmOptionsOf(config), [&](const Line& line) {
    std::printf("%-8s %-14s %s\n", WordOf(line.verdict), line.what.c_str(), line.said.c_str());
    if (!line.help.empty()) std::printf("%-8s %-14s help: %s\n", "", "", line.help.c_str());
    std::fflush(stdout);
    bad = bad || line.verdict == Line::Verdict::kBad;
  });
  return bad ? 2 : 0;
}

int LeaveSlurm(const config::SiteConfig& config) {
  const std::string folder = config.state_dir + "/store";
  struct stat status{};
  std::unique_ptr<io::Store> lock;  // nobody else may have the site's state
  if (stat(folder.c_str(), &status) == 0) {
    auto store = io::OpenStore({.folder = folder, .create = false});
    if (!store.ok()) {
      std::fprintf(stderr, "%s: %s\n  help: stop the daemon of site '%s' first\n",
                   config.path.c_str(), std::string(Text(store.status())).c_str(),
                   config.name.c_str());
      return 2;
    }
    lock = *std::move(store);
  }
  const auto removed = driver::slurm::LeaveCluster(SlurmOptionsOf(config));
  if (!removed.ok()) {
    std::fprintf(stderr, "%s: %s\n  help: 'muster check %s --cluster' shows what does not work\n",
                 config.path.c_str(), std::string(Text(removed.status())).c_str(),
                 config.path.c_str());
    return 2;
  }
  Print("ended", removed->ended);
  Print("cancelled", removed->waiting);
  Print("deleted", removed->walls);
  Print("closed", removed->closed);
  Print("LEFT", removed->left);
  std::printf("site '%s' has left its cluster: %s ended, %s cancelled, %s deleted\n",
              config.name.c_str(), Counted(removed->ended.size(), "job").c_str(),
              Counted(removed->waiting.size(), "job").c_str(),
              Counted(removed->walls.size(), "reservation").c_str());
  if (!removed->outputs.empty()) {
    std::printf("output of its parts stays in %s\n", removed->outputs.c_str());
  }
  return removed->left.empty() ? 0 : 1;
}

}  // namespace muster::site
