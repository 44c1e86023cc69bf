import { describe, expect, it } from 'vitest';
import { trackerWebhooks } from './webhook.ts';

function accountsIn(body: string | Buffer): readonly string[] {
  return trackerWebhooks.peekAccounts({ headers: {}, body: Buffer.from(body) });
}

describe('the accounts in the bytes of a webhook', () => {
  it.each([
    ['{"organizationId":"a"}', ['a']],
    [' \r\n\t{ "x" : 1 , "organizationId" \n:\t"a" } ', ['a']],
    ['{"data":{"organizationId":"nested"},"organizationId":"a"}', ['a', 'nested']],
    ['{"organizationId":"a","data":{"organizationId":"nested"}}', ['nested', 'a']],
    ['{"organizationId":"a","data":{"organizationId":"a"}}', ['a']],
    ['{"organizationId":7}', []],
    [String.raw`{"x":"\"organizationId\":\"no\"","organizationId":"a"}`, ['a']],
    ['{"x":["organizationId","no"],"organizationId":"a"}', ['a']],
    ['{"organizationId":"a b"}', []],
    ['{"organizationId":"unfinished', []],
    [`{"organizationId":"${'x'.repeat(101)}"}`, []],
    ['"organizationId"', []],
    ['', []],
  ])('%j are %j', (body, accounts) => {
    expect(accountsIn(body)).toEqual(accounts);
  });

  it('are five at most, the last ones', () => {
    const fields = Array.from({ length: 9 }, (_, n) => `"organizationId":"${n}"`);
    expect(accountsIn(`{${fields.join(',')}}`)).toEqual(['8', '7', '6', '5', '4']);
  });

  it('are read from bytes that are not UTF-8', () => {
    const parts = [Buffer.from('{"x":"'), Buffer.from([0xff, 0xc0]), Buffer.from('","organizationId":"a"}')];
    expect(accountsIn(Buffer.concat(parts))).toEqual(['a']);
  });

  it('take less than 100 ms of processor time in 5 MiB of the worst input', () => {
    const pieces = [
      '"organizationId":"",',
      '"organizationId"',
      `"organizationId"${' '.repeat(200)}`,
      '"organ',
    ];
    for (const piece of pieces) {
      const body = Buffer.from(piece.repeat(Math.floor((5 * 1024 * 1024) / piece.length)));
      const started = process.threadCpuUsage();
      expect(accountsIn(body)).toEqual([]);
      const { user, system } = process.threadCpuUsage(started);
      expect([piece.slice(0, 20), user + system < 100_000]).toEqual([piece.slice(0, 20), true]);
    }
  });
});
