#include "riemflow/manifold/declared.hpp"

#include <gtest/gtest.h>

#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/embedded.hpp"
#include "riemflow/manifold/parse.hpp"
#include "riemflow/manifold/positive.hpp"
#include "riemflow/manifold/stiefel.hpp"

namespace riemflow {
namespace {

/// A line that says nothing of itself but how it is measured. tests/manifold/undeclared has it in the table.
template <class T>
class Silent : public FlatChart<T> {
 public:
  Silent() : FlatChart<T>(1) {}
  std::string name() const override { return "silent:1"; }
  bool compact() const override { return false; }
  double log_volume() const override { return HUGE_VAL; }
  void project(Pack<T>*) const override {}
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override { y[0] = x[0] + v[0]; }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = y[0] - x[0]; }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(y[0] - x[0]); }
  void random_uniform(Random&, Pack<T>*, int) const override {}
};
template <class T>
struct Drawn : Silent<T> {
  Picture picture() const override { return {}; }
};
template <class T>
struct WithHalfOfItsFields : Silent<T> {
  std::shared_ptr<const Features<T>> features() const override { return nullptr; }
};

TEST(Declared, WhatASpaceLeavesOutIsKnownToTheCompiler) {
  using Nothing = Declares<Silent, double>;
  static_assert(!Nothing::covering && !Nothing::picture && !Nothing::unit && !Nothing::columns &&
                !Nothing::base && !Nothing::kernels && !Nothing::patches && !Nothing::fields);
  static_assert(Declares<Drawn, float>::picture && !Declares<Drawn, float>::unit);
  // A flat chart has its velocity from its class; what networks see of a point is still to be said.
  static_assert(Declares<WithHalfOfItsFields, double>::fields);
  // Through the classes in between.
  static_assert(Declares<Stiefel, double>::kernels && Declares<Stiefel, double>::patches);
  using Told = Declares<Positive, double>;
  static_assert(Told::covering && Told::base && Told::kernels && Told::patches && Told::fields &&
                Told::columns);
}

// What a space of the table says is what it has: names in both precisions, a picture, a unit.
TEST(Declared, EverySpaceOfTheTableSaysItAll) {
  for (const SpaceExample& example : space_examples()) {
    const auto space = parse_manifold<double>(example.name);
    EXPECT_EQ(parse_manifold<float>(example.name)->name(), space->name());
    EXPECT_NE(space->unit_of_volume(), "") << example.name;
    EXPECT_EQ(space->covering() == nullptr, space->features() != nullptr) << example.name;
    // What has no kernels of its own is computed on what has some, or says so.
    const bool kernels = space->kernel_form().family != KernelForm::Family::none;
    EXPECT_EQ(kernels, space->covering() == nullptr && space->matrix_form().rows == 0) << example.name;
    EXPECT_EQ(space->part(1).has_value(), kernels) << example.name;
  }
}

}  // namespace
}  // namespace riemflow
