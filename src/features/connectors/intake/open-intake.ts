import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import { type BodySender, bodyBudget, type HeldBody } from '../../../foundation/kernel/limits/body-budget.ts';
import type { SenderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import type { ReceivedWebhook } from '../port.ts';
import { openCandidates } from './candidates.ts';
import { groupCommit, type SubmitDeliveries } from './group-commit.ts';
import { defaultLimits, type IntakeLimits, openGate, openUnnamedQueue } from './intake-gate.ts';
import { requirePushTarget } from './pushes/push-target.ts';
import { pushSource, receivePush } from './pushes/receive-push.ts';
import { type IntakeStatus, receiveWebhook } from './receive-webhook.ts';
import { RejectedDeliveries } from './rejected-deliveries.ts';
import { openAssertSigned, type WebhookSource } from './verify-webhook.ts';
import { notStored, outcomeOf, overloaded } from './webhook-refused.ts';

/** Receives webhooks. A resource: close it before its database. */
export interface Intake {
  /** The intakes by the kind of connector. */
  readonly sources: ReadonlyMap<string, WebhookIntake>;
  /** Returns the intake of the webhooks of Git hosts for the last segment of their URL. */
  pushes(id: string): WebhookIntake;
  /** Total size of the bodies in memory, in bytes. */
  readonly held: number;
  /**
   * Refuses further webhooks and resolves when all earlier ones are answered, at the latest after `graceMs`. Webhooks
   * that are not durable at that time were not acknowledged either.
   */
  close(graceMs: number): Promise<void>;
}

/** The webhooks of one provider. */
export interface WebhookIntake {
  /** Summary of the endpoint, for the API description. */
  readonly summary: string;
  readonly bodyLimit: number;
  /**
   * Checks the headers; call it before reading the body.
   * @throws Unavailable `overloaded`, `webhook_secret_missing`, `unavailable` or what the database throws
   * @throws WebhookRefused if the signature is missing or malformed
   */
  admit(headers: IncomingHttpHeaders): Promise<void>;
  /** Opens a share of the body budget, which counts the bytes of the body while they are read. */
  openBody(sender: BodySender): HeldBody;
  /**
   * Stores a webhook and its jobs; resolves when they are durable. Continues if the caller disconnects. `held` is
   * released when the body is verified; `sender` are the networks of the caller.
   * @throws Unavailable `webhook_secret_missing`, `secret_unreadable`, `overloaded`, `unavailable` (not stored) or
   * what the database throws
   * @throws WebhookRefused, InvalidInput
   */
  receive(
    webhook: ReceivedWebhook,
    held?: HeldBody,
    sender?: readonly SenderNetwork[],
  ): Promise<IntakeStatus>;
}

export interface IntakeDeps {
  readonly database: Database;
  readonly keyring: Keyring;
  readonly sources: readonly WebhookSource[];
  /** Default: no Git host; their webhooks are refused. */
  readonly githosts?: GithostsDeps;
  readonly clock: Clock;
  readonly log: Logger;
  readonly metrics: Metrics;
}

export interface IntakeOptions {
  readonly limits?: IntakeLimits;
  /** Replaces the group commit, for comparative measurements. */
  readonly submit?: SubmitDeliveries;
}

export function openIntake(deps: IntakeDeps, options: IntakeOptions = {}): Intake {
  const parts = openParts(deps, options);
  const { rejected, gate, budget } = parts;
  deps.metrics.observe(async () => [{ name: 'orgctx.intake.held', value: budget.held }]);
  return {
    sources: new Map(deps.sources.map((source) => [source.kind, intakeOf(parts, source)])),
    pushes: (id) => pushIntake(parts, id),
    get held() {
      return budget.held;
    },
    async close(graceMs) {
      await gate.close(graceMs);
      await rejected.close();
    },
  };
}

/** Opens the parts that the webhooks of all providers share. */
function openParts(deps: IntakeDeps, { submit = groupCommit(deps), limits = defaultLimits }: IntakeOptions) {
  const rejected = new RejectedDeliveries(deps.database, deps.log);
  const budget = bodyBudget({ refusal: () => overloaded('Too many webhook bodies are held in memory') });
  return { ...deps, submit, rejected, gate: openGate(limits), budget };
}

type IntakeParts = ReturnType<typeof openParts>;

/** Returns the intake of one provider. `own`: the parts in which providers differ; `source` is the one in metrics. */
function endpoint(
  { gate, budget, metrics }: IntakeParts,
  own: Omit<WebhookIntake, 'openBody'> & { readonly source: string },
): WebhookIntake {
  const { source, summary, bodyLimit } = own;
  const count = (outcome: string): void => metrics.add('orgctx.intake.deliveries', 1, { source, outcome });
  const refuse = (error: unknown): never => {
    // An error without a code of its own is internal: the provider must deliver again.
    const problem = error instanceof OrgctxError ? error : notStored(error);
    count(outcomeOf(problem));
    throw problem;
  };
  const counted = (status: IntakeStatus): IntakeStatus => {
    count(status);
    return status;
  };
  return {
    summary,
    bodyLimit,
    admit: async (headers) => {
      try {
        gate.assertOpen();
        await own.admit(headers);
      } catch (error) {
        refuse(error);
      }
    },
    openBody: (sender) => budget.open(sender, () => count('overloaded')),
    // Not async: a promise that waits for the database must not keep the body in memory.
    receive: (webhook, held, sender) =>
      gate
        .run(() => own.receive(webhook, held, sender))
        .catch(refuse)
        .then(counted),
  };
}

function intakeOf(parts: IntakeParts, source: WebhookSource): WebhookIntake {
  const { kind, webhooks } = source;
  const candidates = openCandidates(parts, kind);
  const receiving = { ...parts, source, candidates, unnamed: openUnnamedQueue() };
  return endpoint(parts, {
    source: kind,
    summary: webhooks.summary,
    bodyLimit: webhooks.bodyLimit,
    admit: openAssertSigned(parts.database, source),
    receive: (webhook, held, sender) => receiveWebhook(receiving, webhook, held, sender),
  });
}

/** The endpoint of the webhooks of Git hosts: its summary, and the maximum size of a body in bytes. */
export const pushEndpoint = {
  summary: 'A signed event of a Git host (header X-Hub-Signature-256)',
  bodyLimit: 25 * 1024 * 1024,
} as const;

function pushIntake(parts: IntakeParts, id: string): WebhookIntake {
  return endpoint(parts, {
    ...pushEndpoint,
    source: pushSource,
    admit: async () => void (await requirePushTarget(parts.githosts, id)),
    receive: (webhook, held) => receivePush(parts, id, webhook, held),
  });
}
