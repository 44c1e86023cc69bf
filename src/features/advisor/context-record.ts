import { z } from 'zod';
import { isoTime } from '../../foundation/kernel/clock.ts';
import { entityRecord } from '../knowledge/entity-record.ts';
import { freshnessOf } from './answer/write-answer.ts';
import { type Freshness, sourceKinds } from './answer.ts';
import type { Pack } from './collect-pack.ts';

/** One piece of evidence, with its text. Fields of a place in the code are absent for a source of another kind. */
const evidenceRecord = z.object({
  rank: z.int().describe('1 for the best.'),
  kind: z.enum(sourceKinds),
  repository: z.string().optional(),
  path: z.string().optional(),
  startLine: z.int().optional(),
  endLine: z.int().optional(),
  commit: z.string().optional(),
  uri: z.string(),
  url: z.string(),
  title: z.string(),
  excerpt: z.string(),
  score: z.number(),
  reasons: z.array(z.string()).readonly(),
});

/** The state of the index of one repository that an answer is based on. */
export const freshnessRecord = z.object({
  repository: z.string(),
  indexedCommit: z.string(),
  indexedAt: z.iso.datetime(),
});

export type FreshnessRecord = z.output<typeof freshnessRecord>;

export function toFreshnessRecord(freshness: Freshness): FreshnessRecord {
  return { ...freshness, indexedAt: isoTime(freshness.indexedAt) };
}

/** The evidence for a prompt (contract section 3, `POST /context`). */
export const contextRecord = z
  .object({
    items: z.array(evidenceRecord).readonly(),
    entities: z
      .array(entityRecord)
      .readonly()
      .describe('Entities of the knowledge graph that the prompt names.'),
    truncated: z.boolean().describe('True if the limit or the token budget shortened the list.'),
    freshness: z.array(freshnessRecord),
  })
  .meta({ id: 'ContextPack' });

export type ContextRecord = z.output<typeof contextRecord>;

export function toContextRecord(pack: Pack): ContextRecord {
  const { items, entities, truncated } = pack;
  return {
    items: items.map((item) => evidenceRecord.parse(item)),
    entities,
    truncated,
    freshness: freshnessOf(pack, items).map(toFreshnessRecord),
  };
}
