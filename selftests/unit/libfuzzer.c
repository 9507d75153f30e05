// SPDX-License-Identifier: MIT
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!size)
		return 0;
	switch (data[0] < FUZZ_KINDS ? data[0] : data[0] % 2) {
	case FUZZ_INSN:
		fuzz_insn(data + 1, size - 1);
		break;
	case FUZZ_PROGRAM:
		fuzz_program(data + 1, size - 1);
		break;
	default:
		fuzz_rendezvous(data + 1, size - 1);
		break;
	}
	return 0;
}
