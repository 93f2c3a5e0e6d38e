#pragma once

#include <memory>
#include <mutex>
#include <string>

#include "riemflow/model/model_file.hpp"

namespace riemflow::python {

/// A model and, once it is asked, its density: with exact divergences, whatever it was trained with.
class ModelDensity {
 public:
  explicit ModelDensity(Model model, Evaluation how = {})
      : ModelDensity(std::make_shared<const Model>(std::move(model)), how) {}
  ModelDensity(std::shared_ptr<const Model> model, Evaluation how) : model_(std::move(model)), how_(how) {}
  ModelDensity(const ModelDensity& other) : ModelDensity(other.model_, other.how_) {}

  const Model& model() const { return *model_; }
  const std::shared_ptr<const Model>& shared_model() const { return model_; }
  const Evaluation& how() const { return how_; }
  /// Made by the first thread that asks.
  const Density& density() const {
    const std::lock_guard lock(mutex_);
    TaskObserver silent;
    if (density_ == nullptr) density_ = make_exact_density(*model_, how_, silent);
    return *density_;
  }

 private:
  std::shared_ptr<const Model> model_;
  Evaluation how_;
  mutable std::mutex mutex_;
  mutable std::unique_ptr<const Density> density_;
};

}  // namespace riemflow::python
