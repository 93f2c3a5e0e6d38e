#pragma once
// The columns that hold a point, and the manifold they suggest.

#include <memory>

#include "riemflow/io/read_options.hpp"
#include "riemflow/io/table.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::io {

struct Choice {
  std::vector<std::size_t> columns;  ///< from 0
  std::string how;                   ///< "by name", "as chosen", …
  std::unique_ptr<const Manifold<double>> manifold;
  bool manifold_inferred = false;
};

/// Factors of the manifold that latitude and longitude can describe.
std::size_t two_spheres(const Manifold<double>& manifold);

/// columns.size() is manifold->ambient(), or less by two_spheres(): then each S² has latitude and longitude.
/// Throws Error where the user must say more.
Choice choose_columns(const Table& table, const ReadOptions& options);

}  // namespace riemflow::io
