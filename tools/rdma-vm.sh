#!/usr/bin/env bash
# Copyright 2026 The netty-ucx Authors
#
# Licensed under the Apache License, Version 2.0 (the "License"); you may not use this file except in compliance
# with the License. You may obtain a copy of the License at:
#
#   https://www.apache.org/licenses/LICENSE-2.0
#
# Unless required by applicable law or agreed to in writing, software distributed under the License is distributed
# on an "AS IS" BASIS, WITHOUT WARRANTIES OR CONDITIONS OF ANY KIND, either express or implied. See the License for
# the specific language governing permissions and limitations under the License.

# Runs a command on a machine with an RDMA device: tools/rdma-vm.sh SECONDS COMMAND [ARGUMENT...]
#
# The machine is emulated by QEMU. Its kernel is Debian's, with the device rxe0 (RoCE in software, rdma_rxe) on a dummy
# network interface; it sees /usr of this machine, read-only, and this source tree, where the command is started as
# root. Its output and exit code are those of this script.
#
# Exit codes of its own: 77 the machine cannot be had here, 124 not done after so many seconds, 125 it did not come up.
set -euo pipefail

packages=(qemu-system-x86 busybox-static cpio kmod xz-utils iproute2 ibverbs-providers)
modules=(virtio_pci 9pnet_virtio 9p virtio_console crc32_generic crc32c_generic dummy rdma_rxe)
# One, as a JVM now and then dies of a signal where QEMU emulates several.
cpus=1
memory=${RDMA_VM_MEMORY:-3072}

root=$(cd "$(dirname "$(readlink -f "${BASH_SOURCE[0]}")")/.." && pwd)
kernel=$root/target/rdma-vm

say() {
    echo "rdma-vm: $*" >&2
}

cannot() {
    say "$@"
    exit 77
}

[[ $# -ge 2 ]] || cannot "Usage: $0 SECONDS COMMAND [ARGUMENT...]"
seconds=$1
shift
[[ $(uname -m) == x86_64 ]] || cannot "only on x86_64"
command -v apt-get >/dev/null || cannot "only on Debian and Ubuntu, whose packages it uses"
[[ $(id -u) -eq 0 ]] || cannot "only as root, who may read all of /usr and install packages"

# ---- What is needed ------------------------------------------------------------------------------------------------

updated=
apt() {
    [[ -n $updated ]] || apt-get -q update >&2 || return 1
    updated=yes
    DEBIAN_FRONTEND=noninteractive apt-get -q -y --no-install-recommends -o APT::Sandbox::User=root "$@" >&2
}

missing=()
for package in "${packages[@]}"; do
    [[ $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) == installed ]] || missing+=("$package")
done
if [[ ${#missing[@]} -gt 0 ]]; then
    say "installing ${missing[*]}"
    apt install "${missing[@]}" || cannot "cannot install ${missing[*]}"
fi

# The kernel is unpacked, not installed.
if [[ ! -e $kernel/ok ]]; then
    say "fetching a kernel"
    rm -rf "$kernel"
    mkdir -p "$kernel/package" "$kernel/modules"
    apt check || cannot "cannot get the lists of packages"
    package=$(apt-cache depends linux-image-amd64 2>/dev/null | sed -n 's/.*Depends: \(linux-image-[0-9].*\)/\1/p')
    [[ -n $package ]] || cannot "there is no package linux-image-amd64"
    (cd "$kernel" && apt download "$package") || cannot "cannot fetch the package $package"
    dpkg-deb --fsys-tarfile "$kernel"/*.deb | tar -x -C "$kernel/package" ./boot ./lib/modules
    version=${package#linux-image-}
    # Uncompressed it starts several seconds earlier.
    image=$kernel/package/boot/vmlinuz-$version
    offset=$(grep -abo -m1 $'\xfd7zXZ' "$image" | head -n 1 | cut -d: -f1)
    [[ -z $offset ]] || tail -c "+$((offset + 1))" "$image" | xz -dc >"$kernel/vmlinux" 2>/dev/null || true
    [[ $(head -c 4 "$kernel/vmlinux" 2>/dev/null) == $'\x7fELF' ]] || cp "$image" "$kernel/vmlinux"
    depmod -b "$kernel/package" "$version"
    for module in "${modules[@]}"; do
        modprobe -d "$kernel/package" -S "$version" --show-depends "$module"
    done | awk '$1 == "insmod" && !seen[$2]++ { print $2 }' >"$kernel/package/list"
    while read -r file; do
        cp "$file" "$kernel/modules/"
        basename "$file" >>"$kernel/modules/order"
    done <"$kernel/package/list"
    rm -rf "$kernel/package" "$kernel"/*.deb
    touch "$kernel/ok"
fi

# ---- The machine ---------------------------------------------------------------------------------------------------

run=$(mktemp -d)
qemu=
cleanup() {
    [[ -z $qemu ]] || kill "$qemu" 2>/dev/null || true
    rm -rf "$run"
}
trap cleanup EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# What the command is told and what it answers goes through this directory.
mkdir "$run/control"
{
    printf 'cd %q\n' "$root"
    echo 'export PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin HOME=/root LANG=C.UTF-8'
    echo 'ulimit -c 0 -l unlimited'
    printf '%q ' "$@"
    echo
} >"$run/control/command"

disk=$run/disk
mkdir -p "$disk"/{proc,sys,dev,tmp,run,usr,etc,root,var/tmp,vm/control}
ln -s /run "$disk/var/run"
for directory in bin sbin lib lib64; do
    ln -s "usr/$directory" "$disk/$directory"
done
cp "$(command -v busybox)" "$disk/vm/busybox"
cp -r "$kernel/modules" "$disk/vm/"
for file in ld.so.cache ld.so.conf ld.so.conf.d alternatives passwd group nsswitch.conf libibverbs.d localtime; do
    [[ ! -e /etc/$file ]] || cp -a "/etc/$file" "$disk/etc/"
done
cp -a /etc/java-* "$disk/etc/" 2>/dev/null || true
printf '127.0.0.1 localhost\n192.0.2.1 rdma-vm\n' >"$disk/etc/hosts"
printf '%s\n' "$root" >"$disk/vm/root"
cat >"$disk/init" <<'END'
#!/vm/busybox sh
bb=/vm/busybox
off() {
    $bb umount -l "$($bb cat /vm/root)"
    $bb umount -l /vm/control
    $bb poweroff -f
}
fail() {
    echo "$*" >/vm/control/failure
    off
}
share() {
    $bb mkdir -p "$2"
    $bb mount -t 9p -o "trans=virtio,version=9p2000.L,msize=512000,$3" "$1" "$2" || fail "cannot mount $2"
}
$bb mount -t proc proc /proc
$bb mount -t sysfs sys /sys
$bb mount -t devtmpfs dev /dev
$bb mkdir -p /dev/shm
$bb mount -t tmpfs -o mode=1777 shm /dev/shm
$bb mount -t tmpfs -o mode=1777 tmp /tmp
$bb ln -s /proc/self/fd /dev/fd
$bb hostname rdma-vm
for module in $($bb cat /vm/modules/order); do
    $bb insmod "/vm/modules/$module" || fail "cannot load $module"
done
share control /vm/control cache=none
share usr /usr ro,cache=loose
share root "$($bb cat /vm/root)" rw,cache=mmap
export PATH=/usr/sbin:/usr/bin
# With their paths: the shell has an ip of its own, which knows less.
/usr/bin/ip link set lo up
# Large enough for RDMA packets of 4 KiB.
/usr/bin/ip link add eth0 mtu 4500 type dummy && /usr/bin/ip link set eth0 up &&
    /usr/bin/ip addr add 192.0.2.1/24 dev eth0 || fail "no eth0"
/usr/bin/rdma link add rxe0 type rxe netdev eth0 || fail "no rxe0"
tries=0
until $bb grep -qs ffff:c000:0201 /sys/class/infiniband/rxe0/ports/1/gids/1; do
    tries=$((tries + 1))
    [ $tries -le 100 ] || fail "rxe0 has no address"
    $bb sleep 0.1
done
bash /vm/control/command >"$(echo /dev/vport*p1)" 2>&1 </dev/null
echo $? >/vm/control/status.new
$bb mv /vm/control/status.new /vm/control/status
off
END
chmod +x "$disk/init"
(cd "$disk" && find . | cpio -o -H newc --quiet) >"$run/initrd"

devices=()
for share in "control $run/control off" "usr /usr on" "root $root off"; do
    read -r tag path readonly <<<"$share"
    devices+=(-fsdev "local,id=$tag,path=$path,security_model=none,multidevs=remap,readonly=$readonly"
        -device "virtio-9p-pci,fsdev=$tag,mount_tag=$tag")
done
# At the end of its standard input QEMU would block the guest's output.
mkfifo "$run/in"
exec 8<>"$run/in"
# Without AVX, which is slow when emulated.
timeout -k 5 "$seconds" qemu-system-x86_64 -accel "${RDMA_VM_ACCEL:-tcg}" -M q35 -cpu "${RDMA_VM_CPU:-Nehalem}" \
    -smp "$cpus" -m "$memory" -nodefaults -no-user-config -display none -no-reboot -nic none \
    -chardev "file,id=console,path=$run/console" -serial chardev:console \
    -chardev stdio,id=out,signal=off -device virtio-serial-pci -device virtserialport,chardev=out,name=out \
    -kernel "$kernel/vmlinux" -initrd "$run/initrd" -append "console=ttyS0 quiet panic=-1 mitigations=off tsc=reliable" \
    "${devices[@]}" <&8 8<&- &
qemu=$!
status=0
wait "$qemu" || status=$?
qemu=
if [[ -s $run/control/status ]]; then
    exit "$(cat "$run/control/status")"
elif [[ $status -eq 124 || $status -eq 137 ]]; then
    say "not done after $seconds s"
    exit 124
fi
say "the machine did not come up (QEMU: $status): $(cat "$run/control/failure" 2>/dev/null)"
tail -n 20 "$run/console" >&2
exit 125
