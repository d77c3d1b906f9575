// The batch script of a part's job: wrapper.sh, told which folder is its part's.
#pragma once

#include <string>
#include <string_view>

namespace muster::driver::slurm {

// How the wrapper exits if it runs nothing: its node does not see the part's folder; the part's
// last start has passed; its token is taken; it was told to end before its second.
inline constexpr int kNoFolder = 120;
inline constexpr int kLate = 121;
inline constexpr int kTokenTaken = 122;
inline constexpr int kToldToEnd = 123;

// REQUIRES: `folder` is absolute.
std::string BatchScript(const std::string& folder);

// The text as one word of a POSIX sh, whatever is in it. REQUIRES: it has no null byte.
std::string Quoted(std::string_view text);

}  // namespace muster::driver::slurm
