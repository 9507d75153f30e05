// SPDX-License-Identifier: MIT
/*
 * The outcome of a statement on one thread.
 */
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>

#include "run/outcome.h"
#include "names.h"

int refuse(struct outcome *outcome, int err, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	vsnprintf(outcome->note, sizeof(outcome->note), format, args);
	va_end(args);
	return err;
}

const char *outcome_of(const struct outcome *outcome, char text[OF_SIZE])
{
	text[0] = '\0';
	if (outcome->several)
		snprintf(text, OF_SIZE, " of %u.%u", outcome->cta, outcome->thread);
	return text;
}

const char *outcome_text(const struct outcome *outcome, enum vsm_layout layout,
			 char text[OUTCOME_SIZE])
{
	char message[OUTCOME_SIZE - 64];

	if (!outcome->err) {
		snprintf(text, OUTCOME_SIZE, "success");
	} else if (outcome->note[0]) {
		snprintf(text, OUTCOME_SIZE, "%s: %s", errno_name(-outcome->err), outcome->note);
	} else if (outcome->err == -EPROTO && outcome->insn.fault) {
		vsm_fault_message(layout, outcome->cta, &outcome->insn, message, sizeof(message));
		snprintf(text, OUTCOME_SIZE, "fault %s: %s", vsm_fault_name(outcome->insn.fault),
			 message);
	} else {
		snprintf(text, OUTCOME_SIZE, "errno %s", errno_name(-outcome->err));
	}
	return text;
}
