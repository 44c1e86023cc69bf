import { createHash } from 'node:crypto';
import type { CodeSearch, Incomplete } from '../../backends/codesearch/port.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import { SharedResults } from '../../foundation/kernel/limits/shared-results.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import { usesOfName } from '../knowledge/queries/name-uses.ts';
import type { NamedSearchable, VersionedSearchable } from '../repositories/named-repositories.ts';
import { mergeIncomplete } from '../search/find-symbol.ts';
import { type MeantLines, meantLines } from './meant-lines.ts';
import { linesOfName } from './name-lines.ts';
import { NameMeanings } from './name-meanings.ts';
import { definitionsInPackage } from './package-name.ts';
import { hasQualifiedName, type ReferenceTarget } from './reference-target.ts';

/** The lines of all pages of a question. */
export interface FoundLines {
  readonly meant: MeantLines;
  /** Number of further lines with the text, of which nothing is known. */
  readonly unlisted: number;
  /** The definitions that are asked for, at most 20. */
  readonly definitions: readonly DefinedName[];
  /** The text that the lines have: the name, or the qualified name as written if no definition has it but lines do. */
  readonly text: string;
  /** The qualified name that is asked for, if no definition has it. */
  readonly unknown: string | undefined;
  readonly incomplete: Incomplete | undefined;
  readonly isGraphCut: boolean;
}

interface Question {
  readonly target: ReferenceTarget;
  /** The repositories to search. */
  readonly repositories: readonly VersionedSearchable[];
  /** All that the scope may read. */
  readonly all: readonly VersionedSearchable[];
}

/** Maximum number of definitions of an answer. */
const maxDefinitions = 20;
/** Limits of what is kept of one code search, so that the next pages are not computed again. */
const limits = { maxBytes: 32 * 1024 * 1024, keptMs: 60_000 };

/** What is kept, by the code search that it comes from: all entry points of a process share one. */
const keptOf = new WeakMap<Pick<CodeSearch, 'search'>, SharedResults<FoundLines>>();

/** Returns the lines of a target. Equal questions at once share one computation, and the next ones its result. */
export function foundLines(
  deps: { readonly codeSearch: Pick<CodeSearch, 'search'>; readonly graph: GraphReader },
  scope: OrgScope,
  question: Question,
  signal: AbortSignal,
): Promise<FoundLines> {
  const { codeSearch } = deps;
  const kept = keptOf.get(codeSearch) ?? new SharedResults<FoundLines>(limits, sizeOf);
  keptOf.set(codeSearch, kept);
  return kept.get(keyOf(scope, question), (wanted) => find(deps, scope, question, wanted), signal);
}

/** Returns a hash of all that the lines depend on. */
function keyOf(scope: OrgScope, { target, repositories, all }: Question): string {
  const parts = [
    scope.organizationId,
    scope.repositories !== undefined,
    [target.name, target.written, target.definition?.key],
    repositories.map(({ id }) => id),
    all.map(({ id, name, version }) => [id, name, version]),
  ];
  return createHash('sha256').update(JSON.stringify(parts)).digest('base64url');
}

async function find(
  { codeSearch, graph }: { readonly codeSearch: Pick<CodeSearch, 'search'>; readonly graph: GraphReader },
  scope: OrgScope,
  { target, repositories }: Question,
  signal: AbortSignal,
): Promise<FoundLines> {
  const [found, uses] = await Promise.all([
    linesOfName(codeSearch, scope, target.name, repositories, signal),
    usesOfName(graph, scope, target.name),
  ]);
  const targets = targetsOf(target, uses.definitions, repositories);
  const unknown = targets === undefined ? target.qualified : undefined;
  const { written = '' } = unknown === undefined ? {} : target;
  const said =
    written === '' ? undefined : await linesOfName(codeSearch, scope, written, repositories, signal);
  if (said !== undefined && said.repositories.length > 0) {
    const { unlisted, incomplete } = said;
    const all = { targets: undefined, repositories };
    const meant = await meantLines(said.repositories, unknownMeanings, all, signal);
    return { meant, unlisted, definitions: [], text: written, unknown, incomplete, isGraphCut: false };
  }
  const wanted = { targets: targets && new Set(targets.map(({ key }) => key)), repositories };
  return {
    meant: await meantLines(found.repositories, new NameMeanings(uses), wanted, signal),
    unlisted: found.unlisted,
    definitions: (targets ?? uses.definitions).slice(0, maxDefinitions),
    text: target.name,
    unknown,
    incomplete: mergeIncomplete(found.incomplete, said?.incomplete),
    isGraphCut: uses.truncated,
  };
}

/** The meanings of a text that is no name of a definition. */
const unknownMeanings = new NameMeanings({
  definitions: [],
  uses: [],
  imports: [],
  enclosing: [],
  truncated: false,
});

/** Returns the definitions that are asked for; `undefined` for all, or if none has the qualified name. */
function targetsOf(
  { definition, qualified }: ReferenceTarget,
  definitions: readonly DefinedName[],
  repositories: readonly NamedSearchable[],
): readonly DefinedName[] | undefined {
  if (definition !== undefined) return [definition];
  if (qualified === undefined) return undefined;
  const named = (name: string): readonly DefinedName[] =>
    definitions.filter((each) => hasQualifiedName(each, name));
  return [
    named(qualified),
    definitionsInPackage(definitions, qualified, repositories),
    named(qualified.split('.').slice(-2).join('.')),
  ].find((found) => found.length > 0);
}

/** Returns the size of a result; none for one that may be better in the next call, of the same versions. */
function sizeOf({ meant, incomplete }: FoundLines): number | undefined {
  return incomplete === 'damaged' || incomplete === 'deadline' ? undefined : meant.bytes;
}
