import { z } from 'zod';
import type { RenderedEntity } from '../../../src/features/connectors/entities/entity.ts';
import * as field from '../../../src/features/mirror/format/field-types.ts';
import { recordKind } from '../../../src/features/mirror/format/record-kind.ts';

const item = z.object({ id: field.id, name: field.line });

export const spaceRecords = recordKind({
  type: 'wikiSpaces',
  shape: z.object({ type: z.literal('wikiSpaces'), items: field.listOf(item, ({ id }) => id) }),
  files: 'wiki/spaces.yaml',
  entity: 'space',
  describe: ({ id, name }) => ({ id, title: name }),
});

/** Returns a space as one item of the list of all spaces. */
export function renderSpace(space: z.input<typeof item>): RenderedEntity {
  return {
    kind: 'space',
    id: space.id,
    updatedAt: '',
    origin: `space ${space.id}`,
    content: { list: spaceRecords.type, item: space },
    links: { label: space.name, names: [], references: [] },
    assets: [],
    parts: [],
  };
}
