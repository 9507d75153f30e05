// SPDX-License-Identifier: MIT
/* Two functions in place of libdrm, which is not there for other processors. */
#include <errno.h>
#include <fcntl.h>
#include <sys/ioctl.h>
#include <xf86drm.h>

int drmOpenWithType(const char *name, const char *busid, int type)
{
	(void)name;
	(void)busid;
	return type == DRM_NODE_RENDER ? open("/dev/dri/renderD128", O_RDWR | O_CLOEXEC) : -1;
}

int drmIoctl(int fd, unsigned long request, void *arg)
{
	int ret;

	do {
		ret = ioctl(fd, request, arg);
	} while (ret && (errno == EINTR || errno == EAGAIN));
	return ret;
}
