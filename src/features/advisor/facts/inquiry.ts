import type { CodeSearch } from '../../../backends/codesearch/port.ts';
import type { GraphNode } from '../../../backends/graph/port.ts';
import type { OrgScope } from '../../../foundation/kernel/org-scope.ts';
import { placeOfKey } from '../../knowledge/links/keys.ts';
import type { VisibleGraph } from '../../knowledge/queries/visible-graph.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { AdvisorDeps } from '../advisor-deps.ts';
import type { CodeSource, Evidence } from '../answer.ts';
import type { QuestionKind } from '../question/question-kind.ts';
import type { RankedCode } from '../ranking/rank-code.ts';
import { inlineCode } from '../text/markdown.ts';

/** The entities of the knowledge graph that a prompt names. */
export interface Named {
  readonly issues: readonly GraphNode[];
  readonly incidents: readonly GraphNode[];
  readonly commits: readonly GraphNode[];
  readonly pulls: readonly GraphNode[];
  /** Files, the one that the search ranks best first. */
  readonly files: readonly GraphNode[];
  /** Definitions, the most likely one first. */
  readonly symbols: readonly GraphNode[];
  /** Identifiers of issues that the organization does not have. */
  readonly unknown: readonly string[];
}

/** A question and what is known before it is answered. */
export interface Inquiry {
  readonly deps: Omit<AdvisorDeps, 'codeSearch'> & { readonly codeSearch: Pick<CodeSearch, 'search'> };
  readonly scope: OrgScope;
  readonly prompt: string;
  /** What of the prompt asks, without what it only tells of the asker. At most 400 characters. */
  readonly asked: string;
  readonly kind: QuestionKind;
  readonly ranked: RankedCode;
  /** Passages, best first. */
  readonly code: readonly Evidence<CodeSource>[];
  readonly view: VisibleGraph;
  readonly named: Named;
  readonly signal: AbortSignal;
  /** Words of the question that nothing searched mentions, if that is known. */
  readonly absent?: readonly string[];
}

/** Maximum number of passages that follow an answer from the knowledge graph. */
export const maxPassages = 4;

/** Returns the repository in which the key of a node lies, if it can be searched. */
export function repositoryOf({ ranked }: Inquiry, key: string): SearchableRepository | undefined {
  const id = /^(?:repo|file|symbol|commit|pr):([^:]+)/u.exec(key)?.[1];
  return ranked.repositories.find((repository) => repository.id === id);
}

/** Formats a place for an answer: `path:line`, after the repository if there are several. */
export function placeText(
  { ranked }: Pick<Inquiry, 'ranked'>,
  { repository, path, line }: { repository: string; path: string; line?: number | undefined },
): string {
  const prefix = ranked.repositories.length > 1 ? `${repository}/` : '';
  return inlineCode(`${prefix}${path}${line === undefined ? '' : `:${line}`}`);
}

/** Formats the name of a file or symbol of the graph with its place. */
export function nodePlace(inquiry: Inquiry, node: GraphNode): string {
  const place = placeOfKey(node.key);
  const repository = repositoryOf(inquiry, node.key)?.name ?? '';
  const line = node.props['startLine'];
  const shown = placeText(inquiry, {
    repository,
    path: place?.path ?? node.name,
    line: node.kind === 'symbol' && typeof line === 'number' ? line : undefined,
  });
  return node.kind === 'symbol' ? `${inlineCode(nodeName(node))} (${shown})` : shown;
}

/** Returns the name of a definition with those around it, at most three: `Class.method.inner`. */
function nodeName({ name, props }: GraphNode): string {
  const { qualifiedName } = props;
  return typeof qualifiedName === 'string' ? shortName(qualifiedName) : name;
}

/** Returns the last three parts of a qualified name. */
export function shortName(qualified: string): string {
  return qualified.split('.').slice(-3).join('.');
}
