import type {
  EdgeFact,
  EdgeKind,
  GraphFacts,
  Mention,
  NodeFact,
  Properties,
} from '../../../backends/graph/port.ts';

/** The reason for an edge. */
export interface Reason {
  readonly rule: string;
  readonly evidence: string;
  readonly confidence: number;
}

/** Maximum number of edges and mentions of a unit. One with more is generated. */
const maxLinks = 10_000;

/** Collects the facts of a unit. */
export class FactList implements GraphFacts {
  readonly nodes: NodeFact[] = [];
  readonly edges: EdgeFact[] = [];
  readonly mentions: Mention[] = [];

  /** Adds a node, whose kind begins its key, and returns its key. */
  node(key: string, name: string, props: Properties = {}): string {
    this.nodes.push({ key, kind: key.slice(0, key.indexOf(':')), name, props });
    return key;
  }

  edge(from: string, kind: EdgeKind, to: string, reason: Reason): void {
    if (from !== to && this.#hasRoom()) this.edges.push({ from, kind, to, ...reason });
  }

  /** Adds an edge to whatever has a name, now or later. */
  mention(from: string, kind: EdgeKind, name: string, reason: Reason): void {
    if (this.#hasRoom()) this.mentions.push({ from, kind, name, ...reason });
  }

  /** Gives a node a further name, by which mentions find it. */
  alias(name: string, of: string, rule: string): void {
    this.edge(`alias:${name}`, 'alias_of', of, { rule, evidence: '', confidence: 100 });
  }

  #hasRoom(): boolean {
    return this.edges.length + this.mentions.length < maxLinks;
  }
}
