/* SPDX-License-Identifier: MIT */
#ifndef _PTX_TEXT_MACROS_H_
#define _PTX_TEXT_MACROS_H_

#define ARRAY_SIZE(array) (sizeof(array) / sizeof((array)[0]))
#define BIT(number)	(1U << (number))

#endif
