/* SPDX-License-Identifier: GPL-2.0-only */
#ifndef _VSM_CONFIGFS_H_
#define _VSM_CONFIGFS_H_

#include "base/vsm_options.h"

#if IS_ENABLED(CONFIG_CONFIGFS_FS)
int vsm_configfs_init(const struct vsm_options *defaults);
void vsm_configfs_exit(void);
#else
static inline int vsm_configfs_init(const struct vsm_options *defaults)
{
	return 0;
}

static inline void vsm_configfs_exit(void)
{
}
#endif

#endif
