# Sourced by the tests of the tool. Sets up a folder $work that is gone at the end.
set -uo pipefail
riemflow=$(realpath "$1")
work=$(mktemp -d)
trap 'chmod -R u+rwx "$work"; rm -rf "$work"' EXIT
out=$work/.out err=$work/.err
failures=0

fail() {
  echo "FAILED: $*"
  failures=$((failures + 1))
}

# expect CODE PATTERN ARGUMENTS…: the exit code, and an extended regular expression in stdout or stderr
# unless it is empty.
expect() {
  local code=$1 pattern=$2
  shift 2
  "$riemflow" "$@" >"$out" 2>"$err"
  local got=$?
  if [ "$got" -ne "$code" ] || { [ -n "$pattern" ] && ! grep -Eqs -- "$pattern" "$out" "$err"; }; then
    fail "riemflow $* — exit $got (expected $code), expected to see: $pattern"
    head -c 4000 "$out" "$err"
  fi
}

# same WHAT EXPECTED GOT
same() {
  [ "$2" = "$3" ] || fail "$1 — expected:"$'\n'"$2"$'\n'"got:"$'\n'"$3"
}

finish() {
  if [ "$failures" -ne 0 ]; then
    echo "$failures failed"
    exit 1
  fi
  echo "all passed"
}
