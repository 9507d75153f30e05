// SPDX-License-Identifier: GPL-2.0-only
/*
 * vsm_stall.ko: its init function stalls the kernel for some time. tools/vm/run is tested with it.
 */
#include <linux/completion.h>
#include <linux/delay.h>
#include <linux/ktime.h>
#include <linux/module.h>
#include <linux/sched.h>
#include <linux/workqueue.h>

static char *kind = "";
module_param(kind, charp, 0);
MODULE_PARM_DESC(kind, "preempt, irqs, sleep or work");

static unsigned int ms;
module_param(ms, uint, 0);
MODULE_PARM_DESC(ms, "Milliseconds that the stall lasts");

static void spin(void)
{
	ktime_t end = ktime_add_ms(ktime_get(), ms);

	while (ktime_before(ktime_get(), end))
		cpu_relax();
}

static void stall_preempt(void)
{
	preempt_disable();
	spin();
	preempt_enable();
}

static void stall_irqs(void)
{
	local_irq_disable();
	spin();
	local_irq_enable();
}

static void stall_sleep(void)
{
	DECLARE_COMPLETION_ONSTACK(never);

	wait_for_completion_timeout(&never, msecs_to_jiffies(ms));
}

static void busy(struct work_struct *work)
{
	spin();
}

static void idle(struct work_struct *work)
{
}

static DECLARE_WORK(first, busy);
static DECLARE_WORK(second, idle);

/* The processor's second work item cannot run before the first one has ended. */
static void stall_work(void)
{
	schedule_work_on(0, &first);
	schedule_work_on(0, &second);
	/* Sleep interruptibly: the kernel would report an uninterruptible sleep as a stall, too. */
	while (work_busy(&second))
		msleep_interruptible(100);
	flush_work(&first);
	flush_work(&second);
}

static int __init stall_init(void)
{
	static const struct {
		const char *name;
		void (*stall)(void);
	} kinds[] = {
		{ "preempt", stall_preempt },
		{ "irqs", stall_irqs },
		{ "sleep", stall_sleep },
		{ "work", stall_work },
	};
	size_t i;

	for (i = 0; i < ARRAY_SIZE(kinds); i++) {
		if (!strcmp(kind, kinds[i].name)) {
			pr_info("vsm_stall: %s begins\n", kind);
			kinds[i].stall();
			return 0;
		}
	}
	return -EINVAL;
}
module_init(stall_init);

static void __exit stall_exit(void)
{
}
module_exit(stall_exit);

MODULE_DESCRIPTION("Stalls for the tests of the virtual machine runner");
MODULE_LICENSE("GPL");
