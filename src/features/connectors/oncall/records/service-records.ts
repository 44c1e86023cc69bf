import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';

const item = z.object({
  id: field.id,
  name: field.line,
  url: field.url,
  description: field.line.optional(),
  escalationPolicy: field.named.optional(),
  disabled: field.flag,
});

export const serviceRecords = recordKind({
  type: 'services',
  shape: z.object({ type: z.literal('services'), items: field.listOf(item, (value) => value.id) }),
  files: 'oncall/services.yaml',
  entity: 'service',
  describe: ({ id, name, url, description, disabled }) => ({
    id,
    title: name,
    catalogId: id,
    properties: { url, description, disabled },
  }),
});
