// Closed forms, their mixtures and products, and densities that a Python function knows.

#include "python/src/distribution.hpp"

#include <pybind11/eigen.h>
#include <pybind11/stl.h>

#include "python/src/arrays.hpp"
#include "python/src/computing.hpp"
#include "riemflow/core/executor.hpp"
#include "riemflow/distribution/angular_central_gaussian.hpp"
#include "riemflow/distribution/bingham.hpp"
#include "riemflow/distribution/bivariate_von_mises.hpp"
#include "riemflow/distribution/draws.hpp"
#include "riemflow/distribution/kent.hpp"
#include "riemflow/distribution/matrix_fisher.hpp"
#include "riemflow/distribution/mixture_distribution.hpp"
#include "riemflow/distribution/normal.hpp"
#include "riemflow/distribution/parse_target.hpp"
#include "riemflow/distribution/product_distribution.hpp"
#include "riemflow/distribution/uniform.hpp"
#include "riemflow/distribution/von_mises_fisher.hpp"
#include "riemflow/distribution/watson.hpp"
#include "riemflow/distribution/wrapped_normal.hpp"
#include "riemflow/manifold/parse.hpp"

namespace riemflow::python {
namespace {

using Density = Distribution<double>;
using Array = py::array_t<double, py::array::c_style | py::array::forcecast>;

/// A Python function of an array [n, ambient] that returns the logarithms of the density [n], of any
/// normalisation, and their gradients [n, ambient]; and one that draws, or None.
class CallableTarget final : public Density {
 public:
  CallableTarget(py::function function, py::object draw, int ambient, std::string name)
      : function_(std::move(function)), draw_(std::move(draw)), ambient_(ambient), name_(std::move(name)) {}
  ~CallableTarget() override {
    const py::gil_scoped_acquire lock;
    function_ = py::function();
    draw_ = py::object();
  }

  std::string name() const override { return name_; }
  int ambient() const override { return ambient_; }
  bool can_sample() const override { return !draw_.is_none(); }
  Pack<double> log_density(const Pack<double>* x) const override {
    std::vector<Pack<double>> gradient(static_cast<std::size_t>(ambient_));
    return log_density_gradient(x, gradient.data());
  }
  Pack<double> log_density_gradient(const Pack<double>* x, Pack<double>* gradient) const override {
    const py::gil_scoped_acquire lock;
    Points<double> points(kLanes, ambient_);
    points.store_tile(0, x);
    const py::object answer = function_(array_of(std::move(points)));
    if (!py::isinstance<py::tuple>(answer) || py::len(answer) != 2)
      fail("returned no pair", "return the values [n] and the gradients [n, ambient]");
    const auto values = Array::ensure(answer[py::int_(0)]), gradients = Array::ensure(answer[py::int_(1)]);
    if (!values || !gradients) throw py::error_already_set();
    if (values.ndim() != 1 || values.shape(0) != kLanes)
      fail("did not return one value per point",
           fmt::format("return an array [{}] for {} points", kLanes, kLanes));
    if (gradients.ndim() != 2 || gradients.shape(0) != kLanes || gradients.shape(1) != ambient_)
      fail("did not return one gradient per point",
           fmt::format("return an array [{}, {}] for {} points", kLanes, ambient_, kLanes));
    Pack<double> value;
    for (int l = 0; l < kLanes; ++l) {
      value[l] = values.at(l);
      for (int i = 0; i < ambient_; ++i) gradient[i][l] = gradients.at(l, i);
    }
    return value;
  }
  void sample(Random& random, Pack<double>* x, int lane) const override {
    const py::gil_scoped_acquire lock;
    if (draw_.is_none()) fail("cannot be drawn from", "give draws of it");
    const auto seed = static_cast<std::uint64_t>(random.uniform() * 0x1p32);
    const auto point = Array::ensure(draw_(1, seed));
    if (!point) throw py::error_already_set();
    if (point.size() != ambient_)
      fail("did not draw one point", fmt::format("return an array [1, {}]", ambient_));
    for (int i = 0; i < ambient_; ++i) x[i][lane] = point.data()[i];
  }

 private:
  [[noreturn]] static void fail(const std::string& problem, const std::string& advice) {
    throw Error("the target " + problem, advice, Fault::bad_data);
  }

  py::function function_;
  py::object draw_;
  int ambient_;
  std::string name_;
};

/// Values and, unless null, gradients, over all threads.
std::vector<double> evaluate(const Density& density, const Points<double>& points,
                             Points<double>* gradients) {
  std::vector<double> values(points.size());
  Executor executor;
  in_pieces(&executor, points.tiles(), 16, [&](std::size_t begin, std::size_t end) {
    std::vector<Pack<double>> x(static_cast<std::size_t>(points.dimension)), slope(x.size());
    for (std::size_t t = begin; t < end; ++t) {
      points.load_tile(t, x.data());
      const Pack<double> value = gradients == nullptr ? density.log_density(x.data())
                                                      : density.log_density_gradient(x.data(), slope.data());
      for (int l = 0; l < points.lanes(t); ++l) values[t * kLanes + static_cast<std::size_t>(l)] = value[l];
      if (gradients != nullptr) gradients->store_tile(t, slope.data());
    }
  });
  return values;
}

Points<double> points_for(const Density& density, const py::array& array) {
  const ArrayView view(array);
  require(view.columns() == density.ambient(), fmt::format("points of {} numbers", view.columns()),
          fmt::format("{} needs {} numbers per point", density.name(), density.ambient()), Fault::bad_data);
  return view.all();
}

template <class Make>
DistributionHolder made(const Make& make) {
  return std::const_pointer_cast<Density>(std::shared_ptr<const Density>(make()));
}

template <class D, class... Arguments>
DistributionHolder made_of(const Arguments&... arguments) {
  return made([&] { return std::make_shared<const D>(arguments...); });
}

/// fit(points, weights), without the lock of Python.
template <class Fit>
auto fitted(const Fit& fit, const py::array& array, const Weights& weights) {
  const Points<double> points = ArrayView(array).all();
  return computed([&] { return fit(points, weights); });
}

/// Densities of axes, ovals, torsions and rotations, each beside its maximum likelihood estimate, which
/// returns the parameters.
void bind_directional(py::module_& module) {
  const auto mean = py::arg("mean");
  const auto matrix = py::arg("matrix");
  const auto points = py::arg("points");
  const auto weights = py::arg("weights");
  module.def("watson", &made_of<Watson, Eigen::VectorXd, double>, py::arg("axis"), py::arg("kappa"));
  module.def(
      "fit_watson",
      [](const py::array& x, const Weights& w) {
        const Watson p = fitted(fit_watson, x, w);
        return std::pair(p.axis(), p.kappa());
      },
      points, weights);
  module.def("bingham", &made_of<Bingham, Eigen::MatrixXd>, matrix);
  module.def(
      "fit_bingham", [](const py::array& x, const Weights& w) { return fitted(fit_bingham, x, w).matrix(); },
      points, weights);
  module.def("matrix_fisher", &made_of<MatrixFisher, Eigen::Matrix3d>, matrix);
  module.def(
      "fit_matrix_fisher",
      [](const py::array& x, const Weights& w) { return fitted(fit_matrix_fisher, x, w).matrix(); }, points,
      weights);
  module.def("kent", &made_of<Kent, Eigen::Vector3d, Eigen::Vector3d, double, double>, mean, py::arg("major"),
             py::arg("kappa"), py::arg("beta"));
  module.def(
      "fit_kent",
      [](const py::array& x, const Weights& w) {
        const Kent p = fitted(fit_kent, x, w);
        return std::tuple(Eigen::Vector3d(p.frame().col(0)), Eigen::Vector3d(p.frame().col(1)), p.kappa(),
                          p.beta());
      },
      points, weights);
  module.def("angular_central_gaussian", &made_of<AngularCentralGaussian, Eigen::MatrixXd>,
             py::arg("covariance"));
  module.def(
      "fit_angular_central_gaussian",
      [](const py::array& x, const Weights& w) {
        return fitted(fit_angular_central_gaussian, x, w).covariance();
      },
      points, weights);
  module.def("bivariate_von_mises", &made_of<BivariateVonMises, Eigen::Vector2d, double, double, double>,
             mean, py::arg("kappa1"), py::arg("kappa2"), py::arg("dependence"));
  module.def(
      "fit_bivariate_von_mises",
      [](const py::array& x, const Weights& w) {
        const BivariateVonMises p = fitted(fit_bivariate_von_mises, x, w);
        return std::tuple(p.mean(), p.kappa1(), p.kappa2(), p.lambda());
      },
      points, weights);
}

}  // namespace

void bind_distribution(py::module_& module) {
  py::class_<Density, DistributionHolder>(module, "Distribution", "A density in closed form.")
      .def_property_readonly("name", &Density::name)
      .def_property_readonly("ambient", &Density::ambient)
      .def(
          "log_prob",
          [](const Density& self, const py::array& array) {
            const Points<double> points = points_for(self, array);
            return array_of(computed([&] { return evaluate(self, points, nullptr); }));
          },
          py::arg("points"))
      .def(
          "log_prob_gradient",
          [](const Density& self, const py::array& array) {
            const Points<double> points = points_for(self, array);
            Points<double> gradients(points.size(), points.dimension);
            std::vector<double> values = computed([&] { return evaluate(self, points, &gradients); });
            return py::make_tuple(array_of(std::move(values)), array_of(std::move(gradients)));
          },
          py::arg("points"))
      .def(
          "sample",
          [](const Density& self, std::size_t n, std::uint64_t seed) {
            return array_of(computed([&] { return draws_of(self, n, seed); }));
          },
          py::arg("n"), py::arg("seed"))
      .def("entropy", &Density::entropy);
  module.def(
      "vmf",
      [](const Eigen::VectorXd& mean, double kappa) {
        return made([&] { return std::make_shared<const VonMisesFisher<double>>(mean, kappa); });
      },
      py::arg("mean"), py::arg("kappa"));
  module.def(
      "wrapped_normal",
      [](double curvature, const Eigen::VectorXd& mean, const Eigen::MatrixXd& covariance) {
        return made([&] {
          return std::make_shared<const WrappedNormal<double>>(static_cast<int>(mean.size()), curvature, mean,
                                                               covariance);
        });
      },
      py::arg("curvature"), py::arg("mean"), py::arg("covariance"));
  bind_directional(module);
  module.def(
      "normal", [](int d) { return made([&] { return std::make_shared<const StandardNormal<double>>(d); }); },
      py::arg("dimension"));
  module.def(
      "uniform",
      [](const std::string& manifold) {
        return made([&] {
          return std::make_shared<const Uniform<double>>(
              std::shared_ptr<const Manifold<double>>(parse_manifold<double>(manifold)));
        });
      },
      py::arg("manifold"));
  module.def(
      "mixture",
      [](const std::vector<double>& weights, const std::vector<DistributionHolder>& components) {
        require(weights.size() == components.size(),
                fmt::format("{} weights for {} components", weights.size(), components.size()),
                "give one weight per component");
        std::vector<MixtureDistribution<double>::Component> parts;
        for (std::size_t k = 0; k < weights.size(); ++k) parts.push_back({weights[k], components[k]});
        return made([&] { return std::make_shared<const MixtureDistribution<double>>(parts); });
      },
      py::arg("weights"), py::arg("components"));
  module.def(
      "product",
      [](const std::vector<DistributionHolder>& factors) {
        return made([&] {
          return std::make_shared<const ProductDistribution<double>>(
              std::vector<std::shared_ptr<const Density>>(factors.begin(), factors.end()));
        });
      },
      py::arg("factors"));
  module.def(
      "named_target",
      [](const std::string& text, const std::string& manifold) {
        return made([&] {
          return parse_target<double>(
              text, std::shared_ptr<const Manifold<double>>(parse_manifold<double>(manifold)));
        });
      },
      py::arg("text"), py::arg("manifold"));
  module.def(
      "callable_target",
      [](py::function function, py::object draw, int ambient, std::string name) {
        return made([&] {
          return std::make_shared<const CallableTarget>(std::move(function), std::move(draw), ambient,
                                                        std::move(name));
        });
      },
      py::arg("function"), py::arg("draw"), py::arg("ambient"), py::arg("name"));
}

}  // namespace riemflow::python
