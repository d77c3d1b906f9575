// Lines about the start of a job, shared by `submit` and `show`. cli.md section 1.3.
#pragma once

#include <string>

#include "cli/views/format.h"

namespace muster::cli::views {

// "3 parts, all or none, 20m", or "20m" for one part; "100 elements, 20 at once, 5m" for an array.
std::string ShapeOf(const Json& job);
// The lines "starts by" or "bound", and "expected" (or one line: "started", or the outcome),
// indented by two. The first line also has the end if `ends` is true or the job is an array.
std::string FigureLines(const Json& job, bool ends, const ViewOptions& options);
// "22:39:30"; a bound is followed by "bound"; "–" if there is none.
std::string StartsByText(const Json& figures, const ViewOptions& options);
// The forecast as "22:31" and as "22:22–22:39"; "–" without one.
std::string ExpectedText(const Json& figures, const ViewOptions& options);
std::string IntervalText(const Json& figures, const ViewOptions& options);
// The reason why the job has no promise.
std::string NoPromiseText(const Json& job, const ViewOptions& options);

// "100 elements, 20 at once" for an array, else "".
std::string ElementShape(const Json& job);
// The number of elements of an array; 0 if the job is no array.
uint64_t ElementCount(const Json& job);
// "60 waiting, 20 running, 19 done, 1 failed": the states of an array's elements; states without
// elements are left out.
std::string ElementStates(const Json& array);
// The failed elements: "43[17] exit 3, last line 'no input 17'; 43[20] signal 9; 5 more".
std::string FailuresText(const Json& array);

// When the first part started; none if no part has started.
std::optional<Instant> StartedAt(const Json& job);
// When the last part ended. None if no part has ended, or if one that started has not ended.
std::optional<Instant> EndedAt(const Json& job);
// How a part ended: "exit 3", "signal 9", or the site's text; "" if it succeeded or nothing is
// known.
std::string EndOfPart(const Json& part);

}  // namespace muster::cli::views
