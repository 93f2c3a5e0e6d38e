#include "riemflow/manifold/product_covering.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "riemflow/manifold/product.hpp"

namespace riemflow {
namespace {

class ProductCovering final : public Covering {
 public:
  explicit ProductCovering(FullFactors factors) : factors_(std::move(factors)) {
    FullFactors covers;
    for (const auto& factor : factors_) {
      const std::shared_ptr<const Covering> covering = factor->covering();
      covers.push_back(covering ? covering->cover() : factor);
      const int above = covers.back()->ambient();
      parts_.push_back({covering, factor->ambient(), above, covering ? covering->sheets() : 1});
      sheets_ *= parts_.back().sheets;
      ambient_ += factor->ambient();
    }
    cover_ = std::make_shared<Product<double>>(std::move(covers));
  }

  const std::shared_ptr<const Manifold<double>>& cover() const override { return cover_; }
  int ambient() const override { return ambient_; }
  std::size_t sheets() const override { return sheets_; }
  std::optional<std::string> defect(const double* y) const override {
    for (std::size_t f = 0; f < parts_.size(); y += parts_[f++].below)
      if (const auto bad = parts_[f].covering ? parts_[f].covering->defect(y) : std::nullopt)
        return fmt::format("factor {} ({}): {}", f + 1, factors_[f]->name(), *bad);
    return std::nullopt;
  }
  void lift(const double* y, std::size_t sheet, double* x) const override {
    for (const Part& part : parts_) {
      if (part.covering)
        part.covering->lift(y, sheet % part.sheets, x);
      else
        std::copy_n(y, part.below, x);
      sheet /= part.sheets;
      y += part.below;
      x += part.above;
    }
  }
  void drop(const double* x, double* y) const override {
    for (const Part& part : parts_) {
      if (part.covering)
        part.covering->drop(x, y);
      else
        std::copy_n(x, part.below, y);
      y += part.below;
      x += part.above;
    }
  }
  double log_stretch(const double* x, double* x_bar) const override {
    double sum = 0;
    for (const Part& part : parts_) {
      if (part.covering) sum += part.covering->log_stretch(x, x_bar);
      x += part.above;
      if (x_bar != nullptr) x_bar += part.above;
    }
    return sum;
  }
  void pull_back(const double* y, std::size_t sheet, const double* x, const double* x_bar,
                 double* y_bar) const override {
    for (const Part& part : parts_) {
      if (part.covering)
        part.covering->pull_back(y, sheet % part.sheets, x, x_bar, y_bar);
      else
        std::copy_n(x_bar, part.below, y_bar);
      sheet /= part.sheets;
      y += part.below;
      y_bar += part.below;
      x += part.above;
      x_bar += part.above;
    }
  }
  void carry(const double* x, std::size_t sheet, double* v) const override {
    for (const Part& part : parts_) {
      if (part.covering) part.covering->carry(x, sheet % part.sheets, v);
      sheet /= part.sheets;
      x += part.above;
      v += part.above;
    }
  }

 private:
  struct Part {
    std::shared_ptr<const Covering> covering;
    int below, above;  ///< numbers of a point on the factor and on its cover
    std::size_t sheets;
  };
  FullFactors factors_;
  std::vector<Part> parts_;
  std::shared_ptr<const Manifold<double>> cover_;
  std::size_t sheets_ = 1;
  int ambient_ = 0;
};

}  // namespace

std::shared_ptr<const Covering> product_covering(FullFactors factors) {
  return std::make_shared<ProductCovering>(std::move(factors));
}

}  // namespace riemflow
