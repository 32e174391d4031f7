#!/bin/sh
# Puts the Python packages into the root file system $1 that mmdebstrap has just made, and does
# ahead what would otherwise slow a container's first import: bytecode and matplotlib's font list.
set -eu
root=$1
version=$(chroot "$root" python3 -c 'import sys; print("%d.%d" % sys.version_info[:2])')
site=/usr/local/lib/python$version/dist-packages
mkdir -p "$root$site"
"$BENCH_UV" pip install -q --python-version "$version" --link-mode copy \
    --target "$root$site" -r "$BENCH_REQUIREMENTS"
# By hash and unchecked, not by time: mmdebstrap sets back the times of files in its archive, after
# which every module would count as changed and be compiled anew in each container (5 s, not 2 s).
chroot "$root" python3 -m compileall -q --invalidation-mode unchecked-hash "$site" \
    >/dev/null || true
chroot "$root" env HOME=/root python3 -c 'import pandas, seaborn, matplotlib.pyplot'
# What llm-sandbox expects of an image whose environment is ready: a `python`, and the virtual
# environment that its pool looks for (it sees the same packages).
ln -sf /usr/bin/python3 "$root/usr/local/bin/python"
chroot "$root" python3 -m venv --without-pip --system-site-packages /sandbox/.sandbox-venv
