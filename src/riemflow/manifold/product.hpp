#pragma once
// M₁ × … × M_k with the sum of the metrics: coordinates and seeds of the factors one after another, so that
// frames and seeds are block-diagonal, squared lengths and log-volumes add, and all else goes factor by
// factor.

#include <fmt/format.h>

#include <algorithm>
#include <type_traits>

#include "riemflow/core/error.hpp"
#include "riemflow/manifold/common.hpp"
#include "riemflow/manifold/drawn_coordinates.hpp"
#include "riemflow/manifold/manifold.hpp"
#include "riemflow/manifold/product_covering.hpp"

namespace riemflow {

template <class T>
class Product final : public Manifold<T> {
 public:
  /// A product among the parts counts as its factors. Throws Error if there are none. covering: in float,
  /// that of the same product in double, as coverings are of manifolds in double.
  explicit Product(std::vector<std::shared_ptr<const Manifold<T>>> parts,
                   std::shared_ptr<const Covering> covering = nullptr)
      : parts_(std::move(parts)), covering_(std::move(covering)) {
    require(!parts_.empty(), "a product of no manifolds",
            "give at least one factor, as in sphere:2 x torus:1");
    for (const auto& part : parts_) {
      require(part != nullptr, "a product with an empty factor", "give every factor a manifold");
      for (Factor<T> f : part->factors()) {
        f.row += ambient_;
        f.seed += d_;
        factors_.push_back(f);
      }
      ambient_ += part->ambient();
      d_ += part->dimension();
    }
    const auto covered = [](const Factor<T>& f) { return f.manifold->covering() != nullptr; };
    if (std::none_of(factors_.begin(), factors_.end(), covered)) return;
    if constexpr (std::is_same_v<T, double>) {
      FullFactors all;
      for (const auto& part : parts_)
        for (const Factor<T>& f : part->factors()) all.emplace_back(part, f.manifold);
      covering_ = product_covering(std::move(all));
    }
    require(covering_ != nullptr, "the product " + name() + " in float without its covering",
            "make it as a Space, in both precisions", Fault::internal);
  }

  std::string name() const override {
    std::string joined;
    for (const auto& f : factors_) joined += (joined.empty() ? "" : " x ") + f.manifold->name();
    return joined;
  }
  std::string words() const override { return "the product " + name(); }
  std::string unit_of_volume() const override {
    std::vector<std::string> units;
    for (const auto& f : factors_) units.push_back(f.manifold->unit_of_volume());
    return product_of_units(units);
  }
  /// Where all factors have some.
  std::optional<DrawnCoordinates> drawn_coordinates() const override {
    std::vector<DrawnCoordinates> parts;
    std::vector<int> ambient;
    for (const auto& f : factors_) {
      auto own = f.manifold->drawn_coordinates();
      if (!own) return std::nullopt;
      parts.push_back(std::move(*own));
      ambient.push_back(f.manifold->ambient());
    }
    return product_coordinates(std::move(parts), std::move(ambient));
  }
  int dimension() const override { return d_; }
  int ambient() const override { return ambient_; }
  bool compact() const override {
    bool all = true;
    for (const auto& f : factors_) all = all && f.manifold->compact();
    return all;
  }
  double log_volume() const override {
    double sum = 0;
    for (const auto& f : factors_) sum += f.manifold->log_volume();
    return sum;
  }
  std::vector<Factor<T>> factors() const override { return factors_; }
  /// The product of the factors' coverings; null if none has one.
  std::shared_ptr<const Covering> covering() const override { return covering_; }

  void project(Pack<T>* x) const override {
    for (const auto& f : factors_) f.manifold->project(x + f.row);
  }
  /// Says which factor.
  std::optional<std::string> defect(std::span<const T> point) const override {
    if (point.size() != static_cast<std::size_t>(ambient_)) return coordinate_defect(point, ambient_);
    for (std::size_t i = 0; i < factors_.size(); ++i) {
      const auto& [manifold, row, seed] = factors_[i];
      const int n = manifold->ambient();
      if (auto bad =
              manifold->defect(point.subspan(static_cast<std::size_t>(row), static_cast<std::size_t>(n))))
        return fmt::format("factor {} ({}, coordinates {} to {}): {}", i + 1, manifold->name(), row + 1,
                           row + n, *bad);
    }
    return std::nullopt;
  }
  void to_tangent(const Pack<T>* x, Pack<T>* v) const override {
    for (const auto& f : factors_) f.manifold->to_tangent(x + f.row, v + f.row);
  }
  Pack<T> inner(const Pack<T>* x, const Pack<T>* u, const Pack<T>* v) const override {
    Pack<T> sum = 0;
    for (const auto& f : factors_) sum += f.manifold->inner(x + f.row, u + f.row, v + f.row);
    return sum;
  }
  void lower(const Pack<T>* x, Pack<T>* v) const override {
    for (const auto& f : factors_) f.manifold->lower(x + f.row, v + f.row);
  }
  void frame(const Pack<T>* x, PackMatrix<T> e) const override {
    clear(e);
    for (const auto& f : factors_) f.manifold->frame(x + f.row, e.from(f.row, f.seed));
  }

  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override {
    for (const auto& f : factors_) f.manifold->exp(x + f.row, v + f.row, y + f.row);
  }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override {
    for (const auto& f : factors_) f.manifold->log(x + f.row, y + f.row, v + f.row);
  }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override {
    return root_of_squares(&Manifold<T>::distance, x, y);
  }
  Pack<T> distance_at_least(const Pack<T>* x, const Pack<T>* y) const override {
    return root_of_squares(&Manifold<T>::distance_at_least, x, y);
  }
  void transport(const Pack<T>* x, const Pack<T>* y, const Pack<T>* v, Pack<T>* w) const override {
    for (const auto& f : factors_) f.manifold->transport(x + f.row, y + f.row, v + f.row, w + f.row);
  }
  void path(const Pack<T>* from, const Pack<T>* to, const Pack<T>& t, Pack<T>* x,
            Pack<T>* velocity) const override {
    for (const auto& f : factors_) f.manifold->path(from + f.row, to + f.row, t, x + f.row, velocity + f.row);
  }

  Pack<T> log_volume_density(const Pack<T>* x) const override {
    Pack<T> sum = 0;
    for (const auto& f : factors_) sum += f.manifold->log_volume_density(x + f.row);
    return sum;
  }
  void random_uniform(Random& random, Pack<T>* x, int lane) const override {
    for (const auto& f : factors_) f.manifold->random_uniform(random, x + f.row, lane);
  }

  LaneMask in_domain(const Pack<T>* x) const override {
    LaneMask all;
    all.lane.fill(true);
    for (const auto& f : factors_) {
      const LaneMask m = f.manifold->in_domain(x + f.row);
      for (std::size_t l = 0; l < m.lane.size(); ++l) all.lane[l] = all.lane[l] && m.lane[l];
    }
    return all;
  }
  void project_backward(const Pack<T>* x, Pack<T>* x_bar) const override {
    for (const auto& f : factors_) f.manifold->project_backward(x + f.row, x_bar + f.row);
  }
  void error_weight(const Pack<T>* x, Pack<T>* weight) const override {
    for (const auto& f : factors_) f.manifold->error_weight(x + f.row, weight + f.row);
  }
  void seed_basis(const Pack<T>* x, PackMatrix<T> v) const override {
    clear(v);
    for (const auto& f : factors_) f.manifold->seed_basis(x + f.row, v.from(f.row, f.seed));
  }
  void seed_basis_backward(const Pack<T>* x, PackMatrix<T> v, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override {
    for (const auto& f : factors_)
      f.manifold->seed_basis_backward(x + f.row, v.from(f.row, f.seed), v_bar.from(f.row, f.seed),
                                      x_bar + f.row);
  }
  // A probe has noise in all factors at once, so the blocks are of rows only.
  void seed_probe(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v) const override {
    for (const auto& f : factors_)
      f.manifold->seed_probe(x + f.row, noise.from(f.row, 0), k, v.from(f.row, 0));
  }
  void seed_probe_backward(const Pack<T>* x, PackMatrix<T> noise, int k, PackMatrix<T> v_bar,
                           Pack<T>* x_bar) const override {
    for (const auto& f : factors_)
      f.manifold->seed_probe_backward(x + f.row, noise.from(f.row, 0), k, v_bar.from(f.row, 0),
                                      x_bar + f.row);
  }
  void velocity(const OutputJet<T>& jet, Pack<T>* f, Rates<T>& rates) const override {
    for (const auto& p : factors_) p.manifold->velocity(jet.from(p.row), f + p.row, rates);
  }
  void velocity_backward(const OutputJet<T>& jet, Pack<T>* f_bar, const Rates<T>& rates_bar,
                         PackMatrix<T> u_bar, PackMatrix<T> x_bar) const override {
    for (const auto& p : factors_)
      p.manifold->velocity_backward(jet.from(p.row), f_bar + p.row, rates_bar, u_bar.from(p.row, 0),
                                    x_bar.from(p.row, 0));
  }

 private:
  /// Of what the factors measure.
  Pack<T> root_of_squares(Pack<T> (Manifold<T>::*measure)(const Pack<T>*, const Pack<T>*) const,
                          const Pack<T>* x, const Pack<T>* y) const {
    Pack<T> square = 0;
    for (const auto& f : factors_) {
      const Pack<T> r = (f.manifold->*measure)(x + f.row, y + f.row);
      square += r * r;
    }
    return sqrt(square);
  }
  void clear(PackMatrix<T> blocks) const {
    for (int i = 0; i < ambient_; ++i)
      for (int j = 0; j < d_; ++j) blocks(i, j) = 0;
  }

  std::vector<std::shared_ptr<const Manifold<T>>> parts_;
  std::vector<Factor<T>> factors_;
  std::shared_ptr<const Covering> covering_;
  int d_ = 0;
  int ambient_ = 0;
};

}  // namespace riemflow
