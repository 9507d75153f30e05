/* SPDX-License-Identifier: MIT */
/* The files that decode all other instructions than those of the ALU. */
#ifndef _PTX_CODE_DECODERS_H_
#define _PTX_CODE_DECODERS_H_

#include "code/decoder.h"

/* Each decodes the instructions of one file; see &enum ptx_decoded. */
enum ptx_decoded ptx_control_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				    struct ptx_step *step);
enum ptx_decoded ptx_memory_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);
enum ptx_decoded ptx_window_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);
enum ptx_decoded ptx_tensormap_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				      struct ptx_step *step);
enum ptx_decoded ptx_misc_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				 struct ptx_step *step);
enum ptx_decoded ptx_device_decode(struct ptx_builder *b, const struct ptx_insn *insn,
				   struct ptx_step *step);

/* Decodes an instruction as if its opcode were @opcode. */
enum ptx_decoded ptx_device_decode_as(struct ptx_builder *b, const struct ptx_insn *insn,
				      const char *opcode, struct ptx_step *step);

#endif
