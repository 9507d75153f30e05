// SPDX-License-Identifier: MIT
/*
 * Presets of the model of time. Documentation/devices.rst says where each figure comes from, and
 * how it was made of cycles. A figure that nobody has given is 0.
 */
#include <string.h>

#include "base.h"
#include "preset.h"

/* H800 at 1.755 GHz: TMA loads 170 cycles more, SM to SM 180 cycles, shared memory 29 cycles */
static const char *const h800[] = {
	"latency_ns=0",
	"bandwidth=0",
	"load_latency_ns=97",
	"load_bandwidth=0",
	"load_next_ns=0",
	"store_latency_ns=0",
	"store_bandwidth=0",
	"remote_latency_ns=103",
	"local_latency_ns=17",
	NULL
};

/* H200 at 1.98 GHz: remote stores are visible after 573 cycles */
static const char *const h200[] = {
	"latency_ns=0",
	"bandwidth=0",
	"load_latency_ns=0",
	"load_bandwidth=0",
	"load_next_ns=0",
	"store_latency_ns=0",
	"store_bandwidth=0",
	"remote_latency_ns=289",
	"local_latency_ns=0",
	NULL
};

/*
 * B200 at 1.965 GHz: loads 460 cycles, 6 for each KiB, and 240 for each further instruction; stores
 * 130 cycles, and 52 for each KiB
 */
static const char *const b200[] = {
	"latency_ns=0",
	"bandwidth=0",
	"load_latency_ns=234",
	"load_bandwidth=335360000000",
	"load_next_ns=122",
	"store_latency_ns=66",
	"store_bandwidth=38695384615",
	"remote_latency_ns=0",
	"local_latency_ns=0",
	NULL
};

static const struct {
	const char *name;
	const char *const *operands;
} presets[] = {
#define PRESET(name) { #name, name },
	EACH_PRESET(PRESET)
};

const char *const *preset_find(const char *name)
{
	size_t i;

	for (i = 0; i < ARRAY_SIZE(presets); i++)
		if (!strcmp(presets[i].name, name))
			return presets[i].operands;
	return NULL;
}
