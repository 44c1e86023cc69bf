import { expect, it } from 'vitest';
import type { Source } from '../answer.ts';
import { fitSources } from './fit-sources.ts';

const source = (startLine: number, endLine: number, path = 'a.ts'): Source => ({
  kind: 'code',
  repository: 'r',
  path,
  startLine,
  endLine,
  uri: `${path}#${startLine}-${endLine}`,
  url: '',
  title: '',
  excerpt: '',
  reasons: [],
});
const budget = { limit: 10, characters: 10_000 };
const fitted = (cited: readonly Source[], further: readonly Source[]): readonly string[] =>
  fitSources({ cited, further }, budget).items.map(({ uri }) => uri);

it('leaves out lines that an earlier source has', () => {
  expect(fitted([source(1, 40), source(10, 20), source(30, 50)], [])).toEqual(['a.ts#1-40', 'a.ts#30-50']);
});

it('leaves out a further source of which an earlier one has half', () => {
  const further = [source(20, 60), source(31, 60), source(1, 40, 'b.ts')];
  expect(fitted([source(1, 40)], further)).toEqual(['a.ts#1-40', 'a.ts#31-60', 'b.ts#1-40']);
});
