// SPDX-License-Identifier: MIT
#include "fuzz.h"

int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size)
{
	if (!size)
		return 0;
	if (data[0] % FUZZ_KINDS == FUZZ_INSN)
		fuzz_insn(data + 1, size - 1);
	else
		fuzz_program(data + 1, size - 1);
	return 0;
}
