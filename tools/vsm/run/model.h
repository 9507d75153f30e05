/* SPDX-License-Identifier: MIT */
/*
 * The device's model of time, in debugfs.
 */
#ifndef _RUN_MODEL_H_
#define _RUN_MODEL_H_

#include "scenario/scenario.h"

/*
 * Sets parameters of the model. Before it changes one for the first time, it adds the old
 * value to @saved. Returns 0; or a negative errno, with @file the name of the file.
 */
int model_set(const struct vsm_device *device, const struct model *model, struct model *saved,
	      const char **file);
/* Sets the saved values again. */
void model_restore(const struct vsm_device *device, const struct model *saved);

#endif
