#pragma once
// Memory that starts on a cache line, as packs and jet matrices want it.

#include <cstddef>
#include <new>
#include <vector>

#include "riemflow/core/pack.hpp"

namespace riemflow {

template <class T>
struct CacheLineAllocator {
  using value_type = T;
  static constexpr std::align_val_t kAlignment{64};

  CacheLineAllocator() = default;
  template <class U>
  CacheLineAllocator(const CacheLineAllocator<U>&) {}

  T* allocate(std::size_t n) { return static_cast<T*>(::operator new(n * sizeof(T), kAlignment)); }
  void deallocate(T* p, std::size_t) { ::operator delete(p, kAlignment); }

  friend bool operator==(const CacheLineAllocator&, const CacheLineAllocator&) { return true; }
};

template <class T>
using AlignedVector = std::vector<T, CacheLineAllocator<T>>;

/// A run of T's, cache-line aligned, seen as packs.
template <class T>
Pack<T>* as_packs(T* p) {
  return reinterpret_cast<Pack<T>*>(p);
}
template <class T>
const Pack<T>* as_packs(const T* p) {
  return reinterpret_cast<const Pack<T>*>(p);
}

}  // namespace riemflow
