import { describe, expect, it } from 'vitest';
import { facetsOf, facetTitle } from './facets.ts';
import { lineParts } from './line-parts.ts';

describe('the facets of a search', () => {
  const item = (repository: string, language: string) => ({ repository, language });

  it('count the shown files, the most frequent first, and narrow the query', () => {
    const { repositories, languages } = facetsOf('retry', [
      item('team/a', 'Go'),
      item('team/b', 'Go'),
      item('team/b', 'C#'),
    ]);
    expect(repositories).toEqual([
      { label: 'team/b', files: 2, query: 'repo:team/b retry' },
      { label: 'team/a', files: 1, query: 'repo:team/a retry' },
    ]);
    expect(languages.map(({ query }) => query)).toEqual(['lang:Go retry', 'lang:"C#" retry']);
  });

  it('apply to the whole of a query with `or`, and are left out if they narrow nothing', () => {
    expect(facetsOf('a or b', [item('x', 'Go'), item('y', 'Go')])).toEqual({
      repositories: [
        { label: 'x', files: 1, query: 'repo:x (a or b)' },
        { label: 'y', files: 1, query: 'repo:y (a or b)' },
      ],
      languages: [],
    });
  });
});

describe('the heading of a facet', () => {
  it('says that the numbers count the page if there are more matches', () => {
    expect(facetTitle('Languages', 20, 21)).toBe('Languages of the 20 files on this page');
    expect(facetTitle('Languages', 20, 20)).toBe('Languages');
  });
});

describe('a matching line', () => {
  it('is split at its match, also if its beginning is left out', () => {
    const text = '  const lease = 1;';
    expect(lineParts({ text, textOffset: 0, column: 9, length: 5 })).toEqual({
      before: 'const ',
      match: 'lease',
      after: ' = 1;',
    });
    expect(lineParts({ text: 'x lease', textOffset: 100, column: 103, length: 5 }).match).toBe('lease');
  });

  it('is shortened around its match', () => {
    const text = `${'a'.repeat(500)}MATCH${'b'.repeat(500)}`;
    const { before, match, after } = lineParts({ text, textOffset: 0, column: 501, length: 5 });
    expect([before.length, match, after.length]).toEqual([81, 'MATCH', 121]);
  });
});
