#pragma once
// Manifolds by name: "euclidean:2", "sphere:2", "sphere:3,K=0.5", "ball:2,K=-1", "torus:2", "rotation:3/432",
// "sphere:2 x torus:1". What kinds there are is a table in parse.cpp, a line a kind.

#include <memory>
#include <string_view>
#include <vector>

#include "riemflow/manifold/manifold.hpp"

namespace riemflow {

/// Throws Error, naming the part that is wrong and what was expected.
template <class T>
std::unique_ptr<const Manifold<T>> parse_manifold(std::string_view name);
/// The names of the factors of a product, or the one name.
std::vector<std::string_view> factor_names(std::string_view name);

/// A name of each kind of space, and one with a group where it may have one.
struct SpaceExample {
  std::string_view name, grouped;
};
std::vector<SpaceExample> space_examples();

}  // namespace riemflow
