# Shared by the scripts here; meant to be sourced by bash.
#
# Sets KFUSE_ROOT (the source tree), KFUSE_CACHE (downloads and the Python
# environment, kept across clones), KFUSE_PYTHON, KFUSE_PTXAS and
# KFUSE_LIBDEVICE.

KFUSE_ROOT="$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)"
export KFUSE_ROOT
export KFUSE_CACHE="${KFUSE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/kfuse}"
export KFUSE_PYTHON="$KFUSE_CACHE/venv/bin/python"
export KFUSE_PTXAS="$KFUSE_CACHE/ptxas/nvidia/cu13/bin/ptxas"
export KFUSE_LIBDEVICE="$KFUSE_CACHE/nvvm/nvidia/cu13/nvvm/libdevice/libdevice.10.bc"
# Weights come from packages, never from a hub.
export HF_HUB_OFFLINE=1
# One compile job a core; the generator's default is two more.
export CMAKE_BUILD_PARALLEL_LEVEL="${CMAKE_BUILD_PARALLEL_LEVEL:-$(nproc)}"
# A CUDA toolkit on the machine must not change what is generated.
unset CUDA_HOME CUDA_PATH CUDA_ROOT

say() { printf '==> %s\n' "$*"; }
die() { printf 'error: %s\n' "$*" >&2; exit 1; }

# step TITLE COMMAND...: runs a command, says what and how long.
step() {
  local title="$1" start=$SECONDS status=0
  shift
  say "$title"
  "$@" || status=$?
  printf '    %s: %s in %d s\n' "$title" "$([ $status -eq 0 ] && echo done || echo FAILED)" $((SECONDS - start))
  return $status
}

# build_preset PRESET [TARGET...]: configures build/PRESET once and builds.
# Torch is left out where its Python environment is missing.
build_preset() {
  local preset="$1"
  shift
  local dir="$KFUSE_ROOT/build/$preset"
  local -a options=(-DKFUSE_PTXAS="$KFUSE_PTXAS" -DKFUSE_LIBDEVICE="$KFUSE_LIBDEVICE")
  if [ "${KFUSE_WITH_TORCH:-1}" = 1 ]; then
    options+=(-DKFUSE_PYTHON="$KFUSE_PYTHON" -DKFUSE_ENABLE_TORCH=ON)
  else
    options+=(-DKFUSE_ENABLE_TORCH=OFF)
  fi
  (cd "$KFUSE_ROOT" && cmake --preset "$preset" "${options[@]}") > "$KFUSE_ROOT/build/configure-$preset.log" 2>&1 || {
    cat "$KFUSE_ROOT/build/configure-$preset.log" >&2
    return 1
  }
  cmake --build "$dir" "$@"
}
