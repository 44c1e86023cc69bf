import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import * as answer from './answer-fields.ts';
import * as fields from './record-fields.ts';
import { trackerKind } from './tracker-kind.ts';

export const cycle = trackerKind({
  name: 'cycle',
  shape: z.object({
    ...answer.texts('id', 'startsAt', 'endsAt'),
    ...answer.optionalTexts('name', 'description', 'completedAt'),
    number: z.number(),
    ...answer.dates,
    team: answer.teamReference,
  }),
  isOn: ({ cycles }) => cycles,
  scope: { isDated: true, isOfTeams: true, filter: (inTeams) => ({ team: inTeams }) },
  factsOf: ({ team }) => ({ teams: [team.id] }),
  record: recordKind({
    type: 'cycle',
    shape: z.object({
      id: field.id,
      number: z.int().min(0),
      url: field.url,
      title: field.line.optional(),
      type: z.literal('cycle'),
      /** Key of the team. */
      team: field.id,
      startsAt: field.time,
      endsAt: field.time,
      completedAt: field.time.optional(),
      ...fields.dates,
      body: field.text,
    }),
    files: 'tracker/cycles/*/*.md',
    names: ({ team, number }) => [safeName(team, 'upper'), String(number)],
    entity: 'cycle',
    links: { team: ['in_team', 'team'] },
    describe: ({ team, number, title, startsAt, endsAt }) => {
      const id = `${team}/${number}`;
      return { id, title: title ?? `Cycle ${id}`, properties: { startsAt, endsAt } };
    },
  }),
  render: (entity) => ({
    ...entity,
    title: entity.name,
    team: entity.team.key,
    body: entity.description ?? '',
  }),
  titleOf: ({ team, number }) => `${team.key}/${number}`,
  namesOf: ({ team, number }) => [nameOf(team.key, String(number))],
  nameIn: ([word, key = '', list, number = '']) =>
    word === 'team' && key !== '' && list === 'cycle' && /^\d+$/u.test(number)
      ? nameOf(key, number)
      : undefined,
});

const nameOf = (team: string, number: string) => `cycle ${team.toUpperCase()}/${number}`;
