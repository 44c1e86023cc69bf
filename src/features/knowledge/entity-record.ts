import { z } from 'zod';
import type { Fresh, GraphEdge, GraphNode } from '../../backends/graph/port.ts';
import { isoTime } from '../../foundation/kernel/clock.ts';
import { pageRecord } from '../../foundation/kernel/wire/page-record.ts';
import { certainties, certaintyOf } from './certainty.ts';
import { entityUri } from './entity-uri.ts';
import { repositoryOfKey } from './queries/key-origin.ts';
import type { RelatedNode } from './queries/related-node.ts';

/** An entity of the knowledge graph. */
export const entityRecord = z
  .object({
    key: z.string().describe('Percent-encode it in a path.'),
    kind: z.string().describe('Such as `file`, `symbol`, `commit`, `person`, or a kind of mirrored records.'),
    name: z.string(),
    url: z.string().nullable().describe('Page of the entity at its provider.'),
    uri: z.string().nullable().describe('MCP resource of the entity.'),
    repository: z
      .string()
      .nullable()
      .describe('Name of the repository of a file, symbol, commit or pull request.'),
    properties: z
      .record(z.string(), z.union([z.string(), z.number(), z.boolean()]))
      .describe('A commit has `truncated` if it changed more paths than the 1,000 that are linked.'),
  })
  .meta({ id: 'Entity' });

/** An edge and why it exists. */
export const relationRecord = z
  .object({
    from: z.string(),
    kind: z.string(),
    to: z.string(),
    rule: z.string().describe('The rule that found it.'),
    evidence: z.string().describe('Where it was found.'),
    confidence: z.int().min(0).max(100),
    certainty: z
      .enum(certainties)
      .describe(
        '`certain`: it follows from the code or text. `possible`: one of several, or only the name fits.',
      ),
  })
  .meta({ id: 'Relation' });

const freshnessRecord = z
  .object({
    store: z.enum(['sql', 'neo4j']),
    sequence: z
      .int()
      .optional()
      .describe(
        'Rises with each change of the graph. Left out for an API key that is limited to repositories.',
      ),
  })
  .meta({ id: 'GraphFreshness' });

export const entityPageRecord = pageRecord(entityRecord)
  .extend({ freshness: freshnessRecord })
  .meta({ id: 'EntityPage' });

/** An entity and what it is connected with. */
export const relatedRecord = z
  .object({
    key: z.string().describe('Key of the entity that the question named.'),
    nodes: z.array(entityRecord).describe('Includes the entity itself.'),
    edges: z.array(relationRecord).describe('Certain edges, then the possible ones of the entity itself.'),
    certain: z.int().describe('Number of certain edges in the answer.'),
    possible: z.int().describe('Number of possible edges in the answer.'),
    truncated: z.boolean().describe('A limit of the question left something out.'),
    freshness: freshnessRecord,
  })
  .meta({ id: 'RelatedEntities' });

const reasonedRecord = z.object({ entity: entityRecord, edge: relationRecord });

/** The entities that a change of a file or symbol touches. */
export const impactRecord = z
  .object({
    target: entityRecord,
    dependents: z
      .array(reasonedRecord)
      .describe('Symbols and files that certainly call, use, inherit or import it.'),
    possible: z
      .int()
      .describe(
        'Number of symbols and files that possibly call or use it, which are not followed. `related` lists them.',
      ),
    owners: z.array(reasonedRecord),
    commits: z.array(reasonedRecord),
    issues: z.array(reasonedRecord).describe('Open issues.'),
    incidents: z.array(reasonedRecord).describe('Open incidents.'),
    truncated: z.boolean().describe('A limit left something out.'),
    freshness: freshnessRecord,
  })
  .meta({ id: 'Impact' });

export type EntityRecord = z.output<typeof entityRecord>;
export type RelationRecord = z.output<typeof relationRecord>;

/** Creates records; `repositories` has the names of the repositories by id. */
export function toEntity(repositories: ReadonlyMap<string, string>, node: GraphNode): EntityRecord {
  const { url, connector: _, ...props } = node.props;
  const repository = repositories.get(repositoryOfKey(node.key) ?? '') ?? null;
  const properties: Record<string, string | number | boolean> = {};
  for (const [name, value] of Object.entries(props)) {
    if (value !== undefined && value !== null) properties[name] = value;
  }
  // The graph has the time of a commit in seconds, as Git does.
  if (node.kind === 'commit' && typeof props['time'] === 'number')
    properties['time'] = isoTime(props['time'] * 1000);
  return {
    key: node.key,
    kind: node.kind,
    name: node.name,
    url: typeof url === 'string' ? url : null,
    uri: entityUri(node, repository),
    repository,
    properties,
  };
}

/** Returns a note if the entity is a commit that changed more paths than are linked, which no other question finds. */
export function notesOfPaths({ properties }: Pick<EntityRecord, 'properties'>): readonly string[] {
  return properties['truncated'] === true
    ? [`This commit changed ${properties['changed']} paths, more than are linked with it.`]
    : [];
}

export function toRelation({ from, kind, to, rule, evidence, confidence }: GraphEdge): RelationRecord {
  return { from, kind, to, rule, evidence, confidence, certainty: certaintyOf({ confidence }) };
}

export function toReasoned(
  repositories: ReadonlyMap<string, string>,
  related: readonly RelatedNode[],
): z.output<typeof reasonedRecord>[] {
  return related.map(({ node, edge }) => ({ entity: toEntity(repositories, node), edge: toRelation(edge) }));
}

export function toFreshness({ freshness }: Fresh): z.output<typeof freshnessRecord> {
  return { ...freshness };
}
