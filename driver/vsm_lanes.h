/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * EXEC for lanes of a warp.
 */
#ifndef _VSM_LANES_H_
#define _VSM_LANES_H_

struct drm_vsm_exec;
struct vsm_stream;

int vsm_lanes_exec(struct vsm_stream *stream, struct drm_vsm_exec *args);

#endif
