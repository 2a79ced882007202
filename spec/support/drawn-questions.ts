/**
 * Part of a program in dnspython that asks several servers the same questions, drawn by `draw` around the names
 * that it has in `owners`: `draw_name` draws one, `view` asks a server and gives what is compared, and its answer.
 */
export const drawnQuestions = `
labels = [b'zz', b'*', b'a', b'b', b'x', b'ns', b'www', b'Host', b'\\0', b'\\1', b'\\xff', b'a.b', b'star*']

def below(name, label):
    try:
        return dns.name.Name((label,) + name.labels)
    except dns.name.NameTooLong:
        return name

def draw_name():
    name = draw.choice(owners)
    kind = draw.random()
    if kind < 0.45 or len(name) < 4 and kind > 0.85: return name
    if kind < 0.75: return below(name, draw.choice(labels))
    if kind < 0.85: return below(below(name, draw.choice(labels)), draw.choice(labels))
    if kind < 0.92: return name.parent()
    return below(name.parent(), draw.choice(labels))

def records(section):
    return sorted('%s %d %s %s' % (r.name.to_text().lower(), r.ttl, dns.rdatatype.to_text(r.rdtype), d.to_text().lower()) for r in section for d in r)

def bytes(tcp, count):
    read = b''
    while len(read) < count:
        more = tcp.recv(count - len(read))
        if not more: raise EOFError
        read += more
    return read

def exchange(at, wire, tcp):
    if not tcp:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            udp.settimeout(60)
            udp.sendto(wire, ('127.0.0.1', at))
            return udp.recv(65535)
    # One of its own: a server may close one that was idle for a while.
    with socket.create_connection(('127.0.0.1', at), 60) as tcp:
        tcp.sendall(struct.pack('>H', len(wire)) + wire)
        return bytes(tcp, struct.unpack('>H', bytes(tcp, 2))[0])

def view(at, wire, tcp):
    answer = dns.message.from_wire(exchange(at, wire, tcp))
    flags = dns.flags.to_text(answer.flags & (dns.flags.AA | dns.flags.TC))
    whole = not answer.flags & dns.flags.TC
    return [dns.rcode.to_text(answer.rcode()), flags, records(answer.answer) if whole else [], records(answer.authority) if whole else []], answer
`;
