import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { ReceivedWebhook } from '../port.ts';
import { openAssertSigned } from './assert-signed.ts';
import { type BodyBudget, type BodySender, bodyBudget, type HeldBody } from './body-budget.ts';
import { commitDeliveries, type Readers } from './commit-deliveries.ts';
import { connectionsOfAccount } from './connections-of-account.ts';
import { type Commit, groupCommit, type SubmitDeliveries } from './group-commit.ts';
import { type IntakeGate, type IntakeLimits, openGate, usualLimits } from './intake-gate.ts';
import { type IntakeStatus, receiveWebhook } from './receive-webhook.ts';
import { RejectedDeliveries } from './rejected-deliveries.ts';
import { notStored, outcomeOf } from './webhook-refused.ts';
import type { WebhookSource } from './webhook-source.ts';

/** Takes webhooks in. A resource: to be closed before its database. */
export interface Intake {
  readonly tracker: WebhookIntake;
  /** Bytes of bodies that are held. */
  readonly held: number;
  /**
   * Refuses what comes from now on and resolves when everything that came before is answered, at the latest after
   * `graceMs`: what is not durable by then was not acknowledged either.
   */
  close(graceMs: number): Promise<void>;
}

/** The webhooks of one provider. */
export interface WebhookIntake {
  readonly bodyLimit: number;
  /**
   * To be asked before a byte of the body is read.
   * @throws Unavailable `overloaded`, `webhook_secret_missing`, `unavailable` or what the database throws
   * @throws WebhookRefused where the signature is missing or can be none
   */
  admit(headers: IncomingHttpHeaders): Promise<void>;
  /** What its bytes are counted with while they are read. */
  openBody(sender: BodySender): HeldBody;
  /**
   * Resolves when what follows from it is durable; goes on where the caller has left. `held` is let go of once the body
   * is judged.
   * @throws Unavailable `webhook_secret_missing`, `secret_unreadable`, `overloaded`, `unavailable` (not stored) or what
   * the database throws
   * @throws WebhookRefused, InvalidInput
   */
  receive(webhook: ReceivedWebhook, held?: HeldBody): Promise<IntakeStatus>;
}

export interface IntakeDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly readers: Readers;
  readonly tracker: WebhookSource;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface IntakeOptions {
  readonly limits?: IntakeLimits;
  /** Instead of the group commit, for measurements beside it. */
  readonly submit?: SubmitDeliveries;
}

export function openIntake(deps: IntakeDeps, options: IntakeOptions = {}): Intake {
  const { database, log, metrics } = deps;
  const commit: Commit = (deliveries, seen) => commitDeliveries(database, deps.readers, deliveries, seen);
  const shared: SharedParts = {
    submit: options.submit ?? groupCommit({ commit, log, metrics }),
    rejected: new RejectedDeliveries(database, log),
    gate: openGate(options.limits ?? usualLimits),
    budget: bodyBudget(),
  };
  const { rejected, gate, budget } = shared;
  metrics.observe(async () => [{ name: 'orgctx.intake.held', value: budget.held }]);
  return {
    tracker: intakeOf({ ...deps, ...shared }, deps.tracker),
    get held() {
      return budget.held;
    },
    async close(graceMs) {
      await gate.close(graceMs);
      await rejected.close();
    },
  };
}

/** What the webhooks of every provider go through together. */
interface SharedParts {
  readonly submit: SubmitDeliveries;
  readonly rejected: RejectedDeliveries;
  readonly gate: IntakeGate;
  readonly budget: BodyBudget;
}

function intakeOf(deps: IntakeDeps & SharedParts, source: WebhookSource): WebhookIntake {
  const { gate, budget, metrics } = deps;
  const { reader } = source;
  const received = { ...deps, source, connectionsOf: connectionsOfAccount(deps, reader.source) };
  const assertSigned = openAssertSigned(deps.database, source);
  const count = (outcome: string): void =>
    metrics.add('orgctx.intake.deliveries', 1, { source: reader.source, outcome });
  const refuse = (error: unknown): never => {
    // Whatever has no name of its own is a fault of ours: the provider shall come again.
    const fault = error instanceof OrgctxError ? error : notStored(error);
    count(outcomeOf(fault));
    throw fault;
  };
  return {
    bodyLimit: reader.bodyLimit,
    admit: async (headers) => {
      try {
        gate.assertOpen();
        await assertSigned(headers);
      } catch (error) {
        refuse(error);
      }
    },
    openBody: (sender) => budget.open(sender, () => count('overloaded')),
    receive: (webhook, held) => gate.run(() => receiveWebhook(received, webhook, held)).catch(refuse),
  };
}
