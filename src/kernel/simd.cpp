#include "kernel/simd_targets.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernel/simd.cpp"
#include <hwy/foreach_target.h>
// After foreach_target.
#include <hwy/contrib/math/math-inl.h>
#include <hwy/highway.h>

#include "kernel/simd.hpp"

HWY_BEFORE_NAMESPACE();
namespace credence::kernel::simd::HWY_NAMESPACE {

namespace hn = hwy::HWY_NAMESPACE;

// At most 8 lanes of double: row_padding holds a whole number of vectors on every target.
using Doubles = hn::CappedTag<double, 8>;
using DoubleVector = hn::Vec<Doubles>;

template <Pairing pairing>
DoubleVector accumulate(DoubleVector sum, DoubleVector a, DoubleVector b) {
  if constexpr (pairing == Pairing::dot_product) {
    return hn::MulAdd(a, b, sum);
  } else {
    const DoubleVector difference = hn::Sub(a, b);
    if constexpr (pairing == Pairing::squared_distance)
      return hn::MulAdd(difference, difference, sum);
    else
      return hn::Add(sum, hn::Abs(difference));
  }
}

HWY_INLINE void store(DoubleVector value, double* to) {
  hn::Store(value, Doubles(), to);
}
HWY_INLINE void store(DoubleVector value, float* to) {
  const hn::Rebind<float, Doubles> half;
  hn::Store(hn::DemoteTo(half, value), half, to);
}

template <Pairing pairing, std::size_t vectors>
HWY_INLINE void accumulate_all(DoubleVector (&sums)[vectors], DoubleVector value,
                               const DoubleVector (&columns)[vectors]) {
  for (std::size_t v = 0; v < vectors; ++v) sums[v] = accumulate<pairing>(sums[v], value, columns[v]);
}

/// Rows against some vectors of a panel at a time: every loaded value serves all rows. Several sums at a time hide how
/// long one addition takes: four rows have two vectors each, and one row has a whole panel.
template <Pairing pairing, std::size_t rows, class T>
void pair_block(const Pairs& pairs, const double* HWY_RESTRICT x, std::size_t first, std::size_t last,
                T* HWY_RESTRICT out, std::size_t stride) {
  const Doubles tag;
  constexpr std::size_t lanes = hn::MaxLanes(Doubles());  // of which no target has fewer
  constexpr std::size_t vectors = rows == 1 ? row_padding / lanes : 2;
  for (std::size_t j = first; j < last; j += vectors * lanes) {
    DoubleVector sums[rows][vectors];
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t v = 0; v < vectors; ++v) sums[r][v] = hn::Zero(tag);
    const double* HWY_RESTRICT panel = pairs.panels + Pairs::place(j, pairs.d);
    for (std::size_t f = 0; f < pairs.d; ++f) {
      DoubleVector columns[vectors];
      for (std::size_t v = 0; v < vectors; ++v) columns[v] = hn::Load(tag, panel + f * row_padding + v * lanes);
      for (std::size_t r = 0; r < rows; ++r)
        accumulate_all<pairing>(sums[r], hn::Set(tag, x[r * pairs.d + f]), columns);
    }
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t v = 0; v < vectors; ++v) store(sums[r][v], out + r * stride + (j - first) + v * lanes);
  }
}

template <Pairing pairing, class T>
void pair_rows_of(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, T* out,
                  std::size_t stride) {
  if (count == 4) {
    pair_block<pairing, 4>(pairs, x, first, last, out, stride);
    return;
  }
  for (std::size_t r = 0; r < count; ++r)
    pair_block<pairing, 1>(pairs, x + r * pairs.d, first, last, out + r * stride, stride);
}

template <class T>
void pair_rows_to(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, T* out,
                  std::size_t stride) {
  switch (pairs.pairing) {
    case Pairing::squared_distance:
      return pair_rows_of<Pairing::squared_distance>(pairs, x, count, first, last, out, stride);
    case Pairing::manhattan_distance:
      return pair_rows_of<Pairing::manhattan_distance>(pairs, x, count, first, last, out, stride);
    case Pairing::dot_product:
      return pair_rows_of<Pairing::dot_product>(pairs, x, count, first, last, out, stride);
  }
}

void PairRowsFloat(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last,
                   float* out, std::size_t stride) {
  pair_rows_to(pairs, x, count, first, last, out, stride);
}

void PairRowsDouble(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last,
                    double* out, std::size_t stride) {
  pair_rows_to(pairs, x, count, first, last, out, stride);
}

template <class D>
hn::Vec<D> power(D tag, hn::Vec<D> base, int degree) {
  hn::Vec<D> result = hn::Set(tag, hn::TFromD<D>{1});
  for (; degree > 0; degree >>= 1) {
    if ((degree & 1) != 0) result = hn::Mul(result, base);
    base = hn::Mul(base, base);
  }
  return result;
}

template <class T, class D, class Function>
void map(D tag, const T* in, T* out, std::size_t n, Function function) {
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t j = 0;
  for (; j + lanes <= n; j += lanes) hn::StoreU(function(hn::LoadU(tag, in + j)), tag, out + j);
  if (j < n) {
    HWY_ALIGN T rest[hn::MaxLanes(tag)] = {};
    std::copy(in + j, in + n, rest);
    hn::Store(function(hn::Load(tag, rest)), tag, rest);
    std::copy(rest, rest + (n - j), out + j);
  }
}

template <class T, class D>
void apply_kernel_of(D tag, const Kernel& kernel, const T* in, T* out, std::size_t n) {
  const auto gamma = hn::Set(tag, static_cast<T>(kernel.gamma));
  const auto coef0 = hn::Set(tag, static_cast<T>(kernel.coef0));
  switch (kernel.type) {
    case KernelType::rbf:
    case KernelType::laplacian: {
      // Subnormal numbers would slow every pass over a row many times over; what is so small acts as 0.
      const auto least = hn::Set(tag, static_cast<T>(least_value));
      return map(tag, in, out, n, [&](auto base) {
        const auto value = hn::Exp(tag, hn::Neg(hn::Mul(gamma, base)));
        return hn::IfThenElseZero(hn::Ge(value, least), value);
      });
    }
    case KernelType::polynomial:
      return map(tag, in, out, n, [&](auto base) { return power(tag, hn::MulAdd(gamma, base, coef0), kernel.degree); });
    case KernelType::sigmoid:
      return map(tag, in, out, n, [&](auto base) { return hn::Tanh(tag, hn::MulAdd(gamma, base, coef0)); });
    case KernelType::linear:
    case KernelType::precomputed:
      std::copy(in, in + n, out);
  }
}

void ApplyKernelFloat(const Kernel& kernel, const float* in, float* out, std::size_t n) {
  apply_kernel_of(hn::ScalableTag<float>(), kernel, in, out, n);
}

void ApplyKernelDouble(const Kernel& kernel, const double* in, double* out, std::size_t n) {
  apply_kernel_of(hn::ScalableTag<double>(), kernel, in, out, n);
}

void SquareKernel(double* values, std::size_t n, int times) {
  const Doubles tag;
  const DoubleVector least = hn::Set(tag, least_value);
  map(tag, values, values, n, [&](DoubleVector value) {
    for (int k = 0; k < times; ++k) value = hn::Mul(value, value);
    return hn::IfThenElseZero(hn::Ge(value, least), value);
  });
}

HWY_INLINE DoubleVector load(const double* from) {
  return hn::Load(Doubles(), from);
}
HWY_INLINE DoubleVector load(const float* from) {
  const hn::Rebind<float, Doubles> half;
  return hn::PromoteTo(Doubles(), hn::Load(half, from));
}

/// Some columns against two vectors of a row at a time: every loaded row value serves all of them.
template <std::size_t columns, class T>
void add_columns(const Terms<T>& terms, std::size_t first_column, double* HWY_RESTRICT out) {
  const Doubles tag;
  const std::size_t lanes = hn::Lanes(tag);
  for (std::size_t j = 0; j < terms.stride; j += 2 * lanes) {
    DoubleVector low[columns];
    DoubleVector high[columns];
    for (std::size_t c = 0; c < columns; ++c) {
      low[c] = hn::Load(tag, out + c * terms.stride + j);
      high[c] = hn::Load(tag, out + c * terms.stride + j + lanes);
    }
    const double* HWY_RESTRICT factors = terms.factors + first_column;
    for (std::size_t k = 0; k < terms.count; ++k, factors += terms.factor_stride) {
      const T* HWY_RESTRICT row = terms.rows + (terms.chosen[k] - terms.first) * terms.stride + j;
      const DoubleVector row_low = load(row);
      const DoubleVector row_high = load(row + lanes);
      for (std::size_t c = 0; c < columns; ++c) {
        const DoubleVector factor = hn::Set(tag, factors[c]);
        low[c] = hn::MulAdd(factor, row_low, low[c]);
        high[c] = hn::MulAdd(factor, row_high, high[c]);
      }
    }
    for (std::size_t c = 0; c < columns; ++c) {
      hn::Store(low[c], tag, out + c * terms.stride + j);
      hn::Store(high[c], tag, out + c * terms.stride + j + lanes);
    }
  }
}

template <class T>
void add_all_columns(const Terms<T>& terms, double* out) {
  constexpr std::size_t most = 6;  // twice as many sums stay in the registers of every target
  std::size_t left = (terms.columns + most - 1) / most;
  for (std::size_t c = 0, some = 0; c < terms.columns; c += some, --left) {
    some = (terms.columns - c + left - 1) / left;
    double* to = out + c * terms.stride;
    switch (some) {
      case 6:
        add_columns<6>(terms, c, to);
        break;
      case 5:
        add_columns<5>(terms, c, to);
        break;
      case 4:
        add_columns<4>(terms, c, to);
        break;
      case 3:
        add_columns<3>(terms, c, to);
        break;
      case 2:
        add_columns<2>(terms, c, to);
        break;
      default:
        add_columns<1>(terms, c, to);
    }
  }
}

void AddTermsFloat(const Terms<float>& terms, double* out) {
  add_all_columns(terms, out);
}

void AddTermsDouble(const Terms<double>& terms, double* out) {
  add_all_columns(terms, out);
}

std::string Target() {
  return hwy::TargetName(HWY_TARGET);
}

}  // namespace credence::kernel::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace credence::kernel::simd {

HWY_EXPORT(PairRowsFloat);
HWY_EXPORT(PairRowsDouble);
HWY_EXPORT(ApplyKernelFloat);
HWY_EXPORT(ApplyKernelDouble);
HWY_EXPORT(SquareKernel);
HWY_EXPORT(AddTermsFloat);
HWY_EXPORT(AddTermsDouble);
HWY_EXPORT(Target);

void pair_rows(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, float* out,
               std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(PairRowsFloat)(pairs, x, count, first, last, out, stride);
}

void pair_rows(const Pairs& pairs, const double* x, std::size_t count, std::size_t first, std::size_t last, double* out,
               std::size_t stride) {
  HWY_DYNAMIC_DISPATCH(PairRowsDouble)(pairs, x, count, first, last, out, stride);
}

void apply_kernel(const Kernel& kernel, const float* in, float* out, std::size_t padded_n) {
  HWY_DYNAMIC_DISPATCH(ApplyKernelFloat)(kernel, in, out, padded_n);
}

void apply_kernel(const Kernel& kernel, const double* in, double* out, std::size_t n) {
  HWY_DYNAMIC_DISPATCH(ApplyKernelDouble)(kernel, in, out, n);
}

void square_kernel(double* values, std::size_t n, int times) {
  HWY_DYNAMIC_DISPATCH(SquareKernel)(values, n, times);
}

void add_terms(const Terms<float>& terms, double* out) {
  HWY_DYNAMIC_DISPATCH(AddTermsFloat)(terms, out);
}

void add_terms(const Terms<double>& terms, double* out) {
  HWY_DYNAMIC_DISPATCH(AddTermsDouble)(terms, out);
}

std::string target() {
  return HWY_DYNAMIC_DISPATCH(Target)();
}

}  // namespace credence::kernel::simd
#endif
