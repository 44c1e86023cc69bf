import { compareText } from '../../../foundation/kernel/text/compare-text.ts';
import {
  type EdgeFact,
  type GraphFacts,
  graphLimits,
  type Mention,
  type NodeFact,
  type Properties,
} from '../port.ts';
import { edgeKindNumber, kindOfKey, nodeNumberOfKey } from './kind-numbers.ts';

/** The facts of a unit as they are stored: at most one of each node, edge and mention. */
export interface CleanFacts {
  readonly nodes: readonly CleanNode[];
  readonly edges: readonly EdgeFact[];
  readonly mentions: readonly CleanMention[];
  /** Number of facts that were left out because of a key that is too long. */
  readonly dropped: number;
}

export interface CleanNode {
  readonly key: string;
  readonly name: string;
  /** Ordered by name, without values that are not stored. */
  readonly props: Properties;
}

/** A mention with the key of its alias. */
export interface CleanMention extends EdgeFact {
  readonly name: string;
}

/**
 * Orders and deduplicates facts, so that what is stored depends only on what is asserted. Characters that Postgres
 * refuses are replaced. @throws TypeError for a kind or a confidence that does not exist, which is a programming error
 */
export function cleanFacts({ nodes, edges, mentions }: GraphFacts): CleanFacts {
  const cleanNodes = nodes.map(cleanNode);
  const cleanEdges = edges.map(cleanEdge);
  const cleanMentions = mentions.map(cleanMention);
  const keptNodes = cleanNodes.filter(({ key }) => fits(key));
  const keptEdges = cleanEdges.filter(({ from, to }) => fits(from) && fits(to));
  const keptMentions = cleanMentions.filter(({ from, to }) => fits(from) && fits(to));
  return {
    nodes: firstOfEach(keptNodes, ({ key }) => key, compareNodes),
    edges: firstOfEach(keptEdges, ({ from, kind, to }) => `${from}\n${kind}\n${to}`, compareReasons),
    mentions: firstOfEach(keptMentions, ({ from, kind, to }) => `${from}\n${kind}\n${to}`, compareReasons),
    dropped:
      cleanNodes.length -
      keptNodes.length +
      (cleanEdges.length - keptEdges.length) +
      (cleanMentions.length - keptMentions.length),
  };
}

/** Orders the reasons of one edge, the best first. */
export function compareReasons(
  a: Pick<EdgeFact, 'confidence' | 'rule' | 'evidence'>,
  b: Pick<EdgeFact, 'confidence' | 'rule' | 'evidence'>,
): number {
  return b.confidence - a.confidence || compareText(a.rule, b.rule) || compareText(a.evidence, b.evidence);
}

/** Orders the facts of one node: the one with the most properties first. */
export function compareNodes(
  a: Pick<CleanNode, 'name' | 'props'>,
  b: Pick<CleanNode, 'name' | 'props'>,
): number {
  const [own, other] = [JSON.stringify(a.props), JSON.stringify(b.props)];
  return other.length - own.length || compareText(own, other) || compareText(a.name, b.name);
}

function cleanNode({ key, kind, name, props }: NodeFact): CleanNode {
  nodeNumberOfKey(key);
  if (kindOfKey(key) !== kind) throw new TypeError(`no key of a ${kind}: ${key}`);
  return { key: cleanText(key), name: cut(cleanText(name), graphLimits.name), props: cleanProps(props) };
}

function cleanEdge({ from, kind, to, rule, evidence, confidence }: EdgeFact): EdgeFact {
  edgeKindNumber(kind);
  for (const key of [from, to]) nodeNumberOfKey(key);
  if (!Number.isInteger(confidence) || confidence < 0 || confidence > 100)
    throw new TypeError(`no confidence: ${confidence}`);
  return {
    from: cleanText(from),
    kind,
    to: cleanText(to),
    rule: cut(cleanText(rule), graphLimits.reason),
    evidence: cut(cleanText(evidence), graphLimits.reason),
    confidence,
  };
}

function cleanMention({ name, ...rest }: Mention): CleanMention {
  return { ...cleanEdge({ ...rest, to: `alias:${name}` }), name };
}

function fits(key: string): boolean {
  // A character takes at most three bytes; counting them takes longer.
  return key.length * 3 <= graphLimits.keyBytes || Buffer.byteLength(key) <= graphLimits.keyBytes;
}

/** Replaces what Postgres does not store: NUL, and halves of surrogate pairs. */
function cleanText(text: string): string {
  return text.isWellFormed() && !text.includes('\0')
    ? text
    : text.toWellFormed().replaceAll('\0', '\u{FFFD}');
}

/** Cuts a text, but not within a surrogate pair. */
function cut(text: string, length: number): string {
  return text.length <= length ? text : text.slice(0, length).replace(/[\uD800-\uDBFF]$/, '');
}

/** Orders properties, and leaves out what is not stored. */
export function cleanProps(props: Properties): Properties {
  const given = Object.entries(props).filter(([, value]) => value !== undefined && value !== null);
  const clean = given.map(([name, value]) => [name, typeof value === 'string' ? cleanText(value) : value]);
  return Object.fromEntries(clean.toSorted(([a], [b]) => compareText(String(a), String(b)))) as Properties;
}

function firstOfEach<Fact>(
  facts: readonly Fact[],
  identity: (fact: Fact) => string,
  compare: (a: Fact, b: Fact) => number,
): readonly Fact[] {
  const first = new Map<string, Fact>();
  for (const fact of facts) {
    const id = identity(fact);
    const known = first.get(id);
    if (known === undefined || compare(fact, known) < 0) first.set(id, fact);
  }
  return [...first.values()];
}
