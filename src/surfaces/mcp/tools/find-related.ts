import { z } from 'zod';
import { relatedEntities } from '../../../features/knowledge/ask-graph.ts';
import { notesOfPaths } from '../../../features/knowledge/entity-record.ts';
import { counted } from '../../../foundation/kernel/text/counted.ts';
import { entityArgument, entityOfAddress } from '../entities/entity-of-address.ts';
import { entityLine, relationLine } from '../entities/entity-text.ts';
import { withGraphNotes } from './graph-notes.ts';
import { defineTool, fitting, type ToolContext } from './tool.ts';

const usual = 30;

const input = z.object({
  entity: entityArgument,
  kinds: z
    .array(z.string().max(40))
    .max(20)
    .optional()
    .describe('Only these edges, such as calls, imports, mentions, closes, owned_by, affects, touches.'),
  direction: z.enum(['out', 'in', 'both']).default('both').describe('Edges from the entity, to it, or both.'),
  depth: z.int().min(1).max(2).default(1),
  limit: z.int().min(1).max(100).default(usual).describe('Other entities.'),
});

export const findRelated = defineTool({
  name: 'find_related',
  description:
    'Returns what a file, symbol, commit, issue, incident or person is connected with, and why: callers, owners, changes, incidents. ' +
    'Each edge has its rule, evidence, confidence and certainty; a possible call is not known to be one.',
  input,
  run: (question, context) => withGraphNotes(context, (notes) => relatedText(question, context, notes)),
});

async function relatedText(
  question: z.infer<typeof input>,
  { deps, access, signal }: ToolContext,
  notes: readonly string[],
): Promise<string> {
  const entity = await entityOfAddress(deps, access.scope, question.entity, signal);
  return fitting({ limit: question.limit, isLarge: question.limit > usual }, async (limit) => {
    const request = { ...question, entity, limit, depth: question.depth as 1 | 2 };
    const found = await relatedEntities(deps.knowledge, access.scope, request, signal);
    const { key, nodes, edges, certain, possible } = found;
    const own = nodes.filter((node) => node.key === key);
    const last = [
      ...(found.truncated || limit < question.limit
        ? ['(A limit left something out: name kinds or a direction, or ask for a larger limit.)']
        : []),
      ...own.flatMap(notesOfPaths),
      ...notes,
    ];
    const byKey = new Map(nodes.map((node) => [node.key, node]));
    const first = `${counted(edges.length, 'edge')}: ${certain} certain, ${possible} possible.`;
    const lines = edges.map((edge) => relationLine(edge, byKey, key));
    return [first, ...own.map(entityLine), ...lines, ...last].join('\n');
  });
}
