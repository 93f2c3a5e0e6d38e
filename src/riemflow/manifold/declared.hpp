#pragma once
// What a space of the library's table (parse.cpp) must say of itself, checked by the compiler: a space that
// leaves one of these to the defaults of Manifold does not compile, with a sentence that names what is
// missing. A space of the caller's own may leave them out; what needs them refuses it by name.

#include <memory>
#include <type_traits>
#include <utility>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

namespace declared {

template <class Member>
struct Function;
template <class C, class R, class... A>
struct Function<R (C::*)(A...) const> {
  using Class = C;
};
/// The function is a space's own, or that of a class between it and Manifold.
template <class T, class Member>
inline constexpr bool kOwn = !std::is_same_v<typename Function<Member>::Class, Manifold<T>>;

}  // namespace declared

/// What a space says, and what not, of M<T>.
template <template <class> class M, class T>
struct Declares {
  using Space = M<T>;
  static constexpr bool covering = declared::kOwn<T, decltype(&Space::covering)>;
  static constexpr bool picture = declared::kOwn<T, decltype(&Space::picture)>;
  static constexpr bool unit = declared::kOwn<T, decltype(&Space::unit_of_volume)>;
  static constexpr bool columns =
      declared::kOwn<T, decltype(&Space::column_form)> || declared::kOwn<T, decltype(&Space::notations)>;
  static constexpr bool base = covering || declared::kOwn<T, decltype(&Space::default_base)>;
  static constexpr bool kernels = covering || declared::kOwn<T, decltype(&Space::kernel_form)>;
  static constexpr bool patches = covering || declared::kOwn<T, decltype(&Space::part)>;
  static constexpr bool fields = covering || (declared::kOwn<T, decltype(&Space::features)> &&
                                              declared::kOwn<T, decltype(&Space::velocity)> &&
                                              declared::kOwn<T, decltype(&Space::velocity_backward)>);
};

/// A space of the table: made by declared_space alone, which checks it.
template <class T>
class DeclaredSpace {
 public:
  std::unique_ptr<const Manifold<T>> release() && { return std::move(space_); }

 private:
  template <template <class> class M, class U, class... A>
  friend DeclaredSpace<U> declared_space(A&&... arguments);
  explicit DeclaredSpace(std::unique_ptr<const Manifold<T>> space) : space_(std::move(space)) {}

  std::unique_ptr<const Manifold<T>> space_;
};

/// M<T>(arguments…)
template <template <class> class M, class T, class... A>
DeclaredSpace<T> declared_space(A&&... arguments) {
  using Says = Declares<M, T>;
  static_assert(!std::is_abstract_v<M<T>>,
                "a space has a name, a dimension and all of the geometry that Manifold asks for");
  static_assert(Says::unit, "a space says what a density on it is per: unit_of_volume()");
  static_assert(Says::columns, "a space says what its columns in files are: column_form() or notations()");
  static_assert(Says::picture, "a space says how it is drawn, if only by pairs of coordinates: picture()");
  static_assert(Says::base,
                "a space says what flows start from, or through which it is told: default_base() or "
                "covering()");
  static_assert(Says::kernels,
                "a space says which kernels it has, if none, or through which it is told: "
                "kernel_form() or covering()");
  static_assert(Says::patches,
                "a space says its patches, if only that there are none, or through which it is "
                "told: part() or covering()");
  static_assert(Says::fields,
                "a space says its fields, or through which it is told: features(), velocity() and "
                "velocity_backward(), or covering()");
  return DeclaredSpace<T>(std::make_unique<M<T>>(std::forward<A>(arguments)...));
}

}  // namespace riemflow
