import { sql } from 'kysely';
import { changeClasses } from './mirror-change.ts';

/** Matches the rows of `mirror_changes` that can be committed now: those of a rebuild wait for its end. */
export const isCommittable = sql<boolean>`not (mirror_changes.backfill = ${changeClasses.rebuild} and exists (
  select 1 from mirror_rebuilds as going
  where going.connection_id = mirror_changes.connection_id and going.target_id = mirror_changes.target_id))`;
