import { z } from 'zod';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import { relatedEntities, searchEntities } from '../../../knowledge/ask-graph.ts';
import { type EntityRecord, notesOfPaths, type RelationRecord } from '../../../knowledge/entity-record.ts';
import { type Source, type SourceKind, sourceKinds } from '../../answer.ts';
import { shownLines } from '../../evidence/place-source.ts';
import { answerTool, type ToolContext } from './tool.ts';

const max = { entities: 12, related: 24 } as const;

export const findEntityTool = answerTool({
  name: 'find_entity',
  description:
    'Finds issues, incidents, services, people, projects, commits, files and symbols by the words of their names, with the keys that related needs.',
  args: z.strictObject({ text: z.string().min(1).max(200) }),
  async run({ text }, context) {
    const { deps, inquiry } = context;
    const { items } = await searchEntities(deps.knowledge, inquiry.scope, { text, limit: max.entities });
    const sources = items.map((entity) => entitySource(context, entity, []));
    return { sources, notes: sources.length === 0 ? ['Nothing has this name.'] : [] };
  },
});

export const relatedTool = answerTool({
  name: 'related',
  description:
    'Returns what an entity is connected with, and why: who certainly or possibly calls a function, who owns a file, what an issue or incident touches.',
  args: z.strictObject({
    entity: z.string().min(1).max(3072).describe('A key, or an identifier such as ENG-123.'),
    direction: z.enum(['out', 'in', 'both']).default('both'),
  }),
  async run({ entity, direction }, context) {
    const { deps, inquiry } = context;
    const question = { entity, direction, depth: 1, limit: max.related } as const;
    const { scope, signal } = inquiry;
    const { key, nodes, edges, truncated } = await relatedEntities(deps.knowledge, scope, question, signal);
    const [asked, others] = [nodes.filter((node) => node.key === key), nodes.filter((n) => n.key !== key)];
    const sources = [
      ...asked.map((node) => entitySource(context, node, edges)),
      ...others.map((node) => entitySource(context, node, [])),
    ];
    const notes = [...(truncated ? ['There are more connections.'] : []), ...asked.flatMap(notesOfPaths)];
    return { sources, notes };
  },
});

function entitySource(
  { deps, inquiry }: ToolContext,
  { key, kind, name, uri, repository, properties }: EntityRecord,
  edges: readonly RelationRecord[],
): Source {
  const page = deps.urls.entity(inquiry.scope, key);
  const facts = Object.entries(properties).map(([label, value]) => `${label}: ${value}`);
  const relations = edges.map(
    ({ from, kind: relation, to, rule, evidence, confidence, certainty }) =>
      `${from} ${certainty === 'certain' ? '' : 'possibly '}${relation} ${to} (${rule}${evidence === '' ? '' : `: ${evidence}`}; ${confidence} %)`,
  );
  return {
    kind: sourceKinds.find((known): known is SourceKind => known === kind) ?? 'entity',
    ...(repository === null ? {} : { repository }),
    address: uri ?? page,
    uri: uri ?? page,
    url: page,
    title: visibleLine(`${kind} ${name}`).slice(0, 300).toWellFormed(),
    excerpt: shownLines([`key: ${key}`, ...facts, ...relations]),
    reason: edges.length === 0 ? 'knowledge graph' : 'connections in the knowledge graph',
  };
}
