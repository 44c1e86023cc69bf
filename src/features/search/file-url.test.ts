import { describe, expect, it } from 'vitest';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';
import { fileUri, fileUrls, hostFilePage } from './file-url.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'acme' };
const span = { path: 'src/a b#.ts', commit: 'c0ffee', startLine: 3, endLine: 9 };
const urls = fileUrls('https://ctx.example');

function hostPage(source: string, sourceKind: 'https' | 'ssh' | 'folder' = 'https'): string | undefined {
  return hostFilePage({ id: 'r1' as RepositoryId, source, sourceKind }, span);
}

describe('the address of a file for people', () => {
  it('is its page at the commit, at the first of the lines', () => {
    const repository = {
      id: 'r1' as RepositoryId,
      source: 'https://github.com/o/r',
      sourceKind: 'https',
    } as const;
    expect(urls.file(scope, repository, span)).toBe(
      'https://ctx.example/app/acme/repositories/r1/file?path=src%2Fa+b%23.ts&lines=3-9&commit=c0ffee#L3',
    );
  });
});

describe('the address of a file at its Git host', () => {
  it.each([
    ['https://github.com/o/r.git', 'https://github.com/o/r/blob/c0ffee/src/a%20b%23.ts#L3-L9'],
    ['https://gitlab.com/g/s/r', 'https://gitlab.com/g/s/r/-/blob/c0ffee/src/a%20b%23.ts#L3-9'],
    [
      'https://gitlab.acme.io:8443/g/r/',
      'https://gitlab.acme.io:8443/g/r/-/blob/c0ffee/src/a%20b%23.ts#L3-9',
    ],
    ['https://bitbucket.org/o/r', 'https://bitbucket.org/o/r/src/c0ffee/src/a%20b%23.ts#lines-3:9'],
    ['https://codeberg.org/o/r.git', 'https://codeberg.org/o/r/src/commit/c0ffee/src/a%20b%23.ts#L3-L9'],
    ['https://forgejo.acme.io/o/r', 'https://forgejo.acme.io/o/r/src/commit/c0ffee/src/a%20b%23.ts#L3-L9'],
  ])('is its page at the commit: %s', (source, page) => {
    expect(hostPage(source)).toBe(page);
  });

  it.each([
    ['https://git.acme.io/o/r', 'https'],
    ['https://constructor/o/r', 'https'],
    ['http://github.com/o/r', 'https'],
    ['/srv/repositories/r', 'folder'],
    ['git@github.com:o/r.git', 'ssh'],
  ] as const)('is unknown: %s', (source, kind) => {
    expect(hostPage(source, kind)).toBeUndefined();
  });

  it('never shows credentials of a source', () => {
    expect(hostPage('https://user:secret@github.com/o/r')).toMatch(/^https:\/\/github\.com\/o\/r\/blob/u);
  });
});

describe('the address of a file as a resource', () => {
  it('contains repository, path, commit and lines', () => {
    expect(fileUri('team/api', span)).toBe('ctx://repo/team/api/file/src/a%20b%23.ts?ref=c0ffee#L3-L9');
  });

  it('accepts any path that Git allows', () => {
    expect(fileUri('r', { ...span, path: '\ud800?/%' })).toContain('/file/%EF%BF%BD%3F/%25?ref=');
  });
});
