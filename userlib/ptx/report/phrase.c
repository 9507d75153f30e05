// SPDX-License-Identifier: MIT
/*
 * Parts of sentences about threads that wait.
 */
#include "report/phrase.h"
#include "text/bits.h"

void ptx_phrase_count(FILE *out, uint64_t count, const char *noun)
{
	fprintf(out, "%llu %s%s", (unsigned long long)count, noun, count == 1 ? "" : "s");
}

bool ptx_phrase_threads(FILE *out, const uint32_t lanes[PHRASE_WARPS],
			const uint32_t all[PHRASE_WARPS])
{
	uint32_t warps = 0, mask = 0, warp;
	bool same = true, whole = true;
	char text[BITS_SIZE];

	for (warp = 0; warp < PHRASE_WARPS; warp++) {
		if (!lanes[warp])
			continue;
		same &= !warps || lanes[warp] == mask;
		whole &= lanes[warp] == all[warp];
		warps |= 1u << warp;
		mask = lanes[warp];
	}
	if (!whole && same)
		fprintf(out, "%s of ", bits_text(text, "lane", mask));
	else if (!whole)
		fprintf(out, "lanes of ");
	fprintf(out, "%s", bits_text(text, "warp", warps));
	return !(warps & (warps - 1)) && (whole || !(mask & (mask - 1)));
}

/* What the phase lacks of the bytes that were announced. */
static void phrase_bytes(FILE *out, int64_t tx, uint64_t announced)
{
	bool known = announced != PHRASE_UNKNOWN;

	if (tx > 0) {
		ptx_phrase_count(out, tx, "byte");
		if (known)
			fprintf(out, " of %llu announced", (unsigned long long)announced);
		fprintf(out, " %s missing", tx == 1 ? "is" : "are");
	} else if (tx < 0) {
		ptx_phrase_count(out, -tx, "byte");
		fprintf(out, " more have come than ");
		if (known)
			fprintf(out, "the %llu that were announced", (unsigned long long)announced);
		else
			fprintf(out, "were announced");
	} else if (!known) {
		fprintf(out, "no bytes are missing");
	} else if (announced) {
		fprintf(out, "all %llu announced bytes have come", (unsigned long long)announced);
	} else {
		fprintf(out, "no bytes were announced");
	}
}

void ptx_phrase_lack(FILE *out, const struct vsm_mbarrier_fields *fields, uint64_t expected,
		     uint64_t announced)
{
	if (fields->pending) {
		ptx_phrase_count(out, fields->pending, "arrival");
		fprintf(out, " of %llu %s missing; ", (unsigned long long)expected,
			fields->pending == 1 ? "is" : "are");
	} else {
		fprintf(out, "all arrivals have come; ");
	}
	phrase_bytes(out, fields->tx, announced);
}

void ptx_phrase_word(FILE *out, uint64_t word, const struct vsm_mbarrier_fields *fields)
{
	fprintf(out, "word 0x%016llx: phase parity %u, pending %u, expected %u, tx-count %d",
		(unsigned long long)word, fields->phase, fields->pending, fields->expected,
		fields->tx);
}

void ptx_phrase_barrier(FILE *out, uint32_t number, uint32_t needs)
{
	fprintf(out, "barrier %u, which needs %u threads", number, needs);
}

void ptx_phrase_arrived(FILE *out, uint32_t arrived, uint32_t needs)
{
	fprintf(out, "%u threads have arrived, %u are missing", arrived, needs - arrived);
}
