/* SPDX-License-Identifier: MIT */
/*
 * Numbers in few characters: at most 6, or 7 for memory.
 */
#ifndef _TOP_AMOUNT_H_
#define _TOP_AMOUNT_H_

#include <stddef.h>
#include <stdint.h>

/* Writes "0", "999", "1.2k", "45M", with powers of 1000. Writes "-" if @amount is NAN. */
void amount_write(char *text, size_t size, double amount);
/* Writes "0", "4.0Ki", "1.5Gi", with powers of 1024. */
void amount_write_memory(char *text, size_t size, uint64_t bytes);
/* Writes "20ms", "5.2s", "12m", "3h", "9d". Writes "-" if @ns is negative. */
void amount_write_time(char *text, size_t size, int64_t ns);

#endif
