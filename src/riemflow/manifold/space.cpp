#include "riemflow/manifold/space.hpp"

#include <algorithm>
#include <utility>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/covering.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/product.hpp"

namespace riemflow {

Space::Space() {
  static const Space usual = named("sphere:2");
  both_ = usual.both_;
}

Space::Space(std::shared_ptr<const Manifold<float>> single, std::shared_ptr<const Manifold<double>> full) {
  require(single != nullptr && full != nullptr && single->ambient() == full->ambient() &&
              single->dimension() == full->dimension(),
          "a space whose two precisions differ", "pass the same manifold in float and in double");
  both_ = std::make_shared<const Both>(Both{full->name(), std::move(single), std::move(full)});
}

Space Space::named(std::string_view name, std::span<const Space> own) {
  if (own.empty()) return {parse_manifold<float>(name), parse_manifold<double>(name)};
  std::vector<Space> factors;
  for (const std::string_view factor : factor_names(name)) {
    const auto same = [&](const Space& space) { return space.name() == factor; };
    const auto found = std::find_if(own.begin(), own.end(), same);
    factors.push_back(found == own.end() ? named(factor) : *found);
  }
  return product(factors);
}

Space Space::product(const std::vector<Space>& factors) {
  if (factors.size() == 1) return factors.front();
  std::vector<std::shared_ptr<const Manifold<float>>> single;
  std::vector<std::shared_ptr<const Manifold<double>>> full;
  for (const Space& factor : factors) {
    single.push_back(factor.on<float>());
    full.push_back(factor.on<double>());
  }
  auto whole = std::make_shared<const Product<double>>(std::move(full));
  auto rounded = std::make_shared<const Product<float>>(std::move(single), whole->covering());
  return {std::move(rounded), std::move(whole)};
}

std::vector<Space> Space::factors() const {
  const auto single = on<float>()->factors();
  const auto full = on<double>()->factors();
  std::vector<Space> all;
  // They share ownership of the whole.
  for (std::size_t i = 0; i < full.size(); ++i)
    all.push_back({std::shared_ptr<const Manifold<float>>(on<float>(), single[i].manifold),
                   std::shared_ptr<const Manifold<double>>(on<double>(), full[i].manifold)});
  return all;
}

std::optional<Space> Space::leading(int n) const {
  auto full = on<double>()->leading(n);
  if (full == nullptr) return std::nullopt;
  return Space(on<float>()->leading(n), std::move(full));
}

Space Space::computed_on() const {
  if (on<double>()->covering() == nullptr) return *this;
  std::vector<Space> above;
  for (const Space& factor : factors()) {
    const std::shared_ptr<const Covering> covering = factor->covering();
    above.push_back(covering == nullptr ? factor : Space(covering->cover()->name()));
  }
  return product(above);
}

}  // namespace riemflow
