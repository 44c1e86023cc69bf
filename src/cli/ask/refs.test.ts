import { afterEach, expect, it } from 'vitest';
import { runCli, type StandInService, standInService } from '../../../test/support/program/command-line.ts';

const item = {
  address: 'service/src/lease.ts:7',
  line: '  renew(key); // \u001b[31mred',
  kind: 'call',
  test: false,
  certainty: 'certain',
};
const page = {
  name: 'renew',
  definitions: ['service/src/lease.ts:1'],
  total: 2,
  certain: 1,
  possible: 0,
  text: 1,
  elsewhere: 3,
  written: 0,
  others: 0,
  items: [item],
  notices: ['Not indexed yet, so its lines are missing: web.'],
  nextCursor: 'c2',
};
const last = {
  ...item,
  address: 'service/b.md:1',
  line: 'renew',
  kind: 'new kind',
  certainty: 'text',
  test: true,
};

let service: StandInService;
afterEach(() => service.close());

async function refs(...words: string[]) {
  service = await standInService(({ url }) => ({
    body: url.includes('cursor=c2') ? { ...page, items: [last], nextCursor: null } : page,
  }));
  const env = { ORGCTX_URL: service.url, ORGCTX_API_KEY: 'ock_0123456789', ORGCTX_ORG: 'acme' };
  return runCli(['refs', ...words], { env });
}

it('prints what is known, one line for each use, and how to continue', async () => {
  const { stdout, stderr } = await refs(
    'Lease.renew',
    '--repository',
    'web',
    '--repository',
    'service',
    '--kind',
    'call',
  );
  expect(service.seen[0]?.url).toBe(
    '/acme/api/v1/references?name=Lease.renew&repositories=web%2Cservice&kind=call',
  );
  expect(stdout).toBe(
    '2 lines with `renew`: 1 certain, 0 possible, 1 by text only. 3 lines more certainly mean another renew. Defined at service/src/lease.ts:1.\nservice/src/lease.ts:7: call: renew(key); // [31mred\n',
  );
  expect(stderr).toBe(
    'Not indexed yet, so its lines are missing: web.\nMore lines are available: --cursor c2 (or --all)\n',
  );
});

it('takes an address, and merges all pages', async () => {
  const { stdout } = await refs('service/src/lease.ts:1', '--all');
  expect(service.seen.map(({ url }) => url.replace(/.*references/, ''))).toEqual([
    '?address=service%2Fsrc%2Flease.ts%3A1&limit=200',
    '?address=service%2Fsrc%2Flease.ts%3A1&limit=200&cursor=c2',
  ]);
  expect(stdout).toContain('\nservice/b.md:1: new kind in test (text): renew\n');
});
