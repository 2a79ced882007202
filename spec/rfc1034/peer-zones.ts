/**
 * Zones that make the algorithm of RFC 1034 4.3.2 work hard, for a comparison with other servers:
 * one record a line, as `owner type value`, the priority of MX and SRV first in the value.
 *
 * Left out is what the peers refuse to load (NS at a wildcard, names below a DNAME) and what each of
 * them cuts at a length of its own (chains of more than four aliases).
 */
const digest = 'AB'.repeat(32);
const long = ['a', 'b', 'c'].map((letter) => letter.repeat(60)).join('.');

function lines(count: number, line: (at: number) => string): string {
  return Array.from({ length: count }, (_, at) => line(at)).join('\n');
}

export const peerZones: Record<string, string> = {
  'ex.test': `
    ns1 A 192.0.2.1
    ns1 AAAA 2001:db8::1
    @ MX 10 mail.ex.test.
    @ MX 20 mail.other.test.
    @ TXT apex
    mail A 192.0.2.25
    www CNAME web.ex.test.
    web A 192.0.2.80
    web A 192.0.2.81
    web TXT w
    c1 CNAME c2.ex.test.
    c2 CNAME c3.ex.test.
    c3 CNAME web.ex.test.
    loop1 CNAME loop2.ex.test.
    loop2 CNAME loop1.ex.test.
    self CNAME self.ex.test.
    dangling CNAME nothere.ex.test.
    out CNAME www.elsewhere.example.
    toent CNAME ent.ex.test.
    tosub CNAME x.sub.ex.test.
    tocut CNAME sub.ex.test.
    towild CNAME any.wild.ex.test.
    tochild CNAME www.child.ex.test.
    tochildapex CNAME child.ex.test.
    todname CNAME host.old.ex.test.
    tobig CNAME big.ex.test.
    *.wild TXT wild
    *.wild A 192.0.2.99
    exact.wild A 192.0.2.98
    a.b.wild TXT deep
    *.deep.wild MX 5 mail.ex.test.
    *.cw CNAME web.ex.test.
    *.cwloop CNAME x.cwloop.ex.test.
    *.cwnx CNAME nx.ex.test.
    x.*.entwild A 192.0.2.97
    lit.* TXT literal
    a.ent A 192.0.2.9
    x.y.z.ent2 TXT deep
    sub NS ns.sub.ex.test.
    sub NS ns.sub2.ex.test.
    sub NS ns1.ex.test.
    sub NS ns.elsewhere.example.
    ns.sub A 192.0.2.53
    ns.sub AAAA 2001:db8::53
    x.sub A 192.0.2.54
    *.sub A 192.0.2.55
    sub2 NS ns.sub2.ex.test.
    ns.sub2 A 192.0.2.56
    deep.sub2 NS ns.deep.sub2.ex.test.
    ns.deep.sub2 A 192.0.2.57
    sub3 NS ns.other.test.
    sub3 DS 12345 8 2 ${digest}
    a.b.sub5 NS ns.x.a.b.sub5.ex.test.
    ns.x.a.b.sub5 A 192.0.2.59
    noglue NS ns.noglue.ex.test.
    child NS ns1.child.ex.test.
    child DS 1 8 2 ${digest}
    ns1.child A 192.0.2.61
    old DNAME new.ex.test.
    old A 192.0.2.71
    host.new A 192.0.2.70
    *.new TXT wild
    dout DNAME example.
    dl1 DNAME dl2.ex.test.
    dl2 DNAME dl1.ex.test.
    dsub DNAME sub.ex.test.
    dnx DNAME nx.ex.test.
    dchain DNAME old.ex.test.
    dcn DNAME cn.ex.test.
    a.cn CNAME b.dcn.ex.test.
    b.cn A 192.0.2.72
    long DNAME ${long}.ex.test.
    a\\.b A 192.0.2.30
    sp\\032ace TXT s
    \\000nul TXT n
    x.\\001one TXT o
    \\255\\254 A 192.0.2.31
    star\\* TXT t
    a*b TXT literal
    \\\\back TXT b
    back CNAME a\\.b.ex.test.
    _sip._tcp SRV 10 5 5060 web.ex.test.
    _sip._tcp SRV 20 5 5060 ns.sub.ex.test.
    mx2 MX 1 ns.sub.ex.test.
    mx2 MX 2 www.ex.test.
    nullmx MX 0 .
    svc HTTPS 1 . alpn="h2"
    svc A 192.0.2.44
    t65280 TYPE65280 \\# 4 DEADBEEF
    t65280 TYPE65281 \\# 0
    ${lines(90, (at) => `big A 198.51.100.${at}`)}
    ${lines(40, (at) => `middle A 198.51.100.${at}`)}
    ${lines(13, (at) => `bigns NS n${at}.bigns.ex.test.\nn${at}.bigns A 192.0.3.${at}`)}`,
  'child.ex.test': `
    ns1 A 192.0.2.61
    www A 192.0.2.90
    up CNAME web.ex.test.
    * TXT child
    gc NS ns.gc.child.ex.test.
    ns.gc A 192.0.2.91
    gc DS 2 8 2 ${digest}`,
  'wild.test': `
    ns1 A 192.0.2.110
    * A 192.0.2.100
    * MX 10 mx.wild.test.
    mx A 192.0.2.101
    a.b.c A 192.0.2.102
    *.c AAAA 2001:db8::c
    d NS ns.d.wild.test.
    ns.d A 192.0.2.103
    *.d A 192.0.2.104
    e CNAME zz.wild.test.
    f DNAME c.wild.test.`,
  'dname.test': `
    @ DNAME wild.test.
    @ TXT apex`,
};
