#pragma once
// Several maps on one sheet, in rows and columns, with one colour bar and one legend.

#include "riemflow/figure/map.hpp"

namespace riemflow::figure {

struct MapSheet {
  /// [row][column], all of one aspect; colour bar and legend are those of the first map.
  std::vector<std::vector<Map>> maps;
  std::vector<std::string> row_titles, column_titles;  ///< either may be empty

  /// Bytes of the file. width: of the sheet, in points.
  std::string draw(FileKind kind, double width, double dpi) const;
};

}  // namespace riemflow::figure
