import { describe, expect, it } from 'vitest';
import type { OrganizationId, RepositoryId } from '../../foundation/kernel/ids.ts';
import { fileUri, fileUrls } from './file-url.ts';

const scope = { organizationId: 'org' as OrganizationId, orgSlug: 'acme' };
const span = { path: 'src/a b#.ts', commit: 'c0ffee', startLine: 3, endLine: 9 };
const urls = fileUrls('https://ctx.example');

function url(source: string, sourceKind: 'https' | 'ssh' | 'folder' = 'https'): string {
  return urls.file(scope, { id: 'r1' as RepositoryId, source, sourceKind }, span);
}

describe('the address of a file for people', () => {
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
  ])('is the page of the Git host at the commit: %s', (source, page) => {
    expect(url(source)).toBe(page);
  });

  it.each([
    ['https://git.acme.io/o/r', 'https'],
    ['https://constructor/o/r', 'https'],
    ['http://github.com/o/r', 'https'],
    ['/srv/repositories/r', 'folder'],
    ['git@github.com:o/r.git', 'ssh'],
  ] as const)('is our own elsewhere: %s', (source, kind) => {
    expect(url(source, kind)).toBe(
      'https://ctx.example/acme/api/v1/repositories/r1/file?path=src%2Fa+b%23.ts&lines=3-9&commit=c0ffee',
    );
  });

  it('never shows credentials of a source', () => {
    expect(url('https://user:secret@github.com/o/r')).toMatch(/^https:\/\/github\.com\/o\/r\/blob/u);
  });
});

describe('the address of a file as a resource', () => {
  it('names repository, path, commit and lines', () => {
    expect(fileUri('team/api', span)).toBe('ctx://repo/team/api/file/src/a%20b%23.ts?ref=c0ffee#L3-L9');
  });

  it('takes any path that Git can hold', () => {
    expect(fileUri('r', { ...span, path: '\ud800?/%' })).toContain('/file/%EF%BF%BD%3F/%25?ref=');
  });
});
