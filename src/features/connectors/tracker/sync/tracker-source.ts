import { isDeepStrictEqual } from 'node:util';
import { parentOf, type StoredEntity } from '../../entities/entity-store.ts';
import type { ConnectorJobsDeps, EntityChange, EntityId } from '../../port.ts';
import type { SyncJob, SyncReader } from '../../sync/source.ts';
import { pageSize } from '../client/queries.ts';
import { trackerConfigurationShape } from '../configuration.ts';
import { isMirrored, kindOf, type MirroredKind, mirroredKinds } from '../kinds/kinds.ts';
import { isPart, parentsOfPart, partFamilies, partFamilyOf, partKinds } from '../kinds/part-kinds.ts';
import { scopeFactsShape } from '../kinds/tracker-kind.ts';
import { accountOf } from '../oauth/tracker-setup.ts';
import { forgetMissedEvents } from './missed-events.ts';
import { fetchPrepared } from './prepare-entities.ts';
import { readPage } from './read-page.ts';
import { type Session, sessionOpener } from './session.ts';
import { enabledKinds, isInScope, widenedBy } from './tracker-scope.ts';

/** Returns a function that opens the tracker of a connection for a job of this process. */
export function trackerOpener(deps: ConnectorJobsDeps): (job: SyncJob) => SyncReader {
  const openSession = sessionOpener(deps);
  return (job) => readerOf(deps, openSession(job));
}

function readerOf(deps: ConnectorJobsDeps, session: Session): SyncReader {
  const { client, configuration, mirror, refusals } = session;
  const everything = [
    ...partKinds.filter((kind) => partFamilies[kind].isOn(configuration.content)),
    ...enabledKinds(configuration),
  ];
  return {
    mirror,
    configuration,
    refusals,
    families: [...partKinds, ...mirroredKinds].map((kind) => ({
      name: kind,
      kind,
      isPart: isPart(kind),
      dependsOn: isMirrored(kind) ? kindOf({ kind }).requests?.families : undefined,
      readPage: (request) => readPage(deps, session, kind, request),
    })),
    fetchSize: pageSize,
    familiesOf: () => everything,
    ask: (family) =>
      isMirrored(family) || isPart(family)
        ? () => client.times(family, { includeArchived: true })
        : undefined,
    places: async () => [...(await session.scope()).teams],
    async scopeTest() {
      const scope = await session.scope();
      return ({ kind, facts }) => isMirrored(kind) && isInScope(scope, kind, scopeFactsShape.parse(facts));
    },
    widenedBy: (former) => widenedBy(trackerConfigurationShape.parse(former), configuration),
    followAccount: () => followAccount(deps, session),
    targetsOf: (edit, stored) => targetsOf(session, edit, stored),
    fetch: (kind, ids) => fetchPrepared(session, kind as MirroredKind, ids),
    started: forgetMissedEvents,
    scopeError: session.scopeError,
  };
}

/** Takes over the name and address of a workspace. Returns whether they changed, and all links with them. */
async function followAccount(deps: ConnectorJobsDeps, session: Session): Promise<boolean> {
  const { connection, client } = session;
  const account = accountOf(await client.viewer(), deps.values);
  await deps.saveAccount(connection, account);
  return !isDeepStrictEqual(account, connection.account);
}

/**
 * Returns the entities whose files an event concerns. What is part of another file leads to the entities of those
 * files: the one that the event names, the one that had it before, and those that the provider names now.
 */
async function targetsOf(
  session: Session,
  { kind, id, parent }: EntityChange,
  stored: StoredEntity | undefined,
): Promise<readonly EntityId[]> {
  if (isMirrored(kind)) return [{ kind, id }];
  const known = [parent, stored && parentOf(stored)];
  const targets = known.flatMap((target) => (target !== undefined && isMirrored(target.kind) ? target : []));
  if (!isPart(kind) || (targets.length > 0 && partFamilyOf(kind).hasManyParents !== true)) return targets;
  const part = await session.client.find(kind, id);
  return part === undefined ? targets : [...targets, ...parentsOfPart(kind, part)];
}
