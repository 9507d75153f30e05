// SPDX-License-Identifier: MIT
/*
 * vsm ps: a cluster as JSON.
 */
#include <string.h>

#include "base.h"
#include "ps_cluster.h"

static void write_flags(struct json_object *json, uint32_t flags)
{
	static const struct {
		uint32_t flag;
		const char *name;
	} names[] = {
#define VSM_STATE_FLAG(NAME, name) \
		{ DRM_VSM_STATE_##NAME, name },
#include "vsm_states.h"
	};
	struct json_object *list = json_add_array(json, "flags");
	unsigned int i;

	for (i = 0; i < ARRAY_SIZE(names); i++)
		if (flags & names[i].flag)
			json_add_string(list, NULL, names[i].name);
}

/* Writes a number unless it is 0. */
static void write_number(struct json_object *json, const char *key, uint64_t number)
{
	if (number)
		json_add_number(json, key, number);
}

static void write_phase(struct json_object *json, const struct ps_cluster *cluster,
			const struct drm_vsm_state_entry *entry)
{
	const struct drm_vsm_mbarrier_operands *o = &entry->insn.u.mbarrier;
	struct vsm_mbarrier_fields fields;

	fields = vsm_mbarrier_decode(cluster->state.layout, entry->word);
	json_add_number(json, "address", o->addr);
	json_add_hex(json, "word", entry->word);
	if (entry->insn.mods & DRM_VSM_MOD_PARITY)
		json_add_number(json, "parity", o->parity);
	else
		json_add_hex(json, "token", o->state);
	json_add_number(json, "missing_arrivals", fields.pending);
	json_add_signed(json, "missing_bytes", fields.tx);
}

static void write_entry(struct json_object *list, const struct ps_cluster *cluster,
			const struct drm_vsm_state_entry *entry)
{
	bool barrier = entry->kind == DRM_VSM_STATE_BARRIER;
	struct json_object *json = json_add_object(list, NULL);
	char text[256];

	json_add_string(json, "kind", vsm_state_name(entry->kind));
	write_flags(json, entry->flags);
	write_number(json, "client", entry->client);
	write_number(json, "pid", entry->pid);
	write_number(json, "tid", entry->tid);
	if (entry->kind != DRM_VSM_STATE_CLUSTER_BARRIER) {
		json_add_number(json, "cta", entry->cta);
		json_add_number(json, "thread", entry->thread);
	}
	if (entry->lanes)
		json_add_hex(json, "lanes", entry->lanes);
	if (entry->since)
		json_add_signed(json, "waits_ns", cluster->state.time - entry->since);
	if (entry->deadline >= 0 && entry->deadline != INT64_MAX)
		json_add_signed(json, "left_ns", entry->deadline - cluster->state.time);
	if (entry->insn.op) {
		vsm_insn_describe(&entry->insn, text, sizeof(text));
		json_add_string(json, "instruction", text);
	}
	if (entry->kind == DRM_VSM_STATE_PHASE)
		write_phase(json, cluster, entry);
	if (entry->mask)
		json_add_hex(json, barrier ? "waiting_warps" : "mask", entry->mask);
	if (entry->passed)
		json_add_hex(json, "passed_warps", entry->passed);
	if (entry->kind == DRM_VSM_STATE_JOB)
		json_add_number(json, "missing_fences", entry->missing);
	else if (entry->missing)
		json_add_hex(json, barrier ? "missing_warps" : "missing_lanes", entry->missing);
	if (barrier || entry->kind == DRM_VSM_STATE_OPERATION || entry->kind == DRM_VSM_STATE_JOB)
		json_add_number(json, barrier ? "barrier" : "channel", entry->id);
	if (entry->total || entry->count) {
		json_add_number(json, "count", entry->count);
		json_add_number(json, "total", entry->total);
	}
	if (entry->name[0])
		json_add_bytes(json, "fence", entry->name,
			       strnlen(entry->name, sizeof(entry->name)));
	write_number(json, "user_data", entry->user_data);
}

void ps_add_json(struct json_object *list, const struct ps_cluster *cluster)
{
	const struct drm_vsm_cluster_state *state = &cluster->state;
	struct json_object *json = json_add_object(list, NULL), *entries;
	uint32_t i;

	json_add_number(json, "device", cluster->device);
	json_add_number(json, "number", state->number);
	json_add_number(json, "client", state->client);
	json_add_number(json, "pid", state->pid);
	json_add_bytes(json, "comm", state->comm, strnlen(state->comm, sizeof(state->comm)));
	json_add_number(json, "ctas", state->ctas);
	json_add_number(json, "threads", state->threads);
	json_add_number(json, "live", state->live);
	json_add_number(json, "suspended", state->suspended);
	json_add_bool(json, "held", state->status & DRM_VSM_STATE_CLUSTER_HELD);
	json_add_bool(json, "lost", state->status & DRM_VSM_STATE_LOST);
	json_add_bool(json, "more", state->status & DRM_VSM_STATE_MORE);
	entries = json_add_array(json, "entries");
	for (i = 0; i < state->count; i++)
		write_entry(entries, cluster, &cluster->entries[i]);
}
