/* SPDX-License-Identifier: MIT */
/*
 * Writes messages in the wire format of protocol buffers
 * (https://protobuf.dev/programming-guides/encoding).
 */
#ifndef _TRACE_PROTO_H_
#define _TRACE_PROTO_H_

#include <stddef.h>
#include <stdint.h>

/**
 * struct proto - A message that is being written. All members of an empty message are 0
 * @data: Bytes
 * @size: Number of bytes
 * @capacity: Size of @data
 */
struct proto {
	uint8_t *data;
	size_t size;
	size_t capacity;
};

/* Each appends a field: of type uint64, int64, uint32, int32, bool or enum; fixed64; string. */
void proto_number(struct proto *proto, unsigned int field, uint64_t number);
void proto_fixed64(struct proto *proto, unsigned int field, uint64_t number);
void proto_string(struct proto *proto, unsigned int field, const char *text);
void proto_bytes(struct proto *proto, unsigned int field, const void *data, size_t size);

/* Begins a message in the message. Returns what proto_end() needs. */
size_t proto_begin(struct proto *proto, unsigned int field);
/* Ends the message. It must have less than 2^28 bytes. */
void proto_end(struct proto *proto, size_t begin);

void proto_free(struct proto *proto);

#endif
