// SPDX-License-Identifier: MIT
/*
 * A plugin for QEMU that counts what a guest does between the marks of mark.h: instructions, locked
 * instructions, and the cache lines that it reads and writes. To load it:
 *
 *	tools/vm/run --plugin build/tools/count.so,out=FILE -- PROGRAM
 *
 * The plugin writes a row to FILE for each mark_row(). Tabs separate its columns: the text of the
 * mark, the number of regions, instructions, instructions of the processor that executes most,
 * instructions in the kernel, locked instructions, cache lines that are read, cache lines that are
 * written, and shared cache lines. Each figure is the median of all regions of side A since the
 * last row; a tick of the kernel's timer in some regions therefore changes nothing. A cache line is
 * 64 bytes of physical memory. An instruction with the prefix "rep" counts once for each
 * repetition.
 *
 * A cache line is shared if one side writes it, and the other side reads or writes it, each in at
 * least half of its regions. If two processors executed the two sides at the same time, the cache
 * line would move from one to the other each time. After a row, FILE has a line for each shared
 * cache line: "#", its address, and what each side does with it. Places in the code follow as
 * ADDRESS/CALL, where CALL is the address of the last call instruction before.
 *
 * QEMU's header qemu-plugin.h is not packaged in Debian. The declarations below are those of API
 * version 1, which QEMU 4.2 to 8.2 have. Build with -DPLUGIN_API=N for a newer QEMU; in version 3,
 * qemu_plugin_insn_data() got other arguments. Only version 1 has been tried. QEMU says which
 * versions it takes when it refuses to load the plugin.
 */
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#ifndef PLUGIN_API
#define PLUGIN_API 1
#endif

#define EXPORT __attribute__((visibility("default")))

/* --- QEMU's interface ----------------------------------------------------------- */

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;
struct qemu_plugin_insn;
struct qemu_plugin_hwaddr;
enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_RW = 3 };

size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *tb);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *tb, size_t index);
size_t qemu_plugin_insn_size(const struct qemu_plugin_insn *insn);
uint64_t qemu_plugin_insn_vaddr(const struct qemu_plugin_insn *insn);
#if PLUGIN_API < 3
const void *qemu_plugin_insn_data(const struct qemu_plugin_insn *insn);
#else
size_t qemu_plugin_insn_data(const struct qemu_plugin_insn *insn, void *to, size_t size);
#endif
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t id,
					   void (*translated)(qemu_plugin_id_t,
							      struct qemu_plugin_tb *));
void qemu_plugin_register_vcpu_insn_exec_cb(struct qemu_plugin_insn *insn,
					    void (*executed)(unsigned int cpu, void *data),
					    enum qemu_plugin_cb_flags flags, void *data);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *insn,
				      void (*accessed)(unsigned int cpu, qemu_plugin_meminfo_t info,
						       uint64_t address, void *data),
				      enum qemu_plugin_cb_flags flags, enum qemu_plugin_mem_rw rw,
				      void *data);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t info);
struct qemu_plugin_hwaddr *qemu_plugin_get_hwaddr(qemu_plugin_meminfo_t info, uint64_t address);
bool qemu_plugin_hwaddr_is_io(const struct qemu_plugin_hwaddr *hwaddr);
uint64_t qemu_plugin_hwaddr_phys_addr(const struct qemu_plugin_hwaddr *hwaddr);

EXPORT int qemu_plugin_version = PLUGIN_API;

/* --- counts ------------------------------------------------------------------------ */

/* The last bytes of the nops in mark.h. */
enum { NO_SIDE, SIDE_A, SIDE_B };

#define CPUS		64
#define LINE_SHIFT	6
#define LINES		(1 << 20)	/* size of the hash table, which must not become full */
#define PLACES		6		/* instructions that are listed for a shared line */
#define REGIONS		(1 << 16)	/* regions of a side that count for a row */
#define TEXT		200

enum { INSTRUCTIONS, BUSIEST, KERNEL, LOCKED, READ, WRITTEN, FIGURES };

/* What one side does with a line. The stamps are those of the last region with such an access. */
struct use {
	uint32_t touched_in, read_in, written_in;
	uint32_t touched, written;	/* number of regions */
	struct place {
		uint64_t address;	/* of an instruction that accesses the line */
		uint64_t call;		/* of the last call that the processor executed before it */
	} places[PLACES];		/* the first such instructions */
};

struct line {
	uint64_t number;		/* physical address >> LINE_SHIFT, plus one; 0: unused */
	uint64_t address;		/* virtual address of the first access */
	struct use use[2];
};

/*
 * Everything below is protected by the mutex, because QEMU may execute the processors in parallel.
 * @side is also read without the mutex; it is then checked again.
 */
static pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
static int side;			/* side of the current region, NO_SIDE between regions */
static uint32_t stamp;			/* number of the current region */
static uint32_t *figures[2][FIGURES];	/* of each region; rows have those of side A */
static uint32_t regions[2];
static uint32_t current[FIGURES];
static uint32_t of_cpu[CPUS];
static uint64_t call_of_cpu[CPUS];	/* the last call */
static struct line *lines;
static uint32_t *used, used_count;	/* indices in @lines of the lines in use */
static char text[TEXT];
static unsigned int text_size;
static FILE *out;

static void fail(const char *what)
{
	fprintf(stderr, "count.so: %s\n", what);
	exit(1);
}

static struct line *line_of(uint64_t number, uint64_t address)
{
	uint32_t i = (number * 0x9e3779b97f4a7c15ull) >> 44;

	while (lines[i].number && lines[i].number != number + 1)
		i = (i + 1) % LINES;
	if (!lines[i].number) {
		if (used_count > LINES / 2)
			fail("a row has too many cache lines");
		used[used_count++] = i;
		lines[i].number = number + 1;
		lines[i].address = address;
	}
	return &lines[i];
}

static void add_place(struct use *use, struct place place)
{
	unsigned int i;

	for (i = 0; i < PLACES && use->places[i].address; i++) {
		if (use->places[i].address == place.address && use->places[i].call == place.call)
			return;
	}
	if (i < PLACES)
		use->places[i] = place;
}

static void count_line(uint64_t number, uint64_t address, struct place place, bool store)
{
	struct line *line = line_of(number, address);
	struct use *use = &line->use[side - SIDE_A];

	if (use->touched_in != stamp) {
		use->touched_in = stamp;
		use->touched++;
	}
	if (store && use->written_in != stamp) {
		use->written_in = stamp;
		use->written++;
		current[WRITTEN]++;
	}
	if (!store && use->read_in != stamp) {
		use->read_in = stamp;
		current[READ]++;
	}
	add_place(use, place);
}

static void begin_region(int new_side)
{
	side = new_side;
	stamp++;
	memset(current, 0, sizeof(current));
	memset(of_cpu, 0, sizeof(of_cpu));
}

static void end_region(void)
{
	uint32_t *region = &regions[side - SIDE_A];
	unsigned int i;

	for (i = 0; i < CPUS; i++) {
		current[INSTRUCTIONS] += of_cpu[i];
		if (of_cpu[i] > current[BUSIEST])
			current[BUSIEST] = of_cpu[i];
	}
	if (*region == REGIONS)
		fail("a row has too many regions");
	for (i = 0; i < FIGURES; i++)
		figures[side - SIDE_A][i][*region] = current[i];
	++*region;
	side = NO_SIDE;
}

/* --- rows -------------------------------------------------------------------------- */

static int compare(const void *a, const void *b)
{
	uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;

	return (x > y) - (x < y);
}

static uint32_t median(uint32_t *values, uint32_t count)
{
	qsort(values, count, sizeof(*values), compare);
	return count ? values[count / 2] : 0;
}

/* Whether a side has done something in at least half of its regions. */
static bool often(uint32_t times, int which)
{
	return times && 2 * times >= regions[which];
}

static bool is_shared(const struct line *line)
{
	return (often(line->use[0].written, 0) && often(line->use[1].touched, 1)) ||
	       (often(line->use[1].written, 1) && often(line->use[0].touched, 0));
}

static void print_use(const struct use *use, int which)
{
	unsigned int i;

	fprintf(out, "\t%s", often(use->written, which) ? "writes" : "reads");
	for (i = 0; i < PLACES && use->places[i].address; i++)
		fprintf(out, " %llx/%llx", (unsigned long long)use->places[i].address,
			(unsigned long long)use->places[i].call);
}

static void print_row(void)
{
	uint32_t shared = 0, i;

	fprintf(out, "%s\t%u", text, regions[0]);
	for (i = 0; i < FIGURES; i++)
		fprintf(out, "\t%u", median(figures[0][i], regions[0]));
	for (i = 0; i < used_count; i++)
		shared += is_shared(&lines[used[i]]);
	if (regions[1])
		fprintf(out, "\t%u\n", shared);
	else
		fprintf(out, "\t\n");
	for (i = 0; i < used_count; i++) {
		struct line *line = &lines[used[i]];

		if (is_shared(line)) {
			fprintf(out, "#\t%llx", (unsigned long long)line->address);
			print_use(&line->use[0], 0);
			print_use(&line->use[1], 1);
			fprintf(out, "\n");
		}
		memset(line, 0, sizeof(*line));
	}
	fflush(out);	/* the runner kills QEMU at the end */
	used_count = 0;
	regions[0] = 0;
	regions[1] = 0;
}

static void take_character(char character)
{
	text[text_size] = character;
	if (character && text_size < TEXT - 1)
		text_size++;
	if (!character) {
		print_row();
		text_size = 0;
	}
}

/* --- what QEMU calls ----------------------------------------------------------------- */

/* The address and the kind of an instruction fit in the pointer that QEMU passes on. */
#define IS_LOCKED	1
#define IS_CALL		2
#define KIND_BITS	2

static void *packed(uint64_t address, unsigned int kind)
{
	return (void *)(uintptr_t)(address << KIND_BITS | kind);
}

static uint64_t address_in(const void *data)
{
	return (uint64_t)((int64_t)(uintptr_t)data >> KIND_BITS);
}

static void executed(unsigned int cpu, void *data)
{
	if (!__atomic_load_n(&side, __ATOMIC_RELAXED))
		return;
	pthread_mutex_lock(&mutex);
	if (side) {
		of_cpu[cpu % CPUS]++;
		current[KERNEL] += address_in(data) >> 63;
		current[LOCKED] += (uintptr_t)data & IS_LOCKED;
		if ((uintptr_t)data & IS_CALL)
			call_of_cpu[cpu % CPUS] = address_in(data);
	}
	pthread_mutex_unlock(&mutex);
}

static void accessed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	struct qemu_plugin_hwaddr *hwaddr;

	if (!__atomic_load_n(&side, __ATOMIC_RELAXED))
		return;
	hwaddr = qemu_plugin_get_hwaddr(info, address);
	if (!hwaddr || qemu_plugin_hwaddr_is_io(hwaddr))
		return;
	pthread_mutex_lock(&mutex);
	if (side)
		count_line(qemu_plugin_hwaddr_phys_addr(hwaddr) >> LINE_SHIFT, address,
			   (struct place) { address_in(data), call_of_cpu[cpu % CPUS] },
			   qemu_plugin_mem_is_store(info));
	pthread_mutex_unlock(&mutex);
}

static void marked(unsigned int cpu, void *data)
{
	(void)cpu;
	pthread_mutex_lock(&mutex);
	if (side)
		end_region();
	if ((uintptr_t)data != NO_SIDE)
		begin_region((uintptr_t)data);
	pthread_mutex_unlock(&mutex);
}

static void passed(unsigned int cpu, qemu_plugin_meminfo_t info, uint64_t address, void *data)
{
	(void)cpu;
	(void)info;
	(void)data;
	pthread_mutex_lock(&mutex);
	take_character(address & 0xff);
	pthread_mutex_unlock(&mutex);
}

/*
 * What kind of an instruction is it? An xchg with memory is locked without a prefix. A call has a
 * constant address, or one in a register or in memory.
 */
static unsigned int kind_of(const unsigned char *code, size_t size)
{
	static const char prefixes[] = "\x66\x67\xf2\xf3\x2e\x36\x3e\x26\x64\x65";
	size_t i = 0;

	while (i < size && memchr(prefixes, code[i], sizeof(prefixes) - 1))
		i++;
	if (i < size && code[i] == 0xf0)
		return IS_LOCKED;
	if (i < size && (code[i] & 0xf0) == 0x40)
		i++;
	if (i < size && code[i] == 0xe8)
		return IS_CALL;
	if (i + 1 < size && code[i] == 0xff && (code[i + 1] >> 3 & 7) == 2)
		return IS_CALL;
	if (i + 1 < size && (code[i] == 0x86 || code[i] == 0x87) && code[i + 1] < 0xc0)
		return IS_LOCKED;
	return 0;
}

static void instrument(struct qemu_plugin_insn *insn)
{
	static const unsigned char nop[] = { 0x66, 0x0f, 0x1f, 0x84, 0x00, 'v', 's', 'm' };
	static const unsigned char load[] = { 0x8a, 0x80, 'v', 's', 'm', 0x00 };
	size_t size = qemu_plugin_insn_size(insn);
#if PLUGIN_API < 3
	const unsigned char *code = qemu_plugin_insn_data(insn);
#else
	unsigned char code[16] = {};

	qemu_plugin_insn_data(insn, code, sizeof(code));
#endif

	if (size == sizeof(nop) + 1 && !memcmp(code, nop, sizeof(nop))) {
		qemu_plugin_register_vcpu_insn_exec_cb(insn, marked, QEMU_PLUGIN_CB_NO_REGS,
						       (void *)(uintptr_t)code[sizeof(nop)]);
	} else if (size == sizeof(load) && !memcmp(code, load, sizeof(load))) {
		qemu_plugin_register_vcpu_mem_cb(insn, passed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, NULL);
	} else {
		void *data = packed(qemu_plugin_insn_vaddr(insn), kind_of(code, size));

		qemu_plugin_register_vcpu_insn_exec_cb(insn, executed, QEMU_PLUGIN_CB_NO_REGS,
						       data);
		qemu_plugin_register_vcpu_mem_cb(insn, accessed, QEMU_PLUGIN_CB_NO_REGS,
						 QEMU_PLUGIN_MEM_RW, data);
	}
}

static void translated(qemu_plugin_id_t id, struct qemu_plugin_tb *tb)
{
	size_t i;

	(void)id;
	for (i = 0; i < qemu_plugin_tb_n_insns(tb); i++)
		instrument(qemu_plugin_tb_get_insn(tb, i));
}

EXPORT int qemu_plugin_install(qemu_plugin_id_t id, const void *info, int argc, char **argv)
{
	unsigned int i, j;

	(void)info;
	if (argc != 1 || strncmp(argv[0], "out=", 4)) {
		fprintf(stderr, "count.so: takes one argument, out=FILE\n");
		return -1;
	}
	out = fopen(argv[0] + 4, "w");
	if (!out) {
		perror(argv[0] + 4);
		return -1;
	}
	lines = calloc(LINES, sizeof(*lines));
	used = calloc(LINES, sizeof(*used));
	for (i = 0; i < 2; i++)
		for (j = 0; j < FIGURES; j++)
			figures[i][j] = calloc(REGIONS, sizeof(uint32_t));
	qemu_plugin_register_vcpu_tb_trans_cb(id, translated);
	return 0;
}
