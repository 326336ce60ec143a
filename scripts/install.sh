# Finds out what is missing and installs it with apt, or says what to install. Sourced, not run.
# shellcheck shell=bash

MISSING_PACKAGES=()
MISSING_WORDS=()

# missing PACKAGE... -- WHAT IT IS
missing() {
    while [ "$1" != -- ]; do
        MISSING_PACKAGES+=("$1")
        shift
    done
    shift
    MISSING_WORDS+=("$*")
}

# grep reads to the end: one that stops early would fail the pipe under pipefail.
vulkan_loader() { { ldconfig -p 2>/dev/null || /sbin/ldconfig -p; } | grep 'libvulkan\.so\.1' >/dev/null; }

# layer_manifest PATTERN: whether an explicit layer with such a manifest is installed.
layer_manifest() { compgen -G "/usr/share/vulkan/explicit_layer.d/$1" >/dev/null || compgen -G "/etc/vulkan/explicit_layer.d/$1" >/dev/null; }

# What building and running the demo takes.
check_demo_needs() {
    have cc || missing gcc libc6-dev -- "a C linker (cc)"
    have glslc || missing glslc -- "the shader compiler glslc"
    vulkan_loader || missing libvulkan1 -- "the Vulkan loader (libvulkan.so.1)"
    software_driver >/dev/null || missing mesa-vulkan-drivers -- "the software driver lavapipe"
    have vkcube || missing vulkan-tools -- "the program vkcube"
    have Xvfb || missing xvfb -- "the X server without a screen, Xvfb"
    # cargo fetches crates over HTTPS.
    [ -e /etc/ssl/certs/ca-certificates.crt ] || ! have apt-get || missing ca-certificates -- "certificates"
    find_cargo >/dev/null || missing_rust
}

# What the tests take besides.
check_test_needs() {
    have gfxrecon-replay || missing gfxreconstruct -- "gfxreconstruct (capture and replay)"
    layer_manifest '*khronos_validation*.json' || missing vulkan-validationlayers -- "the Khronos validation layer"
    have valgrind || missing valgrind -- "valgrind"
    have setcap || [ -x /sbin/setcap ] || missing libcap2-bin -- "setcap (a program with file capabilities)"
    need_rust_tools cargo-web rustfmt-web rust-web-clippy
    need_rust_tools cargo rustfmt rust-clippy
}

# What ./test --full takes besides.
check_full_needs() {
    have c++ || missing g++ -- "a C++ compiler (libFuzzer)"
    have glmark2 || missing glmark2-x11 -- "the GL benchmark glmark2 (for GL through zink)"
    # Ubuntu has the browser as a snap alone.
    have chromium || [[ $(candidate chromium) == *snap* ]] || missing chromium -- "the browser Chromium (it brings the software driver SwiftShader)"
    have mangohud || missing mangohud -- "the layer MangoHud"
    [ -e /usr/share/vulkan/implicit_layer.d/vkBasalt.json ] || missing vkbasalt -- "the layer vkBasalt"
    python3 -c 'import venv, ensurepip' 2>/dev/null || missing python3-venv -- "Python with venv (for wgpu)"
}

# need_rust_tools CARGO RUSTFMT CLIPPY: where Rust came with package CARGO, its formatter and linter are packages of the same version.
need_rust_tools() {
    local version tool
    have apt-get && [ "$(package_state "$1")" = installed ] || return 0
    version=$(dpkg-query -W -f '${Version}' "$1")
    for tool in "$2" "$3"; do
        [ "$(package_state "$tool")" != installed ] || continue
        ! apt-cache show "$tool=$version" >/dev/null 2>&1 || missing "$tool=$version" -- "$tool of Rust's version"
    done
}

package_state() { dpkg-query -W -f '${db:Status-Status}' "$1" 2>/dev/null || true; }

# Version that apt would install, without epoch and revision; nothing if it knows no such package.
candidate() {
    local version
    version=$(apt-cache policy "$1" 2>/dev/null | sed -n 's/^ *Candidate: //p')
    [ "$version" = "(none)" ] && version=
    printf '%s\n' "$version"
}

missing_rust() {
    local packages=()
    if have rustup; then
        die "the Rust in use is older than $RUST_NEEDED: run 'rustup update stable' and start again"
    fi
    if have apt-get; then
        [ -n "$(candidate libc6-dev)" ] || refresh_package_lists
        # shellcheck disable=SC2207
        packages=($(rust_packages))
    fi
    [ ${#packages[@]} -gt 0 ] || packages=("cargo")
    missing "${packages[@]}" -- "Rust $RUST_NEEDED or newer (cargo, rustc)"
    if [ "${packages[0]}" = cargo-web ] && [ "$(package_state cargo)" = installed ]; then
        say "cargo-web and rustc-web replace the older packages cargo and rustc"
    fi
    if [ "${packages[0]}" = cargo ] && ! version_at_least "$(candidate cargo)" "$RUST_NEEDED"; then
        die "no package with Rust $RUST_NEEDED or newer is to be had here: install Rust with rustup (https://rustup.rs) and start again"
    fi
}

# The packages of the first Rust that is new enough: the distribution's own, Debian 12's, or Ubuntu's with a version in the name.
rust_packages() {
    local name
    if version_at_least "$(candidate cargo)" "$RUST_NEEDED"; then
        echo cargo rustc
    elif version_at_least "$(candidate cargo-web)" "$RUST_NEEDED"; then
        echo cargo-web rustc-web
    else
        name=$(apt-cache search --names-only '^cargo-1\.[0-9]+$' | awk '{print $1}' | sort -V | tail -n 1)
        if [ -n "$name" ] && version_at_least "${name#cargo-}" "$RUST_NEEDED"; then
            echo "$name" "rustc-${name#cargo-}"
        fi
    fi
}

as_root() {
    if [ "$(id -u)" -eq 0 ]; then
        "$@"
    elif have sudo; then
        sudo "$@"
    else
        die "neither root nor sudo: run this as root: $*"
    fi
}

LISTS_REFRESHED=
refresh_package_lists() {
    [ -z "$LISTS_REFRESHED" ] || return 0
    LISTS_REFRESHED=yes
    say "refreshing the package lists (apt-get update)"
    # A foreign source that does not answer is no reason to stop; the installation says what it lacks.
    as_root apt-get update -qq || say "apt-get update reports a problem; going on with the lists at hand"
}

# Installs what the checks have found missing.
install_missing() {
    local word
    [ ${#MISSING_PACKAGES[@]} -gt 0 ] || return 0
    if ! have apt-get; then
        printf 'Please install, then start again:\n' >&2
        for word in "${MISSING_WORDS[@]}"; do printf '  - %s\n' "$word" >&2; done
        die "this system has no apt-get, so nothing was installed"
    fi
    for word in "${MISSING_WORDS[@]}"; do say "missing: $word"; done
    say "installing with apt-get$([ "$(id -u)" -eq 0 ] || echo ' (through sudo)'): ${MISSING_PACKAGES[*]}"
    refresh_package_lists
    as_root env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "${MISSING_PACKAGES[@]}" ||
        die "the packages could not be installed; see apt-get's message above"
    hash -r
    MISSING_PACKAGES=()
    MISSING_WORDS=()
}
