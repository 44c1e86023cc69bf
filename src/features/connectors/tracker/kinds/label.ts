import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id: field.id,
  name: field.line,
  /** Key of the team; absent for a label of the workspace. */
  team: field.id.optional(),
  /** Id of the group of labels. */
  parent: field.id.optional(),
  color: field.line.optional(),
  description: field.line.optional(),
});

export const label = trackerKind({
  name: 'issue-label',
  shape: z.object({
    ...answer.texts('id', 'name', 'color'),
    ...answer.optionalTexts('description'),
    ...answer.dates,
    parent: maybe(answer.named),
    /** Absent for a label of the workspace. */
    team: maybe(answer.teamReference),
  }),
  isOn: ({ labels }) => labels,
  scope: { isOfNoTeam: true },
  factsOf: ({ team }) => ({ teams: team === undefined ? [] : [team.id] }),
  isSweptWhole: true,
  record: recordKind({
    type: 'labels',
    shape: z.object({ type: z.literal('labels'), items: field.listOf(item, (value) => value.id) }),
    files: 'tracker/labels.yaml',
    mentionedOnly: true,
    entity: 'label',
    describe: ({ name, color }) => ({ id: name, title: name, properties: { color } }),
  }),
  render: ({ team, parent, ...rest }) => ({ ...rest, team: team?.key, parent: parent?.id }),
  titleOf: ({ name }) => name,
});
