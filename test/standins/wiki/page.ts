import { z } from 'zod';
import type { RenderedEntity } from '../../../src/features/connectors/entities/entity.ts';
import * as field from '../../../src/features/mirror/format/field-types.ts';
import { normalizeRecord } from '../../../src/features/mirror/format/print-record.ts';
import { commentSection, recordKind } from '../../../src/features/mirror/format/record-kind.ts';
import { safeName } from '../../../src/features/mirror/format/safe-name.ts';

const comment = z.object({
  id: field.id,
  author: field.person.optional(),
  createdAt: field.time,
  body: field.text,
});

export const pageRecords = recordKind({
  type: 'wikiPage',
  shape: z.object({
    id: field.id,
    url: field.url,
    title: field.line,
    type: z.literal('wikiPage'),
    space: field.id,
    parent: field.id.optional(),
    author: field.person.optional(),
    reviewed: field.date.optional(),
    createdAt: field.time,
    body: field.text,
    comments: field.listOf(comment, field.oldestFirst),
  }),
  files: 'wiki/pages/*/*.md',
  names: ({ space, id }) => [safeName(space, 'upper'), safeName(id, 'lower')],
  sections: [commentSection],
  entity: 'page',
  people: { author: 'created_by' },
  links: { space: ['part_of', 'space'], parent: ['child_of', 'page'] },
  describe: ({ id, title }) => ({ id, title, identifier: `WIKI-${id}`, names: [`WIKI-${id}`] }),
});

/** Returns a page as the mirror stores it. */
export function renderPage(page: Omit<z.input<typeof pageRecords.shape>, 'type'>): RenderedEntity {
  return {
    kind: 'page',
    id: page.id,
    updatedAt: page.createdAt,
    origin: `page ${page.id}`,
    content: { record: normalizeRecord(pageRecords, { ...page, type: 'wikiPage' }) },
    links: { label: page.title, names: [`page ${page.id}`], references: [] },
    assets: [],
    parts: [],
  };
}
