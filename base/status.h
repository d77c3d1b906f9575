// Short forms for absl::Status: create one with a message, or return one to the caller. The only
// header with macros besides base/check.h.
#pragma once

#include <absl/status/status.h>
#include <absl/status/statusor.h>

#include <string_view>
#include <utility>

namespace muster {

// On Debian absl::string_view differs from std::string_view; these functions take the standard one.
inline absl::Status InvalidArgument(std::string_view message) {
  return absl::InvalidArgumentError(absl::string_view(message.data(), message.size()));
}
inline absl::Status NotFound(std::string_view message) {
  return absl::NotFoundError(absl::string_view(message.data(), message.size()));
}
inline absl::Status Unavailable(std::string_view message) {
  return absl::UnavailableError(absl::string_view(message.data(), message.size()));
}
inline absl::Status Internal(std::string_view message) {
  return absl::InternalError(absl::string_view(message.data(), message.size()));
}
inline std::string_view Text(const absl::Status& status) {
  return {status.message().data(), status.message().size()};
}

}  // namespace muster

#define MUSTER_STATUS_CONCAT_(a, b) a##b
#define MUSTER_STATUS_NAME_(line) MUSTER_STATUS_CONCAT_(status_or_, line)

// Returns the status from the enclosing function if it is not OK.
#define MUSTER_RETURN_IF_ERROR(expression)                   \
  do {                                                       \
    if (absl::Status s_ = (expression); !s_.ok()) return s_; \
  } while (false)

// `MUSTER_ASSIGN_OR_RETURN(auto x, F());` declares x, or returns F's status.
#define MUSTER_ASSIGN_OR_RETURN(target, expression)                                       \
  auto MUSTER_STATUS_NAME_(__LINE__) = (expression);                                      \
  if (!MUSTER_STATUS_NAME_(__LINE__).ok()) return MUSTER_STATUS_NAME_(__LINE__).status(); \
  target = *std::move(MUSTER_STATUS_NAME_(__LINE__))
