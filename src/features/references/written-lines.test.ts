import { setImmediate as nextTick } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { type TextDeps, writtenLines } from './written-lines.ts';

it('holds few files at a time, because each may be large', async () => {
  const files = Array.from({ length: 200 }, (_, at) => ({ repository: 'r', path: `f${at}.rs`, commit: 'c' }));
  let open = 0;
  let most = 0;
  const deps = {
    codeSearch: { search: async () => ({ files }) },
    sources: {
      async readFile() {
        most = Math.max(most, ++open);
        await nextTick();
        open -= 1;
        return { content: 'use engine::{launch};\n', language: 'Rust' };
      },
    },
  } as unknown as TextDeps;
  const scope = { organizationId: 'o', orgSlug: 'acme' } as never;
  const wanted = { name: 'launch', owners: ['engine'], lists: [], repositories: [] };
  const found = await writtenLines(deps, scope, wanted, new AbortController().signal);
  expect(found.get('r')).toEqual(new Map(files.map(({ path }) => [path, new Set([1])])));
  expect(most).toBeLessThanOrEqual(8);
});
