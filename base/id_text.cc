// A hand-written parser, because both numbers have bounds of their own.
#include "base/id_text.h"

#include <charconv>
#include <system_error>

namespace muster {

std::optional<RequestId> RequestIdOf(std::string_view text) {
  const char* const end = text.data() + text.size();
  RequestId id;
  const auto job = std::from_chars(text.data(), end, id.value);
  if (job.ec != std::errc() || id.value >= RequestId::kJobs) return std::nullopt;
  if (job.ptr == end) return id;
  uint64_t index = 0;
  if (*job.ptr != '[') return std::nullopt;
  const auto element = std::from_chars(job.ptr + 1, end, index);
  if (element.ec != std::errc() || index >= UINT64_MAX / RequestId::kJobs - 1) return std::nullopt;
  if (std::string_view(element.ptr, end) != "]") return std::nullopt;
  return id.element(index);
}

}  // namespace muster
