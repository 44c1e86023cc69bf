import type { DataScope } from '../../foundation/kernel/org-scope.ts';

/**
 * The port of the knowledge graph. `GraphWriter` has one implementation, in SQL, which is the source of truth.
 * `GraphReader` has two, SQL and Neo4j, which return the same answers.
 */
export const nodeKinds = [
  'repo',
  'file',
  'symbol',
  'commit',
  'pr',
  'issue',
  'alias',
  'incident',
  'service',
  'person',
  'document',
  'project',
  'initiative',
  'cycle',
  'label',
  'team',
] as const;

/** Returns whether a word may be a kind of nodes: `issue`, or one that only a connector knows. */
export function isNodeKind(kind: string): boolean {
  return /^[a-z][a-z-]{0,39}$/.test(kind);
}

/** The kinds of edges, in alphabetical order, which is the order in which the edges of a node are read. */
export const edgeKinds = [
  'affects',
  'alias_of',
  'assigned_to',
  'authored_by',
  'blocked_by',
  'blocks',
  'calls',
  'child_of',
  'closes',
  'committed_by',
  'contains',
  'created_by',
  'depends_on',
  'duplicate',
  'duplicated_by',
  'fails_in',
  'has_member',
  'implements',
  'imports',
  'in_cycle',
  'in_initiative',
  'in_project',
  'in_team',
  'inherits',
  'labelled',
  'led_by',
  'mentions',
  'merged_into',
  'owned_by',
  'part_of',
  'related',
  'relates_to',
  'same_as',
  'similar',
  'touches',
  'updated_by',
  'uses',
] as const;

export type EdgeKind = (typeof edgeKinds)[number];

/** Plain values. `undefined` and null are not stored. */
export type Properties = Readonly<Record<string, string | number | boolean | null | undefined>>;

/** The facts that one unit (a file, a commit, an issue) asserts. */
export interface GraphFacts {
  readonly nodes: readonly NodeFact[];
  readonly edges: readonly EdgeFact[];
  readonly mentions: readonly Mention[];
}

export interface NodeFact {
  /** Begins with the kind and a colon: `file:<repositoryId>:<path>`. Contains no line number. */
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly props: Properties;
}

export interface EdgeFact {
  readonly from: string;
  /** One of `edgeKinds`. */
  readonly kind: string;
  readonly to: string;
  /** Id of the rule that found it. */
  readonly rule: string;
  /** Where: the field and the span. */
  readonly evidence: string;
  /** 0 to 100. */
  readonly confidence: number;
}

/**
 * An edge to a target that is known only by a name, such as an issue by its identifier. It becomes an edge while some
 * unit asserts an edge `alias_of` from the node `alias:<name>` to the target, whichever of the two arrives first.
 */
export interface Mention extends Omit<EdgeFact, 'to'> {
  readonly name: string;
}

/** The kind of the edge from an alias to the node that it names. */
export const aliasOf = 'alias_of';

/** Limits of what the graph stores and answers, which hold for commits that are read from Git as well. */
export const graphLimits = {
  /** Size of a key in bytes. */
  keyBytes: 1_024,
  /** Number of characters of a name. */
  name: 300,
  /** Number of characters of a rule or evidence. */
  reason: 500,
  /** Number of edges in an answer for each node of its limit. */
  edgesPerNode: 4,
  /** Confidence of an edge from a name that several nodes have. */
  ambiguousConfidence: 50,
} as const;

const codeKey = /^(?:repo|file|symbol|commit|pr):([^:]+)/;
const recordKey = /^(?!alias:|person:)[a-z-]+:([\da-f]{8}-[\da-f-]{27}):/;
const catalogKey = /^service:catalog:([^/]+)/;

/**
 * Returns the origin of a node: the id of the repository or connection in its key. `undefined` for what several
 * repositories may name, such as a person.
 */
export function originOfKey(key: string): string | undefined {
  return (codeKey.exec(key) ?? recordKey.exec(key) ?? catalogKey.exec(key))?.[1];
}

export interface GraphUnit {
  /** Unique in the organization. */
  readonly owner: string;
  readonly repositoryId: string;
  /**
   * Identifies the content of the unit: the blob of a file, the id of a commit. Not the commit that a file was read at,
   * because a rebuilt graph must equal the former one.
   */
  readonly revision: string;
  readonly facts: GraphFacts;
}

/**
 * Writes the graph of an organization. A write throws Unavailable (`graph_rebuilding`) if a process of another version
 * has recreated the store.
 */
export interface GraphWriter {
  /**
   * Replaces everything that each unit asserted. Idempotent. A unit is replaced whole or not at all; many units take
   * several transactions. Facts with a key of more than 1,024 bytes are left out and counted.
   * @throws TypeError for a kind or a confidence that does not exist, which is a programming error
   */
  replaceUnits(scope: DataScope, units: readonly GraphUnit[]): Promise<{ readonly dropped: number }>;
  removeUnits(scope: DataScope, owners: readonly string[]): Promise<void>;
  removeRepository(scope: DataScope, repositoryId: string): Promise<void>;
}

export interface GraphNode {
  readonly key: string;
  readonly kind: string;
  readonly name: string;
  readonly props: Properties;
}

/** An edge with the reason of the unit that asserts it with the highest confidence. */
export interface GraphEdge extends EdgeFact {
  /** The unit that asserts it, and the revision of its content. */
  readonly owner: string;
  readonly revision: string;
}

/** The store that answered. */
export interface GraphFreshness {
  readonly store: 'sql' | 'neo4j';
  /** Rises with each change of the organization's graph. A view of a part of it leaves it out. */
  readonly sequence?: number;
}

export interface Fresh {
  readonly freshness: GraphFreshness;
}

export interface GraphSearch {
  /** Finds names that begin with it, then names in which each of its words begins a word. */
  readonly text: string;
  /** Finds only names that are the text, in any case. */
  readonly whole?: boolean | undefined;
  readonly kinds?: readonly string[] | undefined;
  /** The only origins whose nodes are found. Default: all, and nodes without an origin. */
  readonly origins?: readonly string[] | undefined;
  readonly limit: number;
  readonly cursor?: string | undefined;
}

/**
 * The part of a graph that is read. The rest is as if it were not stored: it is not counted against a limit either.
 */
export interface GraphPart {
  /**
   * Only edges that units of these repositories assert, with the best reason of these units, between nodes of these
   * origins or of none. Default: all.
   */
  readonly origins?: readonly string[] | undefined;
}

export interface Traversal extends GraphPart {
  readonly from: readonly string[];
  readonly direction: 'out' | 'in' | 'both';
  /** Kinds of edges. Default: all. */
  readonly kinds?: readonly string[] | undefined;
  readonly depth: 1 | 2 | 3;
  /** Maximum number of edges of one node in each direction. */
  readonly perNode: number;
  /** Maximum number of nodes, including `from`. */
  readonly limit: number;
  /** Default: 30, which leaves out guesses among several candidates. */
  readonly minConfidence?: number | undefined;
}

export interface UsesSearch extends GraphPart {
  /** The whole name, in this case. */
  readonly name: string;
  /** Returns whether the evidence of an edge tells all lines of its uses: its source is not read then. */
  isPlaced(evidence: string): boolean;
}

/** The definitions of a name with what the graph knows of their uses. */
export interface NamedUses extends Fresh {
  readonly definitions: readonly GraphNode[];
  /**
   * Edges that call, use, inherit or import a definition, of any confidence, and those that certainly import the node
   * that contains a definition with no other name in front of it. One that several units assert may come with the
   * reason of each.
   */
  readonly edges: readonly EdgeFact[];
  /** The nodes at which edges start that do not tell their lines and do not import, and what these nodes contain. */
  readonly around: readonly GraphNode[];
  /** A limit left something out. */
  readonly truncated: boolean;
}

export interface PathSearch extends GraphPart {
  readonly from: string;
  readonly to: string;
  readonly maxDepth: number;
  /** Maximum number of paths. */
  readonly limit: number;
  readonly minConfidence?: number | undefined;
}

export interface SubGraph extends Fresh {
  readonly nodes: readonly GraphNode[];
  readonly edges: readonly GraphEdge[];
  /** A limit left something out. */
  readonly truncated: boolean;
}

/** A node that a unit asserts. */
export interface AssertedFact {
  readonly owner: string;
  /** Key of the node. */
  readonly key: string;
}

export interface GraphPath {
  /** From the start to the end. */
  readonly nodes: readonly GraphNode[];
  /** One fewer than `nodes`; each connects two neighbouring nodes, in either direction. */
  readonly edges: readonly GraphEdge[];
}

/**
 * Answers questions about the graph of an organization. A read that fails because a process of another version has
 * recreated the store throws Unavailable (`graph_rebuilding`).
 */
export interface GraphReader {
  /** Returns the nodes that exist, in the order of `keys`. */
  get(scope: DataScope, keys: readonly string[]): Promise<Fresh & { readonly nodes: readonly GraphNode[] }>;
  /** Finds nodes by name, a page at a time. @throws InvalidInput for a cursor that is not of this search */
  search(
    scope: DataScope,
    search: GraphSearch,
  ): Promise<Fresh & { readonly nodes: readonly GraphNode[]; readonly nextCursor: string | null }>;
  /** Follows edges breadth first. An edge whose other end nobody asserts is left out. */
  neighbours(scope: DataScope, traversal: Traversal): Promise<SubGraph>;
  /** Returns the definitions of a name with their uses. */
  uses(scope: DataScope, search: UsesSearch): Promise<NamedUses>;
  /** Returns the shortest paths; edges are followed in both directions. */
  paths(
    scope: DataScope,
    search: PathSearch,
  ): Promise<Fresh & { readonly paths: readonly GraphPath[]; readonly truncated: boolean }>;
  /** Returns nodes with the names and properties that some units assert, instead of the merged ones of all units. */
  asserted(
    scope: DataScope,
    facts: readonly AssertedFact[],
  ): Promise<Fresh & { readonly nodes: readonly GraphNode[] }>;
  /** Counts the nodes of each kind, and the different edges. */
  stats(
    scope: DataScope,
  ): Promise<Fresh & { readonly nodes: Readonly<Partial<Record<string, number>>>; readonly edges: number }>;
}
