// One format for all daemons, so that their logs can be compared line by line.
#include "base/io/log/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

namespace muster::io {

void OpenLog(const std::string& daemon) {
  spdlog::set_default_logger(spdlog::stderr_color_mt(daemon));
  spdlog::set_pattern("%Y-%m-%dT%H:%M:%S.%e%z %l %v");
  spdlog::flush_on(spdlog::level::info);
}

}  // namespace muster::io
