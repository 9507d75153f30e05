/* SPDX-License-Identifier: MIT */
/*
 * Presets of the model of time: numbers that were measured on GPUs.
 */
#ifndef _DEVICE_PRESET_H_
#define _DEVICE_PRESET_H_

/*
 * Returns the operands OPTION=VALUE of a preset, ended by NULL, or NULL if there is no such preset.
 * They set all latencies and bandwidths.
 */
const char *const *preset_find(const char *name);

/* Returns the names of all presets, separated by spaces. */
const char *preset_names(void);

#endif
