"""
Sends the same dynamic updates to several servers, each over one connection, and tells what they answer and what
their zones hold: the judge of tests that compare servers.

Reads one JSON object: `zone`, `ports` by server, `messages` of two lists of records (prerequisites, updates), each
`[owner, type, class, ttl, data]` with data null for none, and `watch`: whether zones are read after each message
rather than once at the end. Names in data are told in lower case. Writes `{"rcodes": {server: [...]}, "zones": {server: [[line, ...], ...]}}`; SOA are
left out, as serials differ.
"""
import json
import socket
import struct
import sys

import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdatatype

classes = {'IN': 1, 'CH': 3, 'NONE': 254, 'ANY': 255}
named_types = {'NS', 'CNAME', 'MX'}
given = json.load(sys.stdin)
apex = dns.name.from_text(given['zone'])


def record(owner, rdtype, rdclass, ttl, data):
    number = dns.rdatatype.from_text(rdtype)
    rdata = b'' if data is None else dns.rdata.from_text(1, rdtype, data, origin=apex, relativize=False).to_wire()
    name = dns.name.from_text(owner, apex).to_wire()
    return name + struct.pack('!HHIH', number, classes[rdclass], ttl, len(rdata)) + rdata


def message(number, prerequisites, updates):
    counts = (1, len(prerequisites), len(updates), 0)
    head = struct.pack('!HHHHHH', number & 0xFFFF, 5 << 11, *counts)
    records = [record(*one) for one in [*prerequisites, *updates]]
    return head + apex.to_wire() + struct.pack('!HH', 6, 1) + b''.join(records)


class Server:
    def __init__(self, port):
        self.port = port
        self.socket = socket.create_connection(('127.0.0.1', port), timeout=120)

    def ask(self, wire):
        self.socket.sendall(struct.pack('!H', len(wire)) + wire)
        answer = self.read(struct.unpack('!H', self.read(2))[0])
        assert answer[:2] == wire[:2]
        return dns.rcode.to_text(answer[3] & 15)

    def read(self, octets):
        data = b''
        while len(data) < octets:
            chunk = self.socket.recv(octets - len(data))
            if chunk == b'':
                raise EOFError('the server closed the connection')
            data += chunk
        return data

    def lines(self):
        lines = []
        for part in dns.query.xfr('127.0.0.1', apex, port=self.port, relativize=False, timeout=120):
            for rrset in part.answer:
                if rrset.rdtype == dns.rdatatype.SOA:
                    continue
                owner = rrset.name.relativize(apex)
                kind = dns.rdatatype.to_text(rrset.rdtype)
                texts = [str(data).lower() if kind in named_types else str(data) for data in rrset]
                lines += [f'{owner} {rrset.ttl} {kind} {text}' for text in texts]
        return sorted(lines)


servers = {name: Server(port) for name, port in given['ports'].items()}
rcodes = {name: [] for name in servers}
zones = {name: [] for name in servers}
for number, (prerequisites, updates) in enumerate(given['messages']):
    wire = message(number, prerequisites, updates)
    for name, server in servers.items():
        rcodes[name].append(server.ask(wire))
        if given['watch']:
            zones[name].append(server.lines())
for name, server in servers.items():
    if not given['watch']:
        zones[name].append(server.lines())
print(json.dumps({'rcodes': rcodes, 'zones': zones}))
