import {
  allowInsecureRequests,
  ClientSecretBasic,
  type Configuration,
  clockTolerance,
  customFetch,
  discovery,
  enableNonRepudiationChecks,
  None,
} from 'openid-client';
import type { UpstreamConfig } from '../../../foundation/config/config.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { fetchWith } from './fetch-with.ts';
import { unanswered } from './upstream-refused.ts';

/** What the provider publishes of itself may change: it is read again after so long. */
const knownForMs = 3_600_000;

/** Somebody waits in front of a browser. */
const usualTimeoutMs = 10_000;

/** By how much the clocks of the two may differ, in seconds. */
const toleranceSeconds = 30;

/** The operator's identity provider. */
export interface UpstreamProvider {
  readonly issuer: string;
  /** Host of the issuer, for people. */
  readonly host: string;
  /** Mail domains, lower case, whose verified addresses need no invitation. */
  readonly allowedDomains: readonly string[];
  /** Where it sends people back to; registered there by the operator. */
  readonly redirectUri: string;
  /** Asked for when needed and kept for an hour. @throws Unavailable when the provider does not answer rightly */
  configuration(): Promise<Configuration>;
}

export interface UpstreamProviderDeps {
  readonly config: UpstreamConfig;
  /** `undefined` for a public client. */
  readonly clientSecret: string | undefined;
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Of one exchange with the provider; default 10,000. */
  readonly timeoutMs?: number;
}

/** Opens nothing yet: the provider may be down while this service starts. */
export function upstreamProvider(deps: UpstreamProviderDeps): UpstreamProvider {
  const { issuer, allowedDomains } = deps.config;
  const { host } = new URL(issuer);
  let known: { readonly configuration: Promise<Configuration>; readonly until: number } | undefined;
  const forget = (failed: Promise<Configuration>): void => {
    if (known?.configuration === failed) known = undefined;
  };
  return {
    issuer,
    host,
    allowedDomains,
    redirectUri: `${deps.baseUrl}/.auth/upstream/callback`,
    async configuration() {
      const now = deps.clock();
      if (known === undefined || known.until <= now) {
        known = { configuration: discover(deps), until: now + knownForMs };
      }
      const { configuration } = known;
      try {
        return await configuration;
      } catch (error) {
        // The next one asks again: nobody is locked out for an hour by one fault.
        forget(configuration);
        throw unanswered(host, error);
      }
    },
  };
}

async function discover(deps: UpstreamProviderDeps): Promise<Configuration> {
  const { config, clientSecret, http, timeoutMs = usualTimeoutMs } = deps;
  const issuer = new URL(config.issuer);
  const authentication = clientSecret === undefined ? None() : ClientSecretBasic(clientSecret);
  const metadata = { [clockTolerance]: toleranceSeconds };
  return discovery(issuer, config.clientId, metadata, authentication, {
    [customFetch]: fetchWith(http, timeoutMs),
    // An http issuer is the operator's word; one that is https may not lead to http.
    execute: [enableNonRepudiationChecks, ...(issuer.protocol === 'http:' ? [allowInsecureRequests] : [])],
  });
}
