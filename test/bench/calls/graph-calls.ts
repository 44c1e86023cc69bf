import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import {
  isManifest,
  type Manifest,
  type ParsedFile,
  readManifest,
} from '../../../src/backends/languages/port.ts';
import { certaintyOf } from '../../../src/features/knowledge/certainty.ts';
import { fileFacts } from '../../../src/features/knowledge/links/file-facts.ts';
import { fileKey, symbolKey } from '../../../src/features/knowledge/links/keys.ts';
import { linesOfEvidence } from '../../../src/features/knowledge/links/use-lines.ts';
import { PackageExports } from '../../../src/features/knowledge/packages/exported-names.ts';
import { RepositoryPackages } from '../../../src/features/knowledge/packages/repository-packages.ts';
import { resolveFile } from '../../../src/features/knowledge/symbols/resolve/resolve-file.ts';
import { tableOf } from '../../support/graph/resolving.ts';

/** A definition by its file and qualified name. */
export interface Definition {
  readonly path: string;
  readonly name: string;
  readonly qualifiedName: string;
}

/** An edge of a call. */
export interface GraphCall {
  readonly path: string;
  readonly line: number;
  /** Key of the definition or file that calls. */
  readonly from: string;
  readonly target: Definition;
  readonly certainty: 'certain' | 'possible';
  readonly rule: string;
}

export function readManifests(folder: string): ReadonlyMap<string, Manifest> {
  const found = new Map<string, Manifest>();
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = relative(folder, join(entry.parentPath, entry.name));
    if (!entry.isFile() || path.includes('node_modules/') || !isManifest(path)) continue;
    const manifest = readManifest(path, readFileSync(join(folder, path), 'utf8'));
    if (manifest !== undefined) found.set(path, manifest);
  }
  return found;
}

/** Returns the calls that the graph would have: those that resolve in each file, and those through packages. */
export function graphCalls(
  files: readonly ParsedFile[],
  manifests: ReadonlyMap<string, Manifest>,
): readonly GraphCall[] {
  const symbols = tableOf(files);
  const packages = new RepositoryPackages(manifests);
  symbols.roots = packages.roots;
  const exports = new PackageExports(packages, symbols);
  const place = { repositoryId: 'r', host: '', symbols, exports, uniqueEnd: () => undefined, sources: [] };
  const targets = new Map<string, Definition>();
  for (const { path, symbols: defined } of files)
    for (const symbol of defined) targets.set(symbolKey('r', path, symbol), { path, ...symbol });
  const facts = files.map(({ path, ...file }) => ({
    path,
    facts: fileFacts(place, {
      path,
      language: file.language,
      parsed: { path, ...file },
      text: undefined,
      owners: [],
    }),
  }));
  const aliases = new Map<string, string[]>();
  for (const {
    facts: { edges },
  } of facts)
    for (const { from, kind, to } of edges)
      if (kind === 'alias_of') aliases.set(from, [...(aliases.get(from) ?? []), to]);
  const resolved = files.flatMap((file) => {
    const { uses } = resolveFile(symbols, file);
    return uses.flatMap(({ use, targets: found, confidence, rule }): GraphCall[] => {
      if (use.kind !== 'call' && use.kind !== 'new') return [];
      const around = use.from === undefined ? undefined : file.symbols[use.from];
      const from = around === undefined ? fileKey('r', file.path) : symbolKey('r', file.path, around);
      return found.map(({ path, symbol }) => ({
        path: file.path,
        line: use.line,
        from,
        target: { path, ...symbol },
        certainty: certaintyOf({ confidence }),
        rule: rule.replaceAll('_', '-'),
      }));
    });
  });
  const outside = facts.flatMap(({ path, facts: { mentions } }) => {
    const mentioned = mentions.flatMap(({ name, ...mention }) => {
      const named = [...new Set(aliases.get(`alias:${name}`) ?? [])];
      const confidence = named.length > 1 ? Math.min(50, mention.confidence) : mention.confidence;
      return named.map((to) => ({ ...mention, to, confidence }));
    });
    return mentioned.flatMap((edge): readonly GraphCall[] => {
      const target = targets.get(edge.to);
      if (edge.kind !== 'calls' || target === undefined) return [];
      const { from, rule, evidence } = edge;
      const call = { path, from, target, certainty: certaintyOf(edge), rule };
      return linesOfEvidence(evidence).lines.map((line) => ({ ...call, line }));
    });
  });
  return [...resolved, ...outside];
}
