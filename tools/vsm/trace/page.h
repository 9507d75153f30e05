/* SPDX-License-Identifier: MIT */
/* The HTML page, before and after the place of its data. page/build.py writes these strings. */
#ifndef _TRACE_PAGE_H_
#define _TRACE_PAGE_H_

extern const char page_before[];
extern const char page_after[];

#endif
