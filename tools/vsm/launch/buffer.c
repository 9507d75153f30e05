// SPDX-License-Identifier: MIT
/*
 * What buffers contain before the first launch.
 */
#include <errno.h>
#include <string.h>

#include "base.h"
#include "launch/buffer.h"

const char *const fill_names[FILL_WORDS + 1] = {
	[FILL_ZERO] = "zero",
	[FILL_IOTA] = "iota",
	[FILL_IOTAF] = "iotaf",
	[FILL_RANDOM] = "random",
	[FILL_RANDOMF] = "randomf",
	[FILL_BYTES] = "bytes",
};

bool read_contents(const struct cursor *c, const char *where, const char *path,
		   struct plan_buffer *buffer)
{
	buffer->fill = FILL_BYTES;
	buffer->bytes = file_read(path, buffer->size, &buffer->byte_count);
	if (buffer->bytes)
		return true;
	return error_at(c, where, "%s: %s", path,
			errno == EFBIG ? "the file is larger than the buffer" : strerror(errno));
}

/* splitmix64, which the manual names: the same seed gives the same contents for ever. */
static uint64_t next_random(uint64_t *state)
{
	uint64_t z = *state += 0x9e3779b97f4a7c15;

	z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
	z = (z ^ z >> 27) * 0x94d049bb133111eb;
	return z ^ z >> 31;
}

static uint32_t float_bits(float number)
{
	uint32_t bits;

	memcpy(&bits, &number, sizeof(bits));
	return bits;
}

static uint32_t next_word(const struct plan_buffer *buffer, uint64_t index, uint64_t *state)
{
	switch (buffer->fill) {
	case FILL_IOTA:
		return index;
	case FILL_IOTAF:
		return float_bits(index);
	case FILL_RANDOM:
		return next_random(state) >> 32;
	case FILL_RANDOMF:
		/* A multiple of 2^-23 in [-1, 1), which is exact. */
		return float_bits((float)(next_random(state) >> 40) / (1 << 23) - 1);
	default:
		return 0;
	}
}

void fill_buffer(const struct plan_buffer *buffer, void *memory)
{
	uint64_t state = buffer->seed, i, at;
	uint32_t word;

	if (buffer->fill == FILL_BYTES)
		memcpy(memory, buffer->bytes, buffer->byte_count);
	if (buffer->fill == FILL_BYTES || buffer->fill == FILL_TENSOR_MAP ||
	    buffer->fill == FILL_ZERO)
		return;
	for (i = at = 0; at < buffer->size; i++, at += sizeof(word)) {
		uint64_t rest = buffer->size - at;

		word = next_word(buffer, i, &state);
		memcpy((char *)memory + at, &word, rest < sizeof(word) ? rest : sizeof(word));
	}
}
