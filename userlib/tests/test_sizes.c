// SPDX-License-Identifier: MIT
/*
 * Programs whose structures are shorter or longer than those of the library. The tests call each
 * function with the structure of an older and of a newer program.
 *
 * Each structure is in memory of exactly its size: the address sanitizer then finds every access
 * beyond it. Arrays are between canaries, for builds without the sanitizer.
 */
#include "mock.h"

#include <sys/socket.h>

#define CANARY 64
#define FILL 0x5a
#define LONGER 16

/*
 * Allocate @size bytes, and fill them: programs do not clear a structure that the library writes.
 */
static void *structure(size_t size)
{
	char *bytes = malloc(size);

	assert_non_null(bytes);
	memset(bytes, FILL, size);
	return bytes;
}

/* An array. Every byte outside its elements must stay FILL. */
struct array {
	char *bytes;
	size_t size;
};

static struct array new_array(size_t size)
{
	struct array array = { malloc(size + 2 * CANARY), size };

	assert_non_null(array.bytes);
	memset(array.bytes, FILL, size + 2 * CANARY);
	return array;
}

static void *elements(const struct array *array)
{
	return array->bytes + CANARY;
}

static void assert_bytes(const void *from, size_t size, int value)
{
	const unsigned char *bytes = from;
	size_t i;

	for (i = 0; i < size; i++)
		assert_int_equal(bytes[i], value);
}

static void free_array(struct array *array)
{
	assert_bytes(array->bytes, CANARY, FILL);
	assert_bytes(array->bytes + CANARY + array->size, CANARY, FILL);
	free(array->bytes);
}

static void test_device_info(void **state)
{
	struct drm_vsm_device_info whole, *info;
	size_t size;

	(void)state;
	whole = vsm_device_info(device);
	assert_int_equal(whole.max_ctas, 16);
	for (size = 0; size <= sizeof(whole) + LONGER; size += 4) {
		struct array array = new_array(size);

		info = elements(&array);
		vsm_device_info_sized(device, info, size);
		if (size <= sizeof(whole)) {
			assert_memory_equal(info, &whole, size);
		} else {
			assert_memory_equal(info, &whole, sizeof(whole));
			assert_bytes(info + 1, size - sizeof(whole), 0);
		}
		free_array(&array);
	}
}

static void test_cluster_create_of_shorter(void **state)
{
	const struct vsm_cluster_config whole = {
		.ctas = 2, .threads = 64, .smem_bytes = 1024, .layout = VSM_LAYOUT_SM_80,
		.policy = DRM_VSM_POLICY_HARDWARE,
	};
	size_t size = offsetof(struct vsm_cluster_config, layout);
	struct vsm_cluster_config *config = structure(size);
	struct vsm_cluster *made;

	(void)state;
	memcpy(config, &whole, size);
	assert_int_equal(vsm_cluster_create_sized(device, config, size, &made), 0);
	assert_int_equal(mock.cluster_create.ctas, 2);
	assert_int_equal(mock.cluster_create.threads, 64);
	assert_int_equal(mock.cluster_create.smem_bytes, 1024);
	assert_int_equal(mock.cluster_create.layout, 0);
	assert_int_equal(mock.cluster_create.policy, 0);
	vsm_cluster_destroy(made);
	free(config);
}

static void test_cluster_create_of_longer(void **state)
{
	const struct vsm_cluster_config whole = {
		.ctas = 2, .threads = 64, .smem_bytes = 1024,
		.policy = DRM_VSM_POLICY_HARDWARE,
	};
	size_t size = sizeof(whole) + LONGER, i;
	char *config = structure(size);
	struct vsm_cluster *made = NULL;
	int calls;

	(void)state;
	memcpy(config, &whole, sizeof(whole));
	memset(config + sizeof(whole), 0, LONGER);
	assert_int_equal(vsm_cluster_create_sized(device, (void *)config, size, &made), 0);
	assert_int_equal(mock.cluster_create.policy, DRM_VSM_POLICY_HARDWARE);
	vsm_cluster_destroy(made);

	/* The program sets a member that the library does not know: the call must fail. */
	made = NULL;
	calls = mock.calls;
	for (i = sizeof(whole); i < size; i++) {
		config[i] = 1;
		assert_int_equal(vsm_cluster_create_sized(device, (void *)config, size, &made),
				 -E2BIG);
		config[i] = 0;
	}
	assert_int_equal(mock.calls, calls);
	assert_null(made);
	free(config);
}

static void test_cluster_shape(void **state)
{
	struct vsm_cluster_config whole, *config;
	size_t size;

	(void)state;
	/* Do not compare with the structure that is returned by value: its padding may differ. */
	vsm_cluster_shape_sized(cluster, &whole, sizeof(whole));
	assert_int_equal(whole.threads, 64);
	assert_int_equal(vsm_cluster_shape(cluster).threads, 64);
	for (size = 0; size <= sizeof(whole) + LONGER; size += 4) {
		struct array array = new_array(size);

		config = elements(&array);
		vsm_cluster_shape_sized(cluster, config, size);
		if (size <= sizeof(whole)) {
			assert_memory_equal(config, &whole, size);
		} else {
			assert_memory_equal(config, &whole, sizeof(whole));
			assert_bytes(config + 1, size - sizeof(whole), 0);
		}
		free_array(&array);
	}
}

/* Call the function with number @which, of those that take a thread. */
static int call_as(struct vsm_thread *thread, unsigned int which)
{
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(0, VSM_SINK);

	switch (which) {
	case 0:
		return vsm_exec(thread, &insn, 1, NULL);
	case 1:
		return vsm_submit(thread, &insn, 1, NULL, 0, NULL);
	case 2:
		return vsm_await_parity(thread, 0, 0, 0, VSM_NEVER);
	default:
		return vsm_execute(thread, vsm_prep_mbarrier_arrive(0, VSM_SINK), NULL);
	}
}

static void test_thread(void **state)
{
	const size_t longer = sizeof(struct vsm_thread) + LONGER;
	struct vsm_thread *t = structure(longer);
	char *bytes = (char *)t;
	unsigned int which;
	int calls;

	(void)state;
	for (which = 0; which < MOCK_INSNS; which++)
		mock.results[which] = 1;
	*t = vsm_warp_at(cluster, 1, 1);
	assert_int_equal(t->size, sizeof(*t));

	/* The structure is newer, but its new members are 0. */
	t->size = longer;
	memset(bytes + sizeof(*t), 0, LONGER);
	for (which = 0; which < 4; which++) {
		memset(&mock.exec, 0, sizeof(mock.exec));
		assert_int_equal(call_as(t, which), 0);
		if (which == 1)
			continue;
		assert_int_equal(mock.exec.cta, 1);
		assert_int_equal(mock.exec.thread, 32);
		assert_int_equal(mock.exec.flags & DRM_VSM_EXEC_WARP, DRM_VSM_EXEC_WARP);
	}

	calls = mock.calls;
	for (which = 0; which < 4; which++) {
		/* The structure is newer, and a new member is not 0. */
		bytes[longer - 1] = 1;
		assert_int_equal(call_as(t, which), -E2BIG);
		bytes[longer - 1] = 0;
		/* The caller has not made the thread with vsm_thread_at(). */
		t->size = 0;
		assert_int_equal(call_as(t, which), -EINVAL);
		t->size = longer;
	}
	assert_int_equal(mock.calls, calls);
	free(t);
}

/* The stride is larger than an instruction: the program has its own data after each instruction. */
static void test_exec(void **state)
{
	const uint32_t stride = sizeof(struct drm_vsm_insn) + LONGER;
	struct array array = new_array(3 * stride);
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	struct drm_vsm_insn *insn;
	char *first = elements(&array);
	uint32_t i, retired = 0;

	(void)state;
	for (i = 0; i < 3; i++) {
		insn = (void *)(first + i * stride);
		*insn = vsm_prep_mbarrier_arrive(8 * i, 0);
		mock.results[i] = 70 + i;
	}
	assert_int_equal(vsm_exec_sized(&t, (void *)first, stride, 3, &retired), 0);
	assert_int_equal(retired, 3);
	assert_int_equal(mock.exec.stride, stride);
	for (i = 0; i < 3; i++) {
		insn = (void *)(first + i * stride);
		assert_int_equal(mock.insns[i].u.mbarrier.addr, 8 * i);
		assert_int_equal(insn->result, 70 + i);
		assert_bytes(insn + 1, LONGER, FILL);
	}

	/* The library does not copy the bytes after a refused instruction. */
	retired = 0;
	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_exec_sized(&t, (void *)first, stride, 3, &retired), -EPROTO);
	assert_memory_equal(&t.refused, first + 2 * stride, sizeof(t.refused));
	assert_int_equal(t.refused.u.mbarrier.addr, 16);
	for (i = 0; i < sizeof(t.reserved) / sizeof(t.reserved[0]); i++)
		assert_int_equal(t.reserved[i], 0);
	free_array(&array);
}

/* A program of version 0.3 has a thread without &vsm_thread.retired. */
static void test_shorter_thread(void **state)
{
	const size_t shorter = offsetof(struct vsm_thread, retired);
	struct vsm_thread whole = vsm_thread_at(cluster, 1, 32);
	struct vsm_thread *t = structure(shorter);
	struct drm_vsm_insn insn = vsm_prep_mbarrier_arrive(0, VSM_SINK);
	unsigned int which;

	(void)state;
	for (which = 0; which < MOCK_INSNS; which++)
		mock.results[which] = 1;
	whole.size = shorter;
	memcpy(t, &whole, shorter);
	for (which = 0; which < 4; which++)
		assert_int_equal(call_as(t, which), 0);
	assert_int_equal(vsm_exec_lanes(t, 0x1, &insn, NULL), 0);
	whole.size = shorter - 1;
	memcpy(t, &whole, shorter);
	assert_int_equal(call_as(t, 0), -EINVAL);
	free(t);
}

/* Programs whose instructions are longer call vsm_exec_lanes_sized(). */
static void test_exec_lanes(void **state)
{
	const uint32_t stride = sizeof(struct drm_vsm_insn) + LONGER;
	struct array array = new_array(2 * stride);
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	char *first = elements(&array);
	uint32_t i;

	(void)state;
	for (i = 0; i < 2; i++)
		*(struct drm_vsm_insn *)(first + i * stride) = vsm_prep_mbarrier_arrive(8 * i, 0);
	assert_int_equal(vsm_exec_lanes_sized(&t, 0x5, (void *)first, stride, NULL), 0);
	assert_int_equal(mock.exec.stride, stride);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mock.insns[i].u.mbarrier.addr, 8 * i);
		assert_bytes(first + i * stride + sizeof(struct drm_vsm_insn), LONGER, FILL);
	}
	free_array(&array);

	t.size = 0;
	assert_int_equal(vsm_exec_lanes(&t, 0x1, NULL, NULL), -EINVAL);
}

static void test_submit(void **state)
{
	const uint32_t stride = sizeof(struct drm_vsm_insn) + LONGER;
	const uint32_t sync_stride = sizeof(struct drm_vsm_sync) + LONGER;
	struct array insns = new_array(2 * stride), syncs = new_array(2 * sync_stride);
	struct vsm_thread t = vsm_thread_at(cluster, 0, 0);
	char *insn = elements(&insns), *sync = elements(&syncs);
	uint32_t i, refused = 9;

	(void)state;
	for (i = 0; i < 2; i++) {
		*(struct drm_vsm_insn *)(insn + i * stride) =
			vsm_prep_mbarrier_expect_tx(8 * i, 16, 0);
		*(struct drm_vsm_sync *)(sync + i * sync_stride) = vsm_sync_out(30 + i, 7);
	}
	assert_int_equal(vsm_channel_submit_sized(&t, 3, (void *)insn, stride, 2, (void *)sync,
						  sync_stride, 2, NULL), 0);
	assert_int_equal(mock.submit.channel, 3);
	assert_int_equal(mock.submit.stride, stride);
	assert_int_equal(mock.submit.sync_stride, sync_stride);
	for (i = 0; i < 2; i++) {
		assert_int_equal(mock.insns[i].u.mbarrier.addr, 8 * i);
		assert_int_equal(mock.syncs[i].handle, 30 + i);
		assert_int_equal(mock.syncs[i].point, 7);
	}

	mock.fault = DRM_VSM_FAULT_MISALIGNED;
	assert_int_equal(vsm_channel_submit_sized(&t, 0, (void *)insn, stride, 2, NULL, 0, 0,
						  &refused), -EPROTO);
	assert_int_equal(refused, 1);
	assert_memory_equal(&t.refused, insn + stride, sizeof(t.refused));
	assert_bytes(insn + stride - LONGER, LONGER, FILL);
	assert_bytes(insn + 2 * stride - LONGER, LONGER, FILL);
	free_array(&insns);
	free_array(&syncs);
}

static void test_describe(void **state)
{
	const struct drm_vsm_insn whole = vsm_prep_mbarrier_arrive_count(0x40, 3, 0);
	const size_t longer = sizeof(whole) + LONGER;
	const size_t shorter = offsetof(struct drm_vsm_insn, result);
	char expected[128], text[128];
	void *insn;

	(void)state;
	vsm_insn_describe(&whole, expected, sizeof(expected));
	assert_non_null(strstr(expected, "[0x40], 3"));

	insn = structure(shorter);
	memcpy(insn, &whole, shorter);
	vsm_insn_describe_sized(insn, shorter, text, sizeof(text));
	assert_string_equal(text, expected);
	free(insn);

	insn = structure(longer);
	memcpy(insn, &whole, sizeof(whole));
	vsm_insn_describe_sized(insn, longer, text, sizeof(text));
	assert_string_equal(text, expected);
	free(insn);

	insn = structure(0);
	assert_int_equal(vsm_insn_describe_sized(insn, 0, text, sizeof(text)), 4);
	assert_string_equal(text, "op 0");
	free(insn);
}

static void test_message(void **state)
{
	struct drm_vsm_insn whole = vsm_prep_mbarrier_arrive_count(0x40, 3, 0);
	const size_t longer = sizeof(whole) + LONGER;
	const size_t shorter = offsetof(struct drm_vsm_insn, info);
	char expected[256], text[256];
	void *insn;

	(void)state;
	whole.fault = DRM_VSM_FAULT_ARRIVAL_OVERFLOW;
	whole.result = vsm_mbarrier_init(VSM_LAYOUT_SM_90, 2);
	vsm_fault_message(VSM_LAYOUT_SM_90, 0, &whole, expected, sizeof(expected));
	assert_non_null(strstr(expected, "2 arrivals are pending"));

	insn = structure(shorter);
	memcpy(insn, &whole, shorter);
	vsm_fault_message_sized(VSM_LAYOUT_SM_90, 0, insn, shorter, text, sizeof(text));
	assert_string_equal(text, expected);
	free(insn);

	insn = structure(longer);
	memcpy(insn, &whole, sizeof(whole));
	vsm_fault_message_sized(VSM_LAYOUT_SM_90, 0, insn, longer, text, sizeof(text));
	assert_string_equal(text, expected);
	free(insn);
}

static void test_arm(void **state)
{
	const uint32_t stride = sizeof(struct drm_vsm_wait) + LONGER;
	struct array array = new_array(2 * stride);
	char *waits = elements(&array);
	struct vsm_waitset *set;
	struct drm_vsm_wait *wait;
	uint32_t i, armed = 0;

	(void)state;
	assert_int_equal(vsm_waitset_create(device, &set), 0);
	for (i = 0; i < 2; i++)
		*(struct drm_vsm_wait *)(waits + i * stride) =
			vsm_waitset_prep_parity(cluster, 8 * i, 0, VSM_NEVER, i);
	assert_int_equal(vsm_waitset_arm_sized(set, (void *)waits, stride, 2, &armed), 0);
	assert_int_equal(armed, 2);
	assert_int_equal(mock.arm.stride, stride);
	for (i = 0; i < 2; i++) {
		wait = (void *)(waits + i * stride);
		assert_int_equal(wait->id, 100 + i);
		assert_bytes(wait + 1, LONGER, FILL);
	}
	free_array(&array);
	vsm_waitset_destroy(set);
	close(mock.waits);
}

#define RECORDS 150

static void test_records(void **state)
{
	const uint32_t strides[] = { 24, 32, 40, 256 };
	struct vsm_waitset *set;
	unsigned int i, s;
	int done, count;

	(void)state;
	assert_int_equal(vsm_waitset_create(device, &set), 0);
	for (s = 0; s < sizeof(strides) / sizeof(strides[0]); s++) {
		uint32_t stride = strides[s];
		struct array array = new_array(RECORDS * stride);
		char *records = elements(&array);

		for (i = 0; i < RECORDS; i++) {
			struct drm_vsm_wait_record record = {
				.user_data = i, .id = ~(uint64_t)i, .status = 4, .result = i << 8,
			};

			assert_int_equal(write(mock.waits, &record, sizeof(record)),
					 sizeof(record));
		}
		/*
		 * The first read returns only as many records as it asks for, the second all
		 * others.
		 */
		assert_int_equal(vsm_waitset_read_sized(set, (void *)records, stride, 70, 0), 70);
		assert_bytes(records + 70 * stride, (RECORDS - 70) * stride, FILL);
		done = 70;
		count = vsm_waitset_read_sized(set, (void *)(records + done * stride), stride,
					       RECORDS - done, VSM_NEVER);
		assert_int_equal(count, RECORDS - 70);
		assert_int_equal(vsm_waitset_read_sized(set, (void *)records, stride, 1, 0), 0);
		for (i = 0; i < RECORDS; i++) {
			struct drm_vsm_wait_record known = { 0 };
			size_t size = stride < sizeof(known) ? stride : sizeof(known);

			memcpy(&known, records + i * stride, size);
			assert_int_equal(known.user_data, i);
			assert_true(known.id == ~(uint64_t)i);
			assert_int_equal(known.status, 4);
			assert_true(known.result == (stride < 32 ? 0 : i << 8));
			assert_bytes(records + i * stride + size, stride - size, 0);
		}
		free_array(&array);
	}
	vsm_waitset_destroy(set);
	close(mock.waits);
}

static void test_records_errors(void **state)
{
	struct array array = new_array(256);
	struct vsm_waitset *set;
	int directory = open("/", O_RDONLY);

	(void)state;
	assert_int_equal(vsm_waitset_create(device, &set), 0);
	assert_int_equal(vsm_waitset_read_sized(set, elements(&array), 16, 1, 0), -EINVAL);
	assert_int_equal(vsm_waitset_read_sized(set, elements(&array), 0, 1, 0), -EINVAL);
	assert_int_equal(vsm_waitset_read_sized(set, elements(&array), 40, 0, 0), -EINVAL);
	/* The wait set has no records. */
	assert_int_equal(vsm_waitset_read_sized(set, elements(&array), 40, 0xffffffff, 0), 0);
	assert_int_equal(dup2(directory, vsm_waitset_fd(set)), vsm_waitset_fd(set));
	close(directory);
	assert_int_equal(vsm_waitset_read_sized(set, elements(&array), 40, 2, 0), -EISDIR);
	assert_bytes(elements(&array), 256, FILL);
	free_array(&array);
	vsm_waitset_destroy(set);
	close(mock.waits);
}

/* Send an event of @length bytes: a header, @number, and bytes of 0xee. */
static void send_event(int to, uint32_t length, uint32_t number)
{
	char event[256];

	memset(event, 0xee, sizeof(event));
	((struct drm_event *)event)->type = DRM_VSM_EVENT_FAULT;
	((struct drm_event *)event)->length = length;
	memcpy(event + offsetof(struct drm_vsm_event_fault, cluster), &number, sizeof(number));
	assert_int_equal(send(to, event, length, 0), length);
}

/*
 * Events of an older device, of this one and of a newer one, for an older program, a current one
 * and a newer one.
 */
static void test_events(void **state)
{
	const uint32_t lengths[] = { 96, 104, 160 };
	const uint32_t strides[] = { 96, 104, 112, 160, 248 };
	unsigned int l, s, i;
	int to = mock_events();

	(void)state;
	for (s = 0; s < sizeof(strides) / sizeof(strides[0]); s++)
		for (l = 0; l < sizeof(lengths) / sizeof(lengths[0]); l++) {
			uint32_t stride = strides[s], length = lengths[l];
			uint32_t known = stride < length ? stride : length;
			struct array array = new_array(3 * stride);
			char *events = elements(&array);

			for (i = 0; i < 5; i++)
				send_event(to, length, i);
			for (i = 0; i < 5; ) {
				struct drm_event base;
				uint32_t number;
				int count, j;

				count = vsm_event_read_sized(device, (void *)events, stride, 3, 0);
				assert_true(count > 0 && count <= 3);
				for (j = 0; j < count; j++, i++) {
					char *event = events + j * stride;

					memcpy(&base, event, sizeof(base));
					assert_int_equal(base.type, DRM_VSM_EVENT_FAULT);
					assert_int_equal(base.length, known);
					memcpy(&number, event + 16, sizeof(number));
					assert_int_equal(number, i);
					assert_bytes(event + 20, known - 20, 0xee);
					assert_bytes(event + known, stride - known, 0);
				}
			}
			assert_int_equal(vsm_event_read_sized(device, (void *)events, stride, 3, 0),
					 0);
			free_array(&array);
		}

	/* The stride is smaller than the first version of the event. */
	assert_int_equal(vsm_event_read_sized(device, NULL, 88, 3, 0), -EINVAL);
	assert_int_equal(mock.event_blocks, 0);
	close(to);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, mock_setup_cluster, mock_teardown_cluster)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(test_device_info),
		TEST(test_cluster_create_of_shorter),
		TEST(test_cluster_create_of_longer),
		TEST(test_cluster_shape),
		TEST(test_thread),
		TEST(test_exec),
		TEST(test_shorter_thread),
		TEST(test_exec_lanes),
		TEST(test_submit),
		TEST(test_describe),
		TEST(test_message),
		TEST(test_arm),
		TEST(test_records),
		TEST(test_records_errors),
		TEST(test_events),
	};

	return cmocka_run_group_tests_name("sizes", tests, NULL, NULL);
}
