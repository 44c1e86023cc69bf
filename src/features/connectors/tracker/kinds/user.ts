import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id: field.id,
  name: field.personName,
  displayName: field.personName.optional(),
  url: field.url,
  /** True if the account was closed. */
  disabled: field.flag,
});

export const user = trackerKind({
  name: 'user',
  shape: z.object({
    ...answer.texts('id', 'name', 'displayName', 'url'),
    active: z.boolean(),
    ...answer.dates,
  }),
  isOn: ({ users }) => users,
  arguments: 'includeDisabled: true',
  scope: { isOfNoTeam: true, staysArchived: true },
  isSweptWhole: true,
  record: recordKind({
    type: 'users',
    shape: z.object({ type: z.literal('users'), items: field.listOf(item, (value) => value.id) }),
    files: 'tracker/users.yaml',
    mentionedOnly: true,
    describe: ({ id, name, ...properties }) => ({ kind: 'person', id, title: name, properties }),
  }),
  render: ({ active, ...rest }) => ({ ...rest, disabled: !active }),
  titleOf: ({ name }) => name,
});
