// Re-exports verifier/fits.h, which decides whether a site could ever run a part.
#pragma once

#include "verifier/fits.h"

namespace muster::partitioner {

using verifier::AmountText;
using verifier::ChunksOption;
using verifier::ChunksText;
using verifier::Misfit;
using verifier::WhyNever;

}  // namespace muster::partitioner
