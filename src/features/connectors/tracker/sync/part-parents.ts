import type { EntityId } from '../../port.ts';
import type { Entity } from '../client/shapes.ts';
import type { PartKind } from '../kinds/part-kinds.ts';

/** An entity with the kind of its file. */
type Reference = { readonly id: string } | undefined;

/** Returns the entities whose files contain a part. */
export function parentsOfPart(kind: PartKind, part: Entity<PartKind>): readonly EntityId[] {
  switch (kind) {
    case 'comment':
      return parentsOfComment(part as Entity<'comment'>);
    case 'customer-need':
      return parentsOfNeed(part as Entity<'customer-need'>);
    case 'attachment':
      return [{ kind: 'issue', id: (part as Entity<'attachment'>).issue.id }];
  }
}

/** Returns the entity in whose file a comment stands. */
function parentsOfComment(comment: Entity<'comment'>): readonly EntityId[] {
  const { issue, project, projectUpdate, initiative, initiativeUpdate, documentContent: text } = comment;
  return present([
    ['issue', issue ?? text?.issue],
    ['project-update', projectUpdate],
    ['initiative-update', initiativeUpdate],
    ['document', text?.document],
    ['project', project ?? text?.project],
    ['initiative', initiative ?? text?.initiative],
  ]);
}

/** Returns the entities whose files name a request of a customer. */
function parentsOfNeed({ customer, issue }: Entity<'customer-need'>): readonly EntityId[] {
  return present([
    ['customer', customer],
    ['issue', issue],
  ]);
}

function present(references: readonly (readonly [string, Reference])[]): readonly EntityId[] {
  return references.flatMap(([kind, reference]) =>
    reference === undefined ? [] : [{ kind, id: reference.id }],
  );
}
