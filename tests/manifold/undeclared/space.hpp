// A space as it would stand in the table of riemflow/manifold/parse.cpp, with all that it must say but what a
// macro LEAVE_OUT_… names: undeclared_test compiles it.

#include "riemflow/manifold/chart.hpp"
#include "riemflow/manifold/declared.hpp"

namespace riemflow {

template <class T>
class Line final : public FlatChart<T> {
 public:
  Line() : FlatChart<T>(1) {}
#ifndef LEAVE_OUT_name
  std::string name() const override { return "line:1"; }
#endif
#ifndef LEAVE_OUT_unit_of_volume
  std::string unit_of_volume() const override { return "unit of length"; }
#endif
#ifndef LEAVE_OUT_column_form
  ColumnForm column_form() const override { return {}; }
#endif
#ifndef LEAVE_OUT_picture
  Picture picture() const override { return {}; }
#endif
#ifndef LEAVE_OUT_default_base
  DefaultBase default_base() const override { return DefaultBase::normal; }
#endif
#ifndef LEAVE_OUT_kernel_form
  KernelForm kernel_form() const override { return {}; }
#endif
#ifndef LEAVE_OUT_part
  std::optional<PatchPart> part(double) const override { return std::nullopt; }
#endif
#ifndef LEAVE_OUT_features
  std::shared_ptr<const Features<T>> features() const override { return nullptr; }
#endif
  bool compact() const override { return false; }
  double log_volume() const override { return HUGE_VAL; }
  void project(Pack<T>*) const override {}
  void exp(const Pack<T>* x, const Pack<T>* v, Pack<T>* y) const override { y[0] = x[0] + v[0]; }
  void log(const Pack<T>* x, const Pack<T>* y, Pack<T>* v) const override { v[0] = y[0] - x[0]; }
  Pack<T> distance(const Pack<T>* x, const Pack<T>* y) const override { return abs(y[0] - x[0]); }
  void random_uniform(Random&, Pack<T>*, int) const override {}
#ifdef LEAVE_OUT_nothing_and_bend
  Pack<T> inner(const Pack<T>*, const Pack<T>*, const Pack<T>*) const override { return 0; }
#endif
};

std::unique_ptr<const Manifold<double>> line() { return declared_space<Line, double>().release(); }

}  // namespace riemflow
