// SPDX-License-Identifier: MIT
/*
 * Writes messages in the wire format of protocol buffers.
 */
#include <stdlib.h>
#include <string.h>

#include "base.h"
#include "trace/proto.h"
#include "utf8.h"

/* Kinds of fields in the wire format. */
#define VARINT 0
#define FIXED64 1
#define LENGTH 2

/* A message in a message has its length in this number of bytes, even if it needs less. */
#define LENGTH_BYTES 4

static uint8_t *append(struct proto *proto, size_t size)
{
	if (proto->capacity - proto->size < size) {
		proto->capacity = 2 * (proto->capacity + size);
		proto->data = must(realloc(proto->data, proto->capacity));
	}
	proto->size += size;
	return proto->data + proto->size - size;
}

static void put_varint(struct proto *proto, uint64_t number)
{
	for (; number >= 0x80; number >>= 7)
		*append(proto, 1) = number | 0x80;
	*append(proto, 1) = number;
}

static void put_key(struct proto *proto, unsigned int field, unsigned int kind)
{
	put_varint(proto, field << 3 | kind);
}

void proto_number(struct proto *proto, unsigned int field, uint64_t number)
{
	put_key(proto, field, VARINT);
	put_varint(proto, number);
}

void proto_fixed64(struct proto *proto, unsigned int field, uint64_t number)
{
	uint8_t *bytes;
	unsigned int i;

	put_key(proto, field, FIXED64);
	bytes = append(proto, 8);
	for (i = 0; i < 8; i++)
		bytes[i] = number >> 8 * i;
}

void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t size)
{
	put_key(proto, field, LENGTH);
	put_varint(proto, size);
	if (size)
		memcpy(append(proto, size), data, size);
}

/* A string must be UTF-8. Bytes that are no part of a character are replaced. */
void proto_string(struct proto *proto, unsigned int field, const char *text)
{
	const char *end = text + strlen(text);
	size_t begin = proto_begin(proto, field), bytes;
	uint32_t character;

	for (; text < end; text += bytes) {
		bytes = utf8_next(text, end - text, &character);
		if (character == UTF8_REPLACEMENT)
			memcpy(append(proto, strlen(UTF8_REPLACEMENT_TEXT)),
			       UTF8_REPLACEMENT_TEXT, strlen(UTF8_REPLACEMENT_TEXT));
		else
			memcpy(append(proto, bytes), text, bytes);
	}
	proto_end(proto, begin);
}

size_t proto_begin(struct proto *proto, unsigned int field)
{
	put_key(proto, field, LENGTH);
	append(proto, LENGTH_BYTES);
	return proto->size;
}

void proto_end(struct proto *proto, size_t begin)
{
	size_t size = proto->size - begin;
	unsigned int i;

	for (i = 0; i < LENGTH_BYTES; i++)
		proto->data[begin - LENGTH_BYTES + i] =
			(size >> 7 * i & 0x7f) | (i + 1 < LENGTH_BYTES ? 0x80 : 0);
}

void proto_free(struct proto *proto)
{
	free(proto->data);
	*proto = (struct proto){ };
}
