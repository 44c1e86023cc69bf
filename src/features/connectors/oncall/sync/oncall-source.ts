import { z } from 'zod';
import { enqueue } from '../../../../foundation/jobs/enqueue.ts';
import type { RenderedEntity } from '../../entities/entity.ts';
import type { ConnectorJobsDeps, EntityId } from '../../port.ts';
import type { FamilyPage, PageRequest, SyncJob, SyncReader } from '../../sync/source.ts';
import { oncallConfigurationShape } from '../configuration.ts';
import { incidentKind } from '../records/incident.ts';
import { renderService, serviceKind } from '../records/records.ts';
import { oncallSubscribe } from '../tasks.ts';
import { forgetLogs } from './incident-log.ts';
import { partOf, widenedBy } from './oncall-scope.ts';
import { fetchIncidents, readIncidentPage } from './read-incidents.ts';
import { readLogPage } from './read-log-page.ts';
import { openSession, type Session } from './session.ts';

/** The family of the log of the account. */
const logFamily = 'log entries';
/** Maximum delay of the log while other families are read, in milliseconds. */
const maxLogDelayMs = 10 * 60_000;
/** Maximum number of entities that are fetched at a time: each takes several requests, and jobs must end soon. */
const fetchSize = 5;

/** Returns the oncall provider of a connection, as a job reads it. */
export function openOncallReader(deps: ConnectorJobsDeps, job: SyncJob): SyncReader {
  const { clock } = deps;
  const session = openSession(deps, job);
  const { client, configuration, mirror, refusals, scope } = session;
  const services = [...scope.services];
  return {
    mirror,
    configuration,
    refusals,
    fetchSize,
    families: [
      { name: 'services', kind: serviceKind, readPage: (page) => readServicePage(session, page) },
      { name: 'incidents', kind: incidentKind, readPage: (page) => readIncidentPage(session, page, clock()) },
      { name: logFamily, readPage: (page) => readLogPage(session, page, clock()) },
    ],
    familiesOf(mode, { [logFamily]: readUpTo }) {
      if (mode === 'changes') return [logFamily];
      // The log begins before the lists, so that it has what changes while these are read for the first time.
      return [...(readUpTo === undefined ? [logFamily] : []), 'services', 'incidents', logFamily];
    },
    overdue: ({ [logFamily]: readUpTo }) =>
      readUpTo !== undefined && clock() - Date.parse(readUpTo) > maxLogDelayMs ? logFamily : undefined,
    ask(name) {
      if (name === 'services') return () => client.services({ offset: 0, limit: 1 });
      return name === 'incidents' ? () => client.oldestIncident(services) : undefined;
    },
    places: async () => [],
    scopeTest: async () => (entity) => scope.has(entity.facts),
    widenedBy(former) {
      const widened = widenedBy(oncallConfigurationShape.parse(former), configuration);
      if (widened === 'rendering') return widened;
      const lists = widened.services.length === 0 ? [] : ['services', 'incidents'];
      return { families: [...lists, logFamily], added: widened };
    },
    /**
     * An incident is fetched only if the event named a service in scope or it is mirrored (specification: Events). A
     * mirrored one is fetched also if the event names another service, because events may be late, so that only the
     * present state decides.
     */
    async targetsOf({ kind, id, parent }, stored) {
      const isNamed = parent !== undefined && scope.services.has(parent.id);
      return isNamed || stored !== undefined ? [{ kind, id }] : [];
    },
    fetch: (kind, ids) => (kind === serviceKind ? fetchServices : fetchIncidents)(session, ids),
    async ended(store) {
      await forgetLogs(store);
      await enqueue(store.tx, oncallSubscribe, { connectionId: store.connectionId });
    },
  };
}

/** Number of services in a page. */
const pageLimit = 20;

/** Reads services of the scope. Their list at the provider has all services of the account. */
async function readServicePage(session: Session, { cursor, added }: PageRequest): Promise<FamilyPage> {
  const index = z.number().parse(cursor ?? 0);
  const { services } = partOf(session.scope, added);
  const { rendered } = await fetchServices(session, services.slice(index, index + pageLimit));
  const next = index + pageLimit;
  return { changes: { rendered }, ...(next < services.length && { next }) };
}

async function fetchServices({ client }: Session, ids: readonly string[]) {
  const rendered: RenderedEntity[] = [];
  const removed: EntityId[] = [];
  for (const id of ids) {
    const service = await client.service(id);
    if (service === undefined) removed.push({ kind: serviceKind, id });
    else rendered.push(renderService(service));
  }
  return { rendered, removed };
}
