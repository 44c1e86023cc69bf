import { setTimeout as delay } from 'node:timers/promises';
import type { Config } from '../../../foundation/config/config.ts';
import type { Queries } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import { claimTrial, endWithdrawal, findDocumentReads } from './document-reads.ts';
import type { ClientDocuments } from './open-client-documents.ts';

export interface AdvertisingDeps {
  readonly queries: Queries;
  readonly clock: Clock;
  readonly mode: Config['clientDocuments'];
  readonly documents: Pick<ClientDocuments, 'readAgain'>;
  readonly log: Logger;
}

export interface DocumentAdvertising {
  /**
   * Returns whether the metadata of the server advertises client metadata documents (OAUTH_CLIENT_DOCUMENTS). After the
   * hour of a withdrawal the first caller tries the document that was asked for last.
   */
  isOn(): Promise<boolean>;
  /** Waits for a running trial. */
  close(): Promise<void>;
}

/** Maximum time that a caller waits for a trial, in milliseconds. The trial itself goes on. */
const trialWaitMs = 2_000;

export function openDocumentAdvertising(deps: AdvertisingDeps): DocumentAdvertising {
  const { queries, clock, mode, log } = deps;
  let known = true;
  let trial: Promise<void> = Promise.resolve();

  async function isAdvertised(): Promise<boolean> {
    const reads = await findDocumentReads(queries);
    if (reads?.withdrawnUntil === undefined) return true;
    const now = clock();
    if (now < reads.withdrawnUntil || !(await claimTrial(queries, now))) return false;
    trial = tryAgain(deps, reads.asked);
    await Promise.race([trial, delay(trialWaitMs, undefined, { ref: false })]);
    return (await findDocumentReads(queries))?.withdrawnUntil === undefined;
  }

  return {
    async isOn() {
      if (mode !== 'auto') return mode === 'on';
      try {
        known = await isAdvertised();
      } catch (err) {
        // Clients can read the metadata while the database is unavailable.
        log.warn({ err }, 'the state of client metadata documents cannot be read; the last one stays in use');
      }
      return known;
    },
    close: () => trial,
  };
}

async function tryAgain(
  { queries, clock, documents, log }: AdvertisingDeps,
  clientId: string,
): Promise<void> {
  try {
    const outcome = await documents.readAgain(clientId);
    if (outcome !== undefined) await endWithdrawal(queries, outcome, clock());
  } catch (err) {
    log.warn({ err }, 'the trial of a client metadata document failed');
  }
}
