"""How a command is shut in: a root of its own with only what it needs, no network, no way to its caller.

With bubblewrap where it is installed, else with user namespaces through `unshare`. The command sees the system's
programs read-only, the workspace as `/workspace`, a small `/tmp`, and nothing else of the machine. Where neither
works, nothing is run.
"""

from __future__ import annotations

import asyncio
import os
import shutil
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

WORKSPACE = "/workspace"
NOT_RUN = "tercet: the command could not be shut in, so it was not run"
"""The last line of what is said when the root could not be made."""
_SYSTEM = ("/usr", "/bin", "/sbin", "/lib", "/lib32", "/lib64", "/libx32")
_SYSTEM_FILES = ("/etc/ld.so.cache", "/etc/alternatives", "/etc/localtime", "/etc/mime.types")
_KERNEL = ("acpi", "bus", "fs", "irq", "sys", "sysrq-trigger")
_NEEDED = ("unshare", "mount", "umount", "pivot_root", "setpriv", "prlimit")
_PROBE_SECONDS = 10.0
_SEARCHED = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"


@dataclass(frozen=True, kw_only=True)
class Caps:
    """What a command may use. Memory is of each process, files are each file's size."""

    timeout_seconds: float = 60.0
    memory_bytes: int = 2_000_000_000
    file_bytes: int = 200_000_000
    processes: int = 256
    temporary_bytes: int = 256_000_000

    def prlimit(self) -> list[str]:
        """Return the words in front of a command that hold it to the caps."""
        return [
            "prlimit", f"--as={self.memory_bytes}", f"--cpu={int(self.timeout_seconds) + 1}", "--core=0",
            f"--fsize={self.file_bytes}", f"--nproc={self.processes}", "--nofile=1024", "--",
        ]  # fmt: skip


# Runs as the root of its own user namespace, which may be the machine's root by number: what the kernel lets that
# number change is read-only before the command starts, and no further namespace can be made. Mounts get read-only
# one by one, because a remount does not reach what is mounted below; `nosuid,nodev` only adds to what is locked.
_SETUP = r"""
set -eu
trap 'echo "$not_run"; exit 125' EXIT
root=$1; work=$2; temporary_bytes=$3; read_only=$4 not_run=$5; shift 5
mount -t tmpfs -o "size=$temporary_bytes,mode=755,nosuid,nodev" tmpfs "$root"
IFS=:
for path in $read_only; do
  if [ -L "$path" ]; then mkdir -p "$root${path%/*}"; ln -s "$(readlink "$path")" "$root$path"; continue; fi
  if [ -d "$path" ]; then mkdir -p "$root$path"; else mkdir -p "$root${path%/*}"; : > "$root$path"; fi
  mount --rbind "$path" "$root$path"
done
unset IFS
while read -r _ _ _ _ point _; do
  case $point in "$root"/*) mount -o remount,bind,ro,nosuid,nodev "$point" 2>/dev/null ||
    mount -o remount,bind,ro,nosuid,nodev,noexec "$point" ;; esac
done < /proc/self/mountinfo
mkdir -p "$root/workspace" "$root/tmp" "$root/proc" "$root/dev" "$root/etc"
chmod 1777 "$root/tmp"
echo 'root:x:0:0:root:/tmp:/bin/sh' > "$root/etc/passwd"
echo 'root:x:0:' > "$root/etc/group"
mount --bind "$work" "$root/workspace"
mount -o remount,bind,nosuid,nodev "$root/workspace"
for device in null zero full random urandom; do
  : > "$root/dev/$device"; mount --bind "/dev/$device" "$root/dev/$device"
done
ln -s /proc/self/fd "$root/dev/fd"
if mount -t proc -o nosuid,nodev,noexec proc "$root/proc" 2>/dev/null; then
  echo 0 > "$root/proc/sys/user/max_user_namespaces"
  for part in acpi bus fs irq sys sysrq-trigger; do
    [ -e "$root/proc/$part" ] || continue
    mount --bind "$root/proc/$part" "$root/proc/$part"
    mount -o remount,bind,ro,nosuid,nodev,noexec "$root/proc/$part"
  done
fi
cd "$root"
pivot_root . .
umount -l .
cd /workspace
trap - EXIT
exec setpriv --no-new-privs --bounding-set=-all --inh-caps=-all --ambient-caps=-all -- "$@"
"""


@dataclass(frozen=True, kw_only=True)
class Isolation:
    """The way that works on this machine."""

    kind: str
    """bubblewrap or namespaces."""

    def words(self, command: str, *, workspace: Path, root: Path, caps: Caps) -> list[str]:
        """Return the program and arguments that run a shell command shut in. `root` is an empty folder."""
        inner = [*caps.prlimit(), "/bin/sh", "-c", command]
        if self.kind == "bubblewrap":
            return [*_bubblewrap(workspace, caps), "--", *inner]
        return [
            "setpriv", "--pdeathsig", "KILL", "--",
            "unshare", "--user", "--map-root-user", "--mount", "--pid", "--net", "--ipc", "--uts", "--fork", "--kill-child",
            "--", "/bin/sh", "-c", _SETUP, "setup", str(root), str(workspace), str(caps.temporary_bytes),
            ":".join(read_only_paths()), NOT_RUN, *inner,
        ]  # fmt: skip


def clean_environment() -> dict[str, str]:
    """Return the whole environment of a command: nothing of the caller's, which may hold secrets."""
    own = str(Path(sys.prefix) / "bin")
    return {"PATH": f"{own}:{_SEARCHED}", "HOME": "/tmp", "TMPDIR": "/tmp", "LANG": "C.UTF-8"}  # noqa: S108  # the command's own


@lru_cache(maxsize=1)
def read_only_paths() -> tuple[str, ...]:
    """Return what a command sees of the machine: its programs, and the interpreter that runs this process."""
    found = [path for path in (*_SYSTEM, *_SYSTEM_FILES) if os.path.lexists(path)]
    for prefix in dict.fromkeys((sys.base_prefix, sys.prefix)):
        if not any(Path(prefix).is_relative_to(path) for path in found) and ":" not in prefix:
            found.append(prefix)
    return tuple(found)


async def find_isolation() -> Isolation | str:
    """Return the way to shut commands in, or why there is none, in words for people."""
    reasons = []
    for kind, needed in (("bubblewrap", ("bwrap", "prlimit")), ("namespaces", _NEEDED)):
        missing = [name for name in needed if shutil.which(name, path=_SEARCHED) is None]
        if missing:
            reasons.append(f"{kind}: {', '.join(missing)} not installed")
            continue
        isolation = Isolation(kind=kind)
        reason = await _probe(isolation)
        if reason is None:
            return isolation
        reasons.append(f"{kind}: {reason}")
    return "; ".join(reasons)


async def _probe(isolation: Isolation) -> str | None:
    """Return why the way does not work here, or None."""
    import tempfile

    with tempfile.TemporaryDirectory(prefix="tercet-probe-") as folder:
        root, workspace = Path(folder) / "root", Path(folder) / "work"
        root.mkdir()
        workspace.mkdir()
        words = isolation.words(
            "true", workspace=workspace, root=root, caps=Caps(timeout_seconds=_PROBE_SECONDS)
        )
        try:
            process = await asyncio.create_subprocess_exec(
                *words, env=clean_environment(), stdin=asyncio.subprocess.DEVNULL,
                stdout=asyncio.subprocess.DEVNULL, stderr=asyncio.subprocess.PIPE,
            )  # fmt: skip
            async with asyncio.timeout(_PROBE_SECONDS):
                _, said = await process.communicate()
        except (OSError, TimeoutError) as error:
            return str(error) or "no answer"
        if process.returncode == 0:
            return None
        return said.decode("utf-8", "replace").strip()[:300] or f"exit status {process.returncode}"


def _bubblewrap(workspace: Path, caps: Caps) -> Sequence[str]:
    words = [
        "bwrap",
        "--unshare-all",
        "--unshare-user",
        "--disable-userns",
        "--die-with-parent",
        "--new-session",
    ]
    words += ["--cap-drop", "ALL", "--proc", "/proc", "--dev", "/dev"]
    # Started by root, bubblewrap leaves these writable.
    for part in _KERNEL:
        words += ["--ro-bind-try", f"/proc/{part}", f"/proc/{part}"]
    words += ["--size", str(caps.temporary_bytes), "--tmpfs", "/tmp"]  # noqa: S108  # the command's own
    for path in read_only_paths():
        if Path(path).is_symlink():
            words += ["--symlink", str(Path(path).readlink()), path]
        else:
            words += ["--ro-bind", path, path]
    return [*words, "--bind", str(workspace), WORKSPACE, "--chdir", WORKSPACE]
