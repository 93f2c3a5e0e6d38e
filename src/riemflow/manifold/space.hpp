#pragma once
// A space as a value, which configurations, data and models have: its name, and the manifold of that name in
// both precisions, shared by all copies. Names become spaces where files and commands are read, and nowhere
// else.

#include <concepts>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>
#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

class Space {
 public:
  /// sphere:2
  Space();
  /// Of its name (parse.hpp), for which it may stand. Throws Error as parse_manifold.
  template <class Name>
  requires std::convertible_to<const Name&, std::string_view> Space(const Name& name)
      : Space(named(std::string_view(name))) {}
  /// Of a name in which factors of your own may stand, each written as that space writes its name.
  static Space named(std::string_view name, std::span<const Space> own = {});
  /// A space of your own: Space::of<Circle>(24.0) is Circle<float>(24.0) and Circle<double>(24.0).
  template <template <class> class M, class... Arguments>
  static Space of(const Arguments&... arguments) {
    return {std::make_shared<const M<float>>(arguments...), std::make_shared<const M<double>>(arguments...)};
  }
  /// Of one factor, that factor.
  static Space product(const std::vector<Space>& factors);
  /// The same space in both precisions.
  Space(std::shared_ptr<const Manifold<float>> single, std::shared_ptr<const Manifold<double>> full);

  const std::string& name() const { return both_->name; }
  template <class T>
  const std::shared_ptr<const Manifold<T>>& on() const {
    if constexpr (std::is_same_v<T, float>)
      return both_->single;
    else
      return both_->full;
  }
  /// In double.
  const Manifold<double>& operator*() const { return *both_->full; }
  const Manifold<double>* operator->() const { return both_->full.get(); }

  /// Its factors, or itself.
  std::vector<Space> factors() const;
  /// Its first n coordinates where each is a factor of its own (Manifold::leading).
  std::optional<Space> leading(int n) const;
  /// That on which its densities are computed: factor by factor its cover (covering.hpp), which must be one
  /// with a name, or itself.
  Space computed_on() const;

  friend bool operator==(const Space& a, const Space& b) { return a.name() == b.name(); }

 private:
  struct Both {
    std::string name;
    std::shared_ptr<const Manifold<float>> single;
    std::shared_ptr<const Manifold<double>> full;
  };
  std::shared_ptr<const Both> both_;
};

}  // namespace riemflow
