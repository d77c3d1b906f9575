// The lines that say when a job starts, shared by `submit` and `show`. cli.md section 1.3.
#pragma once

#include <string>

#include "cli/views/format.h"

namespace muster::cli::views {

// "3 parts, all or none, 20m", or "20m" for one part; "100 elements, 20 at once, 5m" for an array.
std::string ShapeOf(const Json& job);
// "starts by", "expected" (or "started", or how it ended), each indented by two. With `ends` the
// first line says also when it ends.
std::string FigureLines(const Json& job, bool ends, const ViewOptions& options);
// "22:39:30", with "bound" behind it if that is all it is; "–" if there is none.
std::string StartsByText(const Json& figures, const ViewOptions& options);
// "22:31" and "22:22–22:39" of `expected`; "–" each without a forecast.
std::string ExpectedText(const Json& figures, const ViewOptions& options);
std::string IntervalText(const Json& figures, const ViewOptions& options);
// Why there is no promise.
std::string NoPromiseText(const Json& job, const ViewOptions& options);

// "100 elements, 20 at once" of an array, else "".
std::string ElementShape(const Json& job);
// How many elements an array has; 0: it is none.
uint64_t ElementCount(const Json& job);
// "60 waiting, 20 running, 19 done, 1 failed": of an array, without those that are none.
std::string ElementStates(const Json& array);
// "43[17] exit 3, last line 'no input 17'; 43[20] signal 9; 5 more": what went wrong.
std::string FailuresText(const Json& array);

// When the first part started and the last one ended; none while none has, or not all have.
std::optional<Instant> StartedAt(const Json& job);
std::optional<Instant> EndedAt(const Json& job);
// "exit 3", "signal 9", or what the site said; "" if it succeeded or nothing is known.
std::string EndOfPart(const Json& part);

}  // namespace muster::cli::views
