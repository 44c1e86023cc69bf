import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id: field.id,
  key: field.id,
  name: field.line,
  description: field.line.optional(),
  /** Key of the team that it is part of. */
  parent: field.id.optional(),
  /** True if only members see it. */
  private: field.flag,
});

/** Teams are always mirrored, because the others refer to them. */
export const team = trackerKind({
  name: 'team',
  shape: z.object({
    ...answer.texts('id', 'key', 'name'),
    ...answer.optionalTexts('description'),
    /** `public`, `private`, or `restricted`: not private, inside a private team. */
    visibility: answer.text,
    ...answer.dates,
    parent: maybe(answer.teamReference),
  }),
  isOn: () => true,
  withoutEvents: true,
  scope: {},
  factsOf: (entity) => ({ teams: [entity.id] }),
  isSweptWhole: true,
  record: recordKind({
    type: 'teams',
    shape: z.object({ type: z.literal('teams'), items: field.listOf(item, (value) => value.id) }),
    files: 'tracker/teams.yaml',
    entity: 'team',
    links: { parent: ['child_of', 'team'] },
    describe: ({ key, name, description }) => ({ id: key, title: name, properties: { description } }),
  }),
  render: ({ parent, visibility, ...rest }) => ({
    ...rest,
    parent: parent?.key,
    private: visibility !== 'public',
  }),
  titleOf: ({ key }) => key,
});
