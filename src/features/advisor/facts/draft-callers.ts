import type { GraphNode } from '../../../backends/graph/port.ts';
import { placeOfKey } from '../../knowledge/links/keys.ts';
import type { RelatedNode } from '../../knowledge/queries/related-node.ts';
import { type Impact, showImpact } from '../../knowledge/queries/show-impact.ts';
import type { SearchableRepository } from '../../search/repositories-in-scope.ts';
import type { Draft, Sentence } from '../answer/draft.ts';
import { joined } from '../answer/draft.ts';
import type { Source } from '../answer.ts';
import { inlineCode } from '../markdown.ts';
import { type Inquiry, maxPassages, nodePlace, placeText, repositoryOf } from './inquiry.ts';
import { useSource } from './node-source.ts';
import { findTarget, type Target, targetOf } from './target.ts';
import { targetSource } from './target-source.ts';
import { isTestPath } from './test-path.ts';
import { findText, type TextSource } from './text-uses.ts';

/** Maximum number of uses that an answer names. */
const maxNamed = 5;

/** Answers what calls, uses or imports a definition or file. */
export async function draftCallers(inquiry: Inquiry): Promise<Draft | undefined> {
  const found = await usedTarget(inquiry);
  if (found === undefined) return undefined;
  const { target, dependents, truncated } = found;
  const own = await targetSource(inquiry, target);
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  const uses = productFirst(dependents.filter(({ node }) => node.key !== target.file));
  if (uses.length === 0) return withoutUses(inquiry, target, subject);
  const shown = await Promise.all(
    uses
      .slice(0, maxNamed)
      .map(async ({ node, edge }) => ({ node, edge, source: await useSource(inquiry, node, edge) })),
  );
  const named = shown.map(({ node, edge, source }) => useText(inquiry, { node, edge }, source));
  const verb =
    target.node.kind === 'file' || uses.every(({ edge }) => edge.kind === 'imports')
      ? 'imported'
      : verbOf(uses);
  const count = `${truncated ? 'at least ' : ''}${uses.length} ${uses.length === 1 ? 'place' : 'places'}`;
  return {
    lead: [[...subject, ` is ${verb} from ${count}: `, ...joined(named, uses.length), '.']],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      'Calls are resolved from the syntax of the files: one through a variable of unknown type may be missing.',
    ],
  };
}

/** Maximum number of definitions of one name whose uses are looked up. */
const maxTargets = 4;

/** Returns the definition that is meant with its uses: of several with the name, the likeliest one that is used. */
async function usedTarget(
  inquiry: Inquiry,
): Promise<({ target: Target } & Pick<Impact, 'dependents' | 'truncated'>) | undefined> {
  const { view, scope, named } = inquiry;
  const target = await findTarget(inquiry);
  if (target === undefined) return undefined;
  const others = target.node.kind === 'symbol' ? named.symbols.slice(0, maxTargets) : [];
  const targets = [
    target,
    ...others.filter(({ key }) => key !== target.node.key).flatMap((node) => targetOf(node, true) ?? []),
  ];
  const impacts = await Promise.all(
    targets.map(async (one) => ({ ...(await showImpact(view.graph, scope, one.node.key)), target: one })),
  );
  return impacts.find(({ dependents }) => dependents.length > 0) ?? impacts[0];
}

function verbOf(uses: readonly RelatedNode[]): string {
  return uses.some(({ edge }) => edge.kind === 'calls') ? 'called' : 'used';
}

function useText(
  inquiry: Inquiry,
  { node }: RelatedNode,
  source: (Source & { readonly startLine: number }) | undefined,
): Sentence {
  if (source === undefined || source.path === undefined) return [nodePlace(inquiry, node)];
  const line = Number(/:(\d+)$/u.exec(source.title)?.[1] ?? source.startLine);
  const place = placeText(inquiry, { repository: source.repository ?? '', path: source.path, line });
  return [node.kind === 'symbol' ? `${inlineCode(node.name)} (${place})` : place, source];
}

function isTest({ node }: RelatedNode): boolean {
  return isTestPath(node.key);
}

/** Orders uses: those of the product before those of its tests. */
export function productFirst(uses: readonly RelatedNode[]): readonly RelatedNode[] {
  return [...uses.filter((use) => !isTest(use)), ...uses.filter(isTest)];
}

/** Says that no use is known, and where the text of a use occurs. */
async function withoutUses(inquiry: Inquiry, { node }: Target, subject: Sentence): Promise<Draft> {
  const repository = repositoryOf(inquiry, node.key);
  const found = repository === undefined ? [] : await textUses(inquiry, node, repository);
  const none = node.kind === 'symbol' ? 'No call or other use' : 'No import';
  const lead: Sentence = [`${none} of `, ...subject, ' was found in the knowledge graph.'];
  if (found.length === 0)
    return { lead: [lead], reasons: [], sources: inquiry.code.slice(0, maxPassages), notes: [] };
  const places = found.slice(0, maxNamed).map(
    (source): Sentence => [
      placeText(inquiry, {
        repository: source.repository ?? '',
        path: source.path ?? '',
        line: source.line,
      }),
      source,
    ],
  );
  const text = inlineCode(`${node.name}(`);
  return {
    lead: [[...lead, ` The text ${text} occurs in `, ...joined(places, found.length), '.']],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: ['These are matches of text: a definition of the same name elsewhere looks the same.'],
  };
}

/** Finds the lines that contain a name followed by a parenthesis, one for each file, except its definition. */
async function textUses(
  inquiry: Inquiry,
  { kind, name, key, props }: GraphNode,
  repository: SearchableRepository,
): Promise<readonly TextSource[]> {
  if (kind !== 'symbol') return [];
  const request = { text: `${name}(`, caseSensitive: true, repositories: [repository], around: 2 };
  const own = placeOfKey(key)?.path;
  const found = (await findText(inquiry, request)).filter(
    ({ path, line }) => path !== own || line !== props['startLine'],
  );
  return found.filter(({ path }, index) => found.findIndex((one) => one.path === path) === index);
}
