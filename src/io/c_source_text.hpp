#pragma once

/// The parts of a C file that are the same in every model (credence/io/c_source.hpp).
namespace credence::io {

inline constexpr const char* c_interface = R"c(
#include <float.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

/* A compiler that joins a product and a sum by itself would change last bits: gcc takes -std=c99. */
#ifdef __clang__
#pragma STDC FP_CONTRACT OFF
#endif

enum { CREDENCE_RBF, CREDENCE_LINEAR, CREDENCE_POLYNOMIAL, CREDENCE_SIGMOID, CREDENCE_LAPLACIAN };
enum { CREDENCE_OK = 0, CREDENCE_MISSING = 1, CREDENCE_UNKNOWN_LEVEL = 2, CREDENCE_NOT_FINITE = 3 };

/* What the model says of a row. Without p-values (CREDENCE_HAS_P_VALUES is 0) the last three are 0. An average of
   SVMs has no decision values (CREDENCE_HAS_DECISIONS is 0): they are 0. */
struct credence_prediction {
  int label;                              /* number of the class */
  double decision[CREDENCE_MACHINES];     /* of each machine */
  double score[CREDENCE_CLASSES];         /* how well each class fits; the larger, the better */
  double p_value[CREDENCE_CLASSES];       /* of each class */
  double confidence;                      /* 1 - the largest p-value of the other classes */
  double credibility;                     /* the p-value of the label */
};

/* How a row of the file becomes the numbers that a kernel sees. */
struct credence_preparation {
  const double *fill;           /* of each column: what stands for a missing cell */
  const int *first_level;       /* of each column: its first place in level_output; the last ends the list */
  const int *level_output;      /* of each level: its number of the result, or -1 */
  const int *output;            /* of each column of numbers: its number of the result; -1 for levels */
  const double *shift, *scale;  /* of each number of the result: (value or its score - shift) * scale */
  const int *first_known;       /* of each number of the result: its first place in known; the last ends the list */
  const double *known, *score;  /* known values, ascending, and the score of each: quantiles */
};

/* A machine: decision = bias + the sum of coefficients * kernel values. */
struct credence_machine {
  int positive, negative;  /* the classes that it tells apart; negative -1: all others */
  int count;               /* of its vectors */
  const int *vector;
  const double *coefficient;
  double bias;
};

/* An SVM: a machine for each pair of classes. */
struct credence_svm {
  int gamma;  /* its place in the gammas of the part */
  const struct credence_machine *machines;
};

struct credence_gamma {
  double gamma;
  int squared;  /* how often the kernel values of the gamma before are squared for its own; 0: they are computed */
};

/* SVMs over the same vectors. */
struct credence_part {
  int preparation, kernel, vector_count;
  const double *vectors;  /* one after the other */
  int gamma_count;
  const struct credence_gamma *gammas;
  int svm_count;
  const struct credence_svm *svms;  /* by gamma */
};

/* One SVM, or some whose mean is taken, and what rows that they had not seen were given by them. */
struct credence_judge {
  int is_mean, svm_count;
  const int *svms;  /* numbered through all parts */
  int strange_count;
  const double *strange;  /* ascending */
};
)c";

/// After the numbers of the model. The kernel of a part is the place in kernel::KernelType.
inline constexpr const char* c_functions = R"c(
static inline double credence_exp_part(double x, int q) {
  double r = fma((double)q, -0.6931471805596629565116018, x);
  r = fma((double)q, -0.28235290563031577122588448175e-12, r);
  {
    const double r2 = r * r, r4 = r2 * r2, r8 = r4 * r4;
    const double high = fma(r2, 2.08860621107283687536341e-9, fma(2.51112930892876518610661e-8, r,
                                                                  2.75573911234900471893338e-7));
    const double middle = fma(r2, fma(2.75572362911928827629423e-6, r, 2.4801587159235472998791e-5),
                              fma(0.000198412698960509205564975, r, 0.00138888888889774492207962));
    const double low = fma(r2, fma(0.00833333333331652721664984, r, 0.0416666666666665047591422),
                           fma(0.166666666666666851703837, r, 0.5));
    return fma(fma(r8, high, fma(r4, middle, low)), r2, r);
  }
}

/* y * 2^q, in two steps, so that each power is a normal number. */
static inline double credence_scaled(double y, int q) {
  const int half = (q - (q & 1)) / 2;
  return y * ldexp(1.0, half) * ldexp(1.0, q - half);
}

static inline int credence_quotient(double x) {
  return (int)fma(x, 1.442695040888963407359924681, x < 0 ? -0.5 : 0.5);
}

static inline double credence_exp(double x) {
  int q;
  if (!(x >= -1000.0)) return 0;
  q = credence_quotient(x);
  return credence_scaled(credence_exp_part(x, q) + 1.0, q);
}

static inline double credence_tanh(double x) {
  const double a = fabs(x);
  double y, z = 1.0;
  if (a != a) return x;
  if (!(a > 18.714973875)) {
    const double twice = a * 2.0;
    const int q = credence_quotient(twice);
    y = credence_exp_part(twice, q);
    if (!(twice < 0.346573590279972654708616)) y = credence_scaled(y + 1.0, q) - 1.0;
    z = y / (y + 2.0);
  }
  return copysign(z, x);
}

static inline double credence_kernel_value(int kernel, double base, double gamma) {
  double value, power;
  int degree;
  switch (kernel) {
    case CREDENCE_RBF:
    case CREDENCE_LAPLACIAN:
      value = credence_exp(-(gamma * base));
      return value >= 1e-30 ? value : 0;
    case CREDENCE_POLYNOMIAL:
      value = 1;
      power = fma(gamma, base, CREDENCE_COEF0);
      for (degree = CREDENCE_DEGREE; degree > 0; degree >>= 1) {
        if (degree & 1) value = value * power;
        power = power * power;
      }
      return value;
    case CREDENCE_SIGMOID:
      return credence_tanh(fma(gamma, base, CREDENCE_COEF0));
    default:
      return base;
  }
}

static inline double credence_squared(double value, int times) {
  for (; times > 0; --times) value = value * value;
  return value >= 1e-30 ? value : 0;
}

static inline double credence_base(int kernel, const double *x, const double *z) {
  double sum = 0;
  int j;
  if (kernel == CREDENCE_RBF)
    for (j = 0; j < CREDENCE_NUMBERS; ++j) sum = fma(x[j] - z[j], x[j] - z[j], sum);
  else if (kernel == CREDENCE_LAPLACIAN)
    for (j = 0; j < CREDENCE_NUMBERS; ++j) sum = sum + fabs(x[j] - z[j]);
  else
    for (j = 0; j < CREDENCE_NUMBERS; ++j) sum = fma(x[j], z[j], sum);
  return sum;
}

/* The score on the line between known values; the value itself if none is known. */
static inline double credence_score_of(const double *known, const double *score, int count, double value) {
  int first = 0, left = count;
  if (count == 0 || !(fabs(value) <= DBL_MAX)) return value;
  while (left > 0) {
    const int half = left / 2;
    if (known[first + half] <= value) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  if (first == 0) return score[0];
  if (first == count) return score[count - 1];
  value = (value - known[first - 1]) / (known[first] - known[first - 1]);
  return score[first - 1] + value * (score[first] - score[first - 1]);
}

static inline int credence_prepare(const struct credence_preparation *how, const double *row, double *x) {
  int j, k;
  for (j = 0; j < CREDENCE_COLUMNS; ++j) {
    const int is_missing = row[j] != row[j];
    const double cell = is_missing ? how->fill[j] : row[j];
    const int first = how->first_level[j], last = how->first_level[j + 1];
    if (is_missing && !CREDENCE_IMPUTES) return CREDENCE_MISSING;
    if (how->output[j] >= 0) {
      const int known = how->first_known[how->output[j]];
      double number;
      k = how->output[j];
      number = credence_score_of(how->known + known, how->score + known, how->first_known[k + 1] - known, cell);
      x[k] = how->scale[k] == 0 ? 0 : (number - how->shift[k]) * how->scale[k];
      if (!(fabs(x[k]) <= DBL_MAX)) return CREDENCE_NOT_FINITE;
      continue;
    }
    if (!(cell >= 0 && cell < last - first && cell == floor(cell))) return CREDENCE_UNKNOWN_LEVEL;
    for (k = first; k < last; ++k) {
      const int to = how->level_output[k];
      if (to < 0) continue;
      x[to] = how->scale[to] == 0 ? 0 : ((k - first == (int)cell ? 1.0 : 0.0) - how->shift[to]) * how->scale[to];
    }
  }
  return CREDENCE_OK;
}

static inline int credence_decide(const struct credence_machine *machines, const double *values, double *decision) {
  int m, k;
  for (m = 0; m < CREDENCE_MACHINES; ++m) {
    decision[m] = machines[m].bias;
    for (k = 0; k < machines[m].count; ++k)
      decision[m] = fma(machines[m].coefficient[k], values[machines[m].vector[k]], decision[m]);
    if (!(fabs(decision[m]) <= DBL_MAX)) return CREDENCE_NOT_FINITE;
  }
  return CREDENCE_OK;
}

static inline int credence_vote(const struct credence_machine *machines, const double *decision) {
  int votes[CREDENCE_CLASSES] = {0};
  int m, best = 0;
  if (CREDENCE_MACHINES == 1) return decision[0] > 0 ? machines[0].positive : machines[0].negative;
  if (machines[0].negative < 0) {
    for (m = 1; m < CREDENCE_MACHINES; ++m)
      if (decision[m] > decision[best]) best = m;
    return machines[best].positive;
  }
  for (m = 0; m < CREDENCE_MACHINES; ++m) ++votes[decision[m] > 0 ? machines[m].positive : machines[m].negative];
  for (m = 1; m < CREDENCE_CLASSES; ++m)
    if (votes[m] > votes[best]) best = m;
  return best;
}

/* How well each class fits: the worst of the machines that it takes part in. */
static inline void credence_scores(const struct credence_machine *machines, const double *decision, double *score) {
  int m;
  for (m = 0; m < CREDENCE_CLASSES; ++m) score[m] = HUGE_VAL;
  for (m = 0; m < CREDENCE_MACHINES; ++m) {
    double *positive = &score[machines[m].positive];
    double *negative;
    if (machines[m].negative < 0) {
      *positive = decision[m];
      continue;
    }
    negative = &score[machines[m].negative];
    if (decision[m] < *positive) *positive = decision[m];
    if (-decision[m] < *negative) *negative = -decision[m];
  }
}

/* How many of the numbers are at least as large. */
static inline int credence_at_least(const double *ascending, int count, double value) {
  int first = 0, left = count;
  while (left > 0) {
    const int half = left / 2;
    if (ascending[first + half] < value) {
      first += half + 1;
      left -= half + 1;
    } else {
      left = half;
    }
  }
  return count - first;
}

/* The scores of all SVMs for a row. */
static inline int credence_score_all(const double *row, double score[][CREDENCE_CLASSES],
                                     struct credence_prediction *prediction) {
  double x[CREDENCE_NUMBERS];
  double base[CREDENCE_VECTORS];
  double values[CREDENCE_VECTORS] = {0};
  double decision[CREDENCE_MACHINES];
  int p, g, i, k, wrong, number = 0;
  for (p = 0; p < CREDENCE_PARTS; ++p) {
    const struct credence_part *part = &credence_parts[p];
    memset(x, 0, sizeof x);
    wrong = credence_prepare(&credence_preparations[part->preparation], row, x);
    if (wrong) return wrong;
    for (i = 0; i < part->vector_count; ++i)
      base[i] = credence_base(part->kernel, x, part->vectors + (size_t)i * CREDENCE_NUMBERS);
    for (k = 0, g = 0; g < part->gamma_count; ++g) {
      const struct credence_gamma *how = &part->gammas[g];
      for (i = 0; i < part->vector_count; ++i)
        values[i] = how->squared ? credence_squared(values[i], how->squared)
                                 : credence_kernel_value(part->kernel, base[i], how->gamma);
      for (; k < part->svm_count && part->svms[k].gamma == g; ++k, ++number) {
        wrong = credence_decide(part->svms[k].machines, values, decision);
        if (wrong) return wrong;
        credence_scores(part->svms[k].machines, decision, score[number]);
        if (number > 0 || !CREDENCE_HAS_DECISIONS) continue;
        memcpy(prediction->decision, decision, sizeof decision);
        prediction->label = credence_vote(part->svms[k].machines, decision);
      }
    }
  }
  return CREDENCE_OK;
}

/* What a judge says: the scores of an SVM, or the mean of those of some, each cut to what one may say. */
static inline void credence_ask(const struct credence_judge *judge, double score[][CREDENCE_CLASSES], double *mean) {
  int c, k;
  for (c = 0; c < CREDENCE_CLASSES; ++c) {
    mean[c] = 0;
    for (k = 0; judge->is_mean && k < judge->svm_count; ++k) {
      const double one = score[judge->svms[k]][c];
      mean[c] += one < -CREDENCE_MOST ? -CREDENCE_MOST : one > CREDENCE_MOST ? CREDENCE_MOST : one;
    }
    mean[c] = judge->is_mean ? mean[c] / judge->svm_count : score[judge->svms[0]][c];
  }
}

/* Predicts a row: a number for each column, NAN where a cell is missing, and of a column of levels the number that
   credence_level gives. Returns CREDENCE_OK, or what is wrong with the row. */
static inline int credence_predict(const double row[CREDENCE_COLUMNS], struct credence_prediction *prediction) {
  double score[CREDENCE_SVMS][CREDENCE_CLASSES];
  double own[CREDENCE_CLASSES];
  double as_strange[CREDENCE_CLASSES] = {0};
  double of = 0, other = 0;
  int i, k, wrong;
  memset(prediction, 0, sizeof *prediction);
  wrong = credence_score_all(row, score, prediction);
  if (wrong) return wrong;
  for (k = 0; k < CREDENCE_JUDGES; ++k) {
    const struct credence_judge *judge = &credence_judges[k];
    credence_ask(judge, score, own);
    if (k == 0) memcpy(prediction->score, own, sizeof own);
    of += judge->strange_count;
    for (i = 0; i < CREDENCE_CLASSES; ++i)
      as_strange[i] += credence_at_least(judge->strange, judge->strange_count, -own[i]);
  }
  for (i = 1; i < CREDENCE_CLASSES && !CREDENCE_HAS_DECISIONS; ++i)
    if (prediction->score[i] > prediction->score[prediction->label]) prediction->label = i;
  if (!CREDENCE_HAS_P_VALUES) return CREDENCE_OK;
  for (i = 0; i < CREDENCE_CLASSES; ++i) {
    const double p = (as_strange[i] + 1.0) / (of + 1.0);
    prediction->p_value[i] = p < 1.0 ? p : 1.0;
    if (i != prediction->label && prediction->p_value[i] > other) other = prediction->p_value[i];
  }
  prediction->credibility = prediction->p_value[prediction->label];
  prediction->confidence = 1.0 - other;
  return CREDENCE_OK;
}

/* Whether a class belongs to the prediction set at a level such as 0.05; levels that differ by rounding alone are equal. */
static inline int credence_in_prediction_set(const struct credence_prediction *prediction, int label, double level) {
  return prediction->p_value[label] - level > 1e-12;
}

#endif
)c";

}  // namespace credence::io
