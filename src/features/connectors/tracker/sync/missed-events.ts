import { listed } from '../../../../foundation/kernel/text/listed.ts';
import { visibleLine } from '../../../../foundation/kernel/text/visible-text.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import type { EntityStore } from '../../entities/entity-store.ts';
import { type Note, saveNote } from '../../sync/sync-store.ts';
import { scopeFactsShape } from '../kinds/tracker-kind.ts';
import type { ScopeTeam } from './tracker-scope.ts';

/** Time after which a webhook has arrived, its first repetition included, in milliseconds. */
const arrivalMs = 2 * 60_000;
/** Time for which the record names private teams with missed events, in milliseconds. */
const noteMs = 86_400_000;
/** Maximum number of names in a message. */
const maxNames = 5;

const topics = { webhook: 'webhook', privateTeams: 'private-teams' } as const;

/**
 * Names changes on the record that a comparison found although their webhooks should have announced them before, in the
 * transaction that mirrors them.
 * @param changed entities of a kind with events that differ from the mirror
 * @param seenAt time of the comparison by the clock of the provider
 */
export async function noteMissedEvents(
  { tx, connectionId, now: at }: EntityStore,
  changed: readonly RenderedEntity[],
  teams: readonly ScopeTeam[],
  seenAt: number,
): Promise<void> {
  const hidden = new Map(
    teams.flatMap(({ id, key, visibility }) => (visibility === 'public' ? [] : [[id, key] as const])),
  );
  const missed = changed
    .filter(({ updatedAt }) => Date.parse(updatedAt) < seenAt - arrivalMs)
    .map(({ facts }) => scopeFactsShape.parse(facts).teams);
  const ofPrivate = missed.filter((ids) => ids.length > 0 && ids.every((id) => hidden.has(id)));
  const privateTeams = [...new Set(ofPrivate.flat().flatMap((id) => hidden.get(id) ?? []))].toSorted();
  const save = (topic: string, note: Omit<Note, 'at'>) => saveNote(tx, connectionId, topic, { ...note, at });
  if (ofPrivate.length < missed.length) {
    await save(topics.webhook, {
      code: 'webhook_silent',
      message:
        'A comparison found changes that no webhook had announced. Check at the tracker that the webhook of the app is enabled and has the address of this service. Until then, changes arrive with each comparison.',
    });
  }
  if (privateTeams.length === 0) return;
  await save(topics.privateTeams, {
    code: 'private_teams_compared',
    message: `Changes in private teams (${visibleLine(listed(privateTeams, maxNames))}) have no webhooks and were found by a comparison. They arrive with each comparison.`,
  });
}

/** Removes notes of missed events that are over: webhooks arrived since, or a day passed. */
export async function forgetMissedEvents({ tx, connectionId, now }: EntityStore): Promise<void> {
  await tx
    .deleteFrom('connection_notes')
    .where('connection_id', '=', connectionId)
    .where((e) =>
      e.or([
        e.and([
          e('topic', '=', topics.webhook),
          e('at', '<', e.selectFrom('connections').select('last_accepted_at').where('id', '=', connectionId)),
        ]),
        e.and([e('topic', '=', topics.privateTeams), e('at', '<', now - noteMs)]),
      ]),
    )
    .execute();
}
