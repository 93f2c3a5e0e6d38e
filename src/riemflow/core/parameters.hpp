#pragma once
// All parameters of a field are one contiguous vector; the layout names its parts.

#include <cstddef>
#include <string>
#include <vector>

namespace riemflow {

/// A row-major matrix (a vector has one column) at `offset` of the parameter vector.
struct ParameterBlock {
  std::string name;
  int rows;
  int columns;
  std::size_t offset;

  std::size_t size() const { return static_cast<std::size_t>(rows) * static_cast<std::size_t>(columns); }
};

class ParameterLayout {
 public:
  /// Appends a block and returns its offset.
  std::size_t add(std::string name, int rows, int columns) {
    const std::size_t offset = size_;
    blocks_.push_back({std::move(name), rows, columns, offset});
    size_ += blocks_.back().size();
    return offset;
  }
  std::size_t size() const { return size_; }
  const std::vector<ParameterBlock>& blocks() const { return blocks_; }

 private:
  std::vector<ParameterBlock> blocks_;
  std::size_t size_ = 0;
};

}  // namespace riemflow
