// The code that all geometries share: forms by waste, and the first or all placements of them.
#include "site/machine/geometry.h"

#include <algorithm>
#include <utility>

namespace muster::machine {

void Geometry::Keep(std::vector<Form> forms) {
  const Bits all(unit_count_, true);
  std::erase_if(forms, [&](const Form& form) { return !Corners(form, all).Any(); });
  std::stable_sort(forms.begin(), forms.end(),
                   [](const Form& a, const Form& b) { return a.units < b.units; });
  forms_ = std::move(forms);
}

std::vector<Form> Geometry::FormsFor(uint32_t units, int waste_percent) const {
  std::vector<Form> out;
  const auto first = std::partition_point(forms_.begin(), forms_.end(),
                                          [&](const Form& form) { return form.units < units; });
  for (auto it = first; it != forms_.end(); ++it) {
    const bool least = it->units == first->units;
    const uint64_t wasted = uint64_t{it->units - units} * 100;
    if (!least && wasted > uint64_t{units} * static_cast<uint64_t>(waste_percent)) break;
    out.push_back(*it);
  }
  return out;
}

std::optional<Placement> Geometry::FirstWithin(const std::vector<Form>& forms,
                                               const Bits& free) const {
  const size_t room = free.Count();
  for (const Form& form : forms) {
    if (form.units > room) break;
    const size_t corner = Corners(form, free).First();
    if (corner < unit_count_) return Placement{form, static_cast<uint32_t>(corner)};
  }
  return std::nullopt;
}

std::vector<Placement> Geometry::LeastWaste(const std::vector<Form>& forms,
                                            const Bits& free) const {
  std::vector<Placement> out;
  const size_t room = free.Count();
  for (const Form& form : forms) {
    if (form.units > room) break;
    if (!out.empty() && form.units > out.front().form.units) break;
    Corners(form, free).ForEach([&](size_t corner) {
      out.push_back({form, static_cast<uint32_t>(corner)});
    });
  }
  return out;
}

}  // namespace muster::machine
