# For the tests of the tool: source it with the path of riemflow in $riemflow. Works in a directory of its own, $work,
# that goes away at the end; `finish` ends the test.
failures=0
work=$(mktemp -d)
trap 'chmod -R u+w "$work"; rm -rf "$work"' EXIT
cd "$work" || exit 1
out=$work/.out err=$work/.err

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# size RELEASE SANITIZED: a number of points. Sanitizers make the tool ten times slower, and fewer points take the same
# paths.
size() { [ -z "${ASAN_OPTIONS:-}" ] && echo "$1" || echo "$2"; }

# expect CODE PATTERN ARGUMENTS…: the exit code, and an extended regular expression in stdout or stderr;
# an empty one asks for nothing.
expect() {
  local code=$1 pattern=$2
  shift 2
  "$riemflow" "$@" >"$out" 2>"$err"
  local got=$?
  if [ "$got" -ne "$code" ] || { [ -n "$pattern" ] && ! grep -Eq -- "$pattern" "$out" "$err"; }; then
    fail "riemflow $* — exit $got (expected $code), expected to see: $pattern"
    cat "$out" "$err"
  fi
}

# await JOB COMMAND…: until the command succeeds, or the job is over.
await() {
  local job=$1
  shift
  until "$@" 2>/dev/null; do
    kill -0 "$job" 2>/dev/null || return
    sleep 0.01
  done
}

# same FILE FILE: equal, byte for byte.
same() { cmp "$1" "$2" || fail "$1 and $2 differ"; }

# equal WHAT EXPECTED GOT: two texts.
equal() {
  [ "$2" = "$3" ] || fail "$1 — expected:"$'\n'"$2"$'\n'"got:"$'\n'"$3"
}

finish() {
  if [ "$failures" -ne 0 ]; then
    echo "$failures failed"
    exit 1
  fi
  echo "all passed"
}
