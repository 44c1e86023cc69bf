import {
  isManifest,
  type Manifest,
  manifestPaths,
  maxManifest,
  readManifest,
} from '../../../backends/languages/port.ts';
import { openPauses } from '../../../foundation/kernel/limits/pauses.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import { type Inquiry, repositoryWith } from '../inquiry.ts';
import { inlineCode } from '../text/markdown.ts';
import { readText, searchFor } from './line-source.ts';
import type { CodeLine } from './place-source.ts';

/** Numbers of manifests that one search returns, and that are read of a repository, those nearest to its root first. */
const max = { files: 400, read: 12 } as const;

/** A manifest that was read. */
export interface ManifestRead extends Pick<CodeLine, 'repository' | 'path'>, Pick<Manifest, 'asks'> {
  readonly provides: string | undefined;
  readonly texts: readonly string[];
}

/** Returns a line of a manifest. */
export function lineOf({ repository, path, texts }: Omit<ManifestRead, 'asks'>, line: number): CodeLine {
  return { repository, path, line, text: texts[line - 1] ?? '' };
}

/** The manifests of repositories, of each those nearest to its root. */
export interface ManifestsRead {
  readonly manifests: readonly ManifestRead[];
  /** Sentences about manifests that were left out. */
  readonly notes: readonly string[];
}

/** Reads the manifests of some repositories, or of these those with a pattern; `undefined` if the search is refused. */
export async function readManifests(
  inquiry: Inquiry,
  repositories: readonly SearchableRepository[],
  pattern?: string,
): Promise<ManifestsRead | undefined> {
  const path = { kind: 'regex', source: manifestPaths, caseSensitive: true, field: 'path' } as const;
  const text = { kind: 'regex', source: pattern ?? '', caseSensitive: false, field: 'content' } as const;
  const query = pattern === undefined ? path : ({ kind: 'and', operands: [path, text] } as const);
  const result = await searchFor(inquiry, { query, repositories, limit: max.files });
  if (result === undefined) return undefined;
  const isCut = result.incomplete !== undefined || result.nextOffset !== undefined;
  const notes = isCut ? ['The search of manifests was cut short, so that some are missing.'] : [];
  const files = result.files
    .filter((file) => isManifest(file.path))
    .toSorted((a, b) => depthOf(a.path) - depthOf(b.path));
  const manifests: ManifestRead[] = [];
  const pause = openPauses();
  for (const [id, own] of Map.groupBy(files, ({ repository }) => repository)) {
    const repository = repositoryWith(inquiry, id);
    if (repository === undefined) continue;
    const more = own.length - max.read;
    if (more > 0) notes.push(`${counted(more, 'manifest')} more of ${inlineCode(repository.name)} not read.`);
    for (const file of own.slice(0, max.read)) {
      await pause();
      const content = await readText(inquiry, repository, file.path);
      if (content === undefined || content.length > maxManifest) {
        notes.push(`${inlineCode(`${repository.name}/${file.path}`)} is too large to be read as a manifest.`);
        continue;
      }
      const { asks = [], provides } = readManifest(file.path, content) ?? {};
      manifests.push({ repository, path: file.path, texts: content.split('\n'), asks, provides });
    }
  }
  return { manifests, notes };
}

function depthOf(path: string): number {
  return path.split('/').length;
}
