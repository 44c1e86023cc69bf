import { z } from 'zod';
import { flag, id, line, listOf, named, url } from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';

const item = z.object({
  id,
  name: line,
  url,
  description: line.optional(),
  escalationPolicy: named.optional(),
  disabled: flag,
});

export const serviceRecords = recordKind({
  type: 'services',
  shape: z.object({ type: z.literal('services'), items: listOf(item, (value) => value.id) }),
  files: 'oncall/services.yaml',
  entity: 'service',
  describe: ({ items }) =>
    items.map(({ id: own, name, description, disabled, url: page }) => ({
      id: own,
      title: name,
      catalogId: own,
      properties: { url: page, description, disabled },
    })),
});
