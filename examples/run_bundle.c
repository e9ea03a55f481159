/* Runs a bundle from C: one file of raw values for each input, in the order of the model.
 *
 *   cc -std=c99 run_bundle.c $(pkg-config --cflags --libs anemone) -o run_bundle     (or CMakeLists.txt here)
 *   ./run_bundle model.anebundle emulator ids.raw mask.raw
 *
 * Prints the model's inputs and the first values of each output. Without files it prints the inputs only.
 */
#include "ane/runtime/ane.h"
#include <stdio.h>
#include <stdlib.h>

/* Ends the program with a message when a call failed. */
static void check(ane_status *status) {
  if (!status)
    return;
  fprintf(stderr, "run_bundle: error: %s\n", ane_status_message(status));
  ane_status_free(status);
  exit(1);
}

static void print(const char *kind, const ane_tensor_info *info) {
  size_t i;
  printf("%s %s: %s[", kind, info->name, ane_dtype_name(info->dtype));
  for (i = 0; i < info->rank; ++i)
    printf("%s%lld", i ? "," : "", (long long)info->shape[i]);
  printf("], %lu bytes\n", (unsigned long)info->bytes);
}

/* Reads a file straight into an input's memory. */
static void read_input(ane_session *session, size_t index, const char *path) {
  void *data = NULL;
  size_t bytes = 0;
  FILE *file = fopen(path, "rb");
  check(ane_session_input_data(session, index, &data, &bytes));
  if (!file || fread(data, 1, bytes, file) != bytes || fgetc(file) != EOF) {
    fprintf(stderr, "run_bundle: error: %s: expected a file of %lu bytes\n", path, (unsigned long)bytes);
    exit(1);
  }
  fclose(file);
}

static void print_values(const ane_tensor_info *info, const void *data) {
  size_t i, count = info->dtype == ANE_FLOAT32 || info->dtype == ANE_INT32 ? info->bytes / 4
                    : info->dtype == ANE_INT64                             ? info->bytes / 8
                                                                           : 0;
  for (i = 0; i < count && i < 4; ++i) {
    if (info->dtype == ANE_FLOAT32)
      printf(" %.6g", ((const float *)data)[i]);
    else if (info->dtype == ANE_INT32)
      printf(" %ld", (long)((const int32_t *)data)[i]);
    else
      printf(" %lld", (long long)((const int64_t *)data)[i]);
  }
  printf("\n");
}

int main(int argc, char **argv) {
  ane_options options = ANE_OPTIONS_INIT;
  ane_bundle *bundle = NULL;
  ane_session *session = NULL;
  ane_tensor_info info = ANE_TENSOR_INFO_INIT;
  ane_event event = ANE_EVENT_INIT;
  const void *data = NULL;
  size_t i;
  if (argc < 2) {
    fprintf(stderr, "usage: run_bundle BUNDLE [DEVICE [INPUT...]]\n");
    return 2;
  }
  options.device = argc > 2 ? argv[2] : "auto";
  check(ane_bundle_open(argv[1], &options, &bundle));
  check(ane_session_create(bundle, NULL, &session));
  for (i = 0; i < ane_session_input_count(session); ++i) {
    check(ane_session_input_info(session, i, &info));
    print("input", &info);
  }
  if (argc > 3) {
    if ((size_t)argc - 3 != ane_session_input_count(session)) {
      fprintf(stderr, "run_bundle: error: %d files for %lu inputs\n", argc - 3,
              (unsigned long)ane_session_input_count(session));
      return 1;
    }
    for (i = 0; i < ane_session_input_count(session); ++i)
      read_input(session, i, argv[3 + i]);
    check(ane_session_run(session));
    for (i = 0; i < ane_session_output_count(session); ++i) {
      check(ane_session_output_info(session, i, &info));
      check(ane_session_output(session, i, &data, NULL));
      print("output", &info);
      print_values(&info, data);
    }
    printf("ran on %s; programs that the device refused: %lu\n", ane_bundle_device(bundle),
           (unsigned long)ane_session_event_count(session));
    for (i = 0; i < ane_session_event_count(session); ++i) {
      check(ane_session_event(session, i, &event));
      printf(" %s: %s\n", event.program, event.reason);
    }
  }
  ane_session_destroy(session);
  ane_bundle_close(bundle);
  return 0;
}
