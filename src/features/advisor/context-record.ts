import { z } from 'zod';
import { entityRecord, toEntity } from '../knowledge/entity-record.ts';
import { freshnessRecord, type Source, sourceRecord } from './answer.ts';
import type { Pack } from './collect-pack.ts';
import { passageSource } from './evidence/passage-source.ts';
import { freshnessOf } from './write/write-pack.ts';

/** One piece of evidence, with its text. */
const evidenceRecord = z.object({
  rank: z.int().describe('1 for the best.'),
  ...sourceRecord.omit({ address: true, reason: true }).shape,
  score: z.number(),
  reasons: z.array(z.string()).readonly(),
});

/** The evidence for a prompt (contract section 3, `POST /context`). */
export const contextRecord = z
  .object({
    items: z.array(evidenceRecord).readonly(),
    entities: z
      .array(entityRecord)
      .readonly()
      .describe('Entities of the knowledge graph that the prompt names.'),
    truncated: z.boolean().describe('True if the limit or the token budget shortened the list.'),
    freshness: z.array(freshnessRecord).readonly(),
  })
  .meta({ id: 'ContextPack' });

export type ContextRecord = z.output<typeof contextRecord>;

export interface ContextLimits {
  /** Maximum number of items: 1 to 100. Default: 20. */
  readonly limit?: number | undefined;
  /** Budget in tokens of four characters: 200 to 32,000. Default: 8,000. */
  readonly budgetTokens?: number | undefined;
}

/** Maximum length of the text of a passage, in characters. */
const maxPassage = 4_000;
/** Characters that an item costs besides its text: its address, title and reasons. */
const overheadCharacters = 160;

/** Returns what was found within a budget: the sources of the exact answer, then passages, best first. */
export function toContextRecord(
  pack: Pack,
  { limit = 20, budgetTokens = 8_000 }: ContextLimits,
): ContextRecord {
  const { inquiry, finding } = pack;
  const passages = inquiry.ranked.passages.best
    .map((passage) => passageSource(inquiry, passage, maxPassage))
    .filter((source) => source !== undefined);
  const stated = (finding?.lines ?? []).flat().filter((piece) => typeof piece !== 'string');
  const all = [
    ...new Map<string, Source>([...stated, ...passages].map((source) => [source.uri, source])).values(),
  ];
  const items: ContextRecord['items'][number][] = [];
  let left = budgetTokens * 4;
  for (const source of all) {
    const cost = source.excerpt.length + overheadCharacters;
    if (items.length >= limit || cost > left) continue;
    left -= cost;
    const rank = items.length + 1;
    const reasons = source.reason === '' ? [] : [source.reason];
    items.push(evidenceRecord.parse({ ...source, reasons, rank, score: source.score ?? 1 / rank }));
  }
  return {
    items,
    entities: entitiesOf(inquiry),
    truncated: items.length < all.length,
    freshness: freshnessOf(pack, items),
  };
}

/** Maximum number of definitions of a name that are listed. */
const maxSymbols = 5;

function entitiesOf({ named, view }: Pack['inquiry']): readonly z.output<typeof entityRecord>[] {
  const { issues, incidents, commits, pulls, files, symbols } = named;
  const places = [...files, ...symbols.slice(0, maxSymbols)].map(({ node }) => node);
  const nodes = [...issues, ...incidents, ...commits, ...pulls, ...places];
  return nodes.map((node) => toEntity(view.repositories, node));
}
