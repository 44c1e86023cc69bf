import { z } from 'zod';
import { id, line, text, time, url } from '../../../mirror/format/field-types.ts';
import { linkTo, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { dates, datesOf } from './record-fields.ts';
import { trackerKind } from './tracker-kind.ts';

const record = recordKind({
  type: 'cycle',
  shape: z.object({
    id,
    number: z.int().min(0),
    url,
    title: line.optional(),
    type: z.literal('cycle'),
    /** Key of the team. */
    team: id,
    startsAt: time,
    endsAt: time,
    completedAt: time.optional(),
    ...dates,
    body: text,
  }),
  files: 'tracker/cycles/*/*.md',
  names: ({ team, number }) => [safeName(team, 'upper'), String(number)],
  entity: 'cycle',
  describe({ team, number, title, startsAt, endsAt }) {
    const own = `${team}/${number}`;
    return [
      {
        id: own,
        title: title ?? `Cycle ${own}`,
        properties: { startsAt, endsAt },
        refersTo: linkTo('in_team', 'team', 'team', team),
      },
    ];
  },
});

export const cycle = trackerKind({
  kind: 'cycle',
  list: 'cycles',
  one: 'cycle',
  filter: 'CycleFilter',
  event: 'Cycle',
  shape: z.object({
    id: answer.text,
    number: z.number(),
    name: maybe(answer.text),
    description: maybe(answer.text),
    startsAt: answer.text,
    endsAt: answer.text,
    completedAt: maybe(answer.text),
    ...answer.dates,
    team: answer.teamReference,
  }),
  scope: {
    isOn: ({ cycles }) => cycles,
    isDated: true,
    filter: (inTeams) => ({ team: inTeams }),
  },
  factsOf: ({ team }) => ({ teams: [team.id] }),
  record,
  render: (entity) => ({
    id: entity.id,
    number: entity.number,
    title: entity.name,
    team: entity.team.key,
    startsAt: entity.startsAt,
    endsAt: entity.endsAt,
    completedAt: entity.completedAt,
    ...datesOf(entity),
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
