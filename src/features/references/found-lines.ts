import { createHash } from 'node:crypto';
import type { CodeSearch, Incomplete } from '../../backends/codesearch/port.ts';
import type { GraphReader } from '../../backends/graph/port.ts';
import { SharedResults } from '../../foundation/kernel/limits/shared-results.ts';
import type { OrgScope } from '../../foundation/kernel/org-scope.ts';
import type { DefinedName } from '../knowledge/queries/file-definitions.ts';
import { usesOfName } from '../knowledge/queries/name-uses.ts';
import type { VersionedSearchable } from '../repositories/named-repositories.ts';
import { mergeIncomplete } from '../search/find-symbol.ts';
import type { LineTable } from './line-table.ts';
import { meantLines } from './meant-lines.ts';
import { linesOfName } from './name-lines.ts';
import { isMember, NameMeanings } from './name-meanings.ts';
import type { ReferenceTarget } from './reference-target.ts';
import { targetDefinitions } from './target-definitions.ts';
import { type TextDeps, writtenLines } from './written-lines.ts';

/** The lines of all pages of a question. */
export interface FoundLines {
  readonly meant: LineTable;
  /** Number of lines that are left out because they only have the last part of the name. */
  readonly others: number;
  /** Number of further lines with the text, of which nothing is known. */
  readonly unlisted: number;
  /** The definitions that are asked for, at most 20. */
  readonly definitions: readonly DefinedName[];
  /** The text that the lines have: the name, or the qualified name as written if no definition has it but lines do. */
  readonly text: string;
  /** The qualified name that is asked for, if no definition has it. */
  readonly unknown: string | undefined;
  /** A sentence about where the definitions were found, if it is not where the name says. */
  readonly notice: string | undefined;
  readonly incomplete: Incomplete | undefined;
  readonly isGraphCut: boolean;
}

interface Question {
  readonly target: ReferenceTarget;
  /** The repositories to search. */
  readonly repositories: readonly VersionedSearchable[];
  /** All that the scope may read, in which the definitions are looked up. */
  readonly all: readonly VersionedSearchable[];
}

/** Maximum number of definitions of an answer. */
const maxDefinitions = 20;
/** Limits of what is kept of one code search, so that the next pages are not computed again. */
const limits = { maxBytes: 32 * 1024 * 1024, keptMs: 60_000 };

/** What is kept, by the code search that it comes from: all entry points of a process share one. */
const keptOf = new WeakMap<Pick<CodeSearch, 'search'>, SharedResults<FoundLines>>();

interface LineDeps extends TextDeps {
  readonly graph: GraphReader;
}

/** Returns the lines of a target. Equal questions at once share one computation, and the next ones its result. */
export function foundLines(
  deps: LineDeps,
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
  { codeSearch, sources, graph }: LineDeps,
  scope: OrgScope,
  { target, repositories, all }: Question,
  signal: AbortSignal,
): Promise<FoundLines> {
  const { name, written, owners = [] } = target;
  const linesOf = (text: string) => linesOfName(codeSearch, scope, text, repositories, signal);
  const [found, uses, asWritten] = await Promise.all([
    linesOf(name),
    usesOfName(graph, scope, name),
    written === undefined ? undefined : linesOf(written),
  ]);
  const lookup = { codeSearch, graph, scope, repositories: all, signal };
  const { targets, notice } = await targetDefinitions(lookup, target, uses.definitions);
  const common = {
    unknown: targets === undefined ? target.qualified : undefined,
    notice,
    incomplete: mergeIncomplete(found.incomplete, asWritten?.incomplete),
  };
  if (targets === undefined && asWritten !== undefined && asWritten.repositories.length > 0) {
    const meant = await meantLines(asWritten.repositories, noMeanings, { targets, repositories }, signal);
    const count = found.repositories.reduce((sum, { lines }) => sum + lines.length, 0);
    const { unlisted } = asWritten;
    const [others, text] = [Math.max(0, count - meant.total), written ?? name];
    return { ...common, meant, others, unlisted, definitions: [], text, isGraphCut: false };
  }
  const qualified = targets && asWritten && { name, owners, lists: asWritten.repositories, repositories };
  const wanted = {
    targets,
    repositories,
    leavesOutUnknown: owners.length > 0 && targets?.some(isMember) === false,
    written: qualified && (await writtenLines({ codeSearch, sources }, scope, qualified, signal)),
  };
  const meant = await meantLines(found.repositories, new NameMeanings(uses), wanted, signal);
  const definitions = (targets ?? uses.definitions).slice(0, maxDefinitions);
  const { others } = meant.counts;
  const { unlisted } = found;
  return { ...common, meant, others, unlisted, definitions, text: name, isGraphCut: uses.truncated };
}

/** The meanings of a text that is no name of a definition. */
const noMeanings = new NameMeanings({
  definitions: [],
  uses: [],
  imports: [],
  enclosing: [],
  truncated: false,
});

/** Returns the size of a result; none for one that may be better in the next call, of the same versions. */
function sizeOf({ meant, incomplete }: FoundLines): number | undefined {
  return incomplete === 'damaged' || incomplete === 'deadline' ? undefined : meant.bytes;
}
