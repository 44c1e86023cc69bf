import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryFolder } from '../../../test/support/temporary-folder.ts';
import { ConfigError } from './config-error.ts';
import { type ConfigInput, configuredAddress, loadConfig } from './load-config.ts';

const hush = 'hush-hush-hush-hush-hush-hush-hush-hush';

function inputOf(env: ConfigInput['env'], rest: Partial<ConfigInput> = {}): ConfigInput {
  return { env, cwd: temporaryFolder(), homeDir: '/home/somebody', ...rest };
}

function load(env: ConfigInput['env'], rest: Partial<ConfigInput> = {}) {
  return loadConfig(inputOf(env, rest));
}

function withFile(yaml: string, env: ConfigInput['env'] = {}) {
  const input = inputOf(env);
  writeFileSync(join(input.cwd, 'orgctx.yaml'), yaml);
  return input;
}

/** Returns the errors of a configuration by name. Fails if there are none. */
function errorsOf(input: ConfigInput): Record<string, string> {
  try {
    loadConfig(input);
  } catch (error) {
    if (error instanceof ConfigError) {
      return Object.fromEntries(error.errors.map(({ name, message }) => [name, message]));
    }
    throw error;
  }
  throw new Error('the configuration is valid');
}

describe('loadConfig without any setting', () => {
  it('configures a service on loopback with SQLite in the XDG data folder', () => {
    const { config, secrets, configFile } = load({});
    expect(config).toMatchObject({
      baseUrl: 'http://127.0.0.1:3000',
      appUrl: 'http://127.0.0.1:3000',
      http: { host: '127.0.0.1', port: 3000, trustProxy: false, allowedOrigins: [] },
      dataDir: '/home/somebody/.local/share/orgctx',
      database: { dialect: 'sqlite', file: '/home/somebody/.local/share/orgctx/orgctx.db' },
      log: { level: 'info' },
      outbound: { allowHosts: [] },
      repositories: { allowLocal: false },
      codesearch: { kind: 'embedded' },
      indexCompression: 'none',
    });
    expect(secrets).toEqual({ formerConnectionKeys: [], providerSettings: {}, proxies: { noProxy: [] } });
    expect(configFile).toBeUndefined();
  });

  it('uses an absolute XDG_DATA_HOME and ignores a relative one', () => {
    expect(load({ XDG_DATA_HOME: '/data' }).config.dataDir).toBe('/data/orgctx');
    expect(load({ XDG_DATA_HOME: 'data' }).config.dataDir).toBe('/home/somebody/.local/share/orgctx');
  });
});

describe('the order of sources', () => {
  it('is flag, environment, file, default, and each value names its source', () => {
    const input = withFile('PORT: 4001\nHOST: 0.0.0.0\nLOG_LEVEL: debug\n', {
      PORT: '4002',
      HOST: '127.0.0.2',
    });
    const { config, origins, configFile } = loadConfig({ ...input, flags: { PORT: '4003' } });
    expect(config.http).toMatchObject({ port: 4003, host: '127.0.0.2' });
    expect(config.log.level).toBe('debug');
    expect(configFile).toBe(join(input.cwd, 'orgctx.yaml'));
    expect(origins.PORT).toEqual({ value: '4003', origin: 'flag' });
    expect(origins.HOST.origin).toBe('environment');
    expect(origins.LOG_LEVEL.origin).toBe('file');
    expect(origins.TRUST_PROXY).toEqual({ value: 'false', origin: 'default' });
    expect(origins.CODESEARCH_URL).toEqual({ value: undefined, origin: 'unset' });
  });

  it('treats an empty value as unset in each source', () => {
    const input = withFile('PORT: ""\nHOST:\nLOG_LEVEL: ~\n', { PORT: '', HOST: '', OIDC_CLIENT_ID: '' });
    const { config, origins } = loadConfig({ ...input, flags: { PORT: '' } });
    expect(config.http).toMatchObject({ port: 3000, host: '127.0.0.1' });
    expect(origins.OIDC_CLIENT_ID).toEqual({ value: undefined, origin: 'unset' });
  });

  it('reads another file with --config, which must exist', () => {
    const input = withFile('PORT: 1\n');
    writeFileSync(join(input.cwd, 'other.yaml'), 'PORT: 4004\n');
    expect(loadConfig({ ...input, configFile: 'other.yaml' }).config.http.port).toBe(4004);
    expect(errorsOf({ ...input, configFile: 'absent.yaml' })).toEqual({
      'absent.yaml': 'cannot be read (ENOENT)',
    });
  });
});

describe('orgctx.yaml', () => {
  it('reads lists as lists and keeps every scalar as written', () => {
    const input = withFile(
      'ALLOWED_ORIGINS:\n  - https://a.example\n  - https://b.example/\nDATA_DIR: "0123"\nALLOW_LOCAL_REPOSITORIES: true\n',
    );
    const { config } = loadConfig(input);
    expect(config.http.allowedOrigins).toEqual(['https://a.example', 'https://b.example']);
    expect(config.dataDir).toBe(join(input.cwd, '0123'));
    expect(config.repositories.allowLocal).toBe(true);
  });

  it('keeps a secret of digits as text', () => {
    const digits = '12345678901234567890123456789012345';
    expect(loadConfig(withFile(`AUTH_SECRET: ${digits}\n`)).secrets.authSecret).toBe(digits);
  });

  it.each([
    ['AUTH_BASEURL: https://x.example\n', 'AUTH_BASEURL', 'did you mean AUTH_BASE_URL?'],
    ['auth_base_url: https://x.example\n', 'auth_base_url', 'did you mean AUTH_BASE_URL?'],
    ['PROT: 1\n', 'PROT', 'did you mean PORT?'],
    ['entirely_different_words: 1\n', 'entirely_different_words', /^is not a setting \(in orgctx\.yaml\)$/],
    ['PORT_FILE: x\n', 'PORT_FILE', 'is not a setting'],
    ['PORT:\n  nested: 1\n', 'PORT', 'must be text or a list of texts'],
    ['- a\n- b\n', 'orgctx.yaml', 'must be a map'],
  ])('refuses %j by name', (yaml, name, message) => {
    expect(errorsOf(withFile(yaml))[name]).toMatch(message);
  });

  it('names the line of a syntax error without quoting it', () => {
    const errors = errorsOf(withFile(`PORT: 1\nAUTH_SECRET: "${hush}\nHOST: x\n`));
    expect(errors['orgctx.yaml']).toMatch(/^is not valid YAML at line \d+ \(\w+\)$/);
    expect(JSON.stringify(errors)).not.toContain('hush');
  });

  it('refuses a file that is too large', () => {
    expect(errorsOf(withFile(`# ${'x'.repeat(300_000)}\n`))).toEqual({
      'orgctx.yaml': 'is larger than 256 KiB',
    });
  });
});

describe('secrets', () => {
  it('are read from the file that NAME_FILE names, without its last newline', () => {
    const input = inputOf({ AUTH_SECRET_FILE: 'secret', CODESEARCH_SECRET: 'shared' });
    writeFileSync(join(input.cwd, 'secret'), `${hush}\n`);
    const { secrets, origins } = loadConfig(input);
    expect(secrets).toMatchObject({ authSecret: hush, codesearchSecret: 'shared' });
    expect(origins.AUTH_SECRET).toEqual({ value: 'set', origin: 'environment' });
    expect(origins.MODEL_API_KEY).toEqual({ value: 'unset', origin: 'unset' });
  });

  it('lose exactly one newline at the end', () => {
    const input = inputOf({ AUTH_SECRET_FILE: 'secret' });
    writeFileSync(join(input.cwd, 'secret'), `${hush} \n\r\n`);
    expect(loadConfig(input).secrets.authSecret).toBe(`${hush} \n`);
  });

  it.each([
    [{ AUTH_SECRET: hush, AUTH_SECRET_FILE: 'x' }, 'AUTH_SECRET', 'must not both be set'],
    [{ AUTH_SECRET_FILE: 'absent' }, 'AUTH_SECRET_FILE', 'cannot be read (ENOENT)'],
    [{ DATABASE_URL_FILE: 'absent' }, 'DATABASE_URL_FILE', 'cannot be read (ENOENT)'],
    [{ AUTH_SECRET_FILE: '/dev/null' }, 'AUTH_SECRET_FILE', 'empty file'],
    [{ AUTH_SECRET: 'x'.repeat(31) }, 'AUTH_SECRET', 'at least 32 characters'],
    [{ AUTH_BASE_URL: 'https://c.example' }, 'AUTH_SECRET', 'AUTH_BASE_URL is not loopback'],
    [{ DATABASE_URL: 'postgres://u:p@db/x' }, 'AUTH_SECRET', 'the database is Postgres'],
  ])('%j: %s %s', (env, name, message) => {
    const errors = errorsOf(inputOf(env));
    expect(Object.keys(errors)).toEqual([name]);
    expect(errors[name]).toContain(message);
  });

  it('are the only settings that are read from files', () => {
    expect(load({ PORT_FILE: '/absent' }).config.http.port).toBe(3000);
  });

  it('are not part of the shown settings', () => {
    const { config, origins } = load({
      AUTH_SECRET: hush,
      DATABASE_URL: `postgres://user:${hush}@db.example:5433/orgctx?password=${hush}`,
      MODEL_PROVIDER: 'anthropic',
      MODEL_NAME: 'm',
      MODEL_API_KEY: hush,
      GITHOST_APP_PRIVATE_KEY: `-----BEGIN\n${hush}\n`,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: `https://otlp.example/?api-key=${hush}`,
    });
    const { otlp, ...rest } = config;
    expect(otlp.traces).toContain(hush);
    expect(JSON.stringify([rest, origins])).not.toContain('hush');
    expect(origins.DATABASE_URL.value).toBe('postgres://db.example/orgctx');
  });
});

describe('AUTH_BASE_URL', () => {
  it.each([
    ['https://Context.Example/', 'https://context.example'],
    ['https://context.example:443', 'https://context.example'],
    ['https://context.example:8443', 'https://context.example:8443'],
    ['http://localhost:8080', 'http://localhost:8080'],
    ['http://[::1]:3000/', 'http://[::1]:3000'],
  ])('%s is the origin %s', (given, origin) => {
    expect(load({ AUTH_BASE_URL: given, AUTH_SECRET: hush }).config.baseUrl).toBe(origin);
  });

  it.each([
    ['https://c.example/base', 'must not have a path'],
    ['https://c.example/?', 'must not have a query'],
    ['https://c.example/#a', 'must not have a query or a fragment'],
    [`https://u:${hush}@c.example`, 'must not carry a user or password'],
    ['https://@c.example', 'must not carry a user'],
    ['http://c.example', 'must use https'],
    ['http://127.0.0.1.c.example', 'must use https'],
    ['http://10.0.0.1:3000', 'must use https'],
    ['c.example', 'must be an http or https origin'],
    ['ftp://c.example', 'must be an http or https origin'],
    ['https://a$(id).example', 'must name a host of letters'],
  ])('%s %s', (given, message) => {
    const errors = errorsOf(inputOf({ AUTH_BASE_URL: given, AUTH_SECRET: hush }));
    expect(errors['AUTH_BASE_URL']).toContain(message);
    expect(JSON.stringify(errors)).not.toContain('c.example');
  });

  it('must share its origin with SERVICE_PUBLIC_APP_URL when it is https', () => {
    const base = { AUTH_BASE_URL: 'https://c.example', AUTH_SECRET: hush };
    expect(load({ ...base, SERVICE_PUBLIC_APP_URL: 'https://c.example/' }).config.appUrl).toBe(
      'https://c.example',
    );
    expect(errorsOf(inputOf({ ...base, SERVICE_PUBLIC_APP_URL: 'https://app.c.example' }))).toEqual({
      SERVICE_PUBLIC_APP_URL: 'must be the same origin as AUTH_BASE_URL',
    });
    expect(load({ SERVICE_PUBLIC_APP_URL: 'http://localhost:5173' }).config.appUrl).toBe(
      'http://localhost:5173',
    );
  });
});

describe('DATABASE_URL', () => {
  it.each([
    ['sqlite:other.db', '/data/other.db'],
    ['sqlite:/srv/orgctx.db', '/srv/orgctx.db'],
    ['sqlite:///srv/orgctx.db', '/srv/orgctx.db'],
  ])('%s is the file %s', (given, file) => {
    const { database } = load({ DATABASE_URL: given, DATA_DIR: '/data' }).config;
    expect(database).toEqual({ dialect: 'sqlite', file });
  });

  it('keeps the Postgres URL in the secrets, and only host and database in the config', () => {
    const url = `postgresql://u:${hush}@db.example/orgctx`;
    const { config, secrets } = load({ DATABASE_URL: url, AUTH_SECRET: hush, DATABASE_DIRECT_URL: url });
    expect(config.database).toEqual({ dialect: 'postgres', host: 'db.example', database: 'orgctx' });
    expect(secrets).toMatchObject({ postgresUrl: url, postgresDirectUrl: url });
  });

  it.each([
    [
      'postgres://u:p@/db?host=/run/postgresql',
      '/run/postgresql',
      'postgres://u:p@localhost/db?host=/run/postgresql',
    ],
    [
      'postgres://u@/db?host=%2Frun%2Fpostgresql',
      '/run/postgresql',
      'postgres://u@localhost/db?host=%2Frun%2Fpostgresql',
    ],
    [
      'postgresql:///db?host=/run/postgresql',
      '/run/postgresql',
      'postgresql://localhost/db?host=/run/postgresql',
    ],
    ['postgres://u@%2Frun%2Fpostgresql/db', '/run/postgresql', 'postgres://u@%2Frun%2Fpostgresql/db'],
    ['postgres://u@:5433/db?host=/tmp', '/tmp', 'postgres://u@localhost:5433/db?host=/tmp'],
    ['postgres://u@other/db?host=/tmp', '/tmp', 'postgres://u@other/db?host=/tmp'],
    ['postgres://:5@other/db', 'other', 'postgres://:5@other/db'],
    ['postgres://u@/db', 'localhost', 'postgres://u@localhost/db'],
    ['postgres://u@[::1]:5433/db', '[::1]', 'postgres://u@[::1]:5433/db'],
  ])('%s is read as libpq reads it', (given, host, url) => {
    const { config, secrets } = load({ DATABASE_URL: given, AUTH_SECRET: hush, DATABASE_DIRECT_URL: given });
    expect(config.database).toEqual({ dialect: 'postgres', host, database: 'db' });
    expect(secrets).toMatchObject({ postgresUrl: url, postgresDirectUrl: url });
  });

  it.each([
    'sqlite:',
    'sqlite::memory:',
    'mysql://h/d',
    'postgres://h',
    'postgres://u@/',
    'postgres://u@/?host=/run',
    'orgctx.db',
  ])('%s is refused', (given) => {
    expect(errorsOf(inputOf({ DATABASE_URL: given, AUTH_SECRET: hush }))).toEqual({
      DATABASE_URL: 'must be sqlite:PATH or postgres://user@host/database',
    });
  });
});

describe('single settings', () => {
  it.each([
    ['true', true],
    ['false', false],
    ['2', 2],
    ['10.0.0.0/8, ::1', ['10.0.0.0/8', '::1']],
    ['loopback', ['loopback']],
  ])('TRUST_PROXY %s is read', (given, read) => {
    expect(load({ TRUST_PROXY: given }).config.http.trustProxy).toEqual(read);
  });

  it.each([
    ['git.internal, 10.0.0.5:3000, [::1]:80', ['git.internal', '10.0.0.5:3000', '[::1]:80']],
    ['Git.Internal', ['git.internal']],
  ])('OUTBOUND_ALLOW_HOSTS %s is read', (given, read) => {
    expect(load({ OUTBOUND_ALLOW_HOSTS: given }).config.outbound.allowHosts).toEqual(read);
  });

  it('ACCESS_TOKEN_TTL is at most REFRESH_TOKEN_TTL, the default as well', () => {
    expect(load({ ACCESS_TOKEN_TTL: '600', REFRESH_TOKEN_TTL: '600' }).config.access).toMatchObject({
      accessTokenTtlMs: 600_000,
      refreshTokenTtlMs: 600_000,
    });
    for (const given of [
      { ACCESS_TOKEN_TTL: '601', REFRESH_TOKEN_TTL: '600' },
      { REFRESH_TOKEN_TTL: '600' },
    ]) {
      expect(errorsOf(inputOf(given))).toEqual({
        ACCESS_TOKEN_TTL: 'must not be longer than REFRESH_TOKEN_TTL',
      });
    }
  });

  it('CODESEARCH_* select the code search engine', () => {
    expect(load({ CODESEARCH_COMPRESSION: 'zstd' }).config.indexCompression).toBe('zstd');
    const url = 'http://search:4000';
    expect(load({ CODESEARCH_URL: url }).config.codesearch).toEqual({ kind: 'remote', url });
    const zoekt = { CODESEARCH_URL: url, CODESEARCH_KIND: 'zoekt', ZOEKT_INDEX_DIR: '/idx' };
    expect(load(zoekt).config.codesearch).toEqual({
      kind: 'zoekt',
      url,
      indexDir: '/idx',
      gitIndex: 'zoekt-git-index',
    });
    expect(Object.keys(errorsOf(inputOf({ CODESEARCH_KIND: 'zoekt' })))).toEqual([
      'CODESEARCH_URL',
      'ZOEKT_INDEX_DIR',
    ]);
  });

  it('GRAPH_DB_* select the graph database', () => {
    expect(load({}).config.graph).toBeUndefined();
    const { config, secrets } = load({ GRAPH_DB_URI: 'bolt://graph:7687', GRAPH_DB_PASSWORD: 'hunter2' });
    expect(config.graph).toEqual({ uri: 'bolt://graph:7687', user: 'neo4j', database: undefined });
    expect(secrets.graphPassword).toBe('hunter2');
    const named = { GRAPH_DB_URI: 'neo4j+s://graph', GRAPH_DB_USER: 'orgctx', GRAPH_DB_NAME: 'context' };
    expect(load(named).config.graph).toEqual({ uri: 'neo4j+s://graph', user: 'orgctx', database: 'context' });
  });

  it.each([
    ['PORT', '65536'],
    ['PORT', '-1'],
    ['PORT', '3000x'],
    ['PORT', '0x10'],
    ['HOST', 'http://x'],
    ['TRUST_PROXY', 'yes'],
    ['TRUST_PROXY', '10.0.0.0/33'],
    ['ALLOWED_ORIGINS', 'https://a.example/path'],
    ['ALLOWED_ORIGINS', '*'],
    ['LOG_LEVEL', 'INFO'],
    ['ALLOW_LOCAL_REPOSITORIES', 'maybe'],
    ['OUTBOUND_ALLOW_HOSTS', 'http://git.internal'],
    ['OUTBOUND_ALLOW_HOSTS', '*.internal'],
    ['OUTBOUND_ALLOW_HOSTS', '.example.com'],
    ['OUTBOUND_ALLOW_HOSTS', '127.1'],
    ['OUTBOUND_ALLOW_HOSTS', '%'],
    ['OUTBOUND_ALLOW_HOSTS', 'git.internal/x'],
    ['OUTBOUND_ALLOW_HOSTS', 'git.internal:99999'],
    ['CODESEARCH_URL', 'http://user:pass@search'],
    ['CODESEARCH_COMPRESSION', 'gzip'],
    ['GRAPH_DB_URI', 'http://graph'],
    ['GRAPH_DB_URI', 'neo4j://u:p@graph'],
    ['MODEL_PROVIDER', 'other'],
    ['OIDC_ALLOWED_DOMAINS', '@example.com'],
    ['ACCESS_TOKEN_TTL', '1.5'],
    ['SYNC_INTERVAL', '-30s'],
    ['CONVERSATION_RETENTION_DAYS', '3651'],
    ['GITHOST_KIND', 'Git host'],
    ['GITHOST_API_URL', 'git.example'],
    ['CONNECTION_SECRETS_ENCRYPTION_KEY', 'only 31 characters long, so not'],
    ['CONNECTION_SECRETS_ENCRYPTION_KEY_PREVIOUS', 'short'],
    ['DATA_DIR', 'a\nb'],
  ])('%s refuses %j and names the setting, not the value', (name, value) => {
    const errors = errorsOf(inputOf({ [name]: value }));
    expect(Object.keys(errors)).toEqual([name]);
    expect(errors[name]).toMatch(/^must /);
    expect(`${errors[name]}`).not.toContain(value);
  });
});

describe('ConfigError', () => {
  it('lists the errors of every source by name in one message', () => {
    const input = withFile('BOGUS: 1\nLOG_LEVEL: loud\n', {
      PORT: 'eighty',
      AUTH_SECRET: 'short',
      AUTH_BASE_URL: 'https://c.example/x',
    });
    const errors = errorsOf(input);
    expect(Object.keys(errors).toSorted()).toEqual([
      'AUTH_BASE_URL',
      'AUTH_SECRET',
      'BOGUS',
      'LOG_LEVEL',
      'PORT',
    ]);
    expect(() => loadConfig(input)).toThrow(/^5 settings are invalid: BOGUS is not a setting/);
  });
});

describe('configuredAddress', () => {
  it('ignores errors in settings that a client does not need', () => {
    const addressOf = (env: Readonly<Record<string, string>>) => configuredAddress(inputOf(env)).baseUrl;
    expect(addressOf({ AUTH_BASE_URL: 'https://c.example/', LOG_LEVEL: 'loud' })).toBe('https://c.example');
    expect(addressOf({ PORT: '4000' })).toBe('http://127.0.0.1:4000');
    expect(addressOf({ PORT: '0' })).toBeUndefined();
  });

  it('refuses an invalid URL', () => {
    expect(() => configuredAddress(inputOf({ AUTH_BASE_URL: 'nowhere' }))).toThrow(ConfigError);
  });
});

describe('the data folder and port of quickstart', () => {
  const remembered = { dataDir: '/srv/quick', port: 3100 };
  const shown = (env: Readonly<Record<string, string>>) => {
    const { origins } = loadConfig({ ...inputOf(env), remembered });
    return [origins.DATA_DIR, origins.PORT].map(({ value, origin }) => `${value} ${origin}`);
  };

  it('come before the defaults and after everything that is set', () => {
    expect(shown({})).toEqual(['/srv/quick quickstart', '3100 quickstart']);
    expect(shown({ PORT: '4000' })).toEqual(['/srv/quick quickstart', '4000 environment']);
    expect(shown({ DATA_DIR: '/srv/quick' })).toEqual(['/srv/quick environment', '3100 quickstart']);
  });

  it('the port does not apply to another data folder', () => {
    expect(shown({ DATA_DIR: '/srv/other' })).toEqual(['/srv/other environment', '3000 default']);
  });
});
