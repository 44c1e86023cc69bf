import type { IncomingHttpHeaders } from 'node:http';
import type { Database } from '../../../foundation/db/database.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import { OrgctxError } from '../../../foundation/kernel/errors.ts';
import {
  type BodyBudget,
  type BodySender,
  bodyBudget,
  type HeldBody,
} from '../../../foundation/kernel/limits/body-budget.ts';
import type { SenderNetwork } from '../../../foundation/kernel/limits/sender-network.ts';
import type { Keyring } from '../../../foundation/secrets/keyring.ts';
import type { Logger } from '../../../foundation/telemetry/logger.ts';
import type { Metrics } from '../../../foundation/telemetry/metrics.ts';
import type { GithostsDeps } from '../../githosts/githosts-deps.ts';
import type { Connector, ReceivedWebhook } from '../port.ts';
import { openCandidates } from './candidates.ts';
import { type Commit, commitDeliveries, groupCommit, type SubmitDeliveries } from './group-commit.ts';
import {
  defaultLimits,
  type IntakeGate,
  type IntakeLimits,
  openGate,
  openUnnamedQueue,
} from './intake-gate.ts';
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
  /** Their configurations are read after pushes. Default: none. */
  readonly connectors?: readonly Connector[];
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
  const { database, log, metrics } = deps;
  const commit: Commit = (deliveries, seen) => commitDeliveries(database, deps.sources, deliveries, seen);
  const shared: SharedParts = {
    submit: options.submit ?? groupCommit(commit, { log, metrics }),
    rejected: new RejectedDeliveries(database, log),
    gate: openGate(options.limits ?? defaultLimits),
    budget: bodyBudget({ refusal: () => overloaded('Too many webhook bodies are held in memory') }),
  };
  const { rejected, gate, budget } = shared;
  metrics.observe(async () => [{ name: 'orgctx.intake.held', value: budget.held }]);
  return {
    sources: new Map(deps.sources.map((source) => [source.kind, intakeOf({ ...deps, ...shared }, source)])),
    pushes: (id) => pushIntake({ ...deps, ...shared }, id),
    get held() {
      return budget.held;
    },
    async close(graceMs) {
      await gate.close(graceMs);
      await rejected.close();
    },
  };
}

/** The parts that the webhooks of all providers share. */
interface SharedParts {
  readonly submit: SubmitDeliveries;
  readonly rejected: RejectedDeliveries;
  readonly gate: IntakeGate;
  readonly budget: BodyBudget;
}

/** Returns the intake of one provider. `own`: the parts in which providers differ; `source` is the one in metrics. */
function endpoint(
  { gate, budget, metrics }: SharedParts & Pick<IntakeDeps, 'metrics'>,
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

function intakeOf(deps: IntakeDeps & SharedParts, source: WebhookSource): WebhookIntake {
  const { kind, reader } = source;
  const receiving = {
    ...deps,
    source,
    candidates: openCandidates(deps, kind),
    unnamed: openUnnamedQueue(),
  };
  return endpoint(deps, {
    source: kind,
    summary: reader.summary,
    bodyLimit: reader.bodyLimit,
    admit: openAssertSigned(deps.database, source),
    receive: (webhook, held, sender) => receiveWebhook(receiving, webhook, held, sender),
  });
}

/** The endpoint of the webhooks of Git hosts: its summary, and the maximum size of a body in bytes. */
export const pushEndpoint = {
  summary: 'A signed event of a Git host (header X-Hub-Signature-256)',
  bodyLimit: 25 * 1024 * 1024,
} as const;

function pushIntake(deps: IntakeDeps & SharedParts, id: string): WebhookIntake {
  const { githosts } = deps;
  return endpoint(deps, {
    ...pushEndpoint,
    source: pushSource,
    admit: async () => void (await requirePushTarget(githosts, id)),
    receive: (webhook, held) => receivePush({ ...deps, githosts }, id, webhook, held),
  });
}
