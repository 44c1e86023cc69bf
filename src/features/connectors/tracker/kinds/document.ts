import { z } from 'zod';
import { id, line, person, text, url } from '../../../mirror/format/field-types.ts';
import { commentSection, linkPeople, linkTo, recordKind } from '../../../mirror/format/record-kind.ts';
import { safeName } from '../../../mirror/format/safe-name.ts';
import { maybe } from '../client/selection.ts';
import * as answer from './answer-fields.ts';
import { attachments, commentEntries, comments, dates, datesOf } from './record-fields.ts';
import { namedBySlug, trackerKind } from './tracker-kind.ts';

const record = recordKind({
  type: 'document',
  shape: z.object({
    id,
    slug: id,
    url,
    /** Empty if the document is untitled. */
    title: line,
    type: z.literal('document'),
    team: id.optional(),
    project: id.optional(),
    initiative: id.optional(),
    issue: id.optional(),
    cycle: id.optional(),
    creator: person.optional(),
    updatedBy: person.optional(),
    ...dates,
    attachments,
    body: text,
    comments,
  }),
  files: 'tracker/documents/*.md',
  names: ({ slug }) => [safeName(slug, 'lower')],
  sections: [commentSection],
  entity: 'document',
  describe: (document) => [
    {
      id: document.slug,
      title: document.title,
      people: linkPeople('created_by', 'creator', document.creator),
      refersTo: [
        ...linkTo('in_project', 'project', 'project', document.project),
        ...linkTo('in_initiative', 'initiative', 'initiative', document.initiative),
        ...linkTo('in_team', 'team', 'team', document.team),
        ...linkTo('mentions', 'issue', undefined, document.issue?.toUpperCase()),
      ],
    },
  ],
});

export const document = trackerKind({
  kind: 'document',
  list: 'documents',
  one: 'document',
  filter: 'DocumentFilter',
  event: 'Document',
  shape: z.object({
    id: answer.text,
    slugId: answer.text,
    url: answer.text,
    /** Empty if the document is untitled. */
    title: answer.text,
    content: maybe(answer.text),
    ...answer.dates,
    ...answer.trash,
    creator: maybe(answer.person),
    updatedBy: maybe(answer.person),
    project: maybe(answer.slugged),
    initiative: maybe(answer.slugged),
    issue: maybe(z.object({ ...answer.issueReference.shape, team: answer.teamReference })),
  }),
  scope: { isOn: ({ documents }) => documents, inProjects: true, isDated: true },
  containersOf({ issue, project, initiative }) {
    if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
    if (project !== undefined) return [{ kind: 'project', id: project.id }];
    return initiative === undefined ? [] : [{ kind: 'initiative', id: initiative.id }];
  },
  comments: {
    filter: (one) => ({ documentContent: { document: { id: one } } }),
    ownerOf: ({ documentContent }) => documentContent?.document?.id,
  },
  record,
  render: (entity, details) => ({
    id: entity.id,
    slug: entity.slugId,
    url: entity.url,
    title: entity.title,
    team: entity.issue?.team.key,
    project: entity.project?.slugId,
    initiative: entity.initiative?.slugId,
    issue: entity.issue?.identifier,
    creator: entity.creator,
    updatedBy: entity.updatedBy,
    ...datesOf(entity),
    body: entity.content ?? '',
    comments: commentEntries(details.comments),
  }),
  titleOf: ({ title }) => title,
  ...namedBySlug('document'),
});
