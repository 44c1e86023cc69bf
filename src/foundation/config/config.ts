/**
 * The configuration as values: parsed once in `load-config.ts`, then passed down. Nothing in here is secret, so the
 * whole value may be logged; secrets travel in `Secrets`.
 */
export interface Config {
  /** Public origin without a trailing slash. The only source of absolute URLs. */
  readonly baseUrl: string;
  /** Origin of page links; `baseUrl` unless SERVICE_PUBLIC_APP_URL says otherwise. */
  readonly appUrl: string;
  readonly http: {
    readonly host: string;
    /** 0 asks the system for a free one. */
    readonly port: number;
    /** Whose X-Forwarded-For counts: `false`, `true`, a hop count, or addresses/CIDRs. */
    readonly trustProxy: boolean | number | readonly string[];
    /** Browser origins beside `baseUrl` that may call /mcp and REST. */
    readonly allowedOrigins: readonly string[];
  };
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  readonly log: { readonly level: LogLevel };
  readonly outbound: {
    /** Lower-case `host` or `host:port` that data may name with http, any port and private addresses. */
    readonly allowHosts: readonly string[];
  };
  readonly repositories: { readonly allowLocal: boolean };
  readonly codesearch: CodeSearchConfig;
  /** How an index of our own keeps text; what is there already stays as it is until it is built anew. */
  readonly indexCompression: IndexCompression;
  /** Lifetimes of what the authorization server issues, in milliseconds. */
  readonly access: {
    readonly accessTokenTtlMs: number;
    /** Unused; each use begins it anew. */
    readonly refreshTokenTtlMs: number;
    /** In which a used refresh token still counts for the same client. */
    readonly refreshGraceMs: number;
  };
  /** Sign-in at an identity provider of the operator's; `undefined` without one. */
  readonly upstream: UpstreamConfig | undefined;
  readonly connectors: { readonly tracker: ConnectorAppConfig; readonly oncall: ConnectorAppConfig };
  /** By how much a signed event may be older or newer than now, in milliseconds. */
  readonly webhookToleranceMs: { readonly tracker: number };
  readonly otlp: {
    readonly traces: string | undefined;
    readonly logs: string | undefined;
    readonly metrics: string | undefined;
  };
}

/** `url` carries the password of Postgres, so it lies in `Secrets`; here is what may be shown. */
export type DatabaseConfig =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | { readonly dialect: 'postgres'; readonly host: string; readonly database: string };

export type IndexCompression = 'none' | 'zstd';

export type CodeSearchConfig =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'remote'; readonly url: string }
  | { readonly kind: 'zoekt'; readonly url: string; readonly indexDir: string; readonly gitIndex: string };

/** An OpenID provider. */
export interface UpstreamConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Mail domains, lower case, whose verified addresses may sign in without an invitation. */
  readonly allowedDomains: readonly string[];
}

/** The deployment-wide OAuth app of a provider; it applies where its secret is set, too. */
export interface ConnectorAppConfig {
  readonly clientId: string | undefined;
  /** As written: the provider compares it character for character. */
  readonly redirectUri: string | undefined;
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** Never logged, printed or put into a URL. */
export interface Secrets {
  /** Root of derived keys; `undefined` until it is made (loopback with SQLite) or when a command needs none. */
  readonly authSecret: string | undefined;
  /** With credentials; `undefined` on SQLite. */
  readonly postgresUrl: string | undefined;
  /** Past a transaction-mode pooler, for LISTEN and migration locks. */
  readonly postgresDirectUrl: string | undefined;
  readonly codesearchSecret: string | undefined;
  /** Seals connection secrets instead of `authSecret`. */
  readonly connectionKey: string | undefined;
  /** Former keys of connection secrets, for reading. */
  readonly formerConnectionKeys: readonly string[];
  readonly trackerClientSecret: string | undefined;
  readonly trackerWebhookSecret: string | undefined;
  readonly oncallClientSecret: string | undefined;
  /** Of `Config.upstream`; `undefined` for a public client. */
  readonly upstreamClientSecret: string | undefined;
}
