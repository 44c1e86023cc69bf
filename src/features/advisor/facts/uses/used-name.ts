import type { GraphNode } from '../../../../backends/graph/port.ts';
import { keysOf, type RelatedNode } from '../../../knowledge/queries/related-node.ts';
import { showImpact } from '../../../knowledge/queries/show-impact.ts';
import type { Inquiry } from '../inquiry.ts';
import { findTarget, nodeOf, type Target, targetOf } from '../targets/target.ts';
import { isTestPath, testsLast } from '../test-path.ts';

/** What is used. */
export interface UsedName {
  readonly name: string;
  /** Its definition, if the graph knows one. */
  readonly target: Target | undefined;
  /** The uses that the graph knows, and those that are possible. */
  readonly dependents: readonly RelatedNode[];
  readonly possible: readonly RelatedNode[];
  /** Certain uses of the other definitions. */
  readonly elsewhere: readonly RelatedNode[];
  /** The other definitions with this name in its repository, which a call through a variable may mean. */
  readonly others: readonly Target[];
}

/** A definition or file with its uses. */
export interface UsedTarget extends UsedName {
  readonly target: Target;
  /** True if the graph may know more uses. */
  readonly isLimited: boolean;
}

/** Maximum numbers of definitions of one name whose uses are looked up, and of uses that the graph returns for one. */
const max = { targets: 12, dependents: 100 } as const;

/** Returns a name as in code that the graph has no definition of. */
export function usedName(name: string): UsedName {
  return { name, target: undefined, dependents: [], possible: [], elsewhere: [], others: [] };
}

/** Returns the definition or file that a question means, with its uses. */
export async function findUsed(inquiry: Inquiry): Promise<UsedTarget | undefined> {
  const target = await findTarget(inquiry);
  return target && usesOf(inquiry, target);
}

/**
 * Returns a definition with its uses. If several classes define the name and the question names none of them, the one
 * that is used is returned; what certainly uses another one is kept apart.
 */
export async function usesOf(inquiry: Inquiry, given: Target): Promise<UsedTarget> {
  const { view, scope } = inquiry;
  const first = await madeBy(inquiry, given);
  const targets = [first, ...namesakesOf(inquiry, first)].slice(0, max.targets);
  const impacts = await Promise.all(
    targets.map(async (target) => ({ ...(await showImpact(view.graph, scope, target.node.key)), target })),
  );
  const isUsed = ({ dependents, target }: (typeof impacts)[number]): boolean =>
    dependents.some(({ node }) => !isTestPath(node.key) && node.key !== target.file);
  const target = impacts.find(isUsed)?.target ?? first;
  const own = impacts.filter((one) => one.target.repositoryId === target.repositoryId);
  const { dependents = [], possible = [] } = own.find((one) => one.target === target) ?? {};
  const known = new Set(keysOf(dependents));
  const others = own.filter((one) => one.target !== target).flatMap((one) => one.dependents);
  return {
    name: target.node.name,
    target,
    dependents,
    possible,
    elsewhere: others.filter(({ node }) => !known.has(node.key)),
    isLimited: own.some((one) => one.dependents.length >= max.dependents),
    others: own.map((one) => one.target).filter((one) => one !== target),
  };
}

const constructor = /^(?:__init__|__new__|constructor|initialize)$/u;

/** Returns the class of a constructor, because calls of it name the class; any other definition itself. */
async function madeBy(inquiry: Inquiry, target: Target): Promise<Target> {
  const { node, repositoryId, path, isNamed } = target;
  const { qualifiedName, startLine } = node.props;
  const container = typeof qualifiedName === 'string' ? qualifiedName.split('.').at(-2) : undefined;
  if (!constructor.test(node.name) || container === undefined) return target;
  const definition = { name: container, line: typeof startLine === 'number' ? startLine : 1 };
  const made = await nodeOf(inquiry, { repositoryId, path, definition });
  return (made?.kind === 'symbol' ? targetOf(made, isNamed) : undefined) ?? target;
}

/** Returns the other definitions with a name that may be meant, those of its repository if there are some. */
function namesakesOf({ named, ranked }: Inquiry, first: Target): readonly Target[] {
  const { name, key } = first.node;
  if (ranked.subject.identifiers.some((one) => /[.#:]/u.test(one) && one.endsWith(name))) return [];
  const same = named.symbols
    .filter((node) => node.name === name && node.key !== key && !isTestPath(node.key))
    .flatMap((node) => targetOf(node, first.isNamed) ?? []);
  const own = same.filter(({ repositoryId }) => repositoryId === first.repositoryId);
  return own.length > 0 ? own : same;
}

/** Returns the definitions that call or use one, those of tests last. */
export async function callersOf(
  { view, scope }: Inquiry,
  { key }: GraphNode,
): Promise<readonly RelatedNode[]> {
  const { dependents } = await showImpact(view.graph, scope, key);
  const symbols = dependents.filter(({ node }) => node.kind === 'symbol');
  return testsLast(symbols, ({ node }) => node.key);
}
