/* CPU code of a training bundle, by hand. The model is y = x w + b over 4 rows of 3
   columns, beside a table that is drawn to 0, 1, 2, ...; its loss is the mean square of
   what is missing in y, and of what is in the table. As in fp16, gradients of 65520
   and more are infinite. */
#include "ane/runtime/host_abi.h"
#include <math.h>

enum { ROWS = 4, COLUMNS = 3, TABLE = 40, SWEEP = 16 };

uint32_t ane_host_abi(void) { return ANE_HOST_ABI_VERSION; }
void ane_host_init(const ane_host_table *table) { (void)table; }

static const float *in(void *const *args, int i) { return (const float *)args[i]; }
static float *out(void *const *args, int i) { return (float *)args[i]; }

static float half(float value) { return fabsf(value) >= 65520.0f ? copysignf(INFINITY, value) : value; }

static float missing(const float *x, const float *y, const float *b, const float *w, int row) {
  float sum = b[0] - y[row];
  for (int j = 0; j < COLUMNS; ++j)
    sum += x[row * COLUMNS + j] * w[j];
  return sum;
}

static float loss(const float *x, const float *y, const float *b, const float *table, const float *w) {
  float sum = 0;
  for (int i = 0; i < ROWS; ++i)
    sum += missing(x, y, b, w, i) * missing(x, y, b, w, i) / ROWS;
  for (int i = 0; i < TABLE; ++i)
    sum += (table[i] - (float)i) * (table[i] - (float)i) / TABLE;
  return sum;
}

/* x, y, loss scale, b, table, w -> loss, and gradients of b, table, w */
void test_step(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  const float *x = in(args, 0), *y = in(args, 1), *b = in(args, 3), *table = in(args, 4), *w = in(args, 5);
  const float scale = in(args, 2)[0];
  float db = 0, dw[COLUMNS] = {0, 0, 0};
  for (int i = 0; i < ROWS; ++i) {
    const float d = 2 * missing(x, y, b, w, i) / ROWS;
    db += d;
    for (int j = 0; j < COLUMNS; ++j)
      dw[j] += d * x[i * COLUMNS + j];
  }
  out(args, 6)[0] = loss(x, y, b, table, w);
  out(args, 7)[0] = half(db * scale);
  for (int i = 0; i < TABLE; ++i)
    out(args, 8)[i] = half(2 * (table[i] - (float)i) / TABLE * scale);
  for (int j = 0; j < COLUMNS; ++j)
    out(args, 9)[j] = half(dw[j] * scale);
}

/* What the program of TrainingBundle::useProgram() computes. */
void test_copy(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  for (int i = 0; i < TABLE; ++i)
    out(args, 1)[i] = in(args, 0)[i];
}

/* A matrix with ones in its diagonal, 8 x 8. */
void test_eye(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  for (int i = 0; i < 64; ++i)
    out(args, 0)[i] = i % 9 == 0;
}

/* What the program of TrainingBundle::bakeTable() computes: its weight, times that matrix. */
void test_table(void *const *args, const ane_host_context *ctx) {
  const float *weight = (const float *)((const char *)ctx->weights[0] + 128);
  for (int i = 0; i < TABLE; ++i)
    out(args, 1)[i] = weight[i];
}

/* x, y, b, table, w -> loss */
void test_evaluate(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  out(args, 5)[0] = loss(in(args, 0), in(args, 1), in(args, 2), in(args, 3), in(args, 4));
}

/* weight, gradient, first, second, gradient_scale, rate, decay, beta1, beta2, epsilon, correction1, correction2 */
void test_adamw(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  const float scale = in(args, 4)[0], rate = in(args, 5)[0], decay = in(args, 6)[0], beta1 = in(args, 7)[0],
              beta2 = in(args, 8)[0], epsilon = in(args, 9)[0], correction1 = in(args, 10)[0],
              correction2 = in(args, 11)[0];
  for (int i = 0; i < SWEEP; ++i) {
    const float g = in(args, 1)[i] * scale, w = in(args, 0)[i] * (1 - rate * decay);
    const float m = beta1 * in(args, 2)[i] + (1 - beta1) * g, v = beta2 * in(args, 3)[i] + (1 - beta2) * g * g;
    out(args, 12)[i] = w - rate * (m * correction1) / (sqrtf(v * correction2) + epsilon);
    out(args, 13)[i] = m;
    out(args, 14)[i] = v;
  }
}

/* weight, gradient, velocity, gradient_scale, rate, decay, momentum */
void test_sgd(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  const float scale = in(args, 3)[0], rate = in(args, 4)[0], decay = in(args, 5)[0], momentum = in(args, 6)[0];
  for (int i = 0; i < SWEEP; ++i) {
    const float w = in(args, 0)[i], u = momentum * in(args, 2)[i] + in(args, 1)[i] * scale + decay * w;
    out(args, 7)[i] = w - rate * u;
    out(args, 8)[i] = u;
  }
}

/* weight, gradient, momentum_state, gradient_scale, rate, decay, beta1, beta2 */
void test_lion(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  const float scale = in(args, 3)[0], rate = in(args, 4)[0], decay = in(args, 5)[0], beta1 = in(args, 6)[0],
              beta2 = in(args, 7)[0];
  for (int i = 0; i < SWEEP; ++i) {
    const float g = in(args, 1)[i] * scale, m = in(args, 2)[i], c = beta1 * m + (1 - beta1) * g;
    out(args, 8)[i] = in(args, 0)[i] * (1 - rate * decay) - rate * (float)((c > 0) - (c < 0));
    out(args, 9)[i] = beta2 * m + (1 - beta2) * g;
  }
}

void test_squares(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  float sum = 0;
  for (int i = 0; i < SWEEP; ++i)
    sum += in(args, 0)[i] * in(args, 0)[i];
  out(args, 1)[0] = sum;
}

void test_sum(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  for (int i = 0; i < SWEEP; ++i)
    out(args, 2)[i] = in(args, 0)[i] + in(args, 1)[i];
}
