#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Compares the documents with the code. Prints TAP. The exit status is 0 only if they agree."""

import glob
import os
import re
import subprocess
import sys
import tempfile

sys.dont_write_bytecode = True
import mistakes  # pylint: disable=wrong-import-position
import operations  # pylint: disable=wrong-import-position
import ops  # pylint: disable=wrong-import-position
import scenario  # pylint: disable=wrong-import-position

HERE = os.path.dirname(os.path.realpath(__file__))
TOP = os.path.dirname(HERE)

sys.path.append(os.path.join(TOP, "tools/vm"))
import common  # noqa: E402  # pylint: disable=wrong-import-position

CHECKS = []


def check(function):
    CHECKS.append(function)
    return function


def text(*path):
    with open(os.path.join(TOP, *path), encoding="utf-8") as f:
        return f.read()


def driver_files():
    """The paths of the driver's files below driver/, without those of driver/core."""
    top = os.path.join(TOP, "driver")
    return sorted(os.path.relpath(os.path.join(where, name), top)
                  for where, _, names in os.walk(top) for name in names
                  if re.search(r"\.[ch]$", name) and os.path.basename(where) != "core")


def driver():
    return "".join(text("driver", name) for name in driver_files())


def pages():
    return "".join(text("Documentation", folder, name) for folder in ("", "start")
                   for name in sorted(os.listdir(os.path.join(HERE, folder)))
                   if name.endswith(".rst"))


def run(*command, **more):
    """Runs a command. Returns the lines of its messages if it failed, and its standard output."""
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
                          encoding="utf-8", **more)
    return (done.stdout.splitlines() or ["failed"]) if done.returncode else [], done.stdout


def missing(names, where):
    return [f"{name} is not mentioned" for name in names
            if not re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", where)] or \
        ([] if names else ["found nothing to look for"])


@check
def the_examples_compile_against_the_library():
    return run(os.environ.get("MAKE", "make"), "-s", "--no-print-directory", "-C", HERE, "examples")[0]


@check
def files_scenarios_and_targets_that_the_pages_name_exist():
    # Patterns such as fault_*.c are no names, and tools/testing is a folder of a kernel tree.
    named = set(re.findall(r"(?<![\w/.-])((?:tools|selftests|userlib|driver|uapi|\.ci)/"
                           r"(?!testing/)[\w/.-]*\w)(?![\w*-]|\.?[*{])", pages() + text("README.md")))
    found = [f"there is no {name}" for name in sorted(named)
             if not os.path.exists(os.path.join(TOP, name))]
    scenarios = set(re.findall(r"(?:``|scenario:: )([\w/-]+\.vsm(?::[\w-]+)?)(?=``|\n)",
                               pages() + text("README.md")))
    found += [f"no {name}" for name in sorted(scenarios) if scenario_text(name) is None]
    rules = re.findall(r"^([a-z][a-z -]*):", text("Makefile"), re.M)
    targets = {name for rule in rules for name in rule.split()}
    goals = set(re.findall(r"`make ([a-z-]+)`", text("README.md") + pages()))
    found += [f"make {name} does not exist" for name in sorted(goals - targets)]
    return found or ([] if named and scenarios and goals else ["found nothing to look for"])


@check
def the_pages_name_the_present_release():
    version = common.version()
    where = pages() + text("README.md") + text("tools/ci/gitlab.yml")
    named = re.findall(r"(?:github@v|VSM_REF: v|src/vsm-|vsm/)(\d+\.\d+\.\d+)", where)
    return [f"a page names the release {name}, and this is {version}"
            for name in sorted(set(named) - {version})] or \
        ([] if named else ["found nothing to look for"])


def numbered(prefix):
    """The enumerators of vsm_drm.h with that prefix, and their numbers."""
    found = re.findall(rf"^\t{prefix}(\w+) = (\w+),", text("uapi/drm/vsm_drm.h"), re.M)
    return {name: int(number, 0) for name, number in found}


def of_the_core(program):
    """Compiles a C program with the driver's core and runs it: (errors of the compiler, lines
    printed)."""
    with tempfile.TemporaryDirectory() as tmp:
        source, binary = os.path.join(tmp, "core.c"), os.path.join(tmp, "core")
        with open(source, "w", encoding="utf-8") as f:
            f.write('#include <stdio.h>\n#include "vsm_core.h"\n' + program)
        flags = run(os.environ.get("PKG_CONFIG", "pkg-config"), "--cflags", "libdrm")[1].split()
        problems = run(os.environ.get("CC", "cc"), "-O1", "-I", os.path.join(TOP, "uapi"), "-I",
                       os.path.join(TOP, "driver/core"), *flags, "-o", binary, source,
                       *glob.glob(os.path.join(TOP, "driver/core/*.c")))[0]
        return problems, [] if problems else run(binary)[1].splitlines()


def scenario_text(name):
    """The text of the scenario FILE or FILE:TEST; None if it does not exist."""
    return scenario.find(os.path.join(TOP, "selftests/scenarios"), name)


def messages():
    """libvsm's message for the scenario of each code: {code: (number, scenario, instruction,
    message)}."""
    problems = run(os.environ.get("MAKE", "make"), "-s", "--no-print-directory", "-C", HERE,
                   "examples")[0]
    if problems:
        raise RuntimeError("\n# ".join(problems))
    lines = run(os.path.join(TOP, "build/examples/messages"))[1].splitlines()
    return {code: more for code, *more in (line.split("\t") for line in lines)}


@check
def every_misuse_code_has_a_section_with_its_number_scenario_and_message():
    page = text("Documentation", "misuse.rst")
    section = r"^([A-Z_]+) \((\w+)\)\n-+\n(.*?)(?=^\w[^\n]*\n[-=]+\n|\Z)"
    sections = {m[1]: (int(m[2], 0), m[3]) for m in re.finditer(section, page, re.S | re.M)}
    codes = numbered("DRM_VSM_FAULT_")
    codes.pop("NONE")
    said = messages()
    wrong = [f"{name} has no section" for name in codes if name not in sections] + \
        [f"{name} is no code" for name in sections if name not in codes] + \
        [f"messages.c has no {name}" for name in codes if name not in said]
    for name in sections.keys() & codes.keys() & said.keys():
        number, section = sections[name]
        _, file, insn, message = said[name]
        shown = re.search(r"^\.\. scenario:: (\S+)$", section, re.M)
        block = re.search(r"^\.\. code-block:: none\n\n((?:   .*\n|\n)+)", section, re.M)
        scene = scenario_text(shown[1]) if shown else None
        if number != codes[name]:
            wrong.append(f"{name} is {codes[name]}")
        # The library finds this one in a kernel.
        if name == "PLAIN_ACCESS":
            if not os.path.exists(os.path.join(TOP, f"selftests/kernels/bugs/{file}.cu")):
                wrong.append(f"{name}: there is no kernel {file}")
        elif not scene:
            wrong.append(f"{name} shows no scenario")
        elif os.path.basename(shown[1]).partition(":")[2] != file:
            wrong.append(f"{name}: messages.c is about {file}")
        elif not any(scenario.fits(insn, i) for i in scenario.refused(scene, name)):
            wrong.append(f"{name}: {file} does not expect it of {insn}")
        if not block or " ".join(block[1].split()) != message:
            wrong.append(f"{name}: the message is: {message}")
    return wrong


@check
def each_rule_can_be_reported_or_enforced_as_its_page_says():
    page = re.sub(r"\n {7}(?=\S)", " ", text("Documentation", "misuse.rst"))
    rows = re.findall(r"^   \* - ([A-Z].*[A-Z])\n     - (.*)\n     - (.*)$", page, re.M)
    said = [(name, report == "yes", enforce == "yes")
            for names, report, enforce in rows for name in names.split(", ")]
    body = "".join(f'\tprintf("{name} %d %d\\n", !!(vsm_rules_report() & '
                   f"DRM_VSM_RULE(DRM_VSM_FAULT_{name})), !!(vsm_rules_enforce() & "
                   f"DRM_VSM_RULE(DRM_VSM_FAULT_{name})));\n"
                   for name in numbered("DRM_VSM_FAULT_") if name != "NONE")
    problems, lines = of_the_core("int main(void)\n{\n" + body + "\treturn 0;\n}\n")
    masks = {name: (report == "1", enforce == "1")
             for name, report, enforce in (line.split() for line in lines)}
    wrong = [f"{name}: the driver says otherwise" for name, *can in said
             if masks.get(name) != tuple(can)] + \
        [f"{name} is in {n} rows" for name in masks
         if (n := sum(name == other for other, _, _ in said)) != 1]
    return problems or wrong


@check
def every_operation_is_in_one_table_of_its_page():
    page = text("Documentation", "operations.rst")
    there = sorted(name for names in re.findall(r"^\.\. forms:: (.*(?:\n   .*)*)$", page, re.M)
                   for name in names.split() if name.isupper())
    found = [f"{name} is in {there.count(name)} tables" for name in ops.OPS
             if there.count(name) != 1]
    return found + ([] if len(re.findall(r"^\.\. traits::$", page, re.M)) == 1
                    else ["there is not one table of traits"])


@check
def every_operation_and_every_form_of_it_is_spelled():
    have = {(form.op, form.mods) for form in ops.FORMS}
    everywhere = {name for name in operations.EVERYWHERE if any(name in m for _, m in have)}
    mods = re.findall(r"^\tDRM_VSM_MOD_(\w+) =", text("uapi/drm/vsm_drm.h"), re.M)
    there = [(op.name, mods) for op in ops.OPS.values() for mods, _ in op.forms]
    same = list(ops.OPS) == list(numbered("DRM_VSM_OP_"))
    return ([] if same else ["vsm_ops.h and enum drm_vsm_op differ"]) + \
        [f"{name} is in no form" for name in mods if not any(name in m for _, m in there)] + \
        [f"{op} {' '.join(sorted(mods))} is not in form.c" for op, mods in there
         if not {(op, mods), (op, mods - everywhere)} & have] + \
        [f"{op} has no form {' '.join(sorted(mods))}" for op, mods in have
         if op and (op, mods) not in there]


@check
def the_functions_in_the_table_build_their_operations():
    builds = text("userlib/vsm_insn.h")
    others = text("uapi/drm/vsm_mbarrier.h") + text("userlib/vsm.h")
    wrong, named = [], set()
    for form in ops.FORMS:
        for name in form.lib.split(", "):
            if name.isupper():      # VSM_SINK
                continue
            if name.startswith("vsm_"):
                wrong += [] if f" {name}(" in others else [f"no {name}()"]
                continue
            builder = "vsm_prep_" + name
            named.add(builder)
            body = re.search(rf"^static inline struct drm_vsm_insn\s{builder}\(.*?^}}", builds,
                             re.S | re.M)
            if not body:
                wrong.append(f"no {builder}()")
                continue
            # Functions take these modifiers as flags (VSM_SINK, VSM_CG, VSM_ALIGNED).
            says = (re.search(r"DRM_VSM_OP_(\w+)", body[0])[1],
                    set(re.findall(r"DRM_VSM_MOD_(\w+)", body[0])))
            if says != (form.op, form.mods - {"CG"} - operations.EVERYWHERE):
                wrong.append(f"{builder}() builds {says[0]} {' '.join(sorted(says[1]))}")
    there = set(re.findall(r"^static inline struct drm_vsm_insn\s(vsm_prep_\w+)\(", builds, re.M))
    return wrong + [f"{n}() is not in the table" for n in sorted(there - named)]


@check
def the_options_of_a_kernel_of_ones_own_are_all_that_the_runner_asks_for():
    program = "import kernel; print(*kernel.GUEST_OPTIONS, *kernel.X86_64.options, *kernel.MODULE_OPTIONS)"
    problems, printed = run(sys.executable, "-B", "-c", program,
                            cwd=os.path.join(TOP, "tools/vm"))
    # DRM_VGEM selects these two; a configuration cannot set them.
    wanted = set(printed.split()) - {"DRM_GEM_SHMEM_HELPER", "DMA_SHARED_BUFFER"}
    there = re.findall(r"^CONFIG_(\w+)=[ym]$", text("Documentation/start/vsm.config"), re.M)
    return problems or missing(sorted(wanted), " ".join(there))


@check
def every_statement_of_a_scenario_is_described():
    page = text("Documentation", "scenarios.rst")
    folder = os.path.join(TOP, "tools/vsm/scenario")
    reader = "".join(text(folder, n) for n in os.listdir(folder) if n.endswith(".c"))
    tables = dict(re.findall(r"^static const struct word (\w+)\[\] = {\n(.*?)^};", reader, re.S | re.M))
    words = {name: re.findall(r'^\t\{ "(\w+)", ', body, re.M) for name, body in tables.items()}
    keys = re.findall(r'^\t\[[A-Z_]+\] = "(\w+)",$', reader, re.M)
    wanted = [f"``{w}" for w in words["statements"] if w != "expect"] + \
        [f"``expect {w}" for w in words["expectations"]] + [f"{k}=" for k in keys]
    undescribed = [f"{w} is not described" for w in wanted
                   if not re.search(rf"^(?=``).*{re.escape(w)}\b", page, re.M)]
    lacking = re.findall(r'"(.+?)"', text("userlib/syntax/lacking.c").split("All others")[0])[1:]
    return undescribed + missing([f"``{n}``" for n in lacking], page)


@check
def every_instruction_that_kernels_cannot_have_is_named():
    table = re.search(r"} refused\[\] = {(.*?)^};", text("userlib/ptx/code/program.c"), re.S | re.M)[1]
    rows = re.findall(r'^\t{ "(.*?)"', re.sub(r"{\.[\w:]+}", "", table), re.M)
    names = [n for row in rows for n in row.strip("()").split("|")]
    page = text("Documentation", "kernels.rst").split("These are not executed.")[1]
    return missing([f"``{n}``" for n in names], page.split("``malloc``")[0])


@check
def every_type_and_field_of_an_event_is_described():
    page = text("Documentation", "trace.rst").split("Text form\n====")[1]
    types = re.findall(r"^VSM_TRACE\(\w+, (\w+)\)$", text("uapi/drm/vsm_trace_types.h"), re.M)
    fields = re.findall(r"^\tFIELD\((\w+), ", text("tools/vsm/trace/file.c"), re.M)
    statements = re.findall(r'^\tput_statement\(out, "(\w+)"', text("tools/vsm/trace/file.c"), re.M)
    uapi = re.findall(r"^ \* @DRM_VSM_TRACE_(\w+):", text("uapi/drm/vsm_trace.h"), re.M)
    return missing([f"``{name}``" for name in types + fields], page) + \
        missing([f"``{name} TEXT``" for name in statements], page) + \
        [f"{name} has no name in a text" for name in uapi if name.lower() not in types]


@check
def functions_that_are_mentioned_exist():
    sources = {}
    for where in ("driver", "uapi", "userlib", "selftests", "tools", "Documentation"):
        for path, _, names in os.walk(os.path.join(TOP, where)):
            for name in (n for n in names if re.search(r"\.(c|h|litmus|rst)$", n)):
                file = os.path.relpath(os.path.join(path, name), TOP)
                sources[file] = text(file)
    code = "\n".join(source for file, source in sources.items() if file.endswith((".c", ".h")))
    # A declaration has parameters, or void. A name in a comment has empty parentheses.
    known = set(re.findall(r"\b(vsm_\w+)\([^)]|#define (vsm_\w+)", code))
    known = {name for pair in known for name in pair}
    wrong = sorted({(file, name) for file, source in sources.items()
                    for name in re.findall(r"\b(vsm_\w+)\(\)", source) if name not in known})
    return [f"{file}: there is no {name}()" for file, name in wrong]


@check
def the_limits_are_the_drivers():
    source = driver() + text("driver/core/vsm_core.h")
    page = text("Documentation", "uapi.rst")
    wrong = []
    for name, what in (("MAX_EXEC", "instructions of one EXEC"), ("MAX_SUBMIT", "instructions of one SUBMIT"),
                       ("MAX_SYNCS", "fences of one SUBMIT"), ("CLIENT_CLUSTERS", "clusters of a client"),
                       ("CLIENT_WAITS", "armed or unread waits of a client"),
                       ("MAX_CHANNELS", "channels of a client"),
                       ("CLIENT_JOBS", "jobs in flight of a client"),
                       ("CLIENT_INSNS", "instructions in flight of a client"), ("MAX_CTAS", "CTAs of a cluster"),
                       ("MAX_THREADS", "threads of a CTA")):
        found = re.search(rf"#define VSM_{name}\s+(?:(\d+)|\(1 << (\d+)\)|BIT\((\d+)\))", source)
        row = re.search(rf"^{what} +(\d+)", page, re.M)
        if not found or not row:
            wrong.append(f"{what}: not found")
        elif int(row[1]) != (int(found[1]) if found[1] else 1 << int(found[2] or found[3])):
            wrong.append(f"{what}: {row[1]} is not {found[0]}")
    return wrong


@check
def the_model_of_time_is_the_drivers():
    page = text("Documentation", "testing.rst")
    knobs = re.findall(r'debugfs_create_u(?:32|64)\("(\w+)", \d+, copy,', driver())
    rows = dict(re.findall(r"^``(\w+)`` +(\d+) ", page, re.M))
    timeout = re.search(r"#define VSM_JOB_TIMEOUT_MS\s+(\d+)", driver())
    defaults = {k: timeout[1] if timeout and k == "job_timeout_ms" else "0" for k in knobs}
    return [f"{k}: {rows.get(k, 'no row')}, not {v}" for k, v in defaults.items()
            if rows.get(k) != v] + ([] if knobs else ["found no files"])


@check
def the_options_of_a_device_are_those_of_configfs():
    source, page = driver(), text("Documentation", "devices.rst")
    numbers = {"PAGE_SIZE": 4096, "S64_MAX / 4": 2 ** 61 - 1, "KTIME_MAX / 2": 2 ** 62 - 1,
               "U32_MAX": 2 ** 32 - 1, "U64_MAX": 2 ** 64 - 1}
    minor = re.search(r"#define DRM_VSM_ABI_MINOR (\d+)", text("uapi/drm/vsm_drm.h"))
    numbers["DRM_VSM_ABI_MINOR"] = int(minor[1]) if minor else 0
    for name, plain, *shift in re.findall(
            r"#define (VSM_\w+)\s+(?:(\d+)|\(1 << (\d+)\)|BIT\((\d+)\))$", source, re.M):
        numbers[name] = int(plain) if plain else 1 << int("".join(shift))
    files = re.findall(r"^VSM_FILE_NUMBER\((\w+), [^,]+, (\w+), ([^,]+), ([^,]+)\);$", source, re.M)
    wanted = {name: (*(int(numbers.get(n, n)) for n in (low, high)), live == "true")
              for name, live, low, high in files}
    model = re.findall(r"^\tNUMBER\(u\d+, (\w+), ([^)]+)\)", source, re.M)
    wanted.update((name, (0, int(numbers.get(high, high)), True)) for name, high in model)
    wanted.update((name, None) for name in re.findall(r"^VSM_FILE_NAMES\((\w+), ", source, re.M))
    rows = {}
    for name, limits, live in re.findall(r"^   \* - ``(\w+)``\n     - .*\n     - (.*)\n     - .*\n"
                                         r"     - (yes|no)$", page, re.M):
        limits = re.sub(r"2\\ :sup:`(\d+)` - 1", lambda found: str(2 ** int(found[1]) - 1), limits)
        limits = re.fullmatch(r"(\d+) to (\d+)", limits)
        rows[name] = (int(limits[1]), int(limits[2]), live == "yes") if limits else None
    names = re.findall(r'"([\w-]+)"', text("uapi/drm/vsm_features.h"))
    return [f"{name}: {rows.get(name, 'no row')}, not {wanted.get(name, 'an option')}"
            for name in sorted(rows.keys() | wanted.keys())
            if rows.get(name, 0) != wanted.get(name, 0)] + \
        ([] if files and model else ["found no options"]) + missing([f"``{n}``" for n in names], page)


@check
def every_injection_has_one_row_whose_tests_exist():
    table = text("uapi/drm/vsm_inject_table.h")
    places = re.findall(r'^VSM_INJECT_WHERE\((\w+), "([\w-]+)"', table, re.M)
    masks = {f"AT_{name}": {place} for name, place in places}
    masks["AT_CALL"] = {"exec", "submit", "arm", "alloc", "import"}
    masks["AT_JOB"] = {"fence", "job"}
    masks["AT_OP"] = {"copy", "complete"}
    wanted = [(place, what) for what, at in
              re.findall(r'^VSM_INJECT_WHAT\(\w+, "([\w-]+)", .*, (AT_[A-Z_ |]+)\)$', table, re.M)
              for mask in at.split(" | ") for place in masks[mask]]
    tests = {".".join(names) for name in os.listdir(os.path.join(TOP, "selftests/vsm"))
             if name.startswith("inject") and name.endswith(".c")
             for names in re.findall(r"^TEST_F\((\w+), (\w+)\)", text("selftests/vsm", name), re.M)}
    there, wrong = [], []
    for row in re.split(r"^   \* - ", text("Documentation", "inject.rst"), flags=re.M)[2:]:
        rule, *cells = row.split("\n\n")[0].split("\n     - ")
        where, _, what = rule.partition(":")
        there += [(place, action) for action in re.findall(r"``([\w-]+)``", what)
                  for place in re.findall(r"``([\w-]+)``", where)]
        shown = re.findall(r"``([\w.]+)``", cells[-1])
        wrong += [f"{rule}: no test {name}" for name in shown if name not in tests] + \
            ([] if shown else [f"{rule}: no test"])
    return wrong + [f"{' '.join(pair)} is in {there.count(pair)} rows" for pair in wanted
                    if there.count(pair) != 1] + \
        [f"{' '.join(pair)} does not exist" for pair in there if pair not in wanted] + \
        ([] if wanted else ["found no injections"])


@check
def every_ioctl_feature_and_parameter_is_described():
    header, page = text("uapi/drm/vsm_drm.h"), text("Documentation", "uapi.rst")
    ioctls = re.findall(r"^#define DRM_IOCTL_VSM_(\w+)", header, re.M)
    features = re.findall(r"^\tDRM_VSM_FEATURE_(\w+) = ", header, re.M)
    parameters = re.findall(r"^module_param(?:_named)?\((\w+),", driver(), re.M)
    return [f"{name} is not described" for name in ioctls
            if not re.search(rf"(?<![A-Z]){name}\b", page)] + \
        missing([f"``{name}``" for name in features], page) + \
        missing([f"``{name}``" for name in parameters], page)


@check
def every_error_is_in_the_tables_of_errors():
    header, page = text("uapi/drm/vsm_drm.h"), text("Documentation", "uapi.rst")
    any_ioctl = header.split("Errors that any ioctl", 1)[1].split("*/", 1)[0]
    any_ioctl = re.findall(r"^ \* (E[A-Z0-9]+) ", any_ioctl, re.M)
    rows = re.findall(r"^   \* - (E[A-Z0-9]+)$", page, re.M)
    fence = header.split("The fence's error is", 1)[1].split("*/", 1)[0]
    of_fence = set(re.findall(r"^ \* - (E[A-Z0-9]+) ", fence, re.M))
    told = set(re.findall(r"^(?:\S.*)  ?(E[A-Z]+)\b.*$",
                          page.split("Error of its fence", 1)[1].split("\n\n", 1)[0], re.M))
    return [f"{name} is not in the table" for name in any_ioctl if name not in rows] + \
        [f"{name}: the header and the page differ" for name in sorted(of_fence ^ told)] + \
        ([] if any_ioctl and of_fence else ["found no errors"])


@check
def the_counts_of_mistakes_are_right():
    return [f"{name} does not say: {mistakes.summary()}" for name in ("README.md", "Documentation/mistakes.rst")
            if mistakes.summary() not in " ".join(text(name).split())]


def main():
    print(f"1..{len(CHECKS)}")
    failed = False
    for number, function in enumerate(CHECKS, 1):
        try:
            problems = function()
        except Exception as error:  # pylint: disable=broad-except
            problems = [f"{type(error).__name__}: {error}"]
        failed |= bool(problems)
        name = function.__name__.replace("_", " ")
        print(f"{'not ok' if problems else 'ok'} {number} - documents: {name}")
        for line in problems:
            print(f"# {line}")
        sys.stdout.flush()
    sys.exit(1 if failed else 0)


if __name__ == "__main__":
    main()
