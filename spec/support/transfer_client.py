"""
A client of transfers and updates in dnspython, kept running: one JSON request a line in, one JSON answer
a line out, several at once.

Records are compared as bytes. RDATA are opaque here, so that nothing depends on which types dnspython
knows; the names that messages may compress (RFC 3597 4, and the types of RFC 1035) are the exception, and
RRSIG, whose sets have TTLs of their own.
"""
import json
import re
import struct
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import dns.exception
import dns.flags
import dns.immutable
import dns.message
import dns.name
import dns.query
import dns.rcode
import dns.rdata
import dns.rdataclass
import dns.rdatatype
import dns.rrset
import dns.tokenizer
import dns.tsigkeyring
import dns.update
import dns.xfr
import dns.zone

IN = dns.rdataclass.IN
SOA = dns.rdatatype.SOA


@dns.immutable.immutable
class Names(dns.rdata.Rdata):
    """RDATA that are names and nothing else, of types for which dnspython has no class."""

    def __init__(self, rdclass, rdtype, names):
        super().__init__(rdclass, rdtype)
        self.names = tuple(names)

    def to_text(self, origin=None, relativize=True, **kw):
        return ' '.join(name.choose_relativity(origin, relativize).to_text() for name in self.names)

    def _to_wire(self, file, compress=None, origin=None, canonicalize=False):
        for name in self.names:
            name.to_wire(file, None, origin, canonicalize)

    @classmethod
    def from_wire_parser(cls, rdclass, rdtype, parser, origin=None):
        names = []
        while parser.remaining() > 0:
            names.append(parser.get_name(origin))
        return cls(rdclass, rdtype, names)


# MD, MF, MB, MG, MR and MINFO.
of_names = {3, 4, 7, 8, 9, 14}
native_class = dns.rdata.get_rdata_class
compressed = {2, 3, 4, 5, 6, 7, 8, 9, 12, 14, 15, 17, 18, 21, 24, 26, 30, 33, 35, 36, 39, 46, 250}


def class_of(rdclass, rdtype):
    if rdtype in of_names:
        return Names
    if rdtype in compressed:
        return native_class(rdclass, rdtype)
    return dns.rdata.GenericRdata


dns.rdata.get_rdata_class = class_of

# The escape of a byte above 127.
high_byte = re.compile(r'\\(?:12[89]|1[3-9]\d|2\d\d)')

# Zones as they were transferred, by name and serial.
kept = {}


def keyring(key):
    if key is None:
        return {}
    name = dns.name.from_text(key['name'])
    ring = dns.tsigkeyring.from_text({key['name']: (key['algorithm'], key['secret'])})
    return {'keyring': ring, 'keyname': name, 'keyalgorithm': key['algorithm']}


def record_of(owner, ttl, rdtype, wire):
    return f'{owner.to_wire().lower().hex()} {ttl} {int(rdtype)} {wire.hex()}'


def records_of(zone):
    found = set()
    for name, node in zone.nodes.items():
        for rdataset in node:
            for rdata in rdataset:
                found.add(record_of(name, rdataset.ttl, rdataset.rdtype, rdata.to_wire()))
    return found


def transfer(port, name, base=None, key=None):
    """A zone by AXFR, or by IXFR from the zone `base`, which stays as it is."""
    zone = dns.zone.Zone(dns.name.from_text(name), relativize=False)
    if base is not None:
        with zone.writer() as txn:
            for owner, rdataset in base.iterate_rdatasets():
                txn.add(owner, rdataset)
    query, _ = dns.xfr.make_query(zone, serial=0 if base is None else None, **keyring(key))
    if base is None:
        query = dns.message.make_query(dns.name.from_text(name), 'AXFR')
        if key is not None:
            query.use_tsig(**{k: v for k, v in keyring(key).items() if k != 'keyalgorithm'},
                           algorithm=key['algorithm'])
    dns.query.inbound_xfr('127.0.0.1', zone, query, port=port, timeout=60, lifetime=120)
    return zone


def serial_of(zone):
    return zone.get_rdataset(zone.origin, 'SOA')[0].serial


# TXT, NINFO, SPF, AVC, RESINFO, WALLET and CLA.
of_segments = (16, 56, 99, 258, 261, 262, 263)


def expected_of(row):
    """A row of the API as a record; what dnspython can not read as text is taken as the caller reads it."""
    owner = dns.name.from_text(row['name'])
    rdtype = row['type']
    mine = row['hex']
    try:
        if rdtype in of_segments:
            segments = row['value'] if isinstance(row['value'], list) else None
            if segments is None and not row['value'].startswith('"'):
                segments = [row['value']]
            if segments is not None:
                data = [s.encode() for s in segments]
                mine = b''.join(bytes([len(d)]) + d for d in data).hex()
        else:
            text = row['value'] if row['priority'] is None else f"{row['priority']} {row['value']}"
            # dnspython 2.3 takes such a byte for a character and stores it as UTF-8.
            if not high_byte.search(text):
                reader = dns.tokenizer.Tokenizer(text)
                rdata = native_class(IN, rdtype).from_text(IN, rdtype, reader, None, False, None)
                mine = rdata.to_wire().hex()
    except Exception:
        pass
    return f"{owner.to_wire().lower().hex()} {row['ttl']} {rdtype} {mine}"


def soa_of(zone):
    local, domain = zone['rname'].split('@')
    rname = dns.name.Name([local.encode()] + list(dns.name.from_text(domain).labels))
    mname = dns.name.from_text(zone['mname'])
    numbers = [zone[k] for k in ('serial', 'refresh', 'retry', 'expire', 'minimum_ttl')]
    wire = mname.to_wire() + rname.to_wire() + struct.pack('>IIIII', *numbers)
    return record_of(dns.name.from_text(zone['name']), zone['default_ttl'], SOA, wire)


def show(record):
    owner, ttl, rdtype, wire = record.split(' ')
    name = dns.name.from_wire(bytes.fromhex(owner), 0)[0].to_text()
    data = wire if len(wire) <= 120 else f'{wire[:120]}... ({len(wire) // 2} bytes)'
    return f'{name} {ttl} {dns.rdatatype.to_text(int(rdtype))} {data}'


def difference(who, got, expected):
    lacks = [show(r) for r in sorted(expected - got)[:3]]
    has = [show(r) for r in sorted(got - expected)[:3]]
    if not lacks and not has:
        return []
    return [f'{who}: lacks {len(expected - got)} {lacks}, has {len(got - expected)} more {has}']


def answered(port, apex, owner, rdtype):
    """An RRset as a server answers it over TCP; None below a delegation."""
    query = dns.message.make_query(owner, rdtype)
    query.flags &= ~dns.flags.RD
    reply = dns.query.tcp(query, '127.0.0.1', port=port, timeout=60)
    if not reply.answer and any(r.rdtype == dns.rdatatype.NS and r.name != apex for r in reply.authority):
        return None
    found = set()
    for rrset in reply.answer:
        if rrset.name == owner and rrset.rdtype == rdtype:
            found |= {record_of(owner, rrset.ttl, rdtype, r.to_wire()) for r in rrset}
    return found


def patiently(ask):
    """Asks again while a server closes connections or loads a zone anew: nsd ends its children to do so."""
    for left in range(80, -1, -1):
        try:
            return ask()
        except (OSError, EOFError, dns.xfr.TransferError, dns.exception.Timeout):
            if left == 0:
                raise
            time.sleep(0.25)


def served(port, name, expected):
    """
    The records a secondary has, and those it should have. NSD sends no zone by AXFR that has a record of
    more than 16 KiB; it is asked for these RRsets and for the SOA instead.
    """
    large = {tuple(r.split(' ')[::2][:2]) for r in expected if len(r.split(' ')[3]) > 2 * 16000}
    if not large or port['kind'] != 'nsd':
        return records_of(transfer(port['port'], name)), expected
    apex = dns.name.from_text(name)
    found, wanted = set(), set()
    for owner, rdtype in large | {(apex.to_wire().lower().hex(), '6')}:
        key = dns.name.from_wire(bytes.fromhex(owner), 0)[0]
        answer = answered(port['port'], apex, key, int(rdtype))
        if answer is None:
            continue
        found |= answer
        wanted |= {r for r in expected if r.split(' ')[0] == owner and r.split(' ')[2] == rdtype}
    return found, wanted


def check(request):
    """The zone as API, AXFR, IXFR from every serial seen before, and secondaries have it: what differs."""
    name = request['zone']['name']
    expected = {expected_of(row) for row in request['rows']} | {soa_of(request['zone'])}
    differences = []
    try:
        zone = transfer(request['primary'], name)
    except Exception as error:
        return [f'AXFR of the service: {error!r}']
    if serial_of(zone) != request['zone']['serial']:
        return [f"AXFR of the service: serial {serial_of(zone)}, not {request['zone']['serial']}"]
    differences += difference('AXFR of the service', records_of(zone), expected)
    history = kept.setdefault(request['history'], {})
    for serial, base in sorted(history.items()):
        try:
            got = records_of(transfer(request['primary'], name, base))
            differences += difference(f'IXFR from {serial}', got, expected)
        except Exception as error:
            differences.append(f'IXFR from {serial}: {error!r}')
    history[serial_of(zone)] = zone
    for port in request['secondaries']:
        try:
            got, wanted = patiently(lambda: served(port, name, expected))
            differences += difference(port['kind'], got, wanted)
        except Exception as error:
            differences.append(f"AXFR of {port['kind']}: {error!r}")
    return differences


def update(request):
    """Sends an UPDATE whose RDATA are the bytes given; answers the RCODE, or NOTSENT of what fits no message."""
    zone = dns.name.from_text(request['zone'])
    message = dns.update.UpdateMessage(zone, IN, **keyring(request['key']))
    for action, owner, ttl, rdtype, wire in request['changes']:
        try:
            name = dns.name.from_text(owner, zone)
        except dns.name.NameTooLong:
            return 'NOTSENT'
        data = None if wire is None else dns.rdata.GenericRdata(IN, rdtype, bytes.fromhex(wire))
        if action == 'add':
            rrset = dns.rrset.RRset(name, IN, rdtype)
            rrset.add(data, ttl)
        elif data is not None:
            rrset = dns.rrset.RRset(name, dns.rdataclass.NONE, rdtype)
            rrset.add(dns.rdata.GenericRdata(dns.rdataclass.NONE, rdtype, bytes.fromhex(wire)), 0)
        else:
            rrset = dns.rrset.RRset(name, dns.rdataclass.ANY, 255 if rdtype is None else rdtype)
        message.update.append(rrset)
    try:
        message.to_wire()
    except dns.exception.TooBig:
        return 'NOTSENT'
    reply = dns.query.tcp(message, '127.0.0.1', port=request['port'], timeout=120)
    return dns.rcode.to_text(reply.rcode())


def forget(request):
    return len(kept.pop(request['history'], {}))


actions = {'check': check, 'update': update, 'forget': forget}
printing = threading.Lock()


def answer(line):
    request = json.loads(line)
    try:
        result = {'result': actions[request['action']](request)}
    except Exception as error:
        result = {'error': repr(error)}
    with printing:
        sys.stdout.write(json.dumps({'id': request['id'], **result}) + '\n')
        sys.stdout.flush()


with ThreadPoolExecutor(8) as pool:
    for line in sys.stdin:
        pool.submit(answer, line)
