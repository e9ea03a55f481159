/* A small host library by hand, in the form that the code generator emits:
   everything outside comes through the table. */
#include "ane/runtime/host_abi.h"

#ifndef TEST_ABI_VERSION
#define TEST_ABI_VERSION ANE_HOST_ABI_VERSION
#endif

#ifndef TEST_ADDEND
#define TEST_ADDEND 1
#endif

static const ane_host_table *table;

uint32_t ane_host_abi(void) { return TEST_ABI_VERSION; }
void ane_host_init(const ane_host_table *t) { table = t; }

struct capture {
  const int64_t *ids;
  const float *weights;
  float *out;
};

/* The payload of the first blob lies behind header and record.
   out[i][j] = weights[ids[i]][j] over 8 ids and 64 columns, one id an
 * iteration. */
static void embedBody(int32_t *gtid, int32_t *btid, void *ctx) {
  struct capture *c = (struct capture *)ctx;
  uint64_t lb = 0, ub = 7;
  int64_t stride;
  int32_t last;
  (void)btid;
  table->for_static_init_8u(0, *gtid, 34, &last, &lb, &ub, &stride, 1, 0);
  for (uint64_t i = lb; i <= ub && ub != UINT64_MAX; ++i)
    for (int j = 0; j < 64; ++j)
      c->out[i * 64 + j] = c->weights[c->ids[i] * 64 + j];
  table->for_static_fini(0, *gtid);
  table->barrier(0, *gtid);
}

void test_embed(void *const *args, const ane_host_context *ctx) {
  struct capture c = {(const int64_t *)args[0], (const float *)((const char *)ctx->weights[0] + 128), (float *)args[1]};
  table->fork_call(0, 1, (void *)embedBody, &c);
}

/* y = 2 x + TEST_ADDEND, through the arena. */
void test_affine(void *const *args, const ane_host_context *ctx) {
  const float *x = (const float *)args[0];
  float *y = (float *)args[1], *scratch = (float *)ctx->arena;
  for (int i = 0; i < 512; ++i)
    scratch[i] = 2.0f * x[i];
  for (int i = 0; i < 512; ++i)
    y[i] = scratch[i] + TEST_ADDEND;
}

/* z = x + y */
void test_add(void *const *args, const ane_host_context *ctx) {
  (void)ctx;
  for (int i = 0; i < 512; ++i)
    ((float *)args[2])[i] = ((const float *)args[0])[i] + ((const float *)args[1])[i];
}
