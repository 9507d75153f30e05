// SPDX-License-Identifier: GPL-2.0-only
/* The device: how the stack opens it, and opens it again when it is lost. */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include <xf86drm.h>

#include "stack.h"

int64_t stack_now(void)
{
	struct timespec ts;

	clock_gettime(CLOCK_MONOTONIC, &ts);
	return ts.tv_sec * 1000000000LL + ts.tv_nsec;
}

/* drmIoctl(), but returns 0 or a negative errno. */
int stack_call(int fd, unsigned long request, void *arg)
{
	return drmIoctl(fd, request, arg) ? -errno : 0;
}

static bool is_vsm(int fd)
{
	drmVersionPtr version = drmGetVersion(fd);
	bool is = version && !strcmp(version->name, "vsm");

	drmFreeVersion(version);
	return is;
}

int stack_open_device(void)
{
	char path[32];
	int minor;

	for (minor = 128; minor < 192; minor++) {
		int fd;

		snprintf(path, sizeof(path), "/dev/dri/renderD%d", minor);
		fd = open(path, O_RDWR | O_CLOEXEC);
		if (fd >= 0 && is_vsm(fd))
			return fd;
		if (fd >= 0)
			close(fd);
	}
	return -ENODEV;
}

/* Open the device again and move all buffers to it. Nobody else uses the old one. */
static int reopen(struct stack *stack)
{
	int64_t end = stack_now() + PATIENCE;
	int fd, ret;

	do {
		fd = stack_open_device();
		ret = fd < 0 ? fd : bufmgr_restore(stack, fd);
		if (!ret)
			break;
		if (fd >= 0)
			close(fd);
		usleep(1000);
	} while (stack_now() < end);
	if (ret)
		return ret;
	close(stack->fd);
	stack->fd = fd;
	stack->reopened++;
	return 0;
}

/*
 * A worker has seen that the device is lost, or that another one has seen it. The last worker that
 * comes here opens the device again. The caller has the lock.
 */
void stack_park(struct stack *stack)
{
	stack->lost = true;
	pthread_cond_broadcast(&stack->changed);
	if (++stack->parked < QUEUES) {
		while (stack->lost)
			pthread_cond_wait(&stack->changed, &stack->lock);
		return;
	}
	if (!stack->dead && reopen(stack))
		stack->dead = true;
	stack->parked = 0;
	stack->lost = false;
	pthread_cond_broadcast(&stack->changed);
}

int stack_start(struct stack *stack)
{
	pthread_condattr_t attr;
	uint32_t i;

	*stack = (struct stack){ .fd = stack_open_device() };
	if (stack->fd < 0)
		return stack->fd;
	pthread_mutex_init(&stack->lock, NULL);
	pthread_condattr_init(&attr);
	pthread_condattr_setclock(&attr, CLOCK_MONOTONIC);
	pthread_cond_init(&stack->changed, &attr);
	pthread_cond_init(&stack->ended, &attr);
	for (i = 0; i < QUEUES; i++) {
		stack->queues[i].stack = stack;
		if (pthread_create(&stack->queues[i].thread, NULL, queue_worker, &stack->queues[i]))
			return -EAGAIN;
	}
	return 0;
}

/* End the workers, when all jobs have ended. */
void stack_end(struct stack *stack)
{
	uint32_t i;

	pthread_mutex_lock(&stack->lock);
	stack->stop = true;
	pthread_cond_broadcast(&stack->changed);
	pthread_mutex_unlock(&stack->lock);
	for (i = 0; i < QUEUES; i++)
		pthread_join(stack->queues[i].thread, NULL);
	bufmgr_trim(stack);
	close(stack->fd);
}
