// SPDX-License-Identifier: MIT
/*
 * Parses the statements cluster and model: the cluster's configuration, and the device's model of
 * time.
 */
#include "base.h"
#include "scenario/device.h"

/* --- cluster -------------------------------------------------------------- */

enum { CTAS, THREADS, SMEM, LAYOUT, POLICY, REPORT, ENFORCE };

static const char *const cluster_keys[] = {
	[CTAS] = "ctas",
	[THREADS] = "threads",
	[SMEM] = "smem",
	[LAYOUT] = "layout",
	[POLICY] = "policy",
	[REPORT] = "report",
	[ENFORCE] = "enforce",
};

/* Parses a list of rules, which are names of faults, separated by commas. */
static bool parse_rules(struct cursor *c, uint64_t *rules)
{
	do {
		uint64_t fault;

		if (!need_fault(c, "a rule", &fault))
			return false;
		*rules |= DRM_VSM_RULE(fault);
	} while (take(c, ','));
	return true;
}

static bool parse_cluster_value(struct cursor *c, unsigned int key, void *to)
{
	static const char *const layouts[] = {
		[VSM_LAYOUT_SM_90] = "sm_90",
		[VSM_LAYOUT_SM_80] = "sm_80",
	};
	static const char *const policies[] = {
		[DRM_VSM_POLICY_STRICT] = "strict",
		[DRM_VSM_POLICY_HARDWARE] = "hardware",
	};
	struct vsm_cluster_config *config = to;
	const char *where;
	unsigned int choice;

	skip_spaces(c);
	where = c->at;
	switch (key) {
	case CTAS:
		return need_size(c, "ctas", UINT16_MAX, &config->ctas);
	case THREADS:
		return need_size(c, "threads", UINT16_MAX, &config->threads);
	case SMEM:
		return need_size(c, "smem", UINT32_MAX, &config->smem_bytes) &&
		       (!(config->smem_bytes % 16) ||
			error_at(c, where, "smem must be a multiple of 16"));
	case LAYOUT:
		if (!need_choice(c, layouts, ARRAY_SIZE(layouts), &choice))
			return false;
		config->layout = choice;
		return true;
	case POLICY:
		if (!need_choice(c, policies, ARRAY_SIZE(policies), &choice))
			return false;
		config->policy = choice;
		return true;
	case REPORT:
		return parse_rules(c, &config->report);
	default:
		return parse_rules(c, &config->enforce);
	}
}

bool parse_cluster(struct parser *p, struct cursor *c)
{
	struct vsm_cluster_config *config = &p->scenario->config;
	const char *where[ARRAY_SIZE(cluster_keys)] = { };
	const struct keys keys = {
		.names = cluster_keys,
		.count = ARRAY_SIZE(cluster_keys),
		.value = parse_cluster_value,
		.to = config,
		.where = where,
	};

	if (p->cluster)
		return error_at(c, c->at, "a test has only one cluster; line %u creates it",
				p->cluster);
	p->cluster = c->line;
	p->scenario->cluster_line = c->line;
	if (need_keys(c, &keys))
		return true;
	/* Allow all threads and addresses, to avoid errors that only follow from this one. */
	config->ctas = UINT32_MAX;
	config->threads = UINT32_MAX;
	config->smem_bytes = UINT32_MAX;
	return false;
}

/* --- model of time -------------------------------------------------------- */

static const char *const model_keys[] = {
	[MODEL_LATENCY] = "latency",
	[MODEL_BANDWIDTH] = "bandwidth",
	[MODEL_SHUFFLE] = "shuffle",
	[MODEL_SPLIT] = "split",
	[MODEL_TIMEOUT] = "timeout",
};

static bool parse_model_value(struct cursor *c, unsigned int key, void *to)
{
	struct model *model = to;
	uint64_t max = key == MODEL_SPLIT || key == MODEL_TIMEOUT ? UINT32_MAX : UINT64_MAX;

	model->given |= 1U << key;
	return need_number(c, model_keys[key], max, &model->values[key]);
}

bool parse_model(struct parser *p, struct cursor *c)
{
	const char *where[ARRAY_SIZE(model_keys)] = { };
	struct statement model = { .kind = STATEMENT_MODEL, .line = c->line };
	const struct keys keys = {
		.names = model_keys,
		.count = ARRAY_SIZE(model_keys),
		.value = parse_model_value,
		.to = &model.model,
		.where = where,
	};

	if (!need_keys(c, &keys))
		return false;
	if (!model.model.given)
		return error_at(c, c->at,
				"a model needs latency, bandwidth, shuffle, split or timeout");
	*scenario_add(p->scenario, STATEMENT_MODEL, c->line) = model;
	return true;
}
