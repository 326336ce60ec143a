# Programs for the tests of ./test --full that a build does not need. Sourced, not run.
# shellcheck shell=bash

WGPU_VERSION=0.19.3

# Makes a Python environment with wgpu in target/wgpu, once, and exports TILELENS_WGPU_PYTHON.
use_wgpu() {
    local folder=$ROOT/target/wgpu-$WGPU_VERSION
    if [ ! -e "$folder/done" ]; then
        have python3 || { say "wgpu takes python3"; return 1; }
        say "fetching wgpu $WGPU_VERSION"
        rm -rf "$folder"
        python3 -m venv "$folder" || return 1
        "$folder/bin/pip" install --quiet --disable-pip-version-check "wgpu==$WGPU_VERSION" || return 1
        : >"$folder/done"
    fi
    export TILELENS_WGPU_PYTHON=$folder/bin/python
}
