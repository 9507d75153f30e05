/* SPDX-License-Identifier: MIT */
/* Output and checks */
#ifndef VSM_CHECK_CUH
#define VSM_CHECK_CUH

#include "base.cuh"

/* ---- Output and checks ---- */

extern "C" __device__ int printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
extern "C" __device__ __attribute__((noreturn))
void __assertfail(const char *message, const char *file, u32 line, const char *function,
		  u64 char_size);

#define assert(condition)								\
	((condition) ? (void)0 :							\
	 __assertfail(#condition, __FILE__, __LINE__, __func__, sizeof(char)))

/* Used by the kernels that check a result: say which element is wrong, and trap */
#define CHECK_U32(what, index, got, want) do {						\
	u32 got_ = (got), want_ = (want);						\
	if (got_ != want_) {								\
		printf("%s[%u] is 0x%x, should be 0x%x\n", what, (u32)(index), got_, want_);	\
		__builtin_trap();							\
	}										\
} while (0)

#define CHECK_F32(what, index, got, want) do {						\
	float got_ = (got), want_ = (want);						\
	if (!(got_ == want_)) {								\
		printf("%s[%u] is %.9g, should be %.9g\n", what, (u32)(index), got_, want_);	\
		__builtin_trap();							\
	}										\
} while (0)

#define CHECK_NEAR(what, index, got, want, error) do {					\
	float got_ = (got), want_ = (want);						\
	if (!(__builtin_fabsf(got_ - want_) <= (error))) {				\
		printf("%s[%u] is %.9g, should be %.9g\n", what, (u32)(index), got_, want_);	\
		__builtin_trap();							\
	}										\
} while (0)

#endif /* VSM_CHECK_CUH */
