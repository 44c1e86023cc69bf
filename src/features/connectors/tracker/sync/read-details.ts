import { keyOf } from '../../entities/entity-store.ts';
import type { Entity } from '../client/shapes.ts';
import { kindOf, type MirroredEntity, type MirroredKind } from '../kinds/kinds.ts';
import type { Container, EntityDetails } from '../kinds/tracker-kind.ts';
import { readContainers } from './fetch-entities.ts';
import type { Session } from './session.ts';
import { isInScope } from './tracker-scope.ts';

const none: EntityDetails = { comments: [], needs: [] };

/**
 * Returns the details of entities of one kind by their ids. Lists of all of them cost one query in place of one for
 * each entity.
 */
export async function readDetails(
  session: Session,
  kind: MirroredKind,
  entities: readonly MirroredEntity[],
): Promise<(id: string) => EntityDetails> {
  const { content } = session.configuration;
  const ids = entities.map(({ entity }) => entity.id);
  const hasComments = content.comments && !session.refusals.refused.has('comment');
  const comments = hasComments ? await readComments(session, kind, ids) : new Map();
  const needs = await readNeeds(session, kind, ids);
  return (id) => ({ comments: comments.get(id) ?? none.comments, needs: needs.get(id) ?? none.needs });
}

/** Returns whether entities of a kind are rendered without comments because the provider does not give them out. */
export function lacksDetails({ configuration, refusals }: Session, kind: MirroredKind): boolean {
  const isRefused = configuration.content.comments && refusals.refused.has('comment');
  return isRefused && kindOf({ kind }).comments !== undefined;
}

async function readComments(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, readonly Entity<'comment'>[]>> {
  const known = kindOf({ kind }).comments;
  if (known === undefined || ids.length === 0) return new Map();
  const comments = await readAll(session, 'comment', known.filter({ in: ids }));
  return Map.groupBy(comments, known.ownerOf);
}

/** Reads the requests by their owners. One is mirrored if what it is about is in scope, too. */
async function readNeeds(
  session: Session,
  kind: MirroredKind,
  ids: readonly string[],
): Promise<ReadonlyMap<string | undefined, readonly Entity<'customer-need'>[]>> {
  const known = kindOf({ kind }).requests;
  if (known === undefined || ids.length === 0) return new Map();
  const needs = await readAll(session, 'customer-need', known.filter({ in: ids }));
  const subjects = await readContainers(session, needs.flatMap(subjectOf));
  const scope = await session.scope();
  const wanted = needs.filter((need) => {
    const [subject] = subjectOf(need);
    if (subject === undefined) return scope.isWorkspace;
    const facts = subjects.get(keyOf(subject));
    return facts !== undefined && facts !== 'unknown' && isInScope(scope, subject.kind, facts);
  });
  return Map.groupBy(wanted, known.ownerOf);
}

function subjectOf({ issue, project }: Entity<'customer-need'>): Container[] {
  if (issue !== undefined) return [{ kind: 'issue', id: issue.id }];
  return project === undefined ? [] : [{ kind: 'project', id: project.id }];
}

/** Reads a whole list. @throws Unavailable if the provider returns one of its items in part */
async function readAll<K extends 'comment' | 'customer-need'>(
  { client }: Session,
  kind: K,
  filter: Readonly<Record<string, unknown>>,
): Promise<readonly Entity<K>[]> {
  const { items, incomplete } = await client.listAll(kind, filter);
  const completed: Entity<K>[] = [];
  for (const id of incomplete) {
    const item = await client.find(kind, id);
    if (item !== undefined) completed.push(item);
  }
  return [...new Map([...items, ...completed].map((item) => [item.id, item])).values()];
}
