// The loops over rows of short integers that searches spend their time in, in the widest
// instructions that the machine has. Results are the same everywhere.
#pragma once

#include <cstddef>
#include <cstdint>

namespace muster::plan {

// into[i] = a[i] + b[i]
void SetToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count);
// into[i] = min(into[i], a[i])
void Lower(int16_t* into, const int16_t* a, size_t count);
// into[i] = min(into[i], a[i] + b[i])
void LowerToSum(int16_t* into, const int16_t* a, const int16_t* b, size_t count);
// row[i] = min(most, floor(max(row[i], 0) * part / 65536))
void Divide(int16_t* row, size_t count, uint16_t part, int16_t most);
// row[i] = min(most, max(row[i], 0) * factor). REQUIRES that no product overflows.
void Multiply(int16_t* row, size_t count, int16_t factor, int16_t most);
int64_t SumOf(const int16_t* row, size_t count);

}  // namespace muster::plan
