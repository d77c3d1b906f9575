// The report of `up` when everything runs.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "cli/views/views.h"

namespace muster::cli::views {
namespace {

// Breaks the text at blanks into lines of at most `width` columns.
std::string Wrapped(const std::string& text, size_t width) {
  std::string out;
  size_t used = 0;
  for (size_t begin = 0; begin < text.size();) {
    const size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    const size_t columns = Columns(word);
    if (used > 0 && used + 1 + columns > width) {
      out += '\n';
      used = 0;
    } else if (used > 0) {
      out += ' ';
      ++used;
    }
    out += word;
    used += columns;
    begin = end + 1;
  }
  return out + '\n';
}

std::string Right(const std::string& text, size_t width) {
  const size_t columns = Columns(text);
  return columns < width ? std::string(width - columns, ' ') + text : text;
}

std::string Count(const Json& object, const char* name) {
  return std::to_string(static_cast<int64_t>(NumberAt(object, name).value_or(0)));
}

bool BesideCluster(const Json& site) { return TextAt(site, "driver") == "slurm"; }

}  // namespace

std::string UpView(const Json& document, const ViewOptions& options) {
  const std::string name = TextAt(document, "name");
  const Json& sites = At(document, "sites");
  int64_t nodes = 0;
  bool clusters = false;
  size_t name_width = 4;  // "meta"
  size_t node_width = 1;
  size_t cpu_width = 1;
  for (const Json& site : sites) {
    nodes += static_cast<int64_t>(NumberAt(site, "nodes").value_or(0));
    clusters = clusters || BesideCluster(site);
    name_width = std::max(name_width, Columns(TextAt(site, "name")));
    node_width = std::max(node_width, Count(site, "nodes").size());
    cpu_width = std::max(cpu_width, Count(At(site, "total"), "ncpus").size());
  }
  const std::string elapsed =
      fmt::format("up in {:.1f} s", NumberAt(document, "elapsed_s").value_or(0));
  const bool was_running = FlagAt(document, "was_running");
  std::string text = Wrapped(
      fmt::format(
          "Federation '{}' is {}: {} sites, {} nodes, state in {}. Nodes are slices "
          "of this machine, GPUs are tokens, processes are real.{}",
          name, was_running ? "already up" : elapsed, sites.size(), nodes,
          TextAt(document, "state_dir"),
          clusters ? " Users of the clusters go on with sbatch; SLURM_CONF chooses one." : ""),
      kPageWidth);
  const std::string folder = TextAt(document, "state_dir");
  text += "  " + Padded("meta", name_width) + "  " + TextAt(document, "meta") + '\n';
  for (const Json& site : sites) {
    const Json& total = At(site, "total");
    text += "  " + Padded(TextAt(site, "name"), name_width) + "  " +
            Right(Count(site, "nodes"), node_width) + " nodes  " +
            Right(Count(total, "ncpus"), cpu_width) + " cpus";
    if (NumberAt(total, "ngpus").value_or(0) > 0) text += "  " + Count(total, "ngpus") + " gpus";
    if (BesideCluster(site)) text += "  Slurm";
    text += '\n';
  }
  const bool usual = name == "local";
  text += usual ? "Try   muster submit -f -t 1m -- hostname\n"
                : "Try   export MUSTER_FEDERATION=" + name +
                      "\n      muster submit -f -t 1m -- hostname\n";
  text += "      muster ask -l 2:ncpus=4 -t 20m\n      muster gantt\n";
  for (const Json& site : sites) {
    if (!BesideCluster(site)) continue;
    text += fmt::format("      SLURM_CONF={}/clusters/{}/slurm.conf squeue\n", folder,
                        TextAt(site, "name"));
  }
  text += Padded(usual ? "Stop  muster down" : "Stop  muster down " + name, 29) +
          "(--purge forgets everything)\n";
  return Finished(text, options);
}

}  // namespace muster::cli::views
