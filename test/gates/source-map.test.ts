import { globSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { projectRoot } from '../support/run/gates.ts';

/**
 * Returns the paths in backquotes that lead to no file or folder. A path is relative to the folder of its page, to
 * `src` or to the project; `*` is a wildcard. A name without a slash counts as a path if it ends like a file.
 */
function missingPaths(page: string, text: string, root: string): readonly string[] {
  const prose = text.replaceAll(/^```.*?^```$/gms, '');
  const paths = [...prose.matchAll(/`([\w*][\w.*-]*(?:\/[\w.*-]+)*)`/g)]
    .map(([, path = '']) => path)
    .filter((path) =>
      path.includes('/') ? !notPaths.has(path) : /\.(?:ts|cjs|md|json)$/.test(path) && !path.startsWith('*'),
    );
  const bases = [dirname(page), 'src', '.'];
  return paths.filter((path) => {
    const name = path.includes('/') || page !== 'src/README.md' ? path : `**/${path}`;
    return bases.every((base) => globSync(join(base, name), { cwd: root }).length === 0);
  });
}

/** Words with a slash that are not paths. */
const notPaths = new Set(['application/json']);

/** Returns the folders directly under the floors that the map does not name. */
function unmappedFolders(text: string, folders: readonly string[]): readonly string[] {
  return folders.filter((folder) => !text.includes(`\`${folder}\``));
}

const pages = globSync('src/**/README.md', { cwd: projectRoot }).toSorted();
const map = readFileSync(join(projectRoot, 'src/README.md'), 'utf8');
const floors = ['surfaces', 'features', 'backends', 'foundation'];

describe('the map of the source', () => {
  it.each(pages)('names only files and folders that exist: %s', (page) => {
    expect(missingPaths(page, readFileSync(join(projectRoot, page), 'utf8'), projectRoot)).toEqual([]);
  });

  it('names every folder directly under a floor', () => {
    const folders = floors.flatMap((floor) =>
      readdirSync(join(projectRoot, 'src', floor), { withFileTypes: true })
        .filter((entry) => entry.isDirectory())
        .map(({ name }) => `${floor}/${name}`),
    );
    expect(folders.length).toBeGreaterThan(15);
    expect(unmappedFolders(map, folders)).toEqual([]);
  });

  it('has paths of at most seven stops and at most 40 terms', () => {
    const section = (title: string) => map.split(`\n## ${title}\n`)[1]?.split('\n## ')[0] ?? '';
    const paths = section('Seven paths').match(/^\d\. .*$/gm) ?? [];
    expect(paths).toHaveLength(7);
    for (const path of paths) expect(path.split(' → ').length, path).toBeLessThanOrEqual(7);
    const terms = section('Glossary').match(/^\| .*$/gm) ?? [];
    expect(terms.length - 1).toBeLessThanOrEqual(40);
  });
});

describe('the gate of the map', () => {
  it('finds a file, a folder and a wildcard that lead nowhere', () => {
    const text =
      '`surfaces/mcp/route.ts`, `surfaces/none`, `features/*/none.ts`, `none.ts`, `backends/*/port.ts`, `oidc`';
    expect(missingPaths('src/README.md', text, projectRoot)).toEqual([
      'surfaces/none',
      'features/*/none.ts',
      'none.ts',
    ]);
  });

  it('finds a folder that the map lacks', () => {
    expect(unmappedFolders('| `features/a` |', ['features/a', 'features/b'])).toEqual(['features/b']);
  });
});
