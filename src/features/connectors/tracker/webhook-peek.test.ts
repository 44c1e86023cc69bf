import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { peekText } from './webhook-peek.ts';

const peek = (text: string | Buffer): string | undefined => peekText(Buffer.from(text), 'organizationId');

describe('peekText', () => {
  it.each([
    ['{"organizationId":"a"}', 'a'],
    [' \r\n\t{ "x" : 1 , "organizationId" \n:\t"a" } ', 'a'],
    ['{"data":{"organizationId":"nested"},"organizationId":"a"}', 'a'],
    ['{"organizationId":"a","data":{"organizationId":"nested"}}', 'a'],
    ['{"organizationId":"first","organizationId":"last"}', 'last'],
    ['{"organizationId":"first","organizationId":7}', undefined],
    ['{"organizationId":"first","organizationId":{"x":"y"}}', undefined],
    [String.raw`{"organization\u0049d":"escaped"}`, 'escaped'],
    [String.raw`{"organizationId":"first","organization\u0049d":"last"}`, 'last'],
    [String.raw`{"\u006F\u0072ganization\u0049\u0064":"all"}`, 'all'],
    [String.raw`{"organization\u0049":"short"}`, undefined],
    [String.raw`{"organization\u0049dd":"long"}`, undefined],
    [String.raw`{"organization\u004gd":"no escape"}`, undefined],
    [String.raw`{"organization\U0049d":"no escape"}`, undefined],
    [String.raw`{"organizationId":"a\"b\\"}`, 'a"b\\'],
    [String.raw`{"x":"\"organizationId\":\"no\"","organizationId":"a"}`, 'a'],
    ['{"x":["organizationId","no"],"organizationId":"a"}', 'a'],
    ['{"x":{"y":["organizationId"]}}', undefined],
    ['{"x":"organizationId"}', undefined],
    ['["organizationId","a"]', undefined],
    ['"organizationId"', undefined],
    ['{"organizationId":"a"', 'a'],
    ['{"organizationId":"unfinished', undefined],
    [String.raw`{"organizationId":"bad \x escape"}`, undefined],
    [`{"organizationId":"${'x'.repeat(2_000)}"}`, undefined],
    ['', undefined],
    ['{', undefined],
  ])('reads %s as %j', (text, value) => {
    expect(peek(text)).toBe(value);
  });

  it('agrees with JSON.parse on every object', () => {
    const name = fc.constantFrom(
      'organizationId',
      String.raw`organ\u0069zationId`,
      'id',
      '__proto__',
      'x"\\',
    );
    const value = fc.oneof(
      fc.string({ maxLength: 20 }),
      fc.jsonValue({ maxDepth: 3 }),
      fc.constant({ organizationId: 'b' }),
    );
    const object = fc
      .array(fc.tuple(name, value, fc.boolean()))
      .map((fields) =>
        fields.map(
          ([key, one, raw]) =>
            `${raw && /^\w+$/.test(key) ? `"${key}"` : keyText(key)} : ${JSON.stringify(one)}`,
        ),
      )
      .map((fields) => `{${fields.join(' ,')}}`);
    fc.assert(
      fc.property(object, (text) => {
        const parsed = (JSON.parse(text) as { organizationId?: unknown }).organizationId;
        expect(peek(text)).toBe(typeof parsed === 'string' ? parsed : undefined);
      }),
    );
  });

  it('needs less than 500 ms of processor time for 5 MiB of the worst input', () => {
    const size = 5 * 1024 * 1024;
    const pieces = ['[', '{"a":', '\\', '"', '"\\', ' ', ',', '\u0000', '"",', '"":"",'];
    const names = [String.raw`"\x",`, String.raw`"organization\u0049",`, String.raw`"organizationId":"\x",`];
    for (const piece of [...pieces, ...names, '"organizationId":"",', '{"organizationId":"a",']) {
      for (const start of ['{', '{"x":']) {
        const body = `${start}${piece.repeat(Math.floor(size / piece.length))}`;
        const started = process.threadCpuUsage();
        expect(() => peek(body)).not.toThrow();
        const { user, system } = process.threadCpuUsage(started);
        expect([piece, user + system < 500_000]).toEqual([piece, true]);
      }
    }
  });

  it('reads bytes that are not UTF-8', () => {
    const body = Buffer.concat([
      Buffer.from('{"x":"'),
      Buffer.from([0xff, 0xc0, 0x80]),
      Buffer.from('","organizationId":"a"}'),
    ]);
    expect(peek(body)).toBe('a');
  });
});

function keyText(key: string): string {
  return key.includes(String.raw`\u`) ? `"${key}"` : JSON.stringify(key);
}
