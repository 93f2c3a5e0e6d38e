// A flow learns a density of your own by reverse KL, from its formula alone: two angles a and b with density
// (1 + c cos(a − b))/(2π)² on the torus.

#include <fmt/format.h>

#include <numbers>
#include <riemflow/riemflow.hpp>

using namespace riemflow;

class AlikeAngles final : public Distribution<double> {
 public:
  explicit AlikeAngles(double c) : c_(c) {}

  std::string name() const override { return "alike-angles"; }
  int ambient() const override { return 2; }
  Pack<double> log_density(const Pack<double>* x) const override {
    Pack<double> value;
    for (int l = 0; l < kLanes; ++l)
      value[l] = std::log1p(c_ * std::cos(x[0][l] - x[1][l])) - 2 * std::log(2 * std::numbers::pi);
    return value;
  }
  Pack<double> log_density_gradient(const Pack<double>* x, Pack<double>* gradient) const override {
    for (int l = 0; l < kLanes; ++l) {
      const double difference = x[0][l] - x[1][l];
      gradient[0][l] = -c_ * std::sin(difference) / (1 + c_ * std::cos(difference));
      gradient[1][l] = -gradient[0][l];
    }
    return log_density(x);
  }
  /// By rejection of uniform points. Draws start the training and show what the model misses.
  void sample(Random& random, Pack<double>* x, int lane) const override {
    do torus_.random_uniform(random, x, lane);
    while (random.uniform() * (1 + c_) > 1 + c_ * std::cos(x[0][lane] - x[1][lane]));
  }

 private:
  Torus<double> torus_{2};
  double c_;
};

int main() try {
  DataSet data;
  data.manifold = "torus:2";
  data.target = std::make_shared<AlikeAngles>(0.9);
  data.name = data.target->name();
  const FitOptions options = options_of(
      {{"width", "16"}, {"depth", "2"}, {"iterations", "150"}, {"forward-start", "50"}, {"batch", "200"}});
  Observer silent;
  const FitResult result = fit(data, options, silent);
  fmt::print("KL(model ‖ target) {:.4f} ± {:.4f} nats\n", result.target->reverse_kl,
             result.target->standard_error);
  fmt::print("KL(target ‖ model) {:.4f} ± {:.4f} nats\n", result.cover->forward_kl,
             result.cover->standard_error);
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
