import { type FileMatch, maxPatternLength } from '../../../backends/codesearch/port.ts';
import { isManifest, manifestPaths, readManifest } from '../../../backends/languages/port.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { escapePattern } from '../../search/symbol-name.ts';
import { searchFor } from '../evidence/line-source.ts';
import type { Inquiry } from '../inquiry.ts';

/** A package that a manifest of a repository asks for. */
export interface AskedPackage {
  readonly repository: SearchableRepository;
  readonly name: string;
  readonly version: string;
  readonly path: string;
  readonly line: number;
  /** The text of the line. */
  readonly text: string;
}

/** Numbers of manifests that one search returns, and that are read of a repository, those nearest to its root first. */
const max = { files: 400, perRepository: 12 } as const;

/**
 * Returns the packages of these names, or with them as the last part, for which manifests ask, each version of a
 * repository once, those nearest to its root first. `undefined` if not every manifest could be searched for all names.
 */
export async function askedPackages(
  inquiry: Inquiry,
  names: readonly string[],
): Promise<readonly AskedPackage[] | undefined> {
  const { deps, scope, signal, ranked } = inquiry;
  const files = await manifestsWith(inquiry, names);
  if (files === undefined) return undefined;
  const wanted = new Set(names.map((name) => name.toLowerCase()));
  const found = new Map<string, AskedPackage>();
  for (const [id, own] of Map.groupBy(files, ({ repository }) => repository)) {
    const repository = ranked.repositories.find((one) => one.id === id);
    if (repository === undefined) continue;
    for (const { path } of own.slice(0, max.perRepository)) {
      const { content = '' } = (await deps.sources.readFile(scope, { repository: id, path }, signal)) ?? {};
      const lines = content.split('\n');
      for (const { name, version, line } of readManifest(path, content)?.asks ?? []) {
        const last = name.slice(name.lastIndexOf('/') + 1).toLowerCase();
        const asked = [name.toLowerCase(), last].find((one) => wanted.has(one));
        const key = `${id} ${asked} ${version}`;
        if (asked === undefined || found.has(key)) continue;
        found.set(key, { repository, name: asked, version, path, line, text: lines[line - 1] ?? '' });
      }
    }
  }
  return [...found.values()];
}

/** Returns the manifests that have one of these names, those nearest to the root first; `undefined` if some may be missing. */
async function manifestsWith(
  inquiry: Inquiry,
  names: readonly string[],
): Promise<readonly FileMatch[] | undefined> {
  const source = `(?:^|[^\\p{L}\\p{N}_])(?:${names.map(escapePattern).join('|')})(?:[^\\p{L}\\p{N}_]|$)`;
  // Repositories choose the names of their packages.
  if (source.length > maxPatternLength) return undefined;
  const result = await searchFor(inquiry, {
    query: {
      kind: 'and',
      operands: [
        { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' },
        { kind: 'regex', source, caseSensitive: false, field: 'content' },
      ],
    },
    repositories: inquiry.ranked.repositories,
    limit: max.files,
  });
  if (result === undefined || result.incomplete !== undefined || result.nextOffset !== undefined)
    return undefined;
  return result.files
    .filter(({ path }) => isManifest(path))
    .toSorted((a, b) => a.path.split('/').length - b.path.split('/').length);
}

/** Returns the names of the packages that the first manifests at the root of a repository provide. */
export async function providedPackages(
  inquiry: Inquiry,
  repository: SearchableRepository,
): Promise<readonly string[]> {
  const query = { kind: 'regex', source: `^[^/]+$`, caseSensitive: true, field: 'path' } as const;
  const result = await searchFor(inquiry, { query, repositories: [repository], limit: max.files });
  const paths = (result?.files ?? []).map(({ path }) => path).filter(isManifest);
  const names = await Promise.all(
    paths.slice(0, max.perRepository).map(async (path) => {
      const asked = { repository: repository.id, path };
      const file = await inquiry.deps.sources.readFile(inquiry.scope, asked, inquiry.signal);
      return readManifest(path, file?.content ?? '')?.provides ?? [];
    }),
  );
  return names.flat();
}
