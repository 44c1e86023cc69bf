import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { ReceivedWebhook } from '../port.ts';
import { type BodyBudget, bodyBudget } from './body-budget.ts';
import { commitDeliveries } from './commit-deliveries.ts';
import { openCandidates } from './find-candidates.ts';
import { type DeliveryStore, GroupCommit } from './group-commit.ts';
import { type IntakeLimits, openGate, usualLimits } from './intake-gate.ts';
import { type IntakeStatus, receiveWebhook } from './receive-webhook.ts';
import { RejectedDeliveries } from './rejected-deliveries.ts';
import { notStored } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Takes webhooks in. A resource: to be closed before its database. */
export interface Intake {
  readonly tracker: WebhookIntake;
  /** What routes count the bodies with that they read. */
  readonly budget: BodyBudget;
  /**
   * Refuses what comes from now on and resolves when everything that came before is answered, at the latest after
   * `graceMs`: what is not durable by then was not acknowledged either.
   */
  close(graceMs: number): Promise<void>;
}

/** The webhooks of one provider. */
export interface WebhookIntake {
  readonly bodyLimit: number;
  /** @throws Unavailable `overloaded` when it makes no sense to read the body of another one. */
  assertOpen(): void;
  /**
   * Resolves when what follows from it is durable; goes on where the caller has left.
   * @throws Unavailable `webhook_secret_missing`, `secret_unreadable`, `overloaded` or what the database throws
   * @throws WebhookRefused, InvalidInput
   */
  receive(webhook: ReceivedWebhook): Promise<IntakeStatus>;
}

export interface IntakeDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly tracker: WebhookSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface IntakeOptions {
  readonly limits?: IntakeLimits;
  /** Instead of the group commit, for measurements beside it. */
  readonly store?: DeliveryStore;
}

export function openIntake(deps: IntakeDeps, options: IntakeOptions = {}): Intake {
  const { database, keyring, clock, log, metrics } = deps;
  const readers = new Map([[deps.tracker.reader.source, deps.tracker.reader]]);
  const commit = commitDeliveries.bind(undefined, database, readers);
  const store = options.store ?? new GroupCommit({ commit, log, metrics });
  const rejected = new RejectedDeliveries(database, log);
  const gate = openGate(options.limits ?? usualLimits);
  const budget = bodyBudget();
  metrics.observe(async () => [{ name: 'orgctx.intake.held', value: budget.held }]);

  const intakeOf = (source: WebhookSource): WebhookIntake => {
    const findCandidates = openCandidates({ database, keyring }, source.reader.source);
    return {
      bodyLimit: source.reader.bodyLimit,
      assertOpen: () => gate.assertOpen(),
      receive: (webhook) =>
        gate
          .run(() => receiveWebhook({ source, findCandidates, store, rejected, clock, metrics }, webhook))
          .catch((error: unknown) => {
            throw faultOf(error, source, metrics);
          }),
    };
  };
  return {
    tracker: intakeOf(deps.tracker),
    budget,
    async close(graceMs) {
      await gate.close(graceMs);
      await rejected.close();
    },
  };
}

/** Whatever has no name of its own is a fault of ours: the provider shall come again. */
function faultOf(error: unknown, { reader }: WebhookSource, metrics: Metrics): OrgctxError {
  const fault = error instanceof OrgctxError ? error : notStored(error);
  if (fault.code === 'overloaded') {
    metrics.add('orgctx.intake.deliveries', 1, { source: reader.source, outcome: 'overloaded' });
  }
  return fault;
}
