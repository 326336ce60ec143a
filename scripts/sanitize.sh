# The layer, the samples and the tests of the whole system with LLVM's address sanitizer. Sourced, not run.
# shellcheck shell=bash

# Tests that drive the layer through all it hooks.
SANITIZED=(ask_below_first command_buffers draw_state faults limits memory negotiation neutrality objects pass_instances pass_structs pipelines
    presenting processes protected queues reach regressions render_passes samples transfers)

# Whether this Rust has the sanitizer's runtime library.
have_sanitizer() {
    compgen -G "$("${RUSTC:-rustc}" --print sysroot)/lib/rustlib/*/lib/librustc-*_rt.asan.a" >/dev/null
}

# Builds and runs these tests. The sanitizer is an unstable option of a stable compiler, for these builds alone.
sanitized_tests() {
    local host folder name tests=()
    host=$("${RUSTC:-rustc}" -vV | sed -n 's/^host: //p')
    folder=$TARGET_DIR/sanitized
    for name in "${SANITIZED[@]}"; do tests+=(--test "$name"); done
    (
        # The layer finds the runtime library in the program that loads it.
        export RUSTC_BOOTSTRAP=1 RUSTFLAGS="-Zsanitizer=address -Clink-arg=-rdynamic"
        # valgrind looks for lost memory; here the driver's would be told as well.
        export ASAN_OPTIONS=detect_leaks=0:abort_on_error=1
        unset TILELENS_FULL
        export TILELENS_BUILT_TILELENS_LAYER=1 TILELENS_BUILT_TILELENS_CLI=1 TILELENS_BUILT_TILELENS_SAMPLES=1
        # Tests that measure memory would measure the sanitizer's.
        local common=(--locked --target "$host" --target-dir "$folder")
        "$CARGO" build "${common[@]}" -p tilelens-layer -p tilelens-cli -p tilelens-samples &&
            "$CARGO" test "${common[@]}" -p tilelens-tests --no-fail-fast "${tests[@]}" -- --skip needs_no_memory
    )
}
