"""BIND at work: `bind_features.py ROOT`, in an empty directory.  One named answers for a
zone over UDP, TCP, TLS and HTTPS, another forwards to it and is its secondary; dig,
nsupdate, host, delv and rndc, which live on the loop too, talk to both."""

import hashlib
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import dns_server
from dns_server import LIMIT_S, NAMES, Bind, ask_by_datagram, ask_in_pieces, free_ports, run_features, zone_text

ROOT = Path(sys.argv[1])
PORT, TLS, HTTPS, HTTP, CONTROL, SECOND, SECOND_CONTROL, NOBODY = free_ports(8)

Path("big.zone").write_text(zone_text("big.test", NAMES))
Path("moving.zone").write_text(zone_text("moving.test", 3))

primary = Bind(ROOT, "primary", PORT, CONTROL, f"""
  listen-on port {TLS} tls ephemeral {{ 127.0.0.1; }};
  listen-on port {HTTPS} tls ephemeral http default {{ 127.0.0.1; }};
  listen-on port {HTTP} tls none http default {{ 127.0.0.1; }};
  recursion no; tcp-clients 400; allow-transfer {{ any; }}; notify explicit;
  also-notify {{ 127.0.0.1 port {SECOND}; }};""", f"""
zone "big.test" {{ type primary; file "{Path('big.zone').resolve()}"; notify no; }};
zone "moving.test" {{ type primary; file "{Path('moving.zone').resolve()}"; allow-update {{ any; }}; }};""")

second = Bind(ROOT, "second", SECOND, SECOND_CONTROL, f"""
  recursion yes; forward only; forwarders port {PORT} {{ 127.0.0.1; }}; allow-notify {{ any; }};""", f"""
zone "moving.test" {{ type secondary; file "moving"; primaries port {PORT} {{ 127.0.0.1; }}; }};""")


def tool(name, *arguments, text=None):
    return subprocess.run([str(ROOT / "usr/bin" / name), *map(str, arguments)], input=text, capture_output=True,
                          text=True, timeout=LIMIT_S, check=False)


dig = partial(dns_server.dig, ROOT)
short = partial(dns_server.dig_short, ROOT)


def digest(text):
    return hashlib.sha1(text.encode()).hexdigest()


def over_udp():
    return short(PORT, "n1.big.test")


def over_tcp():
    return short(PORT, "+tcp", "n2.big.test")


def over_tls():
    return short(TLS, "+tls", "n3.big.test")


def over_https():
    return short(HTTPS, "+https", "n4.big.test")


def over_plain_http():
    return short(HTTP, "+http-plain", "n5.big.test")


def too_long_for_a_datagram():
    return digest(short(PORT, "long.big.test", "TXT"))


def no_such_name():
    return [line for line in dig(PORT, "none.big.test").stdout.splitlines() if "status:" in line][0].split()[5]


def nobody_there():
    return [dig(NOBODY, *arguments).returncode for arguments in (["a.test"], ["+tcp", "a.test"])]


def whole_zone():
    records = [line for line in dig(PORT, "big.test", "axfr").stdout.splitlines() if line and line[0] != ";"]
    return len(records), digest("\n".join(records))


def whole_zone_over_tls():
    records = [line for line in dig(TLS, "+tls", "big.test", "axfr").stdout.splitlines() if line and line[0] != ";"]
    return len(records), digest("\n".join(records))


def answers(text):
    """Without what dig says about a datagram that was lost and sent again."""
    return "\n".join(line for line in text.splitlines() if not line.startswith(";"))


def a_thousand_by_one_dig():
    Path("names").write_text("".join(f"n{i}.big.test\n" for i in range(1000)))
    return [digest(answers(short(PORT, "+tcp", "+keepopen", "-f", "names"))),
            digest(answers(short(PORT, "-f", "names")))]


def many_digs_at_once():
    command = [str(ROOT / "usr/bin/dig"), "-r", "+short", "+tcp", "@127.0.0.1", "-p", str(SECOND)]
    running = [subprocess.Popen([*command, f"n{1000 + i}.big.test"], stdout=subprocess.PIPE, text=True) for i in range(12)]
    return [one.communicate(timeout=LIMIT_S)[0].strip() for one in running]


def torn_and_pipelined_queries():
    return ask_in_pieces(PORT, 200)


def datagrams():
    return ask_by_datagram(PORT, NAMES)


def forwarded_datagrams():
    return ask_by_datagram(SECOND, NAMES)


def forwarded_torn_queries():
    return ask_in_pieces(SECOND, 100)


def update(arguments, address):
    lines = f"server 127.0.0.1 {PORT}\nzone moving.test\nupdate add {address} 60 A 10.9.9.9\nsend\n"
    return tool("nsupdate", *arguments, text=lines).returncode


def updates():
    done = [update([], "one.moving.test"), update(["-v"], "two.moving.test")]
    return done, short(PORT, "one.moving.test"), short(PORT, "two.moving.test")


def transferred_to_the_second():
    end = time.monotonic() + LIMIT_S
    while "10.9.9.9" not in short(SECOND, "two.moving.test") and time.monotonic() < end:
        second.rndc("refresh", "moving.test")
    return short(SECOND, "one.moving.test"), short(SECOND, "two.moving.test")


def other_tools():
    return (tool("host", "-p", PORT, "-T", "n7.big.test", "127.0.0.1").stdout.splitlines()[-1],
            tool("nslookup", f"-port={PORT}", "n8.big.test", "127.0.0.1").stdout.split()[-1],
            tool("delv", "@127.0.0.1", "-p", PORT, "+noroot", "+short", "n9.big.test").stdout.strip())


def controlled():
    commands = (["reload"], ["reconfig"], ["flush"], ["freeze", "moving.test"], ["thaw", "moving.test"], ["nonsense"])
    return [primary.rndc(*words)[0] for words in commands]


def reloaded_by_signal():
    text = zone_text("big.test", NAMES)
    Path("big.zone").write_text(text.replace(" 1 3600", " 2 3600").replace("10.0.0.1\n", "10.1.1.1\n"))
    primary.send(signal.SIGHUP)
    return primary.wait_for("zone big.test/IN: loaded serial 2"), short(PORT, "n1.big.test")


def stopped():
    return primary.rndc("stop"), primary.end(None), second.end(signal.SIGTERM)


sys.exit(run_features([
    over_udp, over_tcp, over_tls, over_https, over_plain_http, too_long_for_a_datagram, no_such_name, nobody_there,
    whole_zone, whole_zone_over_tls, a_thousand_by_one_dig, many_digs_at_once, torn_and_pipelined_queries, datagrams,
    forwarded_datagrams, forwarded_torn_queries, updates, transferred_to_the_second, other_tools, controlled,
    reloaded_by_signal, stopped]))
