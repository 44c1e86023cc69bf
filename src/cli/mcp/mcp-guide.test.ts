import { expect, it } from 'vitest';
import { runCli } from '../../../test/support/program/command-line.ts';
import { tools } from '../../surfaces/mcp/tools/all.ts';

it('mcp guide names each tool of the server, and no other', async () => {
  const { code, stdout, stderr } = await runCli(['mcp', 'guide']);
  expect([code, stderr]).toEqual([0, '']);
  const named = [...stdout.matchAll(/`([a-z]+(?:_[a-z]+)?)`/g)].map(([, name]) => name);
  const names = tools.map(({ listing }) => listing.name);
  const others = ['orgctx', 'git', 'queries', 'places'];
  expect(new Set(named)).toEqual(new Set([...names, ...others]));
  expect(stdout.length).toBeLessThan(1_800);
});
