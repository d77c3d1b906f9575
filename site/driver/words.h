// Texts that all drivers use alike.
#pragma once

namespace muster::driver {

// Answers a repeated start of a token that was refused, never ran, or whose end is unknown.
inline constexpr char kTokenIsOver[] = "this token was given up before: nothing of it starts";
// Text of the end of a part whose shepherd died without writing an exit record.
inline constexpr char kShepherdLost[] =
    "its shepherd is gone without a record: how it ended is unknown";

}  // namespace muster::driver
