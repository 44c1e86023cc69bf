import { z } from 'zod';
import {
  id,
  line,
  lines,
  listOf,
  oldestFirst,
  person,
  text,
  time,
  url,
} from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { dates, datesOf, visibleTexts } from './record-fields.ts';
import { namedBySlug, trackerKind } from './tracker-kind.ts';

const request = z.object({
  id,
  /** Identifier of the issue that answers it. */
  issue: id.optional(),
  /** Slug of the project that answers it. */
  project: id.optional(),
  author: person.optional(),
  priority: line.optional(),
  createdAt: time,
  updatedAt: time.optional(),
  url,
  body: text,
});

/** The graph has no customers: their requests hang on issues, which name them. */
const record = recordKind({
  type: 'customer',
  shape: z.object({
    id,
    slug: id,
    url,
    title: line,
    type: z.literal('customer'),
    domains: lines,
    owner: person.optional(),
    tier: line.optional(),
    status: line.optional(),
    ...dates,
    requests: listOf(request, oldestFirst),
  }),
  files: 'tracker/customers/*.md',
  names: ({ slug }) => [safeName(slug, 'lower')],
  sections: [{ key: 'requests', heading: 'Requests', entry: 'request' }],
});

export const customer = trackerKind({
  kind: 'customer',
  list: 'customers',
  one: 'customer',
  filter: 'CustomerFilter',
  event: 'Customer',
  shape: z.object({
    id: answer.text,
    slugId: answer.text,
    url: answer.text,
    name: answer.text,
    domains: z.array(answer.text),
    ...answer.dates,
    owner: maybe(answer.person),
    tier: maybe(z.object({ displayName: answer.text })),
    status: z.object({ displayName: answer.text }),
  }),
  scope: { isOn: ({ customerRequests }) => customerRequests, isShared: true },
  record,
  render: (entity, { needs }) => ({
    id: entity.id,
    slug: entity.slugId,
    url: entity.url,
    title: entity.name,
    domains: visibleTexts(entity.domains),
    owner: entity.owner,
    tier: entity.tier?.displayName,
    status: entity.status.displayName,
    ...datesOf(entity),
    requests: needs.map((need) => ({
      id: need.id,
      issue: need.issue?.identifier,
      project: need.project?.slugId,
      author: need.creator,
      priority: need.priority > 0 ? 'important' : undefined,
      createdAt: need.createdAt,
      updatedAt: need.updatedAt === need.createdAt ? undefined : need.updatedAt,
      url: need.url,
      body: need.content ?? '',
    })),
  }),
  titleOf: ({ name }) => name,
  ...namedBySlug('customer'),
  partsOf: (_, { needs }) => needs.map((need) => ({ kind: 'customer-need', id: need.id })),
});
