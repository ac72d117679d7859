#!/bin/sh
# Cuts the power of a file system while writers write, and looks for what they lost.
#
# What it does: an ext4 image on a loop device holds the store; what writers
# acknowledge is written down on another file system. At a random moment ext4
# is shut down without flushing its journal, as if the power were gone, then
# mounted again, and every acknowledged memory must be there, once and whole.
# Only what was acknowledged before the shutdown began counts: processes live
# on after it, and a sync that overlaps with it can succeed for nothing, but
# nobody is told anything after a real power cut.
#
# How to run it, as root, outside CI (it takes about a second a cycle):
#     cargo build -p mnemon-testkit --bins
#     tools/power-cut.sh target/debug 200
# The first argument is the folder of the built programs, the second is how
# many cycles. The last line has the figures; the exit code is 0 if nothing
# was lost. A new file system is made for every 50 cycles.
set -eu

programs=$(realpath "${1:?the folder of the built programs}")
cycles=${2:-200}
work=$(mktemp -d)
mount_point=$work/mnt
mkdir "$mount_point"
writers=""

stop_writers() {
    for pid in $writers; do kill -9 "$pid" 2>/dev/null || true; done
    for pid in $writers; do wait "$pid" 2>/dev/null || true; done
    writers=""
}

finish() {
    stop_writers
    umount "$mount_point" 2>/dev/null || true
    rm -rf "$work"
}
trap finish EXIT INT TERM

new_file_system() {
    umount "$mount_point" 2>/dev/null || true
    rm -f "$work/image" "$work"/said.* "$work"/before.*
    truncate -s 256M "$work/image"
    mkfs.ext4 -q -F "$work/image"
    mount -o loop "$work/image" "$mount_point"
    "$programs/mnemon-writer" "$mount_point/store" session name=one >/dev/null
}

# Where a writer goes on: behind the last number that it acknowledged.
next_number() {
    sed -n "s/^kept $1b$2t0-0*\([0-9][0-9]*\) .*/\1/p" "$work"/before.* 2>/dev/null | sort -n | tail -n 1 |
        awk -v batch="$2" '{ last = $1; found = 1 } END { print found ? last + batch : 0 }'
}

start_writer() {
    : >"$work/said.$cycle.$1"
    "$programs/mnemon-writer" "$mount_point/store" write "name=$1" "batch=$2" "spaces=$3" \
        "from=$(next_number "$1" "$2")" >"$work/said.$cycle.$1" 2>/dev/null &
    writers="$writers $!"
}

shut_down() {
    # EXT4_IOC_SHUTDOWN with EXT4_GOING_FLAGS_NOLOGFLUSH, after 20 to 400 ms.
    python3 - "$mount_point" "$work/said.$cycle".* <<'PYTHON'
import fcntl, os, random, struct, sys, time
folder = os.open(sys.argv[1], os.O_RDONLY)
time.sleep(random.uniform(0.02, 0.4))
sizes = [os.stat(said).st_size for said in sys.argv[2:]]
fcntl.ioctl(folder, 0x8004587D, struct.pack("I", 2))
for said, size in zip(sys.argv[2:], sizes):
    with open(said, "rb") as file:
        open(said.replace("/said.", "/before."), "wb").write(file.read(size))
PYTHON
}

cycle=0
acknowledged=0
cut_tails=0
while [ "$cycle" -lt "$cycles" ]; do
    if [ $((cycle % 50)) -eq 0 ]; then new_file_system; fi
    cycle=$((cycle + 1))
    writers=""
    start_writer a 1 session/one
    start_writer c 5 session/one,shared
    start_writer d 3 "agent/n$cycle,session/one"
    shut_down
    stop_writers
    umount "$mount_point"
    mount -o loop "$work/image" "$mount_point"
    if ! cat "$work"/before.* | "$programs/mnemon-writer" "$mount_point/store" check >"$work/found"; then
        echo "cycle $cycle: see above" >&2
        exit 1
    fi
    now=$(cat "$work/before.$cycle".* | grep -c '^kept ' || true)
    acknowledged=$((acknowledged + now))
    cut_tails=$(($(find "$mount_point/store/quarantine" -type f 2>/dev/null | wc -l)))
done
echo "$cycles power cuts, $acknowledged acknowledged writes in them, none lost; $cut_tails torn tails set aside in the last store"
