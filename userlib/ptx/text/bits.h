/* SPDX-License-Identifier: MIT */
/*
 * Names the lanes or warps of a mask.
 */
#ifndef _PTX_TEXT_BITS_H_
#define _PTX_TEXT_BITS_H_

#include <stdint.h>

/* Size of the text of bits_text() */
#define BITS_SIZE 128

/*
 * Writes the noun and the numbers of the bits in a mask to @text: "lane 3", "lanes 0 to 3 and 7".
 * Returns @text.
 */
const char *bits_text(char text[BITS_SIZE], const char *noun, uint32_t mask);

#endif
