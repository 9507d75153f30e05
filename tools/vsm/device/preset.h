/* SPDX-License-Identifier: MIT */
/*
 * Presets of the model of time: numbers that were measured on GPUs.
 */
#ifndef _DEVICE_PRESET_H_
#define _DEVICE_PRESET_H_

/* The presets. @EACH is a macro that takes a name. */
#define EACH_PRESET(EACH) EACH(h800) EACH(h200) EACH(b200)
/* Their names, and the operands that name them, as texts with a space before each. */
#define PRESET_NAMES EACH_PRESET(PRESET_NAME)
#define PRESET_NAME(name) " " #name
#define PRESET_OPERANDS EACH_PRESET(PRESET_OPERAND)
#define PRESET_OPERAND(name) " preset=" #name

/*
 * Returns the operands OPTION=VALUE of a preset, ended by NULL, or NULL if there is no such preset.
 * They set all latencies and bandwidths.
 */
const char *const *preset_find(const char *name);

#endif
