/* SPDX-License-Identifier: MIT */
#ifndef VSM_UNIT_FUZZ_H
#define VSM_UNIT_FUZZ_H

#include <stddef.h>
#include <stdlib.h>

#define CHECK(holds) do {	\
	if (!(holds))		\
		abort();	\
} while (0)

/*
 * The first byte of an input is one of these values, and selects what the other bytes mean. Of a
 * larger first byte only the lowest bit counts.
 */
enum fuzz_kind {
	FUZZ_INSN,		/* a cluster, an instruction and a word: fuzz_insn.c */
	FUZZ_PROGRAM,		/* a cluster and what is done in it: fuzz_program.c */
	FUZZ_RENDEZVOUS,	/* a cluster and what its threads do: fuzz_rendezvous.c */
	FUZZ_KINDS,
};

void fuzz_insn(const unsigned char *data, size_t size);
void fuzz_program(const unsigned char *data, size_t size);
void fuzz_rendezvous(const unsigned char *data, size_t size);

/* libFuzzer calls the function by this name. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif
