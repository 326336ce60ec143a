# A newer lavapipe beside the distribution's own: the driver of Debian's backports suite, unpacked into target/newer-mesa and not installed.
# Sourced, not run.
# shellcheck shell=bash

# Unpacks the driver, once, and exports where it is: TILELENS_NEWER_ICD (its manifest) and TILELENS_NEWER_LIBRARIES (for LD_LIBRARY_PATH).
# Fails, with the reason, where it cannot be had.
use_newer_mesa() {
    local folder=$ROOT/target/newer-mesa architecture
    have apt-get && have dpkg-deb || { say "a newer lavapipe takes apt-get and dpkg-deb"; return 1; }
    [ -e "$folder/icd.json" ] || fetch_newer_mesa "$folder" || return 1
    architecture=$(dpkg-architecture -qDEB_HOST_MULTIARCH 2>/dev/null || printf '%s-linux-gnu' "$(uname -m)")
    export TILELENS_NEWER_ICD=$folder/icd.json
    export TILELENS_NEWER_LIBRARIES=$folder/unpacked/usr/lib/$architecture
    say "newer lavapipe: $(cat "$folder/version")"
}

fetch_newer_mesa() {
    local folder=$1 suite=bookworm-backports work package options
    work=$folder.part
    rm -rf "$work"
    mkdir -p "$work/lists/partial" "$work/cache/archives/partial" "$work/unpacked"
    printf 'deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian %s main\n' "$suite" >"$work/sources"
    options=(-q -o "Dir::Etc::sourcelist=$work/sources" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$work/lists"
        -o "Dir::Cache=$work/cache" -o APT::Sandbox::User=root)
    say "fetching lavapipe of $suite"
    apt-get "${options[@]}" update >"$work/log" 2>&1 || { tail -n 5 "$work/log" >&2; return 1; }
    # The C and LLVM libraries are the distribution's own.
    for package in mesa-vulkan-drivers libdrm2 libdrm-amdgpu1; do
        (cd "$work" && apt-get "${options[@]}" download "$package/$suite" >>log 2>&1) || { tail -n 5 "$work/log" >&2; return 1; }
        dpkg-deb -x "$work/$package"_*.deb "$work/unpacked" || return 1
    done
    local manifest library
    manifest=$(compgen -G "$work/unpacked/usr/share/vulkan/icd.d/lvp_icd*.json" | head -n 1)
    library=$(find "$work/unpacked" -name libvulkan_lvp.so | head -n 1)
    [ -n "$manifest" ] && [ -n "$library" ] || { say "the package holds no lavapipe"; return 1; }
    # The loader is to find the library wherever this folder lies.
    sed "s|\"library_path\": *\"[^\"]*\"|\"library_path\": \"${library/$work/$folder}\"|" "$manifest" >"$work/icd.json"
    basename "$work"/mesa-vulkan-drivers_*.deb >"$work/version"
    rm -rf "$work/lists" "$work/cache" "$work"/*.deb
    rm -rf "$folder"
    mv "$work" "$folder"
}
