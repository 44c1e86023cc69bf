import { readdirSync } from 'node:fs';
import { expect, test } from 'vitest';
import { gitProviders } from './git-providers.ts';

const folder = new URL('../../backends/git-providers', import.meta.url);

test('lists exactly the kinds of Git hosts that have a folder', () => {
  const folders = readdirSync(folder, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const kinds = gitProviders.map(({ kind }) => kind);
  expect(kinds.toSorted()).toEqual(folders.map(({ name }) => name).toSorted());
});
