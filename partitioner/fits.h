// Whether a site could ever run a part, under the partitioner's name: see verifier/fits.h.
#pragma once

#include "verifier/fits.h"

namespace muster::partitioner {

using verifier::AmountText;
using verifier::ChunksOption;
using verifier::ChunksText;
using verifier::Misfit;
using verifier::WhyNever;

}  // namespace muster::partitioner
