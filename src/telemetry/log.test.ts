import { describe, expect, it } from 'vitest';
import { createLog, type LogFormat, type LogLevel, silentLog } from './log.ts';

function logTo(format: LogFormat, level: LogLevel = 'info') {
  const lines: string[] = [];
  const destination = { write: (line: string) => void lines.push(line) };
  const clock = () => Date.UTC(2026, 0, 1);
  return { lines, log: createLog({ level, format, destination, clock }) };
}

describe('text', () => {
  it('is one readable line', () => {
    const { lines, log } = logTo('text');
    log.info('zone.created', { zone: 'example.com', serial: 1 });
    log.warn('listener.closed');
    expect(lines).toEqual([
      '2026-01-01T00:00:00.000Z info  zone.created zone=example.com serial=1\n',
      '2026-01-01T00:00:00.000Z warn  listener.closed\n',
    ]);
  });

  it.each([
    ['a b', '"a b"'],
    ['', '""'],
    ['say "x"', '"say \\"x\\""'],
    ['a=b', '"a=b"'],
    ['two\nlines\r', '"two\\nlines\\r"'],
    ['\u001b[31m', '"\\u001b[31m"'],
    ['\u009b31m', '"\\u009b31m"'],
    ['a\u2028b', '"a\\u2028b"'],
    ['zürich', 'zürich'],
    [null, 'null'],
    [true, 'true'],
    [Number.NaN, 'NaN'],
    [12n, '12'],
    [['a', { b: 1 }], '["a",{"b":1}]'],
    [Buffer.from('secret'), '"(6 bytes)"'],
    [new Date(0), '1970-01-01T00:00:00.000Z'],
    [new Map([['a', 1]]), '{"a":1}'],
  ])('shows values: row %#', (value, shown) => {
    const { lines, log } = logTo('text');
    log.info('event', { value });
    expect(lines).toEqual([`2026-01-01T00:00:00.000Z info  event value=${shown}\n`]);
  });

  it('keeps to one line whatever the event and the names hold', () => {
    const { lines, log } = logTo('text');
    log.info('an\nevent', { 'a\nname': 1, gone: undefined });
    expect(lines).toEqual(['2026-01-01T00:00:00.000Z info  "an\\nevent" "a\\nname"=1\n']);
  });
});

describe('json', () => {
  it('is one object a line', () => {
    const { lines, log } = logTo('json');
    log.error('zone.created', { zone: 'example.com', serial: 1, note: 'a\nb' });
    expect(lines).toHaveLength(1);
    expect(lines[0]).toMatch(/^[^\n]*\n$/);
    expect(JSON.parse(lines[0]!)).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'error',
      event: 'zone.created',
      zone: 'example.com',
      serial: 1,
      note: 'a\nb',
    });
  });

  it('lets no field replace what the line itself says', () => {
    const { lines, log } = logTo('json');
    log.info('event', { time: 1, level: 'x', event: 'y' });
    expect(JSON.parse(lines[0]!)).toEqual({
      time: '2026-01-01T00:00:00.000Z',
      level: 'info',
      event: 'event',
      time_: 1,
      level_: 'x',
      event_: 'y',
    });
  });
});

describe('levels and formats', () => {
  it('drops what is below the level and follows changes', () => {
    const { lines, log } = logTo('text', 'warn');
    log.info('a');
    log.setLevel('debug');
    log.debug('b');
    log.setFormat('json');
    log.info('c');
    log.setLevel('error');
    log.warn('d');
    expect(lines).toHaveLength(2);
    expect(lines[0]).toContain('debug b');
    expect(JSON.parse(lines[1]!).event).toBe('c');
  });
});

describe.each(['text', 'json'] as const)('errors in %s', (format) => {
  const error = new Error('no disk', { cause: new Error('EIO') });

  it('print their message and cause', () => {
    const { lines, log } = logTo(format);
    log.error('journal.failed', { error, other: new TypeError() });
    expect(lines[0]).toContain('no disk (cause: EIO)');
    expect(lines[0]).toContain('TypeError');
    expect(lines[0]).not.toContain('log.test');
  });

  it('print their stack at debug', () => {
    const { lines, log } = logTo(format, 'debug');
    log.error('journal.failed', { error });
    expect(lines[0]).toContain('error_stack');
    expect(lines[0]).toContain('log.test');
    expect(lines[0]!.indexOf('\n')).toBe(lines[0]!.length - 1);
  });
});

describe.each(['text', 'json'] as const)('never throws in %s', (format) => {
  it('on fields that nothing can print', () => {
    const { lines, log } = logTo(format);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const thrower = {
      get trap(): never {
        throw new Error('trap');
      },
    };
    log.info('event', {
      circle,
      thrower,
      symbol: Symbol('s'),
      call: () => 1,
      bare: Object.create(null),
    });
    log.info('event', thrower);
    log.info(
      'event',
      new Proxy(
        {},
        {
          ownKeys: () => {
            throw new Error('trap');
          },
        },
      ),
    );
    expect(lines[0]).toContain('(...)');
    expect(lines[0]).toContain('(unprintable)');
    expect(lines[0]).toContain('Symbol(s)');
    expect(lines).toHaveLength(2);
  });

  it('on a destination that fails', () => {
    const destination = {
      write() {
        throw new Error('closed');
      },
    };
    const log = createLog({ level: 'info', format, destination });
    expect(() => log.info('event')).not.toThrow();
  });
});

it('has a silent log for tests', () => {
  const log = silentLog();
  log.setLevel('debug');
  log.setFormat('json');
  expect(() => log.error('event', { error: new Error('x') })).not.toThrow();
});
