// SPDX-License-Identifier: MIT
/*
 * Preload this into a program. It then sleeps for half a second before each waitpid() and select(),
 * and signals do not end the sleep. A signal that comes in this time comes just before the call.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <sys/select.h>
#include <sys/wait.h>
#include <time.h>

static void delay(void)
{
	struct timespec left = { .tv_nsec = 500000000 };

	while (nanosleep(&left, &left) && errno == EINTR)
		;
}

pid_t waitpid(pid_t pid, int *status, int options)
{
	typeof(waitpid) *next = dlsym(RTLD_NEXT, "waitpid");

	if (!(options & WNOHANG))
		delay();
	return next(pid, status, options);
}

int select(int n, fd_set *in, fd_set *out, fd_set *other, struct timeval *limit)
{
	typeof(select) *next = dlsym(RTLD_NEXT, "select");

	delay();
	return next(n, in, out, other, limit);
}
