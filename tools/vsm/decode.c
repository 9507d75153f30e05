// SPDX-License-Identifier: MIT
/* vsm decode: prints the fields of an mbarrier word or of a state token. It needs no device. */
#include <ctype.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <vsm.h>

#include "base.h"
#include "command.h"

static const char *const layout_names[] = {
	[VSM_LAYOUT_SM_90] = "sm_90",
	[VSM_LAYOUT_SM_80] = "sm_80",
};

static int parse_word(const char *text, uint64_t *word)
{
	bool hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	const char *digits = hex ? text + 2 : text;
	char *end;

	errno = 0;
	*word = strtoull(digits, &end, hex ? 16 : 10);
	/* Refuse signs, spaces and a second 0x, which strtoull() accepts. */
	if (!(hex ? isxdigit : isdigit)((unsigned char)digits[0]) || *end ||
	    (hex && (digits[1] == 'x' || digits[1] == 'X')))
		return misused("decode: '%s' is not a word: decimal, or hex after 0x", text);
	if (errno)
		return misused("decode: '%s' has more than 64 bits", text);
	return EXIT_OK;
}

static const char *truth(int value)
{
	return value ? "True" : "False";
}

/*
 * Prints the meaning of the word as a state token. Only a token of a .noComplete arrive has a
 * pending count. In layout sm_80, the two halves of such a token are equal.
 */
static void print_token(enum vsm_layout layout, uint64_t word)
{
	uint32_t phase = vsm_mbarrier_phase(word);

	if (layout == VSM_LAYOUT_SM_80 && (uint32_t)word != word >> 32)
		print_field(10, "as token", "phase %u, not of a .noComplete", phase);
	else
		print_field(10, "as token", "phase %u, pending_count %u", phase,
			    vsm_mbarrier_pending_count(layout, word));
}

static void print_word(enum vsm_layout layout, uint64_t word)
{
	struct vsm_mbarrier_fields f = vsm_mbarrier_decode(layout, word);

	printf("0x%016" PRIx64 " %s\n", word, layout_names[layout]);
	print_field(10, "phase", "%u (wait on parity 0: %s, on parity 1: %s)", f.phase,
		    truth(vsm_mbarrier_wait(word, vsm_mbarrier_parity(0))),
		    truth(vsm_mbarrier_wait(word, vsm_mbarrier_parity(1))));
	print_field(10, "pending", "%u", f.pending);
	print_field(10, "expected", "%u", f.expected);
	if (layout == VSM_LAYOUT_SM_90) {
		print_field(10, "tx-count", "%d", f.tx);
		print_field(10, "poison", "%s", f.poison ? "1 (the next operation traps)" : "0");
	}
	print_field(10, "reserved", "%s",
		    f.reserved ? "not 0 (no operation sets these bits)" : "0");
	print_token(layout, word);
}

int command_decode(struct args *args)
{
	enum vsm_layout layout = VSM_LAYOUT_SM_90;
	uint64_t word;
	int status, i;

	while (args_next(args))
		layout = args->choice ? VSM_LAYOUT_SM_80 : VSM_LAYOUT_SM_90;
	if (args->ended)
		return args->status;

	/* Parse all words before the first one is printed. */
	for (i = 0; i < args->count; i++) {
		status = parse_word(args->operands[i], &word);
		if (status)
			return status;
	}
	for (i = 0; i < args->count; i++) {
		parse_word(args->operands[i], &word);
		if (i)
			putchar('\n');
		print_word(layout, word);
	}
	return EXIT_OK;
}
