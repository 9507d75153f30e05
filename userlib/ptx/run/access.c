// SPDX-License-Identifier: MIT
/*
 * Executes loads, stores and atomic operations.
 *
 * Threads of the host, copies of the device and other processes access the same memory. Every
 * access of 8 bytes or less is therefore one atomic access of the host. An element of a vector is
 * an access of its own, as PTX says. Orders of PTX are those of C11: a fence of the host stands
 * before a release and behind an acquire.
 */
#include "code/float_bits.h"
#include "code/steps.h"
#include "run/access.h"
#include "run/address.h"
#include "run/device.h"
#include "run/group.h"

/* --- values of atomic operations ------------------------------------------ */

/*
 * The machine rounds to nearest here: instructions with another rounding restore this mode. With
 * @flush, operands and results that are subnormal become zeros of the same sign.
 */
static uint32_t add_f32(uint32_t a, uint32_t b, bool flush)
{
	uint32_t sum;

	if (flush) {
		a = f32_flush(a);
		b = f32_flush(b);
	}
	sum = f32_bits(f32_value(a) + f32_value(b));
	if (f32_is_nan(sum))
		return F32_NAN;
	return flush ? f32_flush(sum) : sum;
}

/*
 * An H100 keeps the payload of one NaN. In shared memory that is the first one, made quiet. In
 * global memory it is the last one, which stays as it is.
 */
static uint64_t add_f64(uint64_t a, uint64_t b, bool global)
{
	uint64_t sum = f64_bits(f64_value(a) + f64_value(b));

	if (!f64_is_nan(sum))
		return sum;
	if (f64_is_nan(b) && (global || !f64_is_nan(a)))
		a = b;
	if (!f64_is_nan(a))
		return F64_NAN;
	return global ? a : a | F64_QUIET;
}

/* A sum of two f16 is exact as a double. */
static uint32_t add_f16(uint16_t a, uint16_t b)
{
	return f16_from_f64((double)f32_value(f32_from_f16(a)) +
			    (double)f32_value(f32_from_f16(b)));
}

/*
 * A double has more than twice the bits of a bf16 and two more, so that rounding the sum twice is
 * the same as rounding it once.
 */
static uint32_t add_bf16(uint16_t a, uint16_t b)
{
	return bf16_from_f64((double)f32_value(f32_from_bf16(a)) +
			     (double)f32_value(f32_from_bf16(b)));
}

static uint64_t add(enum ptx_type type, uint64_t old, uint64_t b, bool global)
{
	switch (type) {
	case TYPE_F32:
		return add_f32(old, b, global);
	case TYPE_F64:
		return add_f64(old, b, global);
	case TYPE_F16:
		return add_f16(old, b);
	case TYPE_F16X2:
		return add_f16(old, b) | add_f16(old >> 16, b >> 16) << 16;
	case TYPE_BF16:
		return add_bf16(old, b);
	case TYPE_BF16X2:
		return add_bf16(old, b) | add_bf16(old >> 16, b >> 16) << 16;
	default:
		return old + b;
	}
}

/*
 * min or max of two halves. A number wins against a NaN, and +0 is more than -0: the order of the
 * bits is that of the values, if those of negative values are inverted.
 */
static uint64_t min_max_half(bool max, uint16_t nan, uint16_t x, uint16_t y)
{
	uint16_t x_order = x & 0x8000 ? ~x : x | 0x8000;
	uint16_t y_order = y & 0x8000 ? ~y : y | 0x8000;

	if ((x & 0x7fff) > nan)
		return (y & 0x7fff) > nan ? 0x7fff : y;
	if ((y & 0x7fff) > nan)
		return x;
	return (x_order < y_order) == max ? y : x;
}

static uint64_t min_max_halves(const struct ptx_access *access, uint64_t old, uint64_t b)
{
	uint16_t nan = access->type == TYPE_F16 || access->type == TYPE_F16X2 ? 0x7c00 : 0x7f80;
	bool max = access->atom == ATOM_MAX;
	uint64_t low = min_max_half(max, nan, old, b);

	return access->size == 2 ? low
				 : low | min_max_half(max, nan, old >> 16, b >> 16) << 16;
}

static bool is_half(enum ptx_type type)
{
	return type == TYPE_F16 || type == TYPE_F16X2 || type == TYPE_BF16 || type == TYPE_BF16X2;
}

static bool less(enum ptx_type type, uint64_t x, uint64_t y)
{
	switch (type) {
	case TYPE_S32:
		return (int32_t)x < (int32_t)y;
	case TYPE_S64:
		return (int64_t)x < (int64_t)y;
	default:
		return x < y;
	}
}

/*
 * The value that an atomic operation stores in place of @old. @b and @c are its operands.
 * @global: it is an addition of floats in global memory
 */
static uint64_t ptx_atom_value(const struct ptx_access *access, uint64_t old, uint64_t b,
			       uint64_t c, bool global)
{
	if (is_half(access->type) && access->atom != ATOM_ADD)
		return min_max_halves(access, old, b);
	switch (access->atom) {
	case ATOM_CAS:
		return old == b ? c : old;
	case ATOM_ADD:
		return add(access->type, old, b, global);
	case ATOM_INC:
		return old >= b ? 0 : old + 1;
	case ATOM_DEC:
		return !old || old > b ? b : old - 1;
	case ATOM_MIN:
		return less(access->type, b, old) ? b : old;
	case ATOM_MAX:
		return less(access->type, old, b) ? b : old;
	case ATOM_AND:
		return old & b;
	case ATOM_OR:
		return old | b;
	case ATOM_XOR:
		return old ^ b;
	default: /* ATOM_EXCH */
		return b;
	}
}

/* --- loads, stores and atomic operations ---------------------------------- */

static inline uint64_t load(const uint8_t *host, unsigned int size)
{
	switch (size) {
	case 1:
		return __atomic_load_n(host, __ATOMIC_RELAXED);
	case 2:
		return __atomic_load_n((const uint16_t *)host, __ATOMIC_RELAXED);
	case 4:
		return __atomic_load_n((const uint32_t *)host, __ATOMIC_RELAXED);
	default:
		return __atomic_load_n((const uint64_t *)host, __ATOMIC_RELAXED);
	}
}

static inline void store(uint8_t *host, unsigned int size, uint64_t value)
{
	switch (size) {
	case 1:
		__atomic_store_n(host, (uint8_t)value, __ATOMIC_RELAXED);
		break;
	case 2:
		__atomic_store_n((uint16_t *)host, (uint16_t)value, __ATOMIC_RELAXED);
		break;
	case 4:
		__atomic_store_n((uint32_t *)host, (uint32_t)value, __ATOMIC_RELAXED);
		break;
	default:
		__atomic_store_n((uint64_t *)host, value, __ATOMIC_RELAXED);
		break;
	}
}

/* --- 128 bits --------------------------------------------------------------------- */

/* A value of 128 bits. PTX accesses it as a whole, if the access has a memory order. */
struct wide {
	uint64_t low;
	uint64_t high;
};

/*
 * Stores @value in place of @old. If the memory has another value, reads it to @old and returns
 * false.
 */
#ifdef __x86_64__
static bool exchange_wide(uint8_t *host, struct wide *old, struct wide value)
{
	bool done;

	__asm__ volatile("lock cmpxchg16b %1"
			 : "=@ccz" (done), "+m" (*(struct wide *)host), "+a" (old->low),
			   "+d" (old->high)
			 : "b" (value.low), "c" (value.high)
			 : "memory");
	return done;
}
#else
static bool exchange_wide(uint8_t *host, struct wide *old, struct wide value)
{
	static bool locked;
	struct wide now;
	bool done;

	while (__atomic_test_and_set(&locked, __ATOMIC_ACQUIRE))
		;
	now.low = load(host, 8);
	now.high = load(host + 8, 8);
	done = now.low == old->low && now.high == old->high;
	if (done) {
		store(host, 8, value.low);
		store(host + 8, 8, value.high);
	}
	__atomic_clear(&locked, __ATOMIC_RELEASE);
	*old = now;
	return done;
}
#endif

/* Writes a value of 128 bits, with @compare only in place of @expected. Returns the old value. */
static struct wide swap_wide(uint8_t *host, struct wide value, bool compare, struct wide expected)
{
	struct wide old = expected;

	while (!exchange_wide(host, &old, value) && !compare)
		;
	return old;
}

/*
 * Replacing 0 by 0 changes nothing, and reads the whole value. The memory can be written: ld takes
 * no memory order for .const and .param.
 */
static void load_wide(uint8_t *host, uint64_t *values)
{
	struct wide old = { };

	exchange_wide(host, &old, old);
	values[0] = old.low;
	values[1] = old.high;
}

static struct wide wide_of(const struct ptx_regs *regs, const uint32_t *rows, uint32_t lane)
{
	return (struct wide){ ptx_row(regs, rows[0])[lane], ptx_row(regs, rows[1])[lane] };
}

static void store_wide(uint8_t *host, const struct ptx_regs *regs, const uint32_t *rows,
		       uint32_t lane)
{
	swap_wide(host, wide_of(regs, rows, lane), false, (struct wide){ });
}

/* exch and cas */
static void atom_wide(const struct ptx_access *access, uint8_t *host, const struct ptx_regs *regs,
		      uint32_t lane, uint64_t *values)
{
	bool cas = access->atom == ATOM_CAS;
	struct wide b = wide_of(regs, access->rows, lane), old;

	old = swap_wide(host, cas ? wide_of(regs, &access->rows[2], lane) : b, cas, b);
	values[0] = old.low;
	values[1] = old.high;
}

/* Does PTX access all 128 bits at once? Without a memory order they are two accesses. */
static bool is_whole(const struct ptx_access *access)
{
	return access->type == TYPE_B128 && access->order != ORDER_WEAK;
}

/* --- addresses ---------------------------------------------------------------------- */

/* The addresses of an access */
struct addresses {
	const uint64_t *row;	/* a row of addresses, or NULL */
	uint64_t offset;	/* added to them */
	uint64_t bytes;		/* bytes of the access of a lane */
	struct ptx_span span;	/* where the last lane has found its memory */
	/* An access that begins so many bytes after the begin of @span does not fit in it */
	uint64_t limit;
	bool write;		/* the access writes */
};

static struct addresses addresses_of(const struct ptx_group *group,
				     const struct ptx_access *access, bool write)
{
	struct addresses a = {
		.row = access->address == PTX_NO_ROW ? NULL
						     : ptx_row(&group->frame->regs,
							       access->address),
		.offset = access->offset,
		.bytes = (uint64_t)access->size * access->count,
		.write = write,
	};

	if (access->framed)
		a.offset += group->frame->local_base;
	return a;
}

static uint64_t address_of(const struct ptx_access *access, const struct addresses *a,
			   uint32_t lane)
{
	return ptx_add_offset(access->space, a->row ? a->row[lane] : 0, a->offset);
}

/* Finds the memory of a lane, and where the next lanes are likely to find theirs. */
static __attribute__((noinline)) uint8_t *find_host(struct ptx_warp *warp, struct ptx_group *group,
						    const struct ptx_access *access,
						    struct addresses *a, uint32_t lane)
{
	uint64_t address = address_of(access, a, lane);
	uint8_t *host;

	/* All bases and windows are at multiples of 256, so that this holds for every space. */
	if (address & (a->bytes - 1)) {
		ptx_fail(warp, group, lane,
			 "%s of %llu bytes at 0x%llx, which is not a multiple of %llu",
			 a->write ? "write" : "read", (unsigned long long)a->bytes,
			 (unsigned long long)address, (unsigned long long)a->bytes);
		return NULL;
	}
	host = ptx_resolve_span(warp, group, lane, access->space, address, a->bytes, a->write,
				&a->span);
	a->limit = host ? a->span.bytes - a->bytes + 1 : 0;
	return host;
}

/* The lanes of a step mostly access one piece of memory. It is looked up for the first of them. */
static inline uint8_t *host_of(struct ptx_warp *warp, struct ptx_group *group,
			       const struct ptx_access *access, struct addresses *a, uint32_t lane)
{
	uint64_t address = address_of(access, a, lane);

	if (address - a->span.first < a->limit && !(address & (a->bytes - 1)))
		return a->span.host + (address - a->span.first) + lane * a->span.pitch;
	return find_host(warp, group, access, a, lane);
}

static bool is_acquire(const struct ptx_access *access)
{
	return access->order == ORDER_ACQUIRE || access->order >= ORDER_ACQ_REL;
}

static bool is_release(const struct ptx_access *access)
{
	return access->order >= ORDER_RELEASE;
}

/* Before a release at cluster scope, the device has to learn of it. */
static bool release(struct ptx_warp *warp, struct ptx_group *group,
		    const struct ptx_access *access, uint32_t mask)
{
	if (!is_release(access))
		return true;
	__atomic_thread_fence(__ATOMIC_RELEASE);
	return !access->cluster_scope || ptx_publish(warp, group, mask);
}

/* A lane has read memory. Nobody waits for constants and parameters to change. */
static void look_at(const struct ptx_warp *warp, struct ptx_group *group,
		    const struct ptx_access *access, uint32_t lane, uint64_t address,
		    uint64_t value)
{
	if (access->space == SPACE_PARAM || access->space == SPACE_CONST)
		return;
	group->look = (struct ptx_look){
		.kind = LOOK_READ, .lanes = 1u << lane, .step = group->pc, .size = access->size,
		.address = ptx_generic(warp, access->space, address), .value = value,
	};
}

/* --- ld and st ---------------------------------------------------------------------- */

/* Is the register of an element wider than its type, and gets its sign? */
static bool is_extended(const struct ptx_access *access, unsigned int i)
{
	return access->bits[i] != 8 * access->size && ptx_type_is_signed(access->type);
}

/* The value in a register that may be wider than the type: a signed type extends its sign. */
static uint64_t extend(const struct ptx_access *access, unsigned int i, uint64_t value)
{
	unsigned int shift = 64 - 8 * access->size;

	if (!is_extended(access, i))
		return value;
	value = (uint64_t)((int64_t)(value << shift) >> shift);
	return access->bits[i] == 64 ? value : value & ((1ULL << access->bits[i]) - 1);
}

/* Is the access of one element that fits in a register as it is? */
static bool is_plain(const struct ptx_access *access)
{
	return access->count == 1 && access->type != TYPE_B128 &&
	       access->rows[0] != PTX_NO_ROW && !is_extended(access, 0);
}

/* Calls a function whose last argument, the size, is a constant: each size has its own loop. */
#define FOR_SIZE(plain, access, ...)				\
	((access)->size == 1 ? plain(access, __VA_ARGS__, 1) :	\
	 (access)->size == 2 ? plain(access, __VA_ARGS__, 2) :	\
	 (access)->size == 4 ? plain(access, __VA_ARGS__, 4) :	\
			       plain(access, __VA_ARGS__, 8))

static inline __attribute__((always_inline)) bool
load_plain(const struct ptx_access *access, struct ptx_warp *warp, struct ptx_group *group,
	   struct addresses *a, uint32_t mask, uint64_t *value, unsigned int size)
{
	uint64_t *row = ptx_row(&group->frame->regs, access->rows[0]);

	PTX_FOR_LANES(lane, mask) {
		uint8_t *host = host_of(warp, group, access, a, lane);

		if (!host)
			return false;
		row[lane] = *value = load(host, size);
	}
	return true;
}

static bool load_elements(const struct ptx_access *access, struct ptx_warp *warp,
			  struct ptx_group *group, struct addresses *a, uint32_t mask,
			  uint64_t *value)
{
	struct ptx_regs *regs = &group->frame->regs;
	uint64_t values[PTX_VECTOR_MAX];
	unsigned int i;

	PTX_FOR_LANES(lane, mask) {
		uint8_t *host = host_of(warp, group, access, a, lane);

		if (!host)
			return false;
		/* A destination may be the register of the address: read everything first. */
		if (is_whole(access))
			load_wide(host, values);
		for (i = 0; i < access->count && !is_whole(access); i++)
			values[i] = load(host + i * access->size, access->size);
		for (i = 0; i < access->count; i++)
			if (access->rows[i] != PTX_NO_ROW)
				ptx_row(regs, access->rows[i])[lane] = extend(access, i, values[i]);
		*value = values[0];
	}
	return true;
}

bool ptx_load(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask)
{
	const struct ptx_access *access = step->extra;
	struct addresses a = addresses_of(group, access, false);
	uint32_t last = 31 - __builtin_clz(mask);
	uint64_t address = address_of(access, &a, last), value = 0;

	if (!(is_plain(access) ? FOR_SIZE(load_plain, access, warp, group, &a, mask, &value)
			       : load_elements(access, warp, group, &a, mask, &value)))
		return false;
	look_at(warp, group, access, last, address, value);
	if (is_acquire(access))
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return true;
}

static inline __attribute__((always_inline)) bool
store_plain(const struct ptx_access *access, struct ptx_warp *warp, struct ptx_group *group,
	    struct addresses *a, uint32_t mask, unsigned int size)
{
	const uint64_t *row = ptx_row(&group->frame->regs, access->rows[0]);

	PTX_FOR_LANES(lane, mask) {
		uint8_t *host = host_of(warp, group, access, a, lane);

		if (!host)
			return false;
		store(host, size, row[lane]);
	}
	return true;
}

bool ptx_store(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	       uint32_t mask)
{
	const struct ptx_access *access = step->extra;
	struct addresses a = addresses_of(group, access, true);
	const struct ptx_regs *regs = &group->frame->regs;
	unsigned int i;

	if (!release(warp, group, access, mask))
		return false;
	if (is_plain(access))
		return FOR_SIZE(store_plain, access, warp, group, &a, mask);
	PTX_FOR_LANES(lane, mask) {
		uint8_t *host = host_of(warp, group, access, &a, lane);

		if (!host)
			return false;
		if (is_whole(access))
			store_wide(host, regs, access->rows, lane);
		for (i = 0; i < access->count && !is_whole(access); i++)
			store(host + i * access->size, access->size,
			      ptx_row(regs, access->rows[i])[lane]);
	}
	return true;
}

/* --- atom and red ------------------------------------------------------------------- */

#define DEFINE_ATOM(bits)							\
	static uint64_t atom_##bits(const struct ptx_access *access, uint8_t *host,	\
				    uint64_t b, uint64_t c, bool global)		\
	{									\
		uint##bits##_t old = __atomic_load_n((uint##bits##_t *)host,	\
						     __ATOMIC_RELAXED);		\
										\
		while (!__atomic_compare_exchange_n(				\
				(uint##bits##_t *)host, &old,			\
				(uint##bits##_t)ptx_atom_value(access, old, b, c, global), \
				true, __ATOMIC_RELAXED, __ATOMIC_RELAXED))	\
			;							\
		return old;							\
	}
DEFINE_ATOM(16)
DEFINE_ATOM(32)
DEFINE_ATOM(64)

static uint64_t atom(const struct ptx_access *access, uint8_t *host, uint64_t b, uint64_t c,
		     bool global)
{
	switch (access->size) {
	case 2:
		return atom_16(access, host, b, c, global);
	case 4:
		return atom_32(access, host, b, c, global);
	default:
		return atom_64(access, host, b, c, global);
	}
}

/*
 * add.f32 flushes subnormal numbers in global memory, and keeps them in shared memory. add.f64
 * treats NaNs differently. The other operations do the same everywhere.
 */
static bool is_global_add(const struct ptx_warp *warp, const struct ptx_access *access,
			  const struct addresses *a, uint32_t lane)
{
	if (access->atom != ATOM_ADD || (access->type != TYPE_F32 && access->type != TYPE_F64))
		return false;
	return ptx_space_of(ptx_generic(warp, access->space, address_of(access, a, lane))) ==
	       SPACE_GLOBAL;
}

bool ptx_atom(struct ptx_warp *warp, struct ptx_group *group, const struct ptx_step *step,
	      uint32_t mask)
{
	const struct ptx_access *access = step->extra;
	struct addresses a = addresses_of(group, access, true);
	const struct ptx_regs *regs = &group->frame->regs;
	uint32_t last = 31 - __builtin_clz(mask);
	uint64_t address = address_of(access, &a, last);
	bool cas = access->atom == ATOM_CAS;
	uint64_t old[PTX_VECTOR_MAX];
	unsigned int i;

	if (!release(warp, group, access, mask))
		return false;
	while (mask) {
		uint32_t lane = __builtin_ctz(mask);
		uint8_t *host = host_of(warp, group, access, &a, lane);
		bool global = is_global_add(warp, access, &a, lane);

		if (!host)
			return false;
		/* A destination may be a register of b: read everything first. */
		if (is_whole(access))
			atom_wide(access, host, regs, lane, old);
		for (i = 0; i < access->count && !is_whole(access); i++)
			old[i] = atom(access, host + i * access->size,
				      ptx_row(regs, access->rows[i])[lane],
				      cas ? ptx_row(regs, access->rows[1])[lane] : 0, global);
		for (i = 0; i < access->count; i++)
			if (access->dst[i] != PTX_NO_ROW)
				ptx_row(regs, access->dst[i])[lane] = old[i];
		mask &= mask - 1;
	}
	look_at(warp, group, access, last, address, old[0]);
	if (is_acquire(access))
		__atomic_thread_fence(__ATOMIC_ACQUIRE);
	return true;
}
