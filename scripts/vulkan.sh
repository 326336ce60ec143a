# The software driver and an X server for programs with windows. Sourced, not run.
# shellcheck shell=bash

# Prints the manifest of lavapipe, Mesa's software driver.
software_driver() {
    local folder file
    for folder in /usr/share/vulkan/icd.d /usr/local/share/vulkan/icd.d /etc/vulkan/icd.d; do
        for file in "$folder"/lvp_icd*.json; do
            [ -e "$file" ] || continue
            # A machine with several architectures has several; its own is named after it.
            case $file in *"$(uname -m)"*) printf '%s\n' "$file" && return 0 ;; esac
            [ "$(basename "$file")" = lvp_icd.json ] && printf '%s\n' "$file" && return 0
        done
    done
    return 1
}

# Makes every Vulkan program of this shell run on lavapipe, whatever GPU the machine has.
use_software_driver() {
    local driver
    driver=$(software_driver) || die "lavapipe is not installed (lvp_icd*.json in /usr/share/vulkan/icd.d): install mesa-vulkan-drivers"
    # Loaders before 1.3.207 know the first name only.
    export VK_ICD_FILENAMES=$driver VK_DRIVER_FILES=$driver
    say "Vulkan driver: $driver"
}

XVFB_PID=
XVFB_FILES=

# Starts Xvfb on a free display and exports DISPLAY.
start_xvfb() {
    local tries
    XVFB_FILES=$(mktemp -d)
    : >"$XVFB_FILES/display"
    # Without -noreset the server resets when its last client leaves, and the next one meets it half-way.
    Xvfb -displayfd 3 -screen 0 1280x800x24 +extension GLX -noreset -nolisten tcp \
        3>"$XVFB_FILES/display" >"$XVFB_FILES/log" 2>&1 &
    XVFB_PID=$!
    for ((tries = 0; tries < 200; tries++)); do
        # The number is complete once its line ends.
        if read -r DISPLAY <"$XVFB_FILES/display"; then
            export DISPLAY=:$DISPLAY
            say "X server: Xvfb on display $DISPLAY"
            return 0
        fi
        kill -0 "$XVFB_PID" 2>/dev/null || break
        sleep 0.1
    done
    cat "$XVFB_FILES/log" >&2
    die "Xvfb does not start; its messages are above"
}

stop_xvfb() {
    [ -z "$XVFB_PID" ] || kill "$XVFB_PID" 2>/dev/null || true
    [ -z "$XVFB_PID" ] || wait "$XVFB_PID" 2>/dev/null || true
    [ -z "$XVFB_FILES" ] || rm -rf "$XVFB_FILES"
    XVFB_PID=
    XVFB_FILES=
}
