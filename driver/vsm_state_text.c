// SPDX-License-Identifier: GPL-2.0-only
/*
 * The file vsm_state of debugfs: what all clusters of a device are doing, as text.
 */
#include <linux/debugfs.h>
#include <linux/log2.h>
#include <linux/mm.h>
#include <linux/seq_file.h>
#include <linux/slab.h>

#include "object/vsm_bo.h"
#include "vsm_drv.h"
#include "vsm_state.h"

#define VSM_OP(NAME, sems, traits) \
	[DRM_VSM_OP_##NAME] = #NAME,
static const char *const vsm_op_names[] = {
#include <drm/vsm_ops.h>
};

#define VSM_STATE(NAME, name) \
	[DRM_VSM_STATE_##NAME] = name,
static const char *const vsm_state_names[] = {
#include <drm/vsm_states.h>
};

#define VSM_STATE_FLAG(NAME, name) \
	[const_ilog2(DRM_VSM_STATE_##NAME)] = name,
static const char *const vsm_state_flag_names[] = {
#include <drm/vsm_states.h>
};

/**
 * struct vsm_dump - The place of a reader of vsm_state
 * @vdev: Device
 * @state: Entries of the cluster that is being shown
 * @args: What is known of this cluster as a whole
 * @loaded: @state and @args are valid
 * @number: Number of the cluster, or the lowest number that it may have
 * @at: Line of the cluster that is shown next: 0 for the cluster itself
 * @pos: Number of that line among all lines
 */
struct vsm_dump {
	struct vsm_device *vdev;
	struct vsm_state state;
	struct drm_vsm_cluster_state args;
	bool loaded;
	u32 number;
	u32 at;
	loff_t pos;
};

static void vsm_dump_reset(struct vsm_dump *dump)
{
	kvfree(dump->state.entries);
	dump->state = (struct vsm_state) { .viewer.all = true };
	dump->loaded = false;
	dump->at = 0;
}

/* List a cluster: first count its entries, then collect them. */
static int vsm_dump_load(struct vsm_dump *dump, struct vsm_bo *bo)
{
	u32 total;
	int ret;

	vsm_dump_reset(dump);
	ret = vsm_state_gather(bo, &dump->state, &dump->args);
	if (ret)
		return ret;
	total = min_t(u32, dump->state.total, VSM_MAX_STATE);
	vsm_dump_reset(dump);
	dump->state.entries = kvcalloc(total + 1, sizeof(*dump->state.entries), GFP_KERNEL_ACCOUNT);
	if (!dump->state.entries)
		return -ENOMEM;
	dump->state.size = total;
	ret = vsm_state_gather(bo, &dump->state, &dump->args);
	dump->loaded = !ret;
	return ret;
}

/* The line at which the reader is. */
static void *vsm_dump_here(struct vsm_dump *dump)
{
	struct vsm_bo *bo;
	int ret;

	if (dump->loaded)
		return dump;
	bo = dump->number ? vsm_cluster_next(dump->vdev, &dump->number) : NULL;
	if (!bo)
		return NULL;
	ret = vsm_dump_load(dump, bo);
	vsm_bo_put(bo);
	return ret ? ERR_PTR(ret) : dump;
}

static void *vsm_dump_start(struct seq_file *m, loff_t *pos)
{
	struct vsm_dump *dump = m->private;

	if (!*pos) {
		vsm_dump_reset(dump);
		dump->number = 1;
		dump->pos = 0;
	}
	/* seq_file comes back to the line at which it has stopped, or begins again. */
	return *pos == dump->pos ? vsm_dump_here(dump) : NULL;
}

static void *vsm_dump_next(struct seq_file *m, void *v, loff_t *pos)
{
	struct vsm_dump *dump = m->private;

	dump->pos = ++*pos;
	if (++dump->at > dump->args.count) {
		vsm_dump_reset(dump);
		dump->number++;
	}
	return vsm_dump_here(dump);
}

static void vsm_dump_stop(struct seq_file *m, void *v)
{
}

static void vsm_dump_cluster(struct seq_file *m, const struct drm_vsm_cluster_state *args)
{
	seq_printf(m, "cluster %u client=%u pid=%u comm=", args->number, args->client, args->pid);
	seq_escape(m, args->comm, " \t\n\\");
	seq_printf(m, " ctas=%u threads=%u live=%u suspended=%u entries=%u%s%s%s\n", args->ctas,
		   args->threads, args->live, args->suspended, args->total,
		   args->status & DRM_VSM_STATE_LOST ? " lost" : "",
		   args->status & DRM_VSM_STATE_CLUSTER_HELD ? " held" : "",
		   args->status & DRM_VSM_STATE_MORE ? " more" : "");
}

/* Print a number unless it is 0. */
static void vsm_dump_number(struct seq_file *m, const char *name, u32 number)
{
	if (number)
		seq_printf(m, " %s=%u", name, number);
}

static void vsm_dump_mask(struct seq_file *m, const char *name, u32 mask)
{
	if (mask)
		seq_printf(m, " %s=%#x", name, mask);
}

static void vsm_dump_operands(struct seq_file *m, const struct drm_vsm_state_entry *entry)
{
	const struct drm_vsm_insn *insn = &entry->insn;

	if (insn->op && insn->op < ARRAY_SIZE(vsm_op_names))
		seq_printf(m, " op=%s", vsm_op_names[insn->op]);
	if (entry->kind == DRM_VSM_STATE_OPERATION)
		seq_printf(m, " addr=%#x mbar=%#x", insn->u.copy.addr, insn->u.copy.mbar);
	if (entry->kind != DRM_VSM_STATE_PHASE)
		return;
	seq_printf(m, " addr=%#x word=%#llx", insn->u.mbarrier.addr, entry->word);
	if (insn->mods & DRM_VSM_MOD_PARITY)
		seq_printf(m, " parity=%u", insn->u.mbarrier.parity);
	else
		seq_printf(m, " token=%#llx", insn->u.mbarrier.state);
}

static void vsm_dump_entry(struct seq_file *m, const struct drm_vsm_state_entry *entry)
{
	unsigned long flags = entry->flags;
	unsigned int bit;

	seq_printf(m, "\t%s cta=%u thread=%u", vsm_state_names[entry->kind], entry->cta,
		   entry->thread);
	vsm_dump_mask(m, "lanes", entry->lanes);
	vsm_dump_operands(m, entry);
	vsm_dump_mask(m, "mask", entry->mask);
	vsm_dump_mask(m, "passed", entry->passed);
	vsm_dump_mask(m, "missing", entry->missing);
	vsm_dump_number(m, "id", entry->id);
	if (entry->total || entry->count)
		seq_printf(m, " count=%u/%u", entry->count, entry->total);
	vsm_dump_number(m, "client", entry->client);
	vsm_dump_number(m, "pid", entry->pid);
	vsm_dump_number(m, "tid", entry->tid);
	if (entry->since)
		seq_printf(m, " since=%lld", entry->since);
	if (entry->deadline >= 0)
		seq_printf(m, " deadline=%lld", entry->deadline);
	if (entry->name[0]) {
		seq_puts(m, " fence=");
		seq_escape(m, entry->name, "\t\n\\");
	}
	for_each_set_bit(bit, &flags, ARRAY_SIZE(vsm_state_flag_names))
		seq_printf(m, " %s", vsm_state_flag_names[bit]);
	seq_putc(m, '\n');
}

static int vsm_dump_show(struct seq_file *m, void *v)
{
	const struct vsm_dump *dump = v;

	if (dump->at)
		vsm_dump_entry(m, &dump->state.entries[dump->at - 1]);
	else
		vsm_dump_cluster(m, &dump->args);
	return 0;
}

static const struct seq_operations vsm_dump_ops = {
	.start = vsm_dump_start,
	.next = vsm_dump_next,
	.stop = vsm_dump_stop,
	.show = vsm_dump_show,
};

static int vsm_dump_open(struct inode *inode, struct file *file)
{
	struct vsm_dump *dump = __seq_open_private(file, &vsm_dump_ops, sizeof(*dump));

	if (!dump)
		return -ENOMEM;
	dump->vdev = inode->i_private;
	return 0;
}

static int vsm_dump_release(struct inode *inode, struct file *file)
{
	struct seq_file *m = file->private_data;

	vsm_dump_reset(m->private);
	return seq_release_private(inode, file);
}

static const struct file_operations vsm_dump_fops = {
	.owner = THIS_MODULE,
	.open = vsm_dump_open,
	.read = seq_read,
	.llseek = seq_lseek,
	.release = vsm_dump_release,
};

void vsm_state_debugfs_init(struct vsm_device *vdev, struct dentry *root)
{
	debugfs_create_file("vsm_state", 0400, root, vdev, &vsm_dump_fops);
}
