#!/bin/sh
# Checks that an unpacked archive works: a program that is safe and one that is not.
set -eu
here="$(cd "$(dirname "$0")" && pwd)"
wayproof="$here/bin/wayproof"
place="$(mktemp -d)"
trap 'rm -r "$place"' EXIT
cat > "$place/safe.c" <<'C'
extern unsigned __VERIFIER_nondet_uint(void);
extern void reach_error(void);
int main(void) {
    unsigned n = __VERIFIER_nondet_uint(), i = 0;
    while (i < n) i++;
    if (i != n) reach_error();
    return 0;
}
C
sed 's/i != n/i == 1000/' "$place/safe.c" > "$place/unsafe.c"
"$wayproof" --version
"$wayproof" check --no-settings --format svcomp --check none "$place/safe.c" | tail -n 1 | grep -qx 'RESULT: true'
code=0
"$wayproof" check --no-settings --no-exec --format svcomp --check none "$place/unsafe.c" > "$place/out" || code=$?
tail -n 1 "$place/out" | grep -qx 'RESULT: false(unreach-call)'
[ "$code" -eq 10 ]
echo "smoke test passed"
