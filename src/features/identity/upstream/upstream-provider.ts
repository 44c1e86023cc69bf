import type { Configuration } from 'openid-client';
import type { UpstreamConfig } from '../../../foundation/config/config.ts';
import type { Clock } from '../../../foundation/kernel/clock.ts';
import type { HttpClient } from '../../../foundation/net/http.ts';
import { fetchWith } from './fetch-with.ts';
import { upstreamUnavailable } from './upstream-refused.ts';

/** Lifetime of the cached provider metadata, which may change, in milliseconds. */
const metadataLifetimeMs = 3_600_000;

/** Default time-out of a request, in milliseconds. Short, because a user is waiting in front of a browser. */
const defaultTimeoutMs = 10_000;

/** Tolerated clock difference to the provider, in seconds. */
const toleranceSeconds = 30;

/** The operator's identity provider. */
export interface UpstreamProvider {
  readonly issuer: string;
  /** Host of the issuer, for display. */
  readonly host: string;
  /** Mail domains in lower case. Users with a verified address in one of them need no invitation. */
  readonly allowedDomains: readonly string[];
  /** The redirect URI of this service, which the operator registered at the provider. */
  readonly redirectUri: string;
  /**
   * Returns the provider's metadata, which is cached for an hour.
   * @throws Unavailable if the provider's response is not valid
   */
  configuration(): Promise<Configuration>;
}

export interface UpstreamProviderDeps {
  readonly config: UpstreamConfig;
  /** `undefined` for a public client. */
  readonly clientSecret: string | undefined;
  readonly baseUrl: string;
  readonly http: HttpClient;
  readonly clock: Clock;
  /** Time-out of a request to the provider, in milliseconds. Default: 10,000. */
  readonly timeoutMs?: number;
}

/** Creates the provider without any request, because the provider may be down while this service starts. */
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
        known = { configuration: discover(deps), until: now + metadataLifetimeMs };
      }
      const { configuration } = known;
      try {
        return await configuration;
      } catch (error) {
        // Errors are not cached, so that one failure does not block sign-ins for an hour.
        forget(configuration);
        throw upstreamUnavailable(host, error);
      }
    },
  };
}

async function discover(deps: UpstreamProviderDeps): Promise<Configuration> {
  const { config, clientSecret, http, timeoutMs = defaultTimeoutMs } = deps;
  const openid = await import('openid-client');
  const issuer = new URL(config.issuer);
  const authentication = clientSecret === undefined ? openid.None() : openid.ClientSecretBasic(clientSecret);
  const metadata = { [openid.clockTolerance]: toleranceSeconds };
  return openid.discovery(issuer, config.clientId, metadata, authentication, {
    [openid.customFetch]: fetchWith(http, timeoutMs),
    // Plain http is allowed only if the operator configured an http issuer; an https issuer must not lead to http.
    execute: [
      openid.enableNonRepudiationChecks,
      ...(issuer.protocol === 'http:' ? [openid.allowInsecureRequests] : []),
    ],
  });
}
