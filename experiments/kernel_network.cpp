// The network that learned kernels start from (data/kernel_network.txt), trained on synthetic points alone:
// clusters round and long, heavy-tailed ones, lines, curves, offspring of points that are there already,
// backgrounds, smooth densities, coordinates that were rounded; on spheres, tori, planes and a hyperbolic
// disk of one to seven dimensions. No data that figures are reported of play a part.
//
//   build/kernel_network FILE            trains and writes it: about a minute on two cores
//   build/kernel_network --check FILE    trains, and compares: the same bytes on any x86-64 with FMA

#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <fstream>
#include <numeric>
#include <sstream>

#include "riemflow/core/stopwatch.hpp"
#include "riemflow/distribution/base.hpp"
#include "riemflow/fit/optimizer.hpp"
#include "riemflow/kernel/learned_kernels.hpp"
#include "riemflow/manifold/parse.hpp"

using namespace riemflow;

namespace {

constexpr std::uint64_t kSeed = 7;
constexpr long kSets = 256, kSteps = 8000;
constexpr double kRate = 3e-3, kFewest = 40, kMost = 6000;
/// Of the points of a set; rounding makes equal ones of some.
constexpr std::size_t kLeastDifferent = 20;
/// Points scored at a step, and a fifth of the set at most; shares that are held out.
constexpr std::size_t kScored = 512;
constexpr double kShares[] = {0.1, 0.2, 0.4};
/// Half of the sets are of two dimensions, where most data are.
constexpr const char* kManifolds[] = {
    "sphere:2", "torus:2", "sphere:2", "euclidean:2", "sphere:2", "torus:7",     "torus:2", "euclidean:3",
    "sphere:2", "torus:1", "torus:2",  "ball:2",      "sphere:2", "euclidean:5", "torus:1", "torus:3"};

using Place = std::vector<Pack<double>>;  // one point in all lanes

double log_uniform(Random& random, double least, double most) {
  return least * std::exp(random.uniform() * std::log(most / least));
}

/// Points of one set, drawn one after the other.
class Synthetic {
 public:
  Synthetic(std::shared_ptr<const Manifold<double>> manifold, Random& random)
      : manifold_(std::move(manifold)),
        base_(default_base<double>(manifold_)),
        d_(static_cast<std::size_t>(manifold_->dimension())),
        random_(random) {
    smooth_ = random.uniform() < 0.3;
    const double extent = smooth_ ? 1 : log_uniform(random, 0.05, 1), uneven = 2 * random.uniform();
    const auto sources = static_cast<std::size_t>(log_uniform(random, 1, 40));
    for (std::size_t i = 0; i < sources; ++i) {
      sources_.push_back(source(extent));
      weights_.push_back(std::exp(uneven * random.normal()));
      if (!sources_.back().curve.empty()) weights_.back() *= 2;
    }
    constexpr double kBackgrounds[] = {0, 0.02, 0.1, 0.3};
    background_ = random.uniform() < 0.04 ? 1 : kBackgrounds[random.below(4)];
    offspring_ = smooth_ || random.uniform() < 0.5 ? 0 : 0.9 * random.uniform();
    reach_ = log_uniform(random, 3e-4, 0.1);
    tail_ = 0.8 + 1.5 * random.uniform();
    grid_ = random.uniform() < 0.25 ? log_uniform(random, 2e-4, 2e-2) : 0;
  }

  Points<double> draw(std::size_t n) {
    std::vector<Place> places;
    for (std::size_t i = 0; i < n; ++i) places.push_back(next(places));
    Points<double> points(n, manifold_->ambient());
    for (std::size_t i = 0; i < n; ++i) {
      if (grid_ > 0) {
        for (Pack<double>& x : places[i]) x = Pack<double>(grid_ * std::round(x[0] / grid_));
        manifold_->project(places[i].data());
      }
      for (std::size_t c = 0; c < places[i].size(); ++c) points[i][c] = places[i][c][0];
    }
    return points;
  }

 private:
  enum class Kind { round, line, oblong, heavy, curve };
  struct Source {
    Kind kind;
    Place at;
    std::vector<std::vector<double>> axes;  ///< unit vectors, not orthogonal, which does not matter
    std::vector<double> scales;             ///< an axis
    std::vector<Place> curve;               ///< in place of `at`
  };

  Source source(double extent) {
    constexpr Kind kKinds[] = {Kind::round, Kind::line, Kind::oblong, Kind::heavy, Kind::curve, Kind::curve};
    Source source{smooth_ ? Kind::round : kKinds[random_.below(6)], anywhere(), {}, {}, {}};
    const double scale = smooth_ ? log_uniform(random_, 0.1, 1) : extent * log_uniform(random_, 4e-3, 0.5);
    for (std::size_t a = 0; a < d_; ++a) {
      source.axes.push_back(direction());
      source.scales.push_back(source.kind == Kind::round ? scale : scale * log_uniform(random_, 0.1, 1));
    }
    if (source.kind == Kind::line) source.scales[0] = std::min(2.0, scale * log_uniform(random_, 3, 60));
    if (source.kind == Kind::curve) add_curve(source);
    return source;
  }

  void add_curve(Source& source) {
    constexpr int kPieces = 40;
    const double length = log_uniform(random_, 0.05, 1.5), wander = log_uniform(random_, 0.02, 0.5);
    std::vector<double> along = direction();
    Place at = source.at;
    for (int i = 0; i < kPieces; ++i) {
      for (double& x : along) x += wander * random_.normal();
      const double norm = std::sqrt(std::inner_product(along.begin(), along.end(), along.begin(), 0.0));
      for (double& x : along) x /= norm;
      std::vector<double> step = along;
      for (double& x : step) x *= length / kPieces;
      source.curve.push_back(at = from(at, step));
    }
    source.scales.assign(d_, length * log_uniform(random_, 0.002, 0.1));
  }

  Place next(const std::vector<Place>& before) {
    std::vector<double> step(d_);
    if (before.size() > 10 && random_.uniform() < offspring_) {
      const double far = std::min(1.0, reach_ * (std::pow(random_.uniform(), -1 / tail_) - 0.9));
      for (double& x : step) x = far * random_.normal();
      return from(before[random_.below(before.size())], step);
    }
    if (random_.uniform() < background_) return anywhere();
    double left = random_.uniform() * std::accumulate(weights_.begin(), weights_.end(), 0.0);
    std::size_t k = 0;
    while (k + 1 < sources_.size() && (left -= weights_[k]) > 0) ++k;
    const Source& source = sources_[k];
    const double wide = source.kind == Kind::heavy ? std::min(20.0, std::pow(random_.uniform(), -0.5)) : 1;
    for (std::size_t a = 0; a < d_; ++a) {
      const bool along = source.kind == Kind::line && a == 0;
      const double z = along ? 2 * random_.uniform() - 1 : random_.normal();
      for (std::size_t b = 0; b < d_; ++b) step[b] += z * wide * source.scales[a] * source.axes[a][b];
    }
    const double length = std::sqrt(std::inner_product(step.begin(), step.end(), step.begin(), 0.0));
    if (length > 3)
      for (double& x : step) x *= 3 / length;
    return from(source.curve.empty() ? source.at : source.curve[random_.below(source.curve.size())], step);
  }

  std::vector<double> direction() {
    std::vector<double> direction(d_);
    for (double& x : direction) x = random_.normal();
    const double norm =
        std::sqrt(std::inner_product(direction.begin(), direction.end(), direction.begin(), 0.0));
    for (double& x : direction) x /= norm;
    return direction;
  }
  Place anywhere() {
    Place x(static_cast<std::size_t>(manifold_->ambient()));
    base_->sample(random_, x.data(), 0);
    for (Pack<double>& c : x) c = Pack<double>(c[0]);
    return x;
  }
  /// exp of a step in the frame at x.
  Place from(const Place& x, const std::vector<double>& step) const {
    Place frame(x.size() * d_), v(x.size(), Pack<double>(0.0)), y(x.size());
    manifold_->frame(x.data(), {frame.data(), static_cast<int>(d_)});
    for (std::size_t c = 0; c < x.size(); ++c)
      for (std::size_t a = 0; a < d_; ++a) v[c] += frame[c * d_ + a] * Pack<double>(step[a]);
    manifold_->exp(x.data(), v.data(), y.data());
    return y;
  }

  std::shared_ptr<const Manifold<double>> manifold_;
  std::shared_ptr<const Distribution<double>> base_;
  std::size_t d_;
  Random& random_;
  bool smooth_;
  std::vector<Source> sources_;
  std::vector<double> weights_;                          // of the sources
  double background_, offspring_, reach_, tail_, grid_;  // shares, a length, a power, a length
};

std::string trained_network() {
  const auto start = Clock::now();
  Executor executor;
  std::vector<std::unique_ptr<KernelData>> data;
  std::vector<std::unique_ptr<LearnedKernels>> sets;
  for (std::uint64_t i = 0; i < kSets; ++i) {
    Random random(kSeed, Purpose::target_sample, i, 0);
    const std::shared_ptr<const Manifold<double>> manifold =
        parse_manifold<double>(kManifolds[i % std::size(kManifolds)]);
    const auto n = static_cast<std::size_t>(log_uniform(random, kFewest, kMost));
    data.push_back(std::make_unique<KernelData>(manifold, Synthetic(manifold, random).draw(n),
                                                LearnedKernels::kNeighbours, &executor));
    if (data.back()->size() >= kLeastDifferent)
      sets.push_back(std::make_unique<LearnedKernels>(*data.back(), &executor));
  }
  fmt::print(stderr, "{} sets, {:.0f} s\n", sets.size(), seconds_since(start));
  KernelNetwork network = LearnedKernels::network(kSeed);
  Adam<double> adam(network.parameters().size(), {.beta2 = 0.99});
  std::vector<double> gradient(network.parameters().size());
  const Schedule rates{Schedule::Shape::cosine, kRate, kSteps};
  for (long step = 0; step < kSteps; ++step) {
    const auto number = static_cast<std::uint64_t>(step);
    Random random(kSeed, Purpose::batch, number, 1);
    const LearnedKernels& set = *sets[random.below(sets.size())];
    set.loss(network,
             set.hold_out(kShares[random.below(std::size(kShares))], std::min(kScored, set.size() / 5 + 1),
                          kSeed, number),
             gradient);
    const double norm = gradient_norm<double>(gradient);
    if (std::isfinite(norm)) {
      clip_gradient<double>(gradient, norm, 1);
      adam.step(network.parameters(), gradient, rates.at(step));
    }
    if ((step + 1) % 1000 == 0)
      fmt::print(stderr, "step {}/{}, {:.0f} s\n", step + 1, kSteps, seconds_since(start));
  }
  std::string text;
  for (const double parameter : network.parameters()) text += fmt::format("{:.6g}\n", parameter);
  return text;
}

}  // namespace

int main(int argc, char** argv) {
  const bool check = argc == 3 && std::string(argv[1]) == "--check";
  if (argc != 2 && !check) {
    fmt::print(stderr, "kernel_network [--check] FILE\n");
    return 2;
  }
  if (check && !__builtin_cpu_supports("fma")) {
    fmt::print(stderr, "not checked: exp and log of processors without FMA round otherwise\n");
    return 77;
  }
  const std::string text = trained_network();
  if (!check) {
    std::ofstream(argv[1]) << text;
    return 0;
  }
  std::ostringstream there;
  there << std::ifstream(argv[2]).rdbuf();
  if (there.str() == text) return 0;
  fmt::print(stderr, "{} is not what this program makes\n", argv[2]);
  return 1;
}
