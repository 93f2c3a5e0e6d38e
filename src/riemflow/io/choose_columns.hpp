#pragma once
// The columns that hold a point, and the manifold they suggest.

#include <memory>

#include "riemflow/io/read_options.hpp"
#include "riemflow/io/table.hpp"
#include "riemflow/io/writings.hpp"
#include "riemflow/manifold/manifold.hpp"

namespace riemflow::io {

struct Choice {
  std::vector<std::size_t> columns;  ///< from 0
  std::vector<Writing> writings;     ///< of each factor
  std::string how;                   ///< "by name", "as chosen", …
  std::unique_ptr<const Manifold<double>> manifold;
  bool manifold_inferred = false;
  std::vector<std::string> warnings = {};
};

/// Factors of the manifold that latitude and longitude can describe.
std::size_t places_in(const Manifold<double>& manifold);

/// Which factors of the manifold have latitude and longitude among this many columns: none where there are as
/// many as coordinates, each S² where there are places_in() fewer, those of has_latitude()
/// (coordinates.hpp) where there are as many as coordinate_names(). Empty if no reading takes this many.
std::vector<bool> factors_with_latitude(const Manifold<double>& manifold, std::size_t columns);

/// The table's column of weights is none of them. columns.size() is one that factors_with_latitude takes.
/// Throws Error where the user must say more.
Choice choose_columns(const Table& table, const ReadOptions& options);

}  // namespace riemflow::io
