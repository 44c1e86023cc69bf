import { isDeepStrictEqual } from 'node:util';
import { parentOf } from '../../entities/entity-store.ts';
import type { ConnectorJobsDeps } from '../../port.ts';
import type { SyncJob, SyncReader } from '../../sync/source.ts';
import { pageSize } from '../client/queries.ts';
import { trackerConfigurationShape } from '../configuration.ts';
import { families, isPart, kindOf } from '../kinds/kinds.ts';
import { parentsOfPart } from '../kinds/part-kinds.ts';
import { scopeFactsShape } from '../kinds/tracker-kind.ts';
import { accountOf } from '../oauth/tracker-setup.ts';
import { forgetMissedEvents } from './missed-events.ts';
import { fetchPrepared } from './prepare-entities.ts';
import { readPage } from './read-page.ts';
import { type Session, sessionOpener } from './session.ts';
import { isInScope, widenedBy } from './tracker-scope.ts';

/** Returns a function that opens the tracker of a connection for a job of this process. */
export function trackerOpener(deps: ConnectorJobsDeps): (job: SyncJob) => SyncReader {
  const openSession = sessionOpener(deps);
  return (job) => readerOf(deps, openSession(job));
}

const familyOf = (name: string) => families.find((family) => family.name === name);

function readerOf(deps: ConnectorJobsDeps, session: Session): SyncReader {
  const { client, connection, configuration, mirror, refusals } = session;
  const everything = families.filter(({ isOn }) => isOn(configuration.content)).map(({ name }) => name);
  return {
    mirror,
    configuration,
    refusals,
    families: families.map((family) => ({
      name: family.name,
      kind: family.name,
      isPart: isPart(family),
      dependsOn: family.dependsOn,
      readPage: (request) => readPage(deps, session, family, request),
    })),
    fetchSize: pageSize,
    familiesOf: () => everything,
    ask(name) {
      const family = familyOf(name);
      return family && (() => client.times(family, { includeArchived: true }));
    },
    places: async () => [...(await session.scope()).teams],
    async scopeTest() {
      const scope = await session.scope();
      return ({ kind: name, facts }) => {
        const kind = kindOf(name);
        return kind !== undefined && isInScope(scope, kind, scopeFactsShape.parse(facts));
      };
    },
    widenedBy: (former) => widenedBy(trackerConfigurationShape.parse(former), configuration),
    async followAccount() {
      const account = accountOf(await client.viewer(), deps.values);
      await deps.saveAccount(connection, account);
      return !isDeepStrictEqual(account, connection.account);
    },
    /**
     * What is part of another file leads to the entities of those files: the one that the event names, the one that had
     * it before, and those that the provider names now.
     */
    async targetsOf({ kind, id, parent }, stored) {
      const family = familyOf(kind);
      if (family !== undefined && !isPart(family)) return [{ kind, id }];
      const known = [parent, stored && parentOf(stored)];
      const targets = known.flatMap((each) => (each && kindOf(each.kind) !== undefined ? each : []));
      if (family === undefined || (targets.length > 0 && family.hasManyParents !== true)) return targets;
      const part = await client.find(family, id);
      return part === undefined ? targets : [...targets, ...parentsOfPart(family, part)];
    },
    fetch: (name, ids) => fetchPrepared(session, kindOf(name)!, ids),
    started: forgetMissedEvents,
    scopeError: session.scopeError,
  };
}
