"""on_terminal.py PATTERN COMMAND...: runs the command on a terminal until it has written the pattern, then sends it
SIGINT, as Ctrl-C does. Prints what it wrote, and fails unless the pattern came and the end within a second of the signal
(five where it is sanitized), by exit 130 or by the signal itself."""

import os
import pty
import re
import select
import signal
import sys
import time

pattern, command = re.compile(sys.argv[1].encode()), sys.argv[2:]
slow = 5 if os.environ.get("ASAN_OPTIONS") else 1
child, terminal = pty.fork()
if child == 0:
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    os.execv(command[0], command)
seen, begun, asked = b"", time.monotonic(), None
while True:
    if asked is None and pattern.search(seen):
        asked = time.monotonic()
        os.kill(child, signal.SIGINT)
    if asked is None and time.monotonic() - begun > 20 * slow:
        os.kill(child, signal.SIGKILL)
    if not select.select([terminal], [], [], 0.02)[0]:
        continue
    try:
        some = os.read(terminal, 65536)
    except OSError:  # the other end is closed
        break
    if not some:
        break
    seen += some
_, status = os.waitpid(child, 0)
print(seen.decode(errors="replace").replace("\r", "\n"))
if asked is None:
    sys.exit(f"on_terminal: {pattern.pattern.decode()} was not seen")
taken = time.monotonic() - asked
code = os.waitstatus_to_exitcode(status)
if code not in (130, -signal.SIGINT):
    sys.exit(f"on_terminal: exit {code}, not 130")
if taken > slow:
    sys.exit(f"on_terminal: {taken:.2f} s from SIGINT to the end")
