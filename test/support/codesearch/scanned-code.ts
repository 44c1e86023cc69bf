import {
  type CodeSearch,
  type FileMatch,
  type LineMatch,
  languageOf,
  maxSourceBytes,
  noPassages,
  type Query,
  type RankedFile,
  type SourceReader,
  type TreeEntry,
} from '../../../src/backends/codesearch/port.ts';
import { wordClass } from '../../../src/backends/codesearch/whole-word.ts';
import type { RepositoryId } from '../../../src/foundation/kernel/ids.ts';
import type { DataScope } from '../../../src/foundation/kernel/org-scope.ts';

/** In-memory repositories by id, with their organization, commit and files. */
export type ScannedCode = ReadonlyMap<
  RepositoryId,
  {
    readonly scope: DataScope;
    readonly commit: string;
    readonly files: Readonly<Record<string, string | Uint8Array>>;
  }
>;

/**
 * A reference `CodeSearch` that scans every file. It ranks a file by the number of different terms that it contains.
 */
export function scanningCodeSearch(code: ScannedCode): CodeSearch {
  return {
    capabilities: { rank: 'native' },
    async search(scope, request, signal) {
      signal.throwIfAborted();
      const all = filesOf(code, scope, request.repositories).filter((file) => matches(request.query, file));
      const { offset = 0, limit } = request;
      const files = all.slice(offset, offset + limit).map((file): FileMatch => {
        const lines = matchingLines(request.query, file).slice(request.skipMatches);
        return {
          ...file,
          score: 1,
          branch: 'main',
          reasons: [],
          matches: lines.slice(0, request.matchesPerFile),
          moreMatches: Math.max(0, lines.length - request.matchesPerFile),
        };
      });
      const stats = { candidates: all.length, scanned: all.length, matched: all.length, milliseconds: 0 };
      const next = offset + limit;
      return { files, stats, ...(next < all.length ? { nextOffset: next } : {}) };
    },
    async rank(scope, request, signal) {
      signal.throwIfAborted();
      const terms = [...request.terms, ...request.identifiers].map((term) => term.toLowerCase());
      const files = filesOf(code, scope, request.repositories).flatMap((file): RankedFile[] => {
        const found = terms.filter(
          (term) => file.text.toLowerCase().includes(term) || file.path.toLowerCase().includes(term),
        );
        const named = request.paths.some((path) => file.path.endsWith(path));
        const score = found.length + (named ? 5 : 0);
        return score === 0
          ? []
          : [
              {
                ...file,
                fileClass: 'source',
                score,
                reasons: [`content: ${found.join(', ')}`],
              },
            ];
      });
      return {
        files: files
          .toSorted((a, b) => b.score - a.score || (a.path < b.path ? -1 : 1))
          .slice(0, request.limit),
        passages: noPassages,
        unmatched: [],
      };
    },
    close: async () => undefined,
  };
}

interface ScannedFile {
  readonly repository: RepositoryId;
  readonly commit: string;
  readonly path: string;
  readonly language: string;
  readonly text: string;
}

function filesOf(
  code: ScannedCode,
  scope: DataScope,
  only: readonly { readonly id: RepositoryId }[] | undefined,
): ScannedFile[] {
  return [...code].flatMap(([repository, { scope: owner, commit, files }]) => {
    const isSelected = only === undefined || only.some(({ id }) => id === repository);
    if (owner.organizationId !== scope.organizationId || !isSelected) return [];
    return Object.entries(files).flatMap(([path, text]) =>
      typeof text === 'string' ? [{ repository, commit, path, language: languageOf(path), text }] : [],
    );
  });
}

function matches(query: Query, file: ScannedFile): boolean {
  if (query.kind === 'and') return query.operands.every((operand) => matches(operand, file));
  if (query.kind === 'or') return query.operands.some((operand) => matches(operand, file));
  if (query.kind === 'not') return !matches(query.operand, file);
  if (query.kind === 'language') return file.language === query.name;
  if (query.kind === 'repository' || query.kind === 'branch') return true;
  if (query.kind === 'symbol') return false;
  const pattern = patternOf(query);
  if (query.kind === 'word') return pattern.test(file.text);
  return (
    (query.field !== 'path' && pattern.test(file.text)) ||
    (query.field !== 'content' && pattern.test(file.path))
  );
}

function patternOf(query: Extract<Query, { kind: 'literal' | 'regex' | 'word' }>): RegExp {
  if (query.kind === 'regex') return new RegExp(query.source, query.caseSensitive ? 'mu' : 'imu');
  const text = query.text.replaceAll(/[\\^$.*+?()[\]{}|/]/gu, String.raw`\$&`);
  if (query.kind === 'word') return new RegExp(`(?<![${wordClass}])${text}(?![${wordClass}])`, 'u');
  return new RegExp(text, query.caseSensitive ? 'mu' : 'imu');
}

function matchingLines(query: Query, file: ScannedFile): LineMatch[] {
  if (query.kind !== 'literal' && query.kind !== 'regex' && query.kind !== 'word') return [];
  return file.text.split('\n').flatMap((text, index) => {
    const found = patternOf(query).exec(text);
    return found === null
      ? []
      : [
          {
            line: index + 1,
            column: found.index + 1,
            length: found[0].length,
            text,
            textOffset: 0,
            before: [],
            after: [],
          },
        ];
  });
}

/** A `SourceReader` over the same files; it has one commit per repository. */
export function memorySources(code: ScannedCode): SourceReader {
  const repositoryOf = (scope: DataScope, id: RepositoryId, commit: string | undefined) => {
    const found = code.get(id);
    const matchesRequest =
      found?.scope.organizationId === scope.organizationId &&
      (commit === undefined || found.commit.startsWith(commit));
    return matchesRequest ? found : undefined;
  };
  return {
    async readFile(scope, { repository, commit, path }) {
      const found = repositoryOf(scope, repository, commit);
      const content = found?.files[path];
      if (found === undefined || content === undefined) return undefined;
      const bytes = Buffer.byteLength(content);
      const text = typeof content === 'string' && bytes <= maxSourceBytes ? content : undefined;
      return { commit: found.commit, path, language: languageOf(path), bytes, content: text };
    },
    findCommits: async () => [],
    readHistory: async () => undefined,
    readDiff: async () => undefined,
    async listTree(scope, { repository, commit, path }) {
      const found = repositoryOf(scope, repository, commit);
      if (found === undefined) return undefined;
      const prefix = path === '' ? '' : `${path}/`;
      const names = new Set(
        Object.keys(found.files)
          .filter((file) => file.startsWith(prefix))
          .map((file) => file.slice(prefix.length).split('/', 1)[0] ?? ''),
      );
      const entries = [...names].toSorted().map((name): TreeEntry => {
        const content = found.files[prefix + name];
        return {
          path: prefix + name,
          kind: content === undefined ? 'directory' : 'file',
          bytes: content === undefined ? 0 : Buffer.byteLength(content),
        };
      });
      return entries.length === 0 && path !== '' ? undefined : { commit: found.commit, entries };
    },
    close: async () => undefined,
  };
}
