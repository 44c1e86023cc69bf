import { expect, it } from 'vitest';
import { ask } from '../../../../../test/contract/codesearch/query.ts';
import { applyAndDefine, namedRepository } from '../../../../../test/support/codesearch/index-request.ts';
import {
  id,
  openIndexedRepository,
  requestOf,
  scope,
} from '../../../../../test/support/codesearch/indexed-repository.ts';
import { OpenIndexes } from '../read/open-indexes.ts';
import { runTask } from '../thread/run-task.ts';
import { textArena } from './scan/text-arena.ts';

/** Fewer than a generated file has, whose definitions are not read. */
const definitions = 9_000;

it('reads the thousands of matching definitions of a file in a single pass', async () => {
  const text = Array.from({ length: definitions }, (_, number) => `func f${number}(){}\n`).join('');
  const { root, index, repository } = openIndexedRepository({ 'many.go': text });
  await applyAndDefine(index, requestOf(repository, repository.git('rev-parse', 'HEAD')));
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
    { matches: [{ line: 1 }, { line: 2, symbol: { name: 'f1' } }], moreMatches: definitions - 2 },
  ]);
  // In microseconds. With one pass per name it takes two seconds.
  expect(user).toBeLessThan(1_000_000);
});
