/* SPDX-License-Identifier: MIT */
/*
 * Puts spans of time that overlap on different lines.
 */
#ifndef _TRACE_LINES_H_
#define _TRACE_LINES_H_

#include <stddef.h>
#include <stdint.h>

/**
 * struct time_span - A span of time
 * @start: Begin
 * @end: End, not before @start
 * @group: Spans of different groups do not share lines
 * @what: Number that the caller gives it: spans with the same begin are in the order of it
 * @line: Line of the group that it is on, from 0 (out)
 */
struct time_span {
	uint64_t start;
	uint64_t end;
	size_t group;
	size_t what;
	uint32_t line;
};

/*
 * Sorts the spans by their group, then by their begin, and puts each on the lowest line of its
 * group that is free. A line is free again when its span ends.
 */
void put_on_lines(struct time_span *spans, size_t count);

#endif
