import { z } from 'zod';
import { id, line, listOf } from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const item = z.object({
  id,
  name: line,
  /** Key of the team; absent for a label of the workspace. */
  team: id.optional(),
  /** Id of the group of labels. */
  parent: id.optional(),
  color: line.optional(),
  description: line.optional(),
});

const record = recordKind({
  type: 'labels',
  shape: z.object({ type: z.literal('labels'), items: listOf(item, (value) => value.id) }),
  files: 'tracker/labels.yaml',
  mentionedOnly: true,
  entity: 'label',
  describe: ({ items }) => items.map(({ name, color }) => ({ id: name, title: name, properties: { color } })),
});

export const label = trackerKind({
  kind: 'issue-label',
  list: 'issueLabels',
  one: 'issueLabel',
  filter: 'IssueLabelFilter',
  event: 'IssueLabel',
  shape: z.object({
    id: answer.text,
    name: answer.text,
    color: answer.text,
    description: maybe(answer.text),
    isGroup: z.boolean(),
    ...answer.dates,
    parent: maybe(answer.named),
    /** Absent for a label of the workspace. */
    team: maybe(answer.teamReference),
  }),
  scope: { isOn: ({ labels }) => labels, isOfNoTeam: true },
  factsOf: ({ team }) => ({ teams: team === undefined ? [] : [team.id] }),
  record,
  render: ({ team, parent, ...entity }) => ({
    id: entity.id,
    name: entity.name,
    team: team?.key,
    parent: parent?.id,
    color: entity.color,
    description: entity.description,
  }),
  titleOf: ({ name }) => name,
});
