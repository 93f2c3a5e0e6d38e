#pragma once
// Sources of rows one after the other, made into points by all threads, with the result of one thread that
// goes from row to row.
//
// Bytes come in stretches of some megabytes. A stretch is cut into pieces where rows are likely to begin, and
// the threads make points of the pieces; beside that the stretch is hashed, the next one is read and
// unpacked, and the caller is given the points of the one before. Where a row really begins is known once
// those before it have been seen (a line may end inside of quotes): each piece says where its last row ended,
// and if the next piece began elsewhere it is made again from there. What is wrong with a row is said when
// the points before it have been given.

#include "riemflow/io/point_source.hpp"

namespace riemflow::io {

/// The rows of one file. Called by several threads at a time.
class RowReader {
 public:
  virtual ~RowReader() = default;

  /// A part of a stretch.
  struct Piece {
    const char *begin, *limit;  ///< it has the rows that begin before `limit`
    const char* end;            ///< of what can be seen, where a zero byte stands
    bool last;                  ///< nothing follows `end`
    std::uint64_t offset;       ///< bytes of rows before it
  };

  enum class Stop {
    limit,       ///< the rest is for the next piece
    incomplete,  ///< a row ends behind the stretch
    bad          ///< a row cannot be read, or is no point and must not be left out
  };

  /// What is made of a piece. Lines are counted from its begin.
  struct Rows {
    const char *begin = nullptr, *end = nullptr;  ///< end: of the last row that was taken
    Stop stop = Stop::limit;
    std::uint64_t lines = 0;  ///< from begin to end
    std::vector<double> points, weights;
    std::vector<std::uint64_t> point_lines;
    struct LeftOut {
      std::size_t before;  ///< points
      const char* row;
      std::uint64_t line;
    };
    std::vector<LeftOut> left_out;
    std::uint64_t first_line = 0;  ///< of the file, that of begin

    std::size_t size() const { return point_lines.size(); }
    void clear();
    void stop_at(const char* place, std::uint64_t line, Stop why) { end = place, lines = line, stop = why; }
  };

  /// Numbers a point.
  virtual int dimension() const = 0;
  /// The most bytes that a row can have.
  virtual std::size_t longest_row() const = 0;
  /// A place from `from` on, up to `end`, where a row is likely to begin, where one begins at `begin`; null:
  /// none is seen.
  virtual const char* likely_row(const char* begin, const char* from, const char* end) const = 0;
  /// Fills in all but begin and first_line of `rows`, which are empty.
  virtual void make(const Piece& piece, Rows& rows) const = 0;
  /// What is wrong with the row that `piece` begins with, on `line`.
  virtual Error error_of(const Piece& piece, std::uint64_t line) const = 0;
  /// Throws Error if rows are missing, once all that are there have been taken. line: behind the last.
  virtual void check_end(std::uint64_t line) const { static_cast<void>(line); }
};

/// The rows begin where the window does, on line `first_line`; the window has no more capacity than a row.
std::unique_ptr<PointSource> open_rows(Window window, std::unique_ptr<const RowReader> reader,
                                       std::uint64_t first_line, Assumptions assumptions,
                                       const ReadOptions& options);

}  // namespace riemflow::io
