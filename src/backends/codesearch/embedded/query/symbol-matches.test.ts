import { expect, it } from 'vitest';
import { ask } from '../../../../../test/contract/codesearch-query.ts';
import { namedRepository } from '../../../../../test/support/index-request.ts';
import {
  id,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/indexed-repository.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { runTask } from '../thread/run-task.ts';
import { textArena } from './scan/text-arena.ts';

const DEFINITIONS = 60_000;

it('shows a file of tens of thousands of matching definitions in a single pass over them', async () => {
  const text = Array.from({ length: DEFINITIONS }, (_, number) => `func f${number}(){}\n`).join('');
  const { root, index, repository } = openIndexedRepository({ 'many.go': text });
  await index.apply(requestOf(repository, repository.git('rev-parse', 'HEAD')), new AbortController().signal);
  const indexes = new OpenIndexes(root);
  const query = { kind: 'symbol', form: 'literal', text: 'f', caseSensitive: true } as const;
  const request = ask(query, { repositories: [namedRepository(id, 'acme/many')], matchesPerFile: 2 });
  const { organizationId } = scope;
  const before = process.threadCpuUsage();
  const result = runTask(
    { indexes, arena: textArena() },
    { kind: 'search', organizationId, request },
    () => false,
  );
  const { user } = process.threadCpuUsage(before);
  indexes.close();
  expect(result.files).toMatchObject([
    { matches: [{ line: 1 }, { line: 2, symbol: { name: 'f1' } }], moreMatches: DEFINITIONS - 2 },
  ]);
  // Microseconds; a pass for each name takes a hundred.
  expect(user).toBeLessThan(2_000_000);
});
