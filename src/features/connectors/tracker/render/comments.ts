import type { Entity } from '../client/shapes.ts';
import { authorOf } from './people.ts';

/** Returns comments as entries of the file of what they are written on. */
export function commentEntries(comments: readonly Entity<'comment'>[]) {
  return comments.map((comment) => ({
    id: comment.id,
    author: authorOf(comment),
    createdAt: comment.createdAt,
    // The provider sets both at the creation; a difference means an edit.
    updatedAt: comment.updatedAt === comment.createdAt ? undefined : comment.updatedAt,
    resolvedAt: comment.resolvedAt,
    parent: comment.parent?.id,
    url: comment.url,
    body: comment.body,
  }));
}

/** Returns the fields of times that all families have. */
export function datesOf({
  createdAt,
  updatedAt,
  archivedAt,
  trashed,
}: {
  readonly createdAt: string;
  readonly updatedAt: string;
  readonly archivedAt?: string | undefined;
  readonly trashed?: boolean | undefined;
}) {
  return { createdAt, updatedAt, archivedAt, trashed };
}
