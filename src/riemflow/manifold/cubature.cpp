#include "riemflow/manifold/cubature.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "riemflow/core/error.hpp"
#include "riemflow/core/kronrod.hpp"

namespace riemflow {
namespace {

constexpr double kSafety = 100, kLowestSafety = 30;
constexpr double kSurprise = 0.5;
constexpr std::size_t kNone = SIZE_MAX;
constexpr std::size_t kMostBatch = 1 << 16;
constexpr double kInfinite = std::numeric_limits<double>::infinity();

/// The rule beyond which halving is cheaper than a higher order: 15, 11 and 7 nodes an axis.
int highest_rule(int dimension) { return kKronrodRules - dimension; }

/// What is left of Gauss's error in Kronrod's.
double reduction(int rule, double share) {
  if (rule == 0) return std::min(1.0, std::pow(kLowestSafety * share, 2));
  return std::min(1.0, kSafety * std::sqrt(share));
}

struct Box {
  std::size_t patch;
  std::array<double, kMostCoordinates> low, high;
  int rule;
  double value = 0, error = 0;
  std::size_t worst_axis = 0;
  bool splittable = true;
  std::size_t sibling = kNone;  // the first of the two halves, in the batch
  double parent = 0;            // value of the box that was halved
};

std::size_t nodes_of(int rule, int dimension) {
  std::size_t n = 1;
  for (int a = 0; a < dimension; ++a) n *= static_cast<std::size_t>(kronrod_rule(rule).size());
  return n;
}

class Cubature {
 public:
  Cubature(const Integrand& f, const std::vector<Patch>& patches, int ambient, const CubatureOptions& options)
      : f_(f), patches_(patches), ambient_(ambient), options_(options) {}

  Integral run() {
    start();
    while (!done() && !hopeless()) {
      std::vector<Box> finer = take_worst();
      if (finer.empty()) break;
      evaluate(finer);
      add_surprise(finer);
      boxes_.insert(boxes_.end(), finer.begin(), finer.end());
      add_up();
    }
    result_.converged = done();
    return result_;
  }

 private:
  void start() {
    const auto points = [&](int below) {
      std::size_t n = 0;
      for (const Patch& patch : patches_)
        n += nodes_of(std::max(0, highest_rule(patch.dimension) - below), patch.dimension);
      return n;
    };
    int below = 0;
    const std::size_t most = std::min(options_.start, options_.evaluations / 2);
    while (below < kKronrodRules - 1 && points(below) > most) ++below;
    for (std::size_t i = 0; i < patches_.size(); ++i) {
      const Patch& patch = patches_[i];
      boxes_.push_back({i, patch.low, patch.high, std::max(0, highest_rule(patch.dimension) - below)});
    }
    evaluate(boxes_);
    add_up();
  }

  bool done() const {
    return result_.error <= std::max(options_.absolute, options_.relative * std::abs(result_.value));
  }

  /// Nothing can be evaluated anywhere, and it has been tried.
  bool hopeless() const {
    return result_.failures == result_.evaluations && result_.evaluations >= options_.batch;
  }

  /// From scratch each time, smallest first: sums do not drift, and do not depend on the history.
  void add_up() {
    std::stable_sort(boxes_.begin(), boxes_.end(),
                     [](const Box& a, const Box& b) { return a.error > b.error; });
    result_.value = result_.error = 0;
    for (auto box = boxes_.rbegin(); box != boxes_.rend(); ++box) {
      result_.value += box->value;
      result_.error += box->error;
    }
  }

  /// Removes the worst boxes, which come first, and returns what replaces them.
  std::vector<Box> take_worst() {
    const double enough = 0.5 * std::max(options_.absolute, options_.relative * std::abs(result_.value));
    const double worst = boxes_.empty() ? 0 : boxes_.front().error;
    const std::size_t left =
        options_.evaluations > result_.evaluations ? options_.evaluations - result_.evaluations : 0;
    std::vector<Box> finer, kept;
    std::size_t points = 0;
    double rest = result_.error;
    for (const Box& box : boxes_) {
      const int dimension = patches_[box.patch].dimension;
      const bool raise = box.rule < highest_rule(dimension);
      const std::size_t cost = raise ? nodes_of(box.rule + 1, dimension) : 2 * nodes_of(box.rule, dimension);
      const bool fits = points + cost <= std::min(left, kMostBatch);
      const bool wanted = rest > enough && (points < options_.batch || box.error > worst / 4);
      if (!fits || !wanted || !(box.error > 0) || !(raise || box.splittable)) {
        kept.push_back(box);
        continue;
      }
      points += cost;
      if (std::isfinite(box.error)) rest -= box.error;
      if (raise) {
        finer.push_back({box.patch, box.low, box.high, box.rule + 1});
      } else {
        const std::size_t first = finer.size();
        for (Box& half : halves(box)) {
          half.sibling = first;
          half.parent = box.value;
          finer.push_back(half);
        }
      }
    }
    boxes_ = std::move(kept);
    return finer;
  }

  /// What halving changed is what the parent's error was. Of a smooth integrand next to nothing is left of
  /// it; nodes that miss a step or a kink all agree, and would claim as much.
  static void add_surprise(std::vector<Box>& boxes) {
    for (std::size_t i = 0; i + 1 < boxes.size(); ++i) {
      if (boxes[i].sibling != i) continue;
      const double change = std::abs(boxes[i].parent - boxes[i].value - boxes[i + 1].value);
      const double floor = 0.5 * kSurprise * change;
      for (Box* half : {&boxes[i], &boxes[i + 1]})
        if (half->error < floor) half->error = floor;
    }
  }

  static std::array<Box, 2> halves(const Box& box) {
    const std::size_t a = box.worst_axis;
    const double middle = 0.5 * (box.low[a] + box.high[a]);
    std::array<Box, 2> result{box, box};
    result[0].high[a] = middle;
    result[1].low[a] = middle;
    return result;
  }

  void evaluate(std::vector<Box>& boxes) {
    for (std::size_t first = 0; first < boxes.size();) {
      std::size_t last = first, points = 0;
      while (last < boxes.size() && (last == first || points < kMostBatch)) points += nodes_in(boxes[last++]);
      evaluate(std::span(boxes).subspan(first, last - first), points);
      first = last;
    }
  }

  std::size_t nodes_in(const Box& box) const { return nodes_of(box.rule, patches_[box.patch].dimension); }

  void evaluate(std::span<Box> boxes, std::size_t n) {
    Points<double> points(n, ambient_);
    std::vector<double> volume(n), values(n);
    std::size_t i = 0;
    for (const Box& box : boxes) {
      const PatchMap& map = *patches_[box.patch].map;
      for_each_node(box, [&](std::size_t, const double* u) {
        volume[i] = map(u, points[i].data());
        ++i;
      });
    }
    f_(points, values);
    result_.evaluations += n;
    if (options_.watch) options_.watch(n);
    i = 0;
    for (Box& box : boxes) {
      const std::size_t count = nodes_in(box);
      integrate(box, {values.data() + i, count}, {volume.data() + i, count});
      i += count;
    }
  }

  /// visit(node, u) in the order of the nodes, the last axis fastest.
  template <class Visit>
  void for_each_node(const Box& box, const Visit& visit) const {
    const auto d = static_cast<std::size_t>(patches_[box.patch].dimension);
    const KronrodRule& rule = kronrod_rule(box.rule);
    const std::size_t size = rule.nodes.size();
    for (std::size_t node = 0; node < nodes_in(box); ++node) {
      double u[kMostCoordinates];
      std::size_t rest = node;
      for (std::size_t a = d; a-- > 0; rest /= size) {
        const double half = 0.5 * (box.high[a] - box.low[a]), middle = 0.5 * (box.high[a] + box.low[a]);
        u[a] = middle + half * rule.nodes[rest % size];
      }
      visit(node, u);
    }
  }

  /// Value, error and worst axis of the box from f and √|G| at its nodes.
  void integrate(Box& box, std::span<const double> f, std::span<const double> volume) {
    const auto d = static_cast<std::size_t>(patches_[box.patch].dimension);
    const KronrodRule& rule = kronrod_rule(box.rule);
    const std::size_t size = rule.nodes.size(), n = f.size();
    double jacobian = 1;
    for (std::size_t a = 0; a < d; ++a) jacobian *= 0.5 * (box.high[a] - box.low[a]);

    // The weights of node i under the Kronrod rule, and with Gauss's on one axis.
    const auto weights = [&](std::size_t node) {
      std::array<double, kMostCoordinates + 1> w;
      w.fill(jacobian);
      for (std::size_t a = d; a-- > 0; node /= size) {
        const std::size_t k = node % size;
        for (std::size_t b = 0; b <= d; ++b) w[b] *= b == a ? rule.gauss_weights[k] : rule.weights[k];
      }
      return w;  // w[d]: all Kronrod
    };

    double good_weight = 0, bad_weight = 0, good_sum = 0, largest = 0;
    std::size_t bad = 0;
    for (std::size_t i = 0; i < n; ++i) {
      const double w = weights(i)[d] * volume[i];
      if (std::isfinite(f[i]) && std::isfinite(volume[i])) {
        good_weight += w;
        good_sum += w * f[i];
        largest = std::max(largest, std::abs(f[i]));
      } else {
        ++bad;
        bad_weight += w;
      }
    }
    result_.failures += bad;
    if (bad == n) {
      box.value = std::numeric_limits<double>::quiet_NaN();
      box.error = kInfinite;
      box.worst_axis = widest(box);
      return check_splittable(box);
    }
    const double mean = good_weight > 0 ? good_sum / good_weight : 0;

    std::array<double, kMostCoordinates + 1> sums{};
    double coordinate_mean = 0, scale = 0, size_of_sum = 0, box_volume = 1;
    for (std::size_t a = 0; a < d; ++a) box_volume *= box.high[a] - box.low[a];
    const auto integrand = [&](std::size_t i) {
      return (std::isfinite(f[i]) && std::isfinite(volume[i]) ? f[i] : mean) * volume[i];
    };
    for (std::size_t i = 0; i < n; ++i) {
      const auto w = weights(i);
      for (std::size_t b = 0; b <= d; ++b) sums[b] += w[b] * integrand(i);
    }
    coordinate_mean = sums[d] / box_volume;
    for (std::size_t i = 0; i < n; ++i) {
      const double w = weights(i)[d];
      scale += w * std::abs(integrand(i) - coordinate_mean);
      size_of_sum += w * std::abs(integrand(i));
    }
    box.value = sums[d];
    const double rounding = 16 * std::numeric_limits<double>::epsilon() * size_of_sum;
    box.error = 0;
    double worst = -1;
    for (std::size_t a = 0; a < d; ++a) {
      const double delta = std::abs(sums[d] - sums[a]);
      if (delta > worst) {
        worst = delta;
        box.worst_axis = a;
      }
      if (delta > rounding) box.error += delta * reduction(box.rule, delta / scale);
    }
    if (bad > 0) {
      box.error += bad_weight * largest;
      if (worst <= bad_weight * largest) box.worst_axis = widest(box);
    }
    check_splittable(box);
  }

  /// The axis along which the box is the largest part of its patch.
  std::size_t widest(const Box& box) const {
    const Patch& patch = patches_[box.patch];
    std::size_t best = 0;
    double share = 0;
    for (std::size_t a = 0; a < static_cast<std::size_t>(patch.dimension); ++a) {
      const double s = (box.high[a] - box.low[a]) / (patch.high[a] - patch.low[a]);
      if (s > share) {
        share = s;
        best = a;
      }
    }
    return best;
  }

  /// Not below the rounding of its coordinates.
  static void check_splittable(Box& box) {
    const std::size_t a = box.worst_axis;
    box.splittable = box.high[a] - box.low[a] > 1e-13 * std::max(std::abs(box.low[a]), std::abs(box.high[a]));
  }

  const Integrand& f_;
  const std::vector<Patch>& patches_;
  int ambient_;
  CubatureOptions options_;
  std::vector<Box> boxes_;
  Integral result_;
};

}  // namespace

Integral integrate(const Integrand& f, const std::vector<Patch>& patches, int ambient,
                   const CubatureOptions& options) {
  for (const Patch& patch : patches)
    require(patch.dimension >= 1 && patch.dimension <= kMostCoordinates && patch.map != nullptr,
            "a patch of " + std::to_string(patch.dimension) + " coordinates", "give 1 to 3, and a map",
            Fault::internal);
  require(options.absolute >= 0 && options.relative >= 0, "a tolerance below 0", "give one above",
          Fault::internal);
  return Cubature(f, patches, ambient, options).run();
}

}  // namespace riemflow
