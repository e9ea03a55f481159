/* Training from C: the header is C, and its example compiles. */
#include "ane/runtime/train.h"

/* The loss of the third step; 0, or -1 for an error. */
int smokeTrainingLoss(const char *path, double *loss);
int smokeTrainingLoss(const char *path, double *loss) {
  const float x[12] = {1, 0, 0, 0, 1, 0, 0, 0, 1, 1, 1, 1}, y[4] = {1, 2, 3, 6};
  ane_trainer_options options = ANE_TRAINER_OPTIONS_INIT;
  ane_train_step step = ANE_TRAIN_STEP_INIT;
  ane_trainer *trainer = NULL;
  ane_status *status;
  int i, code;
  options.device = "cpu";
  options.learning_rate = 1e-2;
  status = ane_trainer_create(path, &options, &trainer);
  if (!status)
    status = ane_trainer_set_input(trainer, 0, x, sizeof x);
  if (!status)
    status = ane_trainer_set_input(trainer, 1, y, sizeof y);
  for (i = 0; !status && i < 3; ++i)
    status = ane_trainer_step(trainer, &step);
  *loss = step.loss;
  code = status ? -1 : 0;
  ane_status_free(status);
  ane_trainer_destroy(trainer);
  return code;
}
