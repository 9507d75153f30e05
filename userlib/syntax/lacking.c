// SPDX-License-Identifier: MIT
/*
 * Instructions that the PTX ISA has, and that neither the device nor scenarios have. The error for
 * an opcode that begins with one of these names says that vsm does not have it, unless an operation
 * in form.c has more parts in common with the opcode. Kernels may have some of them, such as
 * tensormap.replace: code/ decodes these before it looks at the operations of the device.
 */
#include <stddef.h>

#include "vsm_syntax.h"

const char *const ptx_lacking[] = {
	/* Instructions that synchronise or copy. scenarios.rst has the same list. */
	"activemask", "atom", "clusterlaunchcontrol.query_cancel",
	"clusterlaunchcontrol.try_cancel", "fence.proxy", "griddepcontrol.launch_dependents",
	"griddepcontrol.wait", "ldmatrix", "membar", "multimem.cp.async.bulk",
	"multimem.cp.reduce.async.bulk", "multimem.ld_reduce", "multimem.red", "multimem.st",
	"nanosleep", "prefetch", "prefetchu", "red", "red.async.mmio", "red.async.release",
	"redux.sync.max.NaN", "redux.sync.max.abs", "redux.sync.max.f32", "redux.sync.min.NaN",
	"redux.sync.min.abs", "redux.sync.min.f32", "setmaxnreg.dec", "setmaxnreg.inc", "shfl.bfly",
	"shfl.down", "shfl.idx", "shfl.up", "st.async.mmio", "st.async.release", "st.bulk",
	"stmatrix", "tcgen05.alloc", "tcgen05.commit", "tcgen05.cp", "tcgen05.dealloc",
	"tcgen05.fence::after_thread_sync", "tcgen05.fence::before_thread_sync", "tcgen05.ld",
	"tcgen05.mma", "tcgen05.relinquish_alloc_permit", "tcgen05.shift", "tcgen05.st",
	"tcgen05.wait::ld", "tcgen05.wait::st", "tensormap.cp_fenceproxy", "tensormap.replace",
	"vote.all", "vote.any", "vote.ballot", "vote.uni", "wgmma.commit_group", "wgmma.fence",
	"wgmma.mma_async", "wgmma.wait_group",

	/* All others */
	"abs", "addc", "alloca", "and", "applypriority", "bfe", "bfi", "bfind", "bmsk", "bra",
	"brev", "brkpt", "brx", "call", "clz", "cnot", "copysign", "cos", "createpolicy", "cvt",
	"cvta", "discard", "div", "dp2a", "dp4a", "ex2", "fma", "fns", "getctarank", "isspacep",
	"istypep", "ldu", "lg2", "lop3", "mad", "mad24", "madc", "max", "min", "mma", "movmatrix",
	"mul", "mul24", "neg", "not", "or", "pmevent", "popc", "prmt", "rcp", "rem", "ret",
	"rsqrt", "sad", "selp", "set", "setp", "shf", "shl", "shr", "sin", "slct", "sqrt",
	"stackrestore", "stacksave", "sub", "subc", "suld", "suq", "sured", "sust", "szext",
	"tanh", "testp", "tex", "tld4", "trap", "txq", "wmma", "xor",
	NULL
};
