#!/usr/bin/env bash
# Builds every fuzz target for an engine that is given by the environment, as OSS-Fuzz and ClusterFuzzLite do:
#
#   CC, CXX, CFLAGS, CXXFLAGS    compilers and flags, instrumentation included
#   LIB_FUZZING_ENGINE           what to link (-fsanitize=fuzzer, or an archive)
#   SANITIZER                    address, undefined or coverage; its flags are already in CFLAGS
#   OUT                          where TARGET, TARGET_seed_corpus.zip and TARGET.dict go
#   WORK                         for the build, a temporary folder where unset
#   FUZZ_TARGETS                 some targets instead of all
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
[ -f "$root/fuzz/CMakeLists.txt" ] || root=$PWD
for name in CC CXX OUT LIB_FUZZING_ENGINE; do
  [ -n "${!name-}" ] || { echo "build.sh: $name is not set" >&2; exit 2; }
done
work=${WORK:-$(mktemp -d)}
build=$work/aoti-cts
mkdir -p "$OUT" "$build"
targets=${FUZZ_TARGETS:-$(cd "$root/fuzz" && ls ./*.cpp | sed 's|^\./||; s|\.cpp$||')}

# Libraries of an instrumented build leave the sanitizer's functions to the program.
case ${SANITIZER-} in
  address | undefined) sanitize=$SANITIZER ;;
  *) sanitize= ;;
esac
cmake -G Ninja -S "$root" -B "$build" -DCMAKE_BUILD_TYPE=None -DAOTI_CTS_WERROR=OFF -DAOTI_CTS_SANITIZE="$sanitize" \
  -DCMAKE_C_COMPILER="$CC" -DCMAKE_CXX_COMPILER="$CXX" \
  -DCMAKE_C_FLAGS="${CFLAGS-}" -DCMAKE_CXX_FLAGS="${CXXFLAGS-${CFLAGS-}}" \
  -DAOTI_CTS_FUZZING_ENGINE="$LIB_FUZZING_ENGINE" >"$build/log"
# shellcheck disable=SC2086
cmake --build "$build" -j "$(nproc)" --target $(printf 'fuzz_%s ' $targets) >>"$build/log" || { tail -n 40 "$build/log" >&2; exit 1; }

for target in $targets; do
  cp "$build/fuzz/fuzz_$target" "$OUT/$target"
  # The libraries that a target opens, beside it.
  sed -n 's|^// fuzz-needs: *||p' "$root/fuzz/$target.cpp" | tr ' ' '\n' | while read -r needed; do
    [ -z "$needed" ] || find "$build/shims" -name "*$needed*.so" -exec cp {} "$OUT/" \;
  done
  dictionary=$(sed -n 's|^// fuzz-dictionary: *||p' "$root/fuzz/$target.cpp")
  [ -z "$dictionary" ] || cp "$root/fuzz/support/$dictionary" "$OUT/$target.dict"
  # The folders that the replay test names, one archive.
  mapfile -t folders < <(grep "fuzz\.replay\.$target[] =]" "$build/fuzz/CTestTestfile.cmake" | head -n 1 |
    grep -o '"[^"]*"' | tr -d '"' | tail -n +2)
  rm -f "$OUT/${target}_seed_corpus.zip"
  files=()
  for folder in "${folders[@]}"; do
    [ ! -d "$folder" ] || mapfile -t -O ${#files[@]} files < <(find "$folder" -type f -size -64k)
  done
  [ ${#files[@]} -gt 0 ] || { echo "build.sh: $target has no seeds" >&2; exit 1; }
  python3 - "$OUT/${target}_seed_corpus.zip" "${files[@]}" <<'PYTHON'
import pathlib, sys, zipfile
with zipfile.ZipFile(sys.argv[1], "w", zipfile.ZIP_DEFLATED) as archive:
    for number, path in enumerate(sys.argv[2:]):
        archive.write(path, f"{number:04}-{pathlib.Path(path).name}")
PYTHON
done
