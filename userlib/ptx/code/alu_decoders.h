/* SPDX-License-Identifier: MIT */
/*
 * The files that decode and execute arithmetic, logic, comparison, conversion and moves.
 *
 * Each file has a function of the type ptx_alu_decode_fn. ptx_alu_decode() asks one after the
 * other, until one does not answer NOT_MINE. A file that executes integers answers NOT_MINE if an
 * opcode that floats have, too (add, min, ...) ends with a type of floats, and refuses all other
 * types of the opcode; the file that executes floats need not know what they are.
 */
#ifndef _PTX_CODE_ALU_DECODERS_H_
#define _PTX_CODE_ALU_DECODERS_H_

#include "code/decoder.h"

typedef enum ptx_decoded ptx_alu_decode_fn(struct ptx_decoder *d, const struct ptx_insn *insn,
					   struct ptx_step *step);

ptx_alu_decode_fn ptx_int_decode;	/* integers */
ptx_alu_decode_fn ptx_video_decode;	/* vadd2, vset4, ... */
ptx_alu_decode_fn ptx_mov_decode;	/* mov */

ptx_alu_decode_fn ptx_float_decode;	/* arithmetic of floats */
ptx_alu_decode_fn ptx_compare_decode;	/* setp, set, testp */
ptx_alu_decode_fn ptx_cvt_decode;	/* cvt */

#endif
