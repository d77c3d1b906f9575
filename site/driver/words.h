// What all drivers say in the same words.
#pragma once

namespace muster::driver {

// Why a token does not start that was refused, was found never to run, or of which nobody can tell.
inline constexpr char kTokenIsOver[] = "this token was given up before: nothing of it starts";
// How a part ended whose shepherd did not live to say it.
inline constexpr char kShepherdLost[] =
    "its shepherd is gone without a record: how it ended is unknown";

}  // namespace muster::driver
