/* SPDX-License-Identifier: MIT */
/*
 * Parses the statements cluster and model: the cluster's configuration, and the device's model of
 * time.
 */
#ifndef _SCENARIO_DEVICE_H_
#define _SCENARIO_DEVICE_H_

#include "scenario/parser.h"

/* cluster KEY=VALUE... */
bool parse_cluster(struct parser *p, struct cursor *c);
/* model KEY=VALUE... */
bool parse_model(struct parser *p, struct cursor *c);

#endif
