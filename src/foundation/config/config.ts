import type { OutboundProxies } from '../kernel/outbound-proxy.ts';

/**
 * The parsed configuration. `load-config.ts` parses it once, and it is passed down from there. It contains no
 * secrets, so it may be logged; those are in `Secrets`.
 */
export interface Config {
  /** Public origin without a trailing slash. The only source of absolute URLs. */
  readonly baseUrl: string;
  /** Origin of page links. Default: `baseUrl`. */
  readonly appUrl: string;
  readonly http: {
    readonly host: string;
    /** Port to listen on; 0 selects a free one. */
    readonly port: number;
    /** Proxies whose X-Forwarded-For is trusted: `false`, `true`, a hop count, or addresses/CIDRs. */
    readonly trustProxy: boolean | number | readonly string[];
    /** Browser origins besides `baseUrl` that may call /mcp and REST. */
    readonly allowedOrigins: readonly string[];
  };
  readonly dataDir: string;
  readonly database: DatabaseConfig;
  readonly log: { readonly level: LogLevel };
  readonly outbound: {
    /**
     * Hosts that tenant data may name with http, any port and private addresses: `host` or `host:port` in lower case.
     */
    readonly allowHosts: readonly string[];
  };
  /** The deployment-wide Git host (GITHOST_*). Its App is used only if its private key is set as well. */
  readonly githost: GithostConfig;
  /** Interval between two checks of a source or connection, in milliseconds. */
  readonly syncIntervalMs: number;
  /** Time after the last question at which a conversation is deleted, in milliseconds; 0 keeps all. */
  readonly conversationRetentionMs: number;
  readonly repositories: {
    readonly allowLocal: boolean;
    /** Slugs or ids of the organizations that may use the ssh key in `dataDir`; if empty, the only organization. */
    readonly sshKeyOrganizations: readonly string[];
  };
  readonly codesearch: CodeSearchConfig;
  /** The graph database that holds a copy of the knowledge graph; `undefined` without one. */
  readonly graph: GraphConfig | undefined;
  /** The language model that writes answers; `undefined` without one. */
  readonly model: ModelConfig | undefined;
  /** Compression of text in the embedded index. An existing index keeps its compression until it is rebuilt. */
  readonly indexCompression: IndexCompression;
  /** Lifetimes of tokens issued by the authorization server, in milliseconds. */
  readonly access: {
    readonly accessTokenTtlMs: number;
    /** Lifetime of an unused refresh token. Each use renews it. */
    readonly refreshTokenTtlMs: number;
    /** Time during which a used refresh token is still accepted from the same client. */
    readonly refreshGraceMs: number;
  };
  /** Reading of client metadata documents (OAUTH_CLIENT_DOCUMENTS). */
  readonly clientDocuments: 'auto' | 'on' | 'off';
  /** Sign-in with the operator's identity provider; `undefined` without one. */
  readonly upstream: UpstreamConfig | undefined;
  readonly otlp: {
    readonly traces: string | undefined;
    readonly logs: string | undefined;
    readonly metrics: string | undefined;
  };
}

/**
 * The part of the database settings that may be shown. The Postgres URL contains a password, so it is in `Secrets`.
 */
export type DatabaseConfig =
  | { readonly dialect: 'sqlite'; readonly file: string }
  | { readonly dialect: 'postgres'; readonly host: string; readonly database: string };

export type IndexCompression = 'none' | 'zstd';

export type CodeSearchConfig =
  | { readonly kind: 'embedded' }
  | { readonly kind: 'remote'; readonly url: string }
  | { readonly kind: 'zoekt'; readonly url: string; readonly indexDir: string; readonly gitIndex: string };

export interface GraphConfig {
  readonly uri: string;
  readonly user: string;
  /** `undefined`: the default of the server. */
  readonly database: string | undefined;
}

/** A language model. Its key is in `Secrets`. */
export interface ModelConfig {
  readonly provider: 'openai-compatible' | 'anthropic';
  readonly url: string;
  readonly name: string;
}

/** A value is `undefined` to use that of the kind of Git host. */
export interface GithostConfig {
  readonly kind: string;
  readonly url: string | undefined;
  readonly apiUrl: string | undefined;
  readonly appId: string | undefined;
  readonly appSlug: string | undefined;
}

/** An OpenID provider. */
export interface UpstreamConfig {
  readonly issuer: string;
  readonly clientId: string;
  /** Mail domains, in lower case, whose verified addresses may sign in without an invitation. */
  readonly allowedDomains: readonly string[];
}

export type LogLevel = 'fatal' | 'error' | 'warn' | 'info' | 'debug' | 'trace';

/** The secrets of the deployment. They are never logged, printed or put into a URL. */
export interface Secrets {
  /** Root of derived keys. `undefined` until it is created (loopback with SQLite) or when a command needs none. */
  readonly authSecret: string | undefined;
  /** URL with credentials; `undefined` on SQLite. */
  readonly postgresUrl: string | undefined;
  /** URL that bypasses a transaction-mode pooler, for LISTEN and migration locks. */
  readonly postgresDirectUrl: string | undefined;
  readonly codesearchSecret: string | undefined;
  /** Password of `Config.graph`; `undefined` if it requires none. */
  readonly graphPassword: string | undefined;
  /** API key of `Config.model`; `undefined` if it requires none. */
  readonly modelKey: string | undefined;
  /** The proxies for outgoing requests, whose URLs may contain a password. */
  readonly proxies: OutboundProxies;
  /** Encrypts connection secrets instead of `authSecret`. */
  readonly connectionKey: string | undefined;
  /** Former keys of connection secrets, used only for decryption. */
  readonly formerConnectionKeys: readonly string[];
  /** The parsed values of the settings that providers declare, by name. Only the provider itself reads them. */
  readonly providerSettings: Readonly<Record<string, unknown>>;
  /** Private key of the App of `Config.githost`, in PEM format. */
  readonly githostPrivateKey: string | undefined;
  readonly githostWebhookSecret: string | undefined;
  /** Client secret of `Config.upstream`; `undefined` for a public client. */
  readonly upstreamClientSecret: string | undefined;
}
