// SPDX-License-Identifier: MIT
/* Decoding of the instructions that only read and write registers of their own lane. */
#include "code/alu.h"
#include "code/alu_decoders.h"
#include "vsm_syntax.h"

static ptx_alu_decode_fn *const decoders[] = {
	ptx_int_decode,
	ptx_video_decode,
	ptx_mov_decode,
	ptx_float_decode,
	ptx_compare_decode,
	ptx_cvt_decode,
	NULL,
};

enum ptx_decoded ptx_alu_decode(struct ptx_decoder *d, const struct ptx_insn *insn,
				struct ptx_step *step)
{
	for (unsigned int i = 0; decoders[i]; i++) {
		enum ptx_decoded decoded = decoders[i](d, insn, step);

		if (decoded != NOT_MINE)
			return decoded;
	}
	return NOT_MINE;
}
