# What ./demo and ./test share: where the tree is, how to speak, and which cargo to use. Sourced, not run.
# shellcheck shell=bash

ROOT=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
TARGET_DIR=${CARGO_TARGET_DIR:-$ROOT/target}
# The oldest Rust that builds the workspace: rust-version in Cargo.toml.
RUST_NEEDED=$(sed -n 's/^rust-version = "\(.*\)"/\1/p' "$ROOT/Cargo.toml")

say() { printf '==> %s\n' "$*"; }
die() {
    printf 'error: %s\n' "$*" >&2
    exit 2
}
have() { command -v "$1" >/dev/null 2>&1; }

# version_at_least HAVE NEEDED
version_at_least() { [ "$(printf '%s\n%s\n' "$2" "$1" | sort -V | head -n 1)" = "$2" ]; }

# Prints the command of a cargo that is new enough: on the search path, rustup's own folder, or with a version in its name (Ubuntu).
find_cargo() {
    local candidate version
    for candidate in "${CARGO:-cargo}" "$HOME/.cargo/bin/cargo" $(versioned_cargos); do
        have "$candidate" || continue
        version=$("$candidate" --version 2>/dev/null | awk '{print $2}') || continue
        if version_at_least "${version:-0}" "$RUST_NEEDED"; then
            printf '%s\n' "$candidate"
            return 0
        fi
    done
    return 1
}

# cargo-1.89 and the like, newest first.
versioned_cargos() { compgen -c cargo-1. | grep -E '^cargo-1\.[0-9]+$' | sort -V -r | uniq || true; }

# Exports what belongs to the cargo that was found.
use_cargo() {
    CARGO=$(find_cargo) || die "no cargo of at least Rust $RUST_NEEDED: install one with rustup, or a newer rustc and cargo package"
    case $CARGO in
    */*) PATH=$(dirname "$CARGO"):$PATH ;;
    cargo-1.*) export RUSTC="rustc-${CARGO#cargo-}" RUSTDOC="rustdoc-${CARGO#cargo-}" ;;
    esac
    export CARGO PATH
    say "$("$CARGO" --version), target folder $TARGET_DIR"
}
