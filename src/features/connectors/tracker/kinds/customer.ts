import { z } from 'zod';
import * as field from '../../../mirror/format/field-types.ts';
import { recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import * as fields from './record-fields.ts';
import { namedBySlug, trackerKind } from './tracker-kind.ts';

const request = z.object({
  id: field.id,
  /** Identifier of the issue that answers it. */
  issue: field.id.optional(),
  /** Slug of the project that answers it. */
  project: field.id.optional(),
  author: field.person.optional(),
  priority: field.line.optional(),
  createdAt: field.time,
  updatedAt: field.time.optional(),
  url: field.url,
  body: field.text,
});

export const customer = trackerKind({
  name: 'customer',
  shape: z.object({
    ...answer.texts('id', 'slugId', 'url', 'name'),
    domains: z.array(answer.text),
    ...answer.dates,
    owner: maybe(answer.person),
    tier: maybe(z.object(answer.texts('displayName'))),
    status: z.object(answer.texts('displayName')),
  }),
  isOn: ({ customerRequests }) => customerRequests,
  dependsOn: ['customer-need', 'issue', 'project'],
  scope: { isOfNoTeam: true },
  isSweptWhole: true,
  requests: (id) => ({ customer: { id } }),
  /** The graph has no customers: their requests hang on issues, which name them. */
  record: recordKind({
    type: 'customer',
    shape: z.object({
      ...fields.slugged,
      type: z.literal('customer'),
      domains: field.lines,
      owner: field.person.optional(),
      tier: field.line.optional(),
      status: field.line.optional(),
      ...fields.dates,
      requests: field.listOf(request, field.oldestFirst),
    }),
    files: 'tracker/customers/*.md',
    names: ({ slug }) => [safeName(slug, 'lower')],
    sections: [{ key: 'requests', heading: 'Requests', entry: 'request' }],
  }),
  render: (entity, { needs }) => ({
    ...entity,
    slug: entity.slugId,
    title: entity.name,
    domains: fields.visibleTexts(entity.domains),
    tier: entity.tier?.displayName,
    status: entity.status.displayName,
    requests: needs.map((need) => ({
      ...need,
      issue: need.issue?.identifier,
      project: need.project?.slugId,
      author: need.creator,
      priority: need.priority > 0 ? 'important' : undefined,
      updatedAt: need.updatedAt === need.createdAt ? undefined : need.updatedAt,
      body: need.content ?? '',
    })),
  }),
  titleOf: ({ name }) => name,
  ...namedBySlug('customer'),
  partsOf: (_, { needs }) => needs.map((need) => ({ kind: 'customer-need', id: need.id })),
});
