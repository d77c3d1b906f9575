// slurm_calls: what bench_slurm measures by calls of libslurm, of the driver and of the client's
// protocol. tests/bench/slurm/run.py starts it on the cluster that SLURM_CONF says.
//
//   slurm_calls submit|walled|start_error SHARED LETTER   rows of the driver
//   slurm_calls quote ENDPOINT SERVER_KEY KEY_FILE        the row of a federation's quotes
//   slurm_calls crowd COUNT                               submits so many jobs that wait
//   slurm_calls load COUNT                                prints seconds of loading all jobs
//   slurm_calls toggle SECONDS JOB                        changes a job's limit each second
#include <sys/resource.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <stdexcept>

#include "base/io/zmq/client.h"
#include "base/io/zmq/keys.h"
#include "tests/bench/federation/conversation.h"
#include "tests/bench/slurm/bare.h"
#include "tests/bench/slurm/cluster_rows.h"
#include "tests/bench/slurm/pairs.h"

namespace muster::bench {
namespace {

constexpr int kQuotes = 200;
constexpr int kQuoteRounds = 5;

// p50 of a quote over both clusters, of a client that is connected, against Slurm's own answer for
// one cluster.
void QuoteRow(const std::string& endpoint, const std::string& server_key, const std::string& file) {
  const auto keys = io::ReadKeyFile(file);
  if (!keys.ok()) Fail(std::string(keys.status().message()));
  auto client = io::OpenClient({.endpoint = endpoint, .server_key = server_key, .keys = *keys});
  if (!client.ok()) Fail("cannot connect");
  Conversation talk(*std::move(client));
  const auto median = [](const std::function<void()>& once) {
    std::vector<double> times;
    for (int i = 0; i < kQuotes; ++i) {
      const auto begin = SteadyClock::now();
      once();
      times.push_back(SecondsSince(begin) * 1e3);
    }
    return Quantile(times, 0.5);
  };
  const auto ask = [&] {
    const schemas::ToClient answer =
        talk.Ask({.body = schemas::Ask{SmallRequest(1, {600}, std::nullopt)}});
    const auto* rows = std::get_if<schemas::Rows>(&answer.body);
    if (rows == nullptr || rows->offers.size() < 2) Fail("a quote has fewer than two offers");
  };
  const auto will_run = [] { bare::WillRun({.minutes = 10}); };
  PrintMedians("slurm_quote", "ms",
               Alternate(
                   kQuoteRounds, [&] { return median(ask); }, [&] { return median(will_run); }),
               {.at_least = 1.5, .aim = 0.8});
}

// Held, so that a controller has no reason to look at them.
void Crowd(int count) {
  for (int i = 0; i < count; ++i) {
    bare::Submit({.name = "crowd" + std::to_string(i % 97),
                  .user = "daemon",
                  .minutes = static_cast<uint32_t>(1 + i % 600),
                  .held = true});
  }
}

void Toggle(int seconds, uint32_t job) {
  for (int i = 0; i < seconds; ++i) {
    bare::SetLimit(job, 60 + static_cast<uint32_t>(i) % 2);
    sleep(1);
  }
}

// The median of so many times.
void Load(int count) {
  std::vector<double> times;
  for (int i = 0; i < count; ++i) {
    const auto begin = SteadyClock::now();
    bare::Living("");
    times.push_back(SecondsSince(begin));
  }
  std::printf("%.6f\n", Quantile(times, 0.5));
}

int Main(const std::vector<std::string>& words) {
  bare::Open();
  const std::string row = words.empty() ? "" : words[0];
  if (words.size() == 4 && row == "quote") {
    QuoteRow(words[1], words[2], words[3]);
  } else if (words.size() == 3 && row == "toggle") {
    Toggle(std::atoi(words[1].c_str()), static_cast<uint32_t>(std::atol(words[2].c_str())));
  } else if (words.size() == 2 && row == "load") {
    Load(std::atoi(words[1].c_str()));
  } else if (words.size() == 2 && row == "crowd") {
    Crowd(std::atoi(words[1].c_str()));
  } else if (words.size() == 3 && row == "submit") {
    SubmitRow({.shared_folder = words[1], .letter = words[2]});
  } else if (words.size() == 3 && row == "walled") {
    WalledRow({.shared_folder = words[1], .letter = words[2]});
  } else if (words.size() == 3 && row == "start_error") {
    StartErrorRow({.shared_folder = words[1], .letter = words[2]});
  } else {
    std::fprintf(stderr, "slurm_calls: started by bench_slurm, not by hand\n");
    return 2;
  }
  return 0;
}

}  // namespace
}  // namespace muster::bench

int main(int argc, char** argv) {
  try {
    return muster::bench::Main({argv + 1, argv + argc});
  } catch (const std::runtime_error& failure) {
    std::fprintf(stderr, "bench: %s\n", failure.what());
    return 1;
  }
}
