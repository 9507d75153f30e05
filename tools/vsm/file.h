/* SPDX-License-Identifier: MIT */
/*
 * Reads whole files.
 */
#ifndef _FILE_H_
#define _FILE_H_

#include <stddef.h>

/*
 * Returns the contents of a file, followed by a 0, and sets @size to their size. If the file cannot
 * be read or is larger than @limit, sets errno and returns NULL.
 */
char *read_file(const char *path, size_t limit, size_t *size);
/* Does the same, but reads standard input if @path is "-". */
char *read_file_or_input(const char *path, size_t limit, size_t *size);

#endif
