// SPDX-License-Identifier: MIT
/*
 * The clocks that kernels read.
 */
#include <time.h>

#include "code/special.h"
#include "run/clock.h"
#include "run/state.h"

static uint64_t clock_value(const struct ptx_warp *warp, enum ptx_special special)
{
	/* With a seed nothing may depend on time: all clocks are the one that limits waits. */
	bool seeded = ptx_launch_of(warp)->config.seed;
	uint64_t cycles = seeded ? warp->time : warp->now, ns = warp->time;
	struct timespec now;

	switch (special) {
	case SPECIAL_CLOCK:
		return (uint32_t)cycles;
	case SPECIAL_CLOCK_HI:
		return cycles >> 32;
	case SPECIAL_CLOCK64:
		return cycles;
	default:
		break;
	}
	if (!seeded) {
		clock_gettime(CLOCK_REALTIME, &now);
		ns = now.tv_sec * 1000000000ULL + now.tv_nsec;
	}
	if (special == SPECIAL_GLOBALTIMER_LO)
		return (uint32_t)ns;
	return special == SPECIAL_GLOBALTIMER_HI ? ns >> 32 : ns;
}

void ptx_clock_read(struct ptx_warp *warp, struct ptx_regs *regs, const struct ptx_step *step,
		    uint32_t mask)
{
	unsigned int left;

	for (left = step->flags; left; left &= left - 1) {
		enum ptx_special special = SPECIAL_CLOCK + __builtin_ctz(left);
		uint64_t *row = warp->rows + (size_t)ptx_special_row(special, 0) * PTX_LANES;
		uint64_t value = clock_value(warp, special);

		PTX_FOR_LANES(lane, mask)
			row[lane] = value;
	}
	step->alu(step, regs, mask);
}
