#include "ane/runtime/ane.h"
#include "ane/runtime/host_abi.h"

/* Opens a bundle and gives the number of its functions, or -1. */
int smokeFunctionCount(const char *path) {
  ane_options options = ANE_OPTIONS_INIT;
  ane_bundle *bundle = NULL;
  ane_status *status;
  int count;
  options.device = "cpu";
  status = ane_bundle_open(path, &options, &bundle);
  if (status) {
    ane_status_free(status);
    return -1;
  }
  count = (int)ane_bundle_function_count(bundle);
  ane_bundle_close(bundle);
  return count;
}
