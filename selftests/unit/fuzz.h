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
 * The first byte of an input is one of these values, and selects what the other bytes mean. If it
 * is larger than the last value, only its lowest bit counts.
 */
enum fuzz_kind {
	FUZZ_INSN,		/* a cluster, an instruction and a word: fuzz_insn.c */
	FUZZ_PROGRAM,		/* a cluster and a sequence of actions: fuzz_program.c */
	FUZZ_RENDEZVOUS,	/* a cluster and actions of threads: fuzz_rendezvous.c */
	FUZZ_KINDS,
};

void fuzz_insn(const unsigned char *data, size_t size);
void fuzz_program(const unsigned char *data, size_t size);
void fuzz_rendezvous(const unsigned char *data, size_t size);

/* libFuzzer requires this name. */
int LLVMFuzzerTestOneInput(const unsigned char *data, size_t size);

#endif
