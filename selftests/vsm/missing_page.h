/* SPDX-License-Identifier: GPL-2.0-only */
/* Pages that stop whoever accesses them: for what happens during a copy to or from user space. */
#ifndef VSM_TEST_MISSING_PAGE_H
#define VSM_TEST_MISSING_PAGE_H

#include <linux/userfaultfd.h>
#include <sys/ioctl.h>

#include "vsm_test.h"

/*
 * Makes a page of anonymous memory, which nobody has accessed yet, a missing page. Returns a
 * descriptor, or a negative errno. Whoever accesses the page sleeps until the descriptor is closed.
 */
static inline int missing_page_make(void *page)
{
	struct uffdio_register reg = {
		.mode = UFFDIO_REGISTER_MODE_MISSING, .range = { (uintptr_t)page, 4096 },
	};
	struct uffdio_api api = { .api = UFFD_API };
	int fd = syscall(SYS_userfaultfd, O_CLOEXEC), ret;

	if (fd < 0)
		return -errno;
	if (!ioctl(fd, UFFDIO_API, &api) && !ioctl(fd, UFFDIO_REGISTER, &reg))
		return fd;
	ret = -errno;
	close(fd);
	return ret;
}

/* Waits until somebody accesses the page. Returns 0 or a negative errno. */
static inline int missing_page_await(int fd)
{
	struct uffd_msg msg;

	return read(fd, &msg, sizeof(msg)) == sizeof(msg) ? 0 : -errno;
}

#endif
