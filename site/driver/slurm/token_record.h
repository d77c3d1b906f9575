// What a wrapper has written of a part's end, as values. Pure.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "site/driver/slurm/marks.h"

namespace muster::driver::slurm {

using Entries = std::map<std::string, std::string>;

// "NAME=VALUE" pieces, each before `by`; pieces without '=' are left out.
Entries EntriesIn(std::string_view text, char by);
// None: no such entry, or not a number.
std::optional<int64_t> NumberOf(const Entries& entries, const std::string& name);
// The processor time in the two lines of `times`: own and children, user and system.
std::optional<BootSpan> ProcessorTime(std::string_view times);
// Sets Marks::ended from a complete record of run/exit. A shell knows
// the signal that ended a command by an exit code above 128 alone, so such a code is a signal.
void TakeRecord(const Entries& record, const std::string& times, const std::string& token,
                Marks& marks);

}  // namespace muster::driver::slurm
