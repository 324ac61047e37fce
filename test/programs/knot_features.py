"""Knot Resolver at work: `knot_features.py ROOT KRESD`, in an empty directory.  A kresd
answers over UDP, TCP, TLS and HTTPS, by asking a BIND, and runs Lua on the loop."""

import signal
import socket
import sys
import time
from functools import partial
from pathlib import Path

from dns_server import (LIMIT_S, NAMES, Bind, Server, ask_by_datagram, ask_in_pieces, dig_short, free_ports,
                        run_features, zone_text)

ROOT, KRESD = Path(sys.argv[1]), sys.argv[2]
UPSTREAM, UPSTREAM_TLS, CONTROL, PORT, TLS, HTTPS = free_ports(6)

Path("big.zone").write_text(zone_text("big.test", NAMES))
Path("over-tls.zone").write_text(zone_text("over-tls.test", 10))
bind = Bind(ROOT, "upstream", UPSTREAM, CONTROL, f"""
  listen-on port {UPSTREAM_TLS} tls ephemeral {{ 127.0.0.1; }}; recursion no;""", f"""
zone "big.test" {{ type primary; file "{Path('big.zone').resolve()}"; }};
zone "over-tls.test" {{ type primary; file "{Path('over-tls.zone').resolve()}"; }};""")

Path("kresd.conf").write_text(f"""
modules = {{ 'hints > iterate', 'policy', 'stats' }}
net.listen('127.0.0.1', {PORT}, {{ kind = 'dns' }})
net.listen('127.0.0.1', {TLS}, {{ kind = 'tls' }})
net.listen('127.0.0.1', {HTTPS}, {{ kind = 'doh2' }})
net.listen('{Path('control').resolve()}', nil, {{ kind = 'control' }})
cache.open(10 * MB)
modules.unload('ta_signal_query')
modules.unload('priming')
modules.unload('detect_time_skew')
trust_anchors.remove('.')
hints['hint.test'] = '10.2.2.2'
policy.add(policy.suffix(policy.TLS_FORWARD({{ {{ '127.0.0.1@{UPSTREAM_TLS}', insecure = true }} }}),
                         {{ todname('over-tls.test') }}))
policy.add(policy.all(policy.FORWARD('127.0.0.1@{UPSTREAM}')))
ticks = 0
event.recurrent(5, function() ticks = ticks + 1 end)
event.after(20, function() io.stderr:write('the timer says: ready\\n') end)
""")
kresd = Server([KRESD, "--noninteractive", "--config", "kresd.conf", "."], ("the timer says: ready", "kresd"))


dig = partial(dig_short, ROOT)


def over_udp():
    return dig(PORT, "n1.big.test")


def over_tcp():
    return dig(PORT, "+tcp", "n2.big.test")


def over_tls():
    return dig(TLS, "+tls", "n3.big.test")


def over_https():
    return dig(HTTPS, "+https", "n4.big.test")


def asked_for_over_tls():
    return dig(PORT, "n5.over-tls.test")


def too_long_for_a_datagram():
    return len(dig(PORT, "long.big.test", "TXT"))


def a_hint():
    return dig(PORT, "hint.test")


def datagrams():
    return ask_by_datagram(PORT, NAMES)


def datagrams_from_the_cache():
    return ask_by_datagram(PORT, NAMES)


def torn_and_pipelined_queries():
    return ask_in_pieces(PORT, 200)


def said_by_the_control_socket(*commands):
    with socket.socket(socket.AF_UNIX) as control:
        control.settimeout(LIMIT_S)
        control.connect("control")
        said = []
        for command in commands:
            control.sendall(command.encode() + b"\n")
            text = b""
            while b"\n" not in text:
                text += control.recv(4096)
            said.append(text.decode().strip("> \n"))  # there is a prompt
        return said


def commands():
    return said_by_the_control_socket("1 + 1", "hostname() ~= nil", "cache.clear().count > 1000")


def recurrent_events():
    end = time.monotonic() + LIMIT_S
    while said_by_the_control_socket("ticks > 10") != ["true"] and time.monotonic() < end:
        time.sleep(0.05)
    return said_by_the_control_socket("ticks > 10")


def stopped():
    return kresd.end(signal.SIGTERM), bind.end(signal.SIGTERM)


sys.exit(run_features([
    over_udp, over_tcp, over_tls, over_https, asked_for_over_tls, too_long_for_a_datagram, a_hint, datagrams,
    datagrams_from_the_cache, torn_and_pipelined_queries, commands, recurrent_events, stopped]))
