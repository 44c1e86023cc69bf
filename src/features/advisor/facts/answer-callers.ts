import type { GraphNode } from '../../../backends/graph/port.ts';
import { fileKey, placeOfKey } from '../../knowledge/links/keys.ts';
import { type RelatedNode, reached, step } from '../../knowledge/queries/related-node.ts';
import { type Impact, showImpact } from '../../knowledge/queries/show-impact.ts';
import type { Sentence, Statements } from '../answer/statements.ts';
import { joined } from '../answer/statements.ts';
import type { Source } from '../answer.ts';
import { inlineCode } from '../text/markdown.ts';
import { type Inquiry, maxPassages, nodePlace, placeText } from './inquiry.ts';
import { useSource } from './targets/node-source.ts';
import { findTarget, type Target, targetOf } from './targets/target.ts';
import { targetSource } from './targets/target-source.ts';
import { isTestPath } from './test-path.ts';
import { answerUses, answerUsesOf } from './uses/answer-uses.ts';
import { type FoundUse, findUses } from './uses/find-uses.ts';

/** Maximum number of uses that an answer names. */
const maxNamed = 5;

/** Answers what calls, uses or imports a definition or file. */
export async function answerCallers(inquiry: Inquiry): Promise<Statements | undefined> {
  const found = await usedTarget(inquiry);
  if (found?.target.isNamed !== true) {
    const uses = await answerUses(inquiry);
    if (uses !== undefined) return uses;
  }
  if (found === undefined) return undefined;
  const { target, dependents, truncated } = found;
  const own = await targetSource(inquiry, target);
  const subject: Sentence = [nodePlace(inquiry, target.node), ...(own === undefined ? [] : [own])];
  const uses = productFirst(dependents.filter(({ node }) => node.key !== target.file));
  if (uses.length === 0) return withoutUses(inquiry, target, subject);
  const ofProduct = uses.filter((use) => !isTest(use)).length;
  const mentions = ofProduct < maxNamed ? await mentionsOf(inquiry, target, uses) : [];
  const shown = await Promise.all(
    uses
      .slice(0, maxNamed)
      .map(async ({ node, edge }) => ({ node, edge, source: await useSource(inquiry, node, edge) })),
  );
  const named = shown.map(({ node, edge, source }) => useText(inquiry, { node, edge }, source));
  const verb =
    mentions.length > 0
      ? 'used'
      : target.node.kind === 'file' || uses.every(({ edge }) => edge.kind === 'imports')
        ? 'imported'
        : verbOf(uses);
  const total = uses.length + mentions.length;
  const count = countText(total, uses.length - ofProduct, truncated);
  const ordered = [...named.slice(0, ofProduct), ...mentions, ...named.slice(ofProduct)].slice(0, maxNamed);
  return {
    lead: [[...subject, ` is ${verb} from ${count}: `, ...joined(ordered, total), '.']],
    reasons: [],
    sources: inquiry.code.slice(0, maxPassages),
    notes: [
      'Calls are resolved from the syntax of the files: one through a variable of unknown type may be missing.',
    ],
  };
}

function countText(total: number, tests: number, truncated: boolean): string {
  const isMixed = total > maxNamed && tests > 0 && tests < total;
  const among = isMixed ? `, ${tests} of them in tests` : '';
  return `${truncated ? 'at least ' : ''}${total} ${total === 1 ? 'place' : 'places'}${among}`;
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

/** Says that no use is known to the graph, and where the name occurs: it may be read by its name in a string. */
async function withoutUses(inquiry: Inquiry, { node }: Target, subject: Sentence): Promise<Statements> {
  const inText =
    node.kind === 'symbol' ? await answerUsesOf(inquiry, { name: node.name, verb: 'use' }) : undefined;
  if (inText !== undefined) return inText;
  const none = node.kind === 'symbol' ? 'No call or other use' : 'No import';
  const lead: Sentence = [`${none} of `, ...subject, ' was found.'];
  return { lead: [lead], reasons: [], sources: inquiry.code.slice(0, maxPassages), notes: [] };
}

/**
 * Finds the lines that mention a definition without calling it, such as a default value, in the files that import its
 * file.
 */
async function mentionsOf(
  inquiry: Inquiry,
  { node, file }: Target,
  known: readonly RelatedNode[],
): Promise<readonly Sentence[]> {
  if (node.kind !== 'symbol') return [];
  const { view, scope } = inquiry;
  const from = [file];
  const found = await step(view.graph, scope, { from, direction: 'in', kinds: ['imports'] });
  const importers = new Set(reached(found, from, ['file']).map((one) => one.node.key));
  const files = new Set(known.map((one) => fileOf(one.node)));
  const isNew = ({ source: { repositoryId, path } }: FoundUse): boolean => {
    const key = fileKey(repositoryId, path);
    return importers.has(key) && !files.has(key) && !isTestPath(path);
  };
  const uses = (await findUses(inquiry, node.name)).filter((use) => use.kinds.has('read') && isNew(use));
  return uses
    .filter(({ source }, index) => uses.findIndex((one) => one.source.path === source.path) === index)
    .map(({ source }): Sentence => [placeText(inquiry, source), source]);
}

function fileOf({ key }: GraphNode): string {
  const place = placeOfKey(key);
  return place === undefined ? key : fileKey(place.repositoryId, place.path);
}
