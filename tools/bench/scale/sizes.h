/* SPDX-License-Identifier: MIT */
#ifndef _SIZES_H_
#define _SIZES_H_

/* Prints the rows of costs against sizes; with @few, only a few turns of the smallest sizes. */
void size_rows(bool few);

#endif
