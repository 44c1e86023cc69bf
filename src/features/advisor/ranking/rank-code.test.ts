import { expect, it } from 'vitest';
import type { RankedDefinition, RankedFile } from '../../../backends/codesearch/port.ts';
import type { RepositoryId } from '../../../foundation/kernel/ids.ts';
import { ofDefiningRepository } from './rank-code.ts';

const file = (repository: string, path: string, ...names: readonly string[]): RankedFile => ({
  repository: repository as RepositoryId,
  commit: 'c',
  path,
  language: 'TypeScript',
  fileClass: 'source',
  score: 1,
  reasons: [],
  spans: [],
  definitions: names.map(
    (name, at): RankedDefinition => ({
      name,
      kind: 'class',
      line: at + 1,
      startLine: at + 1,
      endLine: at + 1,
    }),
  ),
});
const [first, second, third] = [
  file('harbour', 'run.ts', 'run'),
  file('ferry', 'mixin.ts', 'CrewMixin', 'run'),
  file('ferry', 'crew.ts', 'crew'),
] as const;

it('keeps the files of the repository that alone defines a name of the prompt', () => {
  expect(ofDefiningRepository([first, second, third], ['CrewMixin'])).toEqual([second, third]);
});

it('keeps all files if several repositories define the names, or none does', () => {
  const files = [first, second, third];
  expect(ofDefiningRepository(files, ['run'])).toBe(files);
  expect(ofDefiningRepository(files, ['CrewMixin', 'run'])).toBe(files);
  expect(ofDefiningRepository(files, ['DeckMixin'])).toBe(files);
});
