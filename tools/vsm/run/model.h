/* SPDX-License-Identifier: MIT */
/*
 * Sets the device's model of time through debugfs.
 */
#ifndef _RUN_MODEL_H_
#define _RUN_MODEL_H_

#include "scenario/scenario.h"

/*
 * Sets parameters of the model. Saves the old value of each in @saved before its first change.
 * Returns 0, or a negative errno; @file is then the name of the file that could not be read or
 * written.
 */
int model_set(const struct vsm_device *device, const struct model *model, struct model *saved,
	      const char **file);
/* May this process set the model? */
bool model_writable(const struct vsm_device *device);
/* Sets the parameters in @saved to their old values. */
void model_restore(const struct vsm_device *device, const struct model *saved);

#endif
