/** What master files say (RFC 1035 5.1, RFC 2308 4, RFC 3597 5); cases 62 to 69 and 91. */
import { describe, expect, it } from 'vitest';
import { parseAbsoluteName, printAbsoluteName, printRelativeName } from '../name.ts';
import { printRdata } from '../rdata/rdata.ts';
import { printType } from '../rrtype.ts';
import { ZoneFileReader } from './reader.ts';

const apex = parseAbsoluteName('example.com');

function read(content: string | Uint8Array, skipUnsupported = false) {
  const reader = new ZoneFileReader({ apex, defaultTtl: 3600, skipUnsupported });
  const records = [...reader.read(content), ...reader.end()].flat();
  return {
    reader,
    errors: reader.errors.lines,
    skipped: reader.skipped.lines,
    lines: records.map(
      ({ owner, ttl, type, rdata }) =>
        `${printRelativeName(owner)} ${ttl} ${printType(type)} ${printRdata(type, rdata)}`,
    ),
    numbers: records.map((record) => record.line),
  };
}

/** The records of a file without a mistake. */
function lines(content: string): string[] {
  const { errors, lines } = read(content);
  expect(errors).toEqual([]);
  return lines;
}

function errors(content: string): readonly string[] {
  return read(content).errors;
}

describe('case 62: owners, origins and layout', () => {
  it('completes relative names by the origin and reads @ as it', () => {
    const text = `@ NS ns1
ns1 A 192.0.2.1
www.example.com. CNAME ns1
$ORIGIN sub
@ MX 10 mail
$ORIGIN deeper.sub.example.com.
host A 192.0.2.2
$ORIGIN com.
example TXT apex
www.example MX 5 x.example
$ORIGIN @
other.example A 192.0.2.3
`;
    expect(lines(text)).toEqual([
      '@ 3600 NS ns1.example.com.',
      'ns1 3600 A 192.0.2.1',
      'www 3600 CNAME ns1.example.com.',
      'sub 3600 MX 10 mail.sub.example.com.',
      'host.deeper.sub 3600 A 192.0.2.2',
      '@ 3600 TXT "apex"',
      'www 3600 MX 5 x.example.com.',
      'other 3600 A 192.0.2.3',
    ]);
  });

  it('gives a record without owner that of the record before, whatever the origin is by now', () => {
    const text = 'www A 192.0.2.1\n  A 192.0.2.2\n$ORIGIN sub\n\tA 192.0.2.3\n';
    const owners = lines(text).map((line) => line.split(' ')[0]);
    expect(owners).toEqual(['www', 'www', 'www']);
  });

  it('reads parentheses over lines, with comments and blank lines inside', () => {
    const text = `a TXT ( "one" ; a comment with ) and "
; a line of its own

  "two" ) ; (
b TXT ("three"
"four")
( c ) ( 60 ) ( IN ) ( A ( 192.0.2.1 ) )
`;
    const { errors, lines, numbers } = read(text);
    expect(errors).toEqual([]);
    expect(lines).toEqual([
      'a 3600 TXT "one" "two"',
      'b 3600 TXT "three" "four"',
      'c 60 A 192.0.2.1',
    ]);
    expect(numbers).toEqual([1, 5, 7]);
  });

  it('takes escapes in names and refuses those above 255', () => {
    expect(lines('a\\.b A 192.0.2.1\n\\097 A 192.0.2.2\n\\@ A 192.0.2.3')).toEqual([
      'a\\.b 3600 A 192.0.2.1',
      'a 3600 A 192.0.2.2',
      '\\@ 3600 A 192.0.2.3',
    ]);
    expect(errors('a\\256 A 192.0.2.1\nb MX 1 c\\256')).toEqual([
      "line 1: owner 'a\\256' has the escape \\256 (at most \\255)",
      "line 2: MX exchange 'c\\256' has the escape \\256 (at most \\255)",
    ]);
  });

  it('keeps strings as they are written and their segments apart', () => {
    const text = `a TXT "foo" "" "bar"
b TXT bare words
c TXT ""
d TXT "say \\"hello\\" (;)"
e TXT ${'"x" '.repeat(3)}
f TXT "a""b"
g TXT "${'y'.repeat(255)}" "z"
`;
    expect(lines(text).map((line) => line.slice('a 3600 TXT '.length))).toEqual([
      '"foo" "" "bar"',
      '"bare" "words"',
      '""',
      '"say \\"hello\\" (;)"',
      '"x" "x" "x"',
      '"a" "b"',
      `"${'y'.repeat(255)}" "z"`,
    ]);
    expect(errors(`a TXT "${'y'.repeat(256)}"`)).toEqual([
      "line 1: TXT string has at most 255 bytes, not '256 bytes'",
    ]);
  });

  it('keeps bytes outside ASCII, whatever encoding they are meant in', () => {
    const latin1 = Buffer.from('m\xfcnchen TXT "\xfc" \\\xfc\n', 'latin1');
    expect(read(latin1).lines).toEqual(['m\\252nchen 3600 TXT "\\252" "\\252"']);
    const texts = 'a TXT "ü" ü \\ü x\\\\ü\n';
    expect(lines(texts)).toEqual([
      'a 3600 TXT "\\195\\188" "\\195\\188" "\\195\\188" "x\\\\\\195\\188"',
    ]);
  });

  it('RFC 5890: refuses characters beyond ASCII in owners, origins and targets', () => {
    const text = `bücher A 192.0.2.1
a CNAME Bücher
 MX 10 mail.bücher.example.
b SRV 1 2 3 _bücher
$ORIGIN bücher.example.com.
ａ A 192.0.2.1
\\195\\188 IN PTR \\195\\188
b ıN A 192.0.2.1
`;
    const { lines, errors } = read(text);
    expect(errors).toEqual([
      "line 1: owner 'bücher' has characters beyond ASCII; write it as 'xn--bcher-kva'",
      "line 2: CNAME target 'Bücher' has characters beyond ASCII; write it as 'xn--bcher-kva'",
      "line 3: MX exchange 'mail.bücher.example.' has characters beyond ASCII; write it as 'mail.xn--bcher-kva.example.'",
      "line 4: SRV target '_bücher' has characters beyond ASCII; bytes above 127 are written \\DDD",
      "line 5: $ORIGIN 'bücher.example.com.' has characters beyond ASCII; write it as 'xn--bcher-kva.example.com.'",
      "line 6: owner 'ａ' has characters beyond ASCII; write it as 'a'",
      "line 8: 'ıN' is no record type",
    ]);
    expect(lines).toEqual(['\\195\\188 3600 PTR \\195\\188.example.com.']);
  });

  it('reads CR LF, a byte-order mark, tabs and a last line without its end', () => {
    const text = '\ufeff$TTL 60\r\n\r\na\tA\t192.0.2.1\r\n \tTXT ( "b"\r\n"c" )\r\nd A 192.0.2.2';
    expect(lines(text)).toEqual(['a 60 A 192.0.2.1', 'a 60 TXT "b" "c"', 'd 60 A 192.0.2.2']);
  });

  it('reads files of nothing', () => {
    for (const text of ['', '\n', ';', '   \n\t\n; c\n', '\ufeff']) expect(lines(text)).toEqual([]);
  });
});

describe('case 63: TTL and class', () => {
  it.each([
    ['a 60 IN A 192.0.2.1', 'a 60 A 192.0.2.1'],
    ['a IN 60 A 192.0.2.1', 'a 60 A 192.0.2.1'],
    ['a in a 192.0.2.1', 'a 3600 A 192.0.2.1'],
    ['a CLASS1 60 type1 192.0.2.1', 'a 60 A 192.0.2.1'],
    ['a 0 A 192.0.2.1', 'a 0 A 192.0.2.1'],
    ['a 2147483647 TXT a', 'a 2147483647 TXT "a"'],
    // Owners that are called like types, classes and TTLs.
    ['A A 192.0.2.1', 'a 3600 A 192.0.2.1'],
    ['MX 60 MX 10 mx', 'mx 60 MX 10 mx.example.com.'],
    ['IN IN IN A 192.0.2.1', undefined],
    ['IN IN A 192.0.2.1', 'in 3600 A 192.0.2.1'],
    ['300 300 PTR 300', '300 300 PTR 300.example.com.'],
    ['1h TXT TXT', '1h 3600 TXT "TXT"'],
  ])('reads %j', (text, expected) => {
    expect(read(text).lines).toEqual(expected === undefined ? [] : [expected]);
  });

  it('takes $TTL, else the TTL stated last', () => {
    expect(
      lines(
        'a 60 A 192.0.2.1\nb A 192.0.2.2\n$TTL 7\nc A 192.0.2.3\nd 8 A 192.0.2.4\ne A 192.0.2.5',
      ),
    ).toEqual([
      'a 60 A 192.0.2.1',
      'b 60 A 192.0.2.2',
      'c 7 A 192.0.2.3',
      'd 8 A 192.0.2.4',
      'e 7 A 192.0.2.5',
    ]);
  });

  it('takes the minimum of an SOA without TTL, then for all that follows', () => {
    const { reader, lines } = read(
      '@ SOA a b 1 2 3 4 99\nx A 192.0.2.1\ny 5 A 192.0.2.2\nz A 192.0.2.3',
    );
    expect(reader.soa?.ttl).toBe(99);
    expect(lines.map((line) => line.split(' ')[1])).toEqual(['99', '5', '99']);
  });

  it('takes the TTL of an SOA that states one for what follows', () => {
    const { lines } = read('@ 77 SOA a b 1 2 3 4 99\nx A 192.0.2.1');
    expect(lines).toEqual(['x 77 A 192.0.2.1']);
  });

  it('tells the first $TTL', () => {
    expect(read('$TTL 120\n$TTL 60\n').reader.firstDefaultTtl).toBe(120);
    expect(read('a 60 A 192.0.2.1').reader.firstDefaultTtl).toBeUndefined();
  });
});

const compiler = 'named-compilezone -o OUT example.com FILE';

describe('case 64: directives', () => {
  it('reads no other files and makes no records', () => {
    expect(
      errors(
        '$INCLUDE /etc/passwd\n$include other.zone sub\n$GENERATE 1-1000000000 h$ A 192.0.2.$\n$DATE\n',
      ),
    ).toEqual([
      `line 1: $INCLUDE is not read: ${compiler} writes a file without it`,
      `line 2: $INCLUDE is not read: ${compiler} writes a file without it`,
      `line 3: $GENERATE is not read: ${compiler} writes a file without it`,
      "line 4: directive '$DATE' is not known ($ORIGIN and $TTL are)",
    ]);
  });

  it('refuses directives that are not whole, or not in the first column', () => {
    expect(
      errors(
        '$TTL\n$ORIGIN\n$TTL 60 60\n$ORIGIN a b\n$ORIGIN "a"\n$ORIGIN a..b\na A 192.0.2.1\n $TTL 60',
      ),
    ).toEqual([
      'line 1: $TTL takes a number of seconds and nothing else',
      'line 2: $ORIGIN takes a name and nothing else',
      'line 3: $TTL takes a number of seconds and nothing else',
      'line 4: $ORIGIN takes a name and nothing else',
      'line 5: $ORIGIN takes a name and nothing else',
      "line 6: $ORIGIN 'a..b' has an empty label",
      "line 8: '$TTL' is no type; a directive starts in the first column",
    ]);
  });
});

describe('case 65: TTLs that are refused', () => {
  it.each([
    ['a 1h A 192.0.2.1', `TTL '1h' is not a number of seconds: ${compiler} writes it as one`],
    ['a IN 3600s A 192.0.2.1', "TTL '3600s' is not a number of seconds"],
    ['$TTL 1d', "$TTL '1d' is not a number of seconds"],
    ['$TTL -1', "$TTL '-1' is not a number of seconds"],
    ['a 2147483648 A 192.0.2.1', 'TTL 2147483648 is above 2147483647'],
    ['$TTL 4294967296', '$TTL 4294967296 is above 2147483647'],
    ['a 60 60 A 192.0.2.1', "has two TTLs: '60'"],
    [
      '@ 60 SOA a b 1 1h 3 4 5',
      `SOA refresh is a number from 0 to 4294967295, not '1h': ${compiler} writes it as one`,
    ],
    ['@ 60 SOA a b 1 2 3 4 2W1D', `not '2W1D': ${compiler} writes it as one`],
  ])('%j', (text, message) => {
    const [line] = errors(text);
    expect(line).toMatch(/^line 1: /);
    expect(line).toContain(message);
  });
});

describe('case 66: lengths of names', () => {
  const label = 'x'.repeat(63);

  it('allows 63 bytes in a label, however they are written', () => {
    const escaped = '\\120'.repeat(63);
    expect(lines(`${escaped} A 192.0.2.1`)).toEqual([`${label} 3600 A 192.0.2.1`]);
    expect(
      errors(`${escaped}x A 192.0.2.1\n${label}x A 192.0.2.1`).map((line) => line.slice(-42)),
    ).toEqual(
      Array(2)
        .fill('has a label of 64 bytes (at most 63)')
        .map((end) => expect.stringContaining(end)),
    );
  });

  it('allows 255 bytes in a name, the origin counted', () => {
    // example.com. has 13 bytes, three labels of 64 bytes leave 50.
    const longest = `${'y'.repeat(49)}.${label}.${label}.${label}`;
    expect(lines(`${longest} A 192.0.2.1\na CNAME ${longest}`)).toHaveLength(2);
    for (const text of [`y${longest} A 192.0.2.1`, `a CNAME y${longest}`]) {
      expect(errors(text)).toEqual([expect.stringContaining('has 256 bytes (at most 255)')]);
    }
  });
});

describe('case 67: RFC 3597', () => {
  it.each([
    ['a TYPE65280 \\# 4 0A000001', 'a 3600 TYPE65280 \\# 4 0A000001'],
    ['a TYPE65280 \\# 4 ( 0a00\n 0001 )', 'a 3600 TYPE65280 \\# 4 0A000001'],
    ['a TYPE65281 \\# 0', 'a 3600 TYPE65281 \\# 0'],
    ['a TYPE1 \\# 4 C0000201', 'a 3600 A 192.0.2.1'],
    ['a A \\# 4 C0000201', 'a 3600 A 192.0.2.1'],
    ['a TYPE16 text', 'a 3600 TXT "text"'],
    ['a TXT "\\#" 3 616263', 'a 3600 TXT "#" "3" "616263"'],
    ['a SPF \\# 4 03616263', 'a 3600 SPF "abc"'],
    ['a TYPE99 \\# 4 03616263', 'a 3600 SPF "abc"'],
    ['a UINFO \\# 1 FF', 'a 3600 TYPE100 \\# 1 FF'],
    ['a TYPE55 \\# 3 010203', 'a 3600 HIP \\# 3 010203'],
  ])('reads %j', (text, expected) => {
    expect(lines(text)).toEqual([expected]);
  });

  it.each([
    ['a TYPE65280 \\# 3 0A000001', 'length after \\# is that of the data, 4'],
    ['a TYPE65280 \\# 4 0A00000', 'even number of hex digits'],
    ['a TYPE1 \\# 5 C000020100', 'A RDATA have 1 bytes too many'],
    ['a TYPE65280 10.0.0.1', 'is written \\# length hex (RFC 3597)'],
    ['a TYPE65536 \\# 0', "'TYPE65536' is no record type"],
    ['a UINFO "x"', 'a value of type TYPE100 is written \\# length hex'],
    ['a HIP \\# 3 010203', 'HIP RDATA end inside host identity'],
    ['a TYPE55 \\# 3 0102', 'length after \\# is that of the data, 2'],
  ])('refuses %j', (text, message) => {
    expect(errors(text)).toEqual([expect.stringContaining(message)]);
  });
});

describe('case 68: values come out in their one form', () => {
  it.each([
    ['AAAA ::FFFF:7f00:1', 'AAAA ::ffff:127.0.0.1'],
    ['AAAA 2001:DB8:0:0:0:0:0:1', 'AAAA 2001:db8::1'],
    ['CAA 0 Issue "CA.example"', 'CAA 0 issue "CA.example"'],
    ['SVCB 1 . port=53 alpn=h2', 'SVCB 1 . alpn="h2" port=53'],
    ['SRV 010 020 05060 SIP', 'SRV 10 20 5060 sip.example.com.'],
    ['MX 0 .', 'MX 0 .'],
    ['CNAME @', 'CNAME example.com.'],
  ])('%s', (value, expected) => {
    expect(lines(`a ${value}`)).toEqual([`a 3600 ${expected}`]);
  });

  it.each([
    'SVCB 1 . port=1 port=2',
    'SVCB 1 . mandatory=port',
    'SVCB 65536 .',
    'A 192.0.2.01',
    'A 192.0.2',
  ])('refuses %s', (value) => {
    expect(errors(`a ${value}`)).toHaveLength(1);
  });
});

describe('case 69: what has no place in the zone', () => {
  it('refuses owners of other zones, and records that would belong to them', () => {
    const text =
      'www.example.org. A 192.0.2.1\n TXT x\n$ORIGIN org.\nb A 192.0.2.2\nc.example.com. A 192.0.2.3\n';
    const { errors, lines } = read(text);
    expect(errors).toEqual([
      "line 1: owner 'www.example.org.' is outside the zone example.com.",
      "line 2: owner 'www.example.org.' is outside the zone example.com.",
      "line 4: owner 'b' is outside the zone example.com.",
    ]);
    expect(lines).toEqual(['c 3600 A 192.0.2.3']);
    expect(errors).toHaveLength(3);
    // A name that only ends in the same letters is another zone's.
    expect(read('notexample.com. A 192.0.2.1').errors).toHaveLength(1);
  });

  it('takes the SOA from wherever it stands', () => {
    const { reader, lines } = read(
      'a 60 A 192.0.2.1\n@ SOA NS.x host\\.master 7 1 2 3 4\nb A 192.0.2.2',
    );
    expect(reader.soa).toMatchObject({
      line: 2,
      ttl: 60,
      serial: 7,
      refresh: 1,
      retry: 2,
      expire: 3,
      minimum: 4,
    });
    expect(printAbsoluteName(reader.soa!.mname)).toBe('ns.x.example.com.');
    expect(printAbsoluteName(reader.soa!.rname)).toBe('host\\.master.example.com.');
    expect(lines).toHaveLength(2);
  });

  it('takes the same SOA twice, and no other', () => {
    const soa = '@ 60 SOA a b 1 2 3 4 5\n';
    expect(errors(soa + soa)).toEqual([]);
    const message = 'line 2: is a second SOA, unlike the one in line 1';
    expect(errors(`${soa}@ 60 SOA a b 2 2 3 4 5`)).toEqual([message]);
    expect(errors(`${soa}@ 61 SOA a b 1 2 3 4 5`)).toEqual([message]);
    expect(errors('sub SOA a b 1 2 3 4 5')).toEqual([
      'line 1: an SOA stands only at the apex of the zone, example.com.',
    ]);
  });

  it.each(['CH', 'HS', 'CS', 'ANY', 'NONE', 'CLASS3', 'CLASS0'])('refuses class %s', (name) => {
    expect(errors(`a ${name} A 192.0.2.1`)).toEqual([
      `line 1: class ${name} is not stored, only IN`,
    ]);
  });

  it.each([
    'RRSIG',
    'DNSKEY',
    'NSEC',
    'NSEC3',
    'NSEC3PARAM',
    'CDS',
    'CDNSKEY',
    'ZONEMD',
    'OPT',
    'TSIG',
    'TKEY',
    'AXFR',
    'TYPE46',
  ])('refuses or skips type %s', (type) => {
    const mnemonic = type === 'TYPE46' ? 'RRSIG' : type;
    const text = `a A 192.0.2.1\na.b ${type} ( whatever\n )\n  60 IN ${type.toLowerCase()} "x"\n`;
    expect(errors(text)).toEqual([
      `line 2: type ${mnemonic} is not stored`,
      `line 4: type ${mnemonic} is not stored`,
    ]);
    const { errors: left, skipped, lines, reader } = read(text, true);
    expect(left).toEqual([]);
    expect(skipped).toEqual([
      `line 2: a.b.example.com. ${mnemonic} is not stored`,
      `line 4: a.b.example.com. ${mnemonic} is not stored`,
    ]);
    expect(reader.skipped.count).toBe(2);
    expect(lines).toHaveLength(1);
  });

  it('private records by which BIND signs a zone are skipped where it keeps them, and else read', () => {
    const text = '@ 0 TYPE65534 \\# 5 0D54970001\na 0 TYPE65534 \\# 1 00\n@ 0 TYPE65533 \\# 1 00\n';
    const others = ['a 0 TYPE65534 \\# 1 00', '@ 0 TYPE65533 \\# 1 00'];
    const { skipped, errors, lines } = read(text, true);
    expect([skipped, errors]).toEqual([['line 1: example.com. TYPE65534 is not stored'], []]);
    expect(lines).toEqual(others);
    expect(read(text).lines).toEqual(['@ 0 TYPE65534 \\# 5 0D54970001', ...others]);
  });

  it.each(['ALIAS', 'LUA', 'ANAME', 'Url'])('%s of other servers is refused or skipped', (word) => {
    const text = `a ${word} target.example.`;
    const mnemonic = word.toUpperCase();
    expect(errors(text)).toEqual([expect.stringContaining(`type ${mnemonic} is not stored: it `)]);
    const { skipped, errors: left } = read(text, true);
    expect([skipped, left]).toEqual([[`line 1: a.example.com. ${mnemonic} is not stored`], []]);
  });

  it('never skips what can be stored: bad values, names, classes and forms of it are errors', () => {
    const text =
      'a HIP 2 zz AwEAAb\nb WKS 192.0.2.1 tcp 25\nx.org. SPF "a"\nc CH SPF "a"\nd NOTYPE x\ne UINFO "x"\nf TYPE65280 "x"';
    const { skipped, errors } = read(text, true);
    expect(skipped).toEqual([]);
    expect(errors.map((line) => line.slice(0, 7))).toEqual(
      [1, 3, 4, 5, 6, 7].map((line) => `line ${line}:`),
    );
  });
});

describe('case 91: serials', () => {
  it('are told as they are', () => {
    expect(read('@ SOA a b 4294967295 1 2 3 4').reader.soa?.serial).toBe(4_294_967_295);
    expect(errors('@ SOA a b 4294967296 1 2 3 4')).toHaveLength(1);
  });
});

describe('lines that are refused', () => {
  it.each([
    [' A 192.0.2.1', 'has no owner, and no record stands before it'],
    ['a', 'ends before its type'],
    ['a 60 IN', 'ends before its type'],
    ['a FOO x', "'FOO' is no record type"],
    ['A 192.0.2.1', "TTL '192.0.2.1' is not a number of seconds (units like 1h are not read)"],
    ['a A', 'A value is missing'],
    ['a A 192.0.2.1 192.0.2.2', "A has more than its fields (value): '192.0.2.2' is too much"],
    ['"a" A 192.0.2.1', 'owner "a" is written without quotes'],
    ['a..b A 192.0.2.1', "owner 'a..b' has an empty label"],
    ['a A 192.0.2.1 )', 'has a closing parenthesis without an opening one'],
    ['a TXT "b', 'has a quote that is not closed on its line'],
    ['a TXT b\\', 'ends in a backslash'],
    ['a TXT b\x01', 'has a control character outside quotes (write it as \\DDD)'],
    ['a\rb TXT c', 'has a control character outside quotes (write it as \\DDD)'],
    ['a TXT "b\0"', 'has a byte 0 (NUL)'],
    ['a A 192.0.2.1 ; \0', 'has a byte 0 (NUL)'],
    ['; \0', 'has a byte 0 (NUL)'],
    ['a TXT "\ud800"', 'has a byte 0 (NUL)'],
    ['a TXT "\\12"', 'TXT string has an escape that is not \\DDD'],
  ])('%j', (text, message) => {
    expect(errors(`${text}\n`)).toEqual([`line 1: ${message}`]);
    // The lines after it are read all the same.
    expect(read(`${text}\nz 5 A 192.0.2.9\n`).lines).toEqual(['z 5 A 192.0.2.9']);
  });

  it('lose neither number nor owner of the lines after them', () => {
    const text =
      'a A bad\n A 192.0.2.1\n\n\nb..c A 192.0.2.2\n A 192.0.2.3\nd A 192.0.2.4\n A bad\n';
    const { errors, lines } = read(text);
    expect(lines).toEqual(['a 3600 A 192.0.2.1', 'd 3600 A 192.0.2.4']);
    expect(errors.map((line) => line.split(':')[0])).toEqual([
      'line 1',
      'line 5',
      'line 6',
      'line 8',
    ]);
  });

  it('are listed up to a thousand and counted beyond', () => {
    const { reader } = read('a A bad\n'.repeat(1500));
    expect(reader.errors.lines).toHaveLength(1000);
    expect(reader.errors.lines.at(-1)).toMatch(/^line 1000: /);
    expect(reader.errors.count).toBe(1500);
  });
});

describe('parentheses without end', () => {
  it('are reported where they open, and the lines below are judged', () => {
    const text = `a A 192.0.2.1
b TXT ( "one"
   "two"
c A bad
d A 192.0.2.4
  A 192.0.2.5
`;
    const { errors, lines } = read(text);
    expect(errors).toEqual([
      'line 2: has an opening parenthesis that is not closed',
      "line 4: A value is an IPv4 address like 192.0.2.1, not 'bad'",
    ]);
    expect(lines).toEqual(['a 3600 A 192.0.2.1', 'd 3600 A 192.0.2.4', 'd 3600 A 192.0.2.5']);
  });

  it('are reported once when a quote is open as well', () => {
    const { errors, lines } = read('a TXT ( "x )\nb A 192.0.2.1\n');
    expect(errors).toEqual(['line 1: has a quote that is not closed on its line']);
    expect(lines).toEqual(['b 3600 A 192.0.2.1']);
  });

  it('end where an entry would be too large', () => {
    const filler = `x A 192.0.2.1 ; ${'c'.repeat(1000)}\n`.repeat(2000);
    const { errors, lines } = read(`a TXT (\n${filler}b A bad\n`);
    expect(errors).toEqual([
      'line 1: has more than 1048576 bytes; is a parenthesis not closed?',
      "line 2002: A value is an IPv4 address like 192.0.2.1, not 'bad'",
    ]);
    expect(lines).toHaveLength(2000);
  });

  it('cost little however many there are', () => {
    const { reader } = read('a (\n'.repeat(1_000_000));
    expect(reader.errors.count).toBeGreaterThan(8);
    expect(reader.errors.lines[1]).toMatch(/^line 2: /);
    // Without a bound on reading again it would be one error, and one reading of a MiB, a line.
    expect(reader.errors.count).toBeLessThan(100);
  });

  it('may close late: the longest values are read', () => {
    const strings = Array.from(
      { length: 250 },
      (_, index) => `"${'\\255'.repeat(250)}" ; ${index}`,
    );
    expect(lines(`a TXT (\n${strings.join('\n')}\n)`)).toHaveLength(1);
  });
});

describe('lines without end', () => {
  it('are refused with their number', () => {
    const { errors, lines } = read(
      `a A 192.0.2.1\nb TXT ${'x'.repeat(2_000_000)}\nc A 192.0.2.2\n`,
    );
    expect(errors).toEqual(['line 2: has more than 1048576 bytes']);
    expect(lines).toHaveLength(2);
  });
});

it('counts the records that come before every TTL that is stated', () => {
  const count = (content: string) => read(content, true).reader.recordsWithoutTtl;
  const two = 'a A 192.0.2.1\nb A 192.0.2.1\n';
  expect(count(`${two}c 60 A 192.0.2.1\nd A 192.0.2.1\n`)).toBe(2);
  expect(count(`${two}$TTL 60\nd A 192.0.2.1\n`)).toBe(2);
  expect(count(`a A 192.0.2.1\nx 60 NSEC a A\nb A 192.0.2.1\n`)).toBe(1);
  expect(count(`@ SOA ns h 1 300 60 3600 60\n${two}`)).toBe(0);
  expect(count(two)).toBe(2);
});
