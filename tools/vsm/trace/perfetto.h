/* SPDX-License-Identifier: MIT */
/*
 * Numbers of the fields of Perfetto's messages. perfetto.proto has the same numbers with their
 * types; the tests decode what is written with it.
 */
#ifndef _TRACE_PERFETTO_H_
#define _TRACE_PERFETTO_H_

enum {
	TRACE_PACKET = 1,
};

/* message TracePacket */
enum {
	PACKET_CLOCK_SNAPSHOT = 6,
	PACKET_TIMESTAMP = 8,
	PACKET_SEQUENCE = 10,
	PACKET_TRACK_EVENT = 11,
	PACKET_SEQUENCE_FLAGS = 13,
	PACKET_DEFAULTS = 59,
	PACKET_TRACK_DESCRIPTOR = 60,
};

enum {
	SEQUENCE_CLEARED = 1,
	SEQUENCE_NEEDS_STATE = 2,
};

/* message TracePacketDefaults */
enum {
	DEFAULTS_CLOCK = 58,
};

/* message ClockSnapshot, and ClockSnapshot.Clock */
enum {
	SNAPSHOT_CLOCKS = 1,
	SNAPSHOT_PRIMARY = 2,
	CLOCK_ID = 1,
	CLOCK_TIMESTAMP = 2,
};

enum {
	CLOCK_IS_MONOTONIC = 3,
	CLOCK_IS_BOOTTIME = 6,
};

/* message TrackDescriptor */
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8,
};

/* messages ProcessDescriptor, ThreadDescriptor, CounterDescriptor */
enum {
	PROCESS_PID = 1,
	PROCESS_NAME = 6,
	THREAD_PID = 1,
	THREAD_TID = 2,
	THREAD_NAME = 5,
	COUNTER_UNIT = 3,
};

enum {
	UNIT_COUNT = 2,
	UNIT_BYTES = 3,
};

/* message TrackEvent */
enum {
	EVENT_ANNOTATIONS = 4,
	EVENT_TYPE = 9,
	EVENT_TRACK = 11,
	EVENT_CATEGORIES = 22,
	EVENT_NAME = 23,
	EVENT_COUNTER = 30,
	EVENT_FLOWS = 47,
	EVENT_TERMINATING_FLOWS = 48,
};

enum {
	TYPE_BEGIN = 1,
	TYPE_END = 2,
	TYPE_INSTANT = 3,
	TYPE_COUNTER = 4,
};

/* message DebugAnnotation */
enum {
	ANNOTATION_STRING = 6,
	ANNOTATION_NAME = 10,
};

#endif
