// SPDX-License-Identifier: MIT
/*
 * The rows that vsm top shows.
 */
#include "top/row.h"

const char *status_name(enum status status)
{
	static const char *const names[] = {
		[STATUS_NONE] = "",
		[STATUS_HELD] = "held",
		[STATUS_STUCK] = "stuck",
		[STATUS_DEADLOCK] = "DEADLOCK",
		[STATUS_LOST] = "lost",
	};

	return names[status];
}
