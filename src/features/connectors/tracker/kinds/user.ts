import { z } from 'zod';
import { flag, id, listOf, personName, url } from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id,
  name: personName,
  displayName: personName.optional(),
  url,
  /** True if the account was closed. */
  disabled: flag,
});

const record = recordKind({
  type: 'users',
  shape: z.object({ type: z.literal('users'), items: listOf(item, (value) => value.id) }),
  files: 'tracker/users.yaml',
  mentionedOnly: true,
  describe: ({ items }) =>
    items.map(({ id: own, name, ...properties }) => ({ kind: 'person', id: own, title: name, properties })),
});

export const user = trackerKind({
  kind: 'user',
  list: 'users',
  one: 'user',
  filter: 'UserFilter',
  arguments: 'includeDisabled: true',
  event: 'User',
  shape: z.object({
    id: answer.text,
    name: answer.text,
    displayName: answer.text,
    email: answer.text,
    url: answer.text,
    active: z.boolean(),
    ...answer.dates,
  }),
  scope: { isOn: ({ users }) => users, isShared: true, staysArchived: true },
  record,
  render: ({ active, ...entity }) => ({
    id: entity.id,
    name: entity.name,
    displayName: entity.displayName,
    url: entity.url,
    disabled: !active,
  }),
  titleOf: ({ name }) => name,
});
