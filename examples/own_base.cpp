// A flow over a base of your own: orbits crowd around a plane, so the flow begins as a band around the
// equator, exp(−κ z²)/Z on the sphere, instead of the uniform density, and learns what the band does not
// know.

#include <fmt/format.h>

#include <numbers>
#include <riemflow/riemflow.hpp>

using namespace riemflow;

class Band final : public Distribution<double> {
 public:
  explicit Band(double kappa)
      : kappa_(kappa),
        log_size_(std::log(2 * std::numbers::pi * std::sqrt(std::numbers::pi / kappa) *
                           std::erf(std::sqrt(kappa)))) {}

  std::string name() const override { return "band"; }
  int ambient() const override { return 3; }
  Pack<double> log_density(const Pack<double>* x) const override {
    return Pack<double>(-kappa_) * x[2] * x[2] - Pack<double>(log_size_);
  }
  Pack<double> log_density_gradient(const Pack<double>* x, Pack<double>* gradient) const override {
    gradient[0] = gradient[1] = Pack<double>(0);
    gradient[2] = Pack<double>(-2 * kappa_) * x[2];
    return log_density(x);
  }
  /// z is uniform on the sphere: by rejection.
  void sample(Random& random, Pack<double>* x, int lane) const override {
    double z = 0;
    do z = 2 * random.uniform() - 1;
    while (random.uniform() > std::exp(-kappa_ * z * z));
    const double angle = 2 * std::numbers::pi * random.uniform();
    x[0][lane] = std::sqrt(1 - z * z) * std::cos(angle);
    x[1][lane] = std::sqrt(1 - z * z) * std::sin(angle);
    x[2][lane] = z;
  }

 private:
  double kappa_, log_size_;
};

int main() try {
  const auto base = std::make_shared<Band>(20);
  FlowConfig config;
  config.manifold = "sphere:2";
  config.field.width = 16;
  config.field.depth = 2;
  const auto flow = make_transport<float>(config, /*seed=*/1, /*threads=*/0, Device::cpu, base);

  // Points of the band, with more of them on one side.
  Points<float> data(0, 3), held_out(0, 3);
  const Points<double> draws = draws_of(*base, 3000, /*seed=*/7);
  for (std::size_t i = 0; i < draws.size(); ++i)
    if (draws[i][0] > 0 || i % 4 == 0)
      for (const double x : draws[i]) (i % 5 == 0 ? held_out : data).values.push_back(static_cast<float>(x));

  TrainConfig training;
  training.batch = 200;
  training.schedule.rate = 2e-2;
  Trainer<float> trainer(*flow, training);
  LikelihoodObjective<float> likelihood(*flow, data, training);
  double before = 0;
  for (const double log_p : flow->log_base(held_out)) before -= log_p / static_cast<double>(held_out.size());
  while (trainer.iteration() < 200) trainer.step(likelihood);
  fmt::print("NLL of {} held-out points: the band {:.3f}, the flow over it {:.3f} nats\n", held_out.size(),
             before, -flow->log_prob(held_out).mean());
} catch (const Error& error) {
  fmt::print(stderr, "{}\n", error.what());
  return 1;
}
