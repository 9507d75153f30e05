// SPDX-License-Identifier: MIT
/*
 * Random changes of good modules: the parser finds an error or reads a module, and never more.
 *
 * VSM_MUTATIONS=N in the environment tries N changed modules, and VSM_SEED=N others than usual.
 */
#include "parse_build.h"

#define MUTATIONS 4000
/* A change may add this number of bytes. */
#define ROOM 4096

static const char *const names[] = { "nvcc.ptx", "clang.ptx", "scopes.ptx", "data.ptx" };

/** struct sample - A good module */
struct sample {
	char *text;
	size_t size;
};

static struct sample samples[ARRAY_SIZE(names)];
static uint64_t seed = 1;

/* A random number below @count (xorshift64*). */
static size_t pick(size_t count)
{
	seed ^= seed >> 12;
	seed ^= seed << 25;
	seed ^= seed >> 27;
	return count ? (seed * 0x2545f4914f6cdd1dull >> 20) % count : 0;
}

/* Text that is put somewhere */
static const char *const pieces[] = {
	"{", "}", "(", ")", "[", "]", ";", ",", ":", "|", "!", "@", "<", ">", "-", "~", "?", "\"",
	"/*", "*/", "//", "\\", "%", "$", "_", "0x", "0f3f800000", "1.5e300", "1<<63",
	"18446744073709551615", "%r1", "%tid.x", ".v4", ".align 8", ".extern", ".func", ".entry",
	".reg .b32 %r<999>;", ".b8 x[99999999][99999999]", "= {{1},{2}}", "generic(",
	".alias a, b;", ".loc 65535 1 1", ".branchtargets", "L: .callprototype _ ();",
	".section .debug_str {", ".loc 1 2 3, function_name $L, inlined_at 1 2 3",
};

/* Puts @length bytes of @from at @at. Returns the new size. */
static size_t put(char *text, size_t size, size_t space, size_t at, const char *from, size_t length)
{
	if (length > space - size)
		return size;
	memmove(text + at + length, text + at, size - at);
	memcpy(text + at, from, length);
	return size + length;
}

/* Changes the text at one place. Returns the new size. */
static size_t change(char *text, size_t size, size_t space)
{
	const struct sample *other = &samples[pick(ARRAY_SIZE(samples))];
	size_t at = pick(size + 1), from, length;
	const char *piece;

	switch (pick(6)) {
	case 0:
		if (at < size)
			text[at] ^= 1 << pick(8);
		return size;
	case 1:
		if (at < size)
			text[at] = pick(256);
		return size;
	case 2:
		length = pick(pick(2) ? 8 : 400);
		length = length < size - at ? length : size - at;
		memmove(text + at, text + at + length, size - at - length);
		return size - length;
	case 3:
		from = pick(other->size);
		length = pick(300);
		length = length < other->size - from ? length : other->size - from;
		return put(text, size, space, at, other->text + from, length);
	case 4:
		piece = pieces[pick(ARRAY_SIZE(pieces))];
		for (length = pick(4) ? 1 : pick(200); length; length--)
			size = put(text, size, space, at, piece, strlen(piece));
		return size;
	default:
		return pick(4) ? size : at;
	}
}

TEST(changed_modules_are_read_or_refused)
{
	const char *value = getenv("VSM_MUTATIONS");
	unsigned long count = value ? strtoul(value, NULL, 0) : MUTATIONS;
	unsigned long i, good = 0;

	for (i = 0; i < count; i++) {
		const struct sample *sample = &samples[pick(ARRAY_SIZE(samples))];
		size_t size = sample->size, space = size + ROOM, changes = 1 + pick(5);
		struct ptx_messages messages = { };
		char *text = malloc(space);
		struct ptx_module *module;
		int error;

		assert_non_null(text);
		memcpy(text, sample->text, size);
		while (changes--)
			size = change(text, size, space);
		error = parse_bytes(text, size, &module, &messages);
		free(text);
		if (error)
			assert_int_equal(error, -EINVAL);
		assert_int_equal(!error, !!module);
		assert_int_equal(!error, !messages.count);
		assert_int_equal(!error, !messages.text);
		assert_true(messages.count <= PTX_MAX_MESSAGES);
		good += !error;
		ptx_module_free(module);
		free(messages.text);
	}
	/* Some changes are in comments or numbers; most are errors. */
	assert_in_range(good, count / 100, count / 2);
}

static int read_samples(void **state)
{
	const char *value = getenv("VSM_SEED");
	unsigned int i;

	if (value)
		seed += strtoul(value, NULL, 0);
	for (i = 0; i < ARRAY_SIZE(names); i++)
		samples[i].text = read_sample(names[i], &samples[i].size);
	return 0;
}

static int free_samples(void **state)
{
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		free(samples[i].text);
	return 0;
}

int main(void)
{
	return testing_run(read_samples, free_samples);
}
