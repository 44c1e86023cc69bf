import { z } from 'zod';
import { flag, id, line, listOf } from '../../../mirror/format/field-types.ts';
import { linkTo, recordKind } from '../../../mirror/format/record-kind.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id,
  key: id,
  name: line,
  description: line.optional(),
  /** Key of the team that it is part of. */
  parent: id.optional(),
  /** True if only members see it. */
  private: flag,
});

const record = recordKind({
  type: 'teams',
  shape: z.object({ type: z.literal('teams'), items: listOf(item, (value) => value.id) }),
  files: 'tracker/teams.yaml',
  entity: 'team',
  describe: ({ items }) =>
    items.map(({ key, name, description, parent }) => ({
      id: key,
      title: name,
      properties: { description },
      refersTo: linkTo('child_of', 'parent', 'team', parent),
    })),
});

/** Teams are always mirrored, because the others refer to them. */
export const team = trackerKind({
  kind: 'team',
  list: 'teams',
  one: 'team',
  filter: 'TeamFilter',
  shape: z.object({
    id: answer.text,
    key: answer.text,
    name: answer.text,
    description: maybe(answer.text),
    /** `public`, `private`, or `restricted`: not private, inside a private team. */
    visibility: answer.text,
    ...answer.dates,
    parent: maybe(answer.teamReference),
  }),
  scope: { isOn: () => true },
  factsOf: (entity) => ({ teams: [entity.id] }),
  record,
  render: ({ parent, visibility, ...entity }) => ({
    id: entity.id,
    key: entity.key,
    name: entity.name,
    description: entity.description,
    parent: parent?.key,
    private: visibility !== 'public',
  }),
  titleOf: ({ key }) => key,
});
