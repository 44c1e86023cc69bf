import { createServer as createHttpServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { cloneMirror } from '../../src/foundation/git/mirror/mirror.ts';
import { defaultMirrorLimits } from '../../src/foundation/git/mirror/mirror-limits.ts';
import { reachSource } from '../../src/foundation/git/remote/reach-source.ts';
import { parseSource } from '../../src/foundation/git/source/parse-source.ts';
import { InvalidInput } from '../../src/foundation/kernel/errors.ts';
import { createHttpClient } from '../../src/foundation/net/http-client.ts';
import type { Lookup, ResolvedAddress } from '../../src/foundation/net/resolve-public.ts';
import { useCountedListener } from '../support/http/counted-listener.ts';
import { temporaryFolder } from '../support/temporary-folder.ts';

/**
 * Tries every known way to name a private address with each client that calls URLs from data. A listener on all
 * addresses of this host counts the connections: there must be none.
 */
const literals = [
  '127.0.0.1',
  '127.1',
  '127.0.1',
  '2130706433',
  '0x7f000001',
  '0x7f.0.0.1',
  '0x7f.1',
  '017700000001',
  '0177.0.0.1',
  '0177.1',
  '127.0.0.1.',
  '127.8.8.8',
  '0.0.0.0',
  '0',
  '127。0。0。1',
  '１２７.0.0.1',
  '%31%32%37.0.0.1',
  '[::1]',
  '[0:0:0:0:0:0:0:1]',
  '[::]',
  '[::ffff:127.0.0.1]',
  '[::ffff:7f00:1]',
  '[::127.0.0.1]',
  '[64:ff9b::127.0.0.1]',
  '[2002:7f00:1::]',
  '[::1%25lo]',
  'localhost',
  'LOCALHOST',
  'localhost.',
  'a.localhost',
  'ⓛⓞⓒⓐⓛⓗⓞⓢⓣ',
  'localhost.localdomain',
  'ip6-localhost',
];

/** A public but unrouted address: what a rebinding host returns to the check. */
const decoy: ResolvedAddress = { address: '2c0f:ffff:ffff::1', family: 6 };
const loopback: ResolvedAddress = { address: '127.0.0.1', family: 4 };

const names: Readonly<Record<string, readonly ResolvedAddress[]>> = {
  'private.example.com': [loopback],
  'mixed.example.com': [decoy, loopback],
  'mapped.example.com': [{ address: '::ffff:127.0.0.1', family: 6 }],
  'nat64.example.com': [{ address: '64:ff9b::7f00:1', family: 6 }],
  'metadata.example.com': [{ address: '169.254.169.254', family: 4 }],
  'nothing.example.com': [],
};

const lookup: Lookup = async (host) => names[host] ?? [loopback];

const hosts = [...literals, ...Object.keys(names)];
const folder = temporaryFolder();
const listener = useCountedListener();

async function callHttp(url: string, allowHosts: readonly string[], resolver = lookup): Promise<unknown> {
  const client = createHttpClient({ allowHosts, lookup: resolver });
  try {
    return await client.request({ url, destination: 'tenant', timeoutMs: 1_000, followRedirects: true });
  } finally {
    await client.close();
  }
}

async function clone(url: string, allowHosts: readonly string[], resolver = lookup): Promise<unknown> {
  return cloneMirror({
    source: parseSource(url, { allowLocal: false, allowHosts }),
    gitDir: join(folder, 'r.git'),
    limits: { ...defaultMirrorLimits, totalMs: 3_000, stallMs: 1_000 },
    signal: new AbortController().signal,
    deps: { dataDir: folder, allowHosts, lookup: resolver },
  });
}

type Call = (host: string, allowHosts: readonly string[], resolver?: Lookup) => Promise<unknown>;

const clients: Readonly<Record<string, Call>> = {
  'the HTTP client': (host, ...rest) => callHttp(`https://${host}:${listener.port}/`, ...rest),
  'the HTTP client over plain http': (host, ...rest) => callHttp(`http://${host}:${listener.port}/`, ...rest),
  'Git over https': (host, ...rest) => clone(`https://${host}:${listener.port}/owner/name.git`, ...rest),
  'Git over ssh': (host, ...rest) => clone(`ssh://git@${host}:${listener.port}/owner/name.git`, ...rest),
};

describe.each(Object.entries(clients))('%s', (_title, call) => {
  it.each(hosts)('makes no connection for %s', async (host) => {
    await expect(call(host, [])).rejects.toThrow(InvalidInput);
    expect(listener.connections).toBe(0);
  });

  it('connects to a private address that OUTBOUND_ALLOW_HOSTS names, so the listener does count', async () => {
    await expect(call('127.0.0.1', ['127.0.0.1'])).rejects.toThrow();
    expect(listener.connections).toBeGreaterThan(0);
  });
});

describe('a redirect from an allowed host', () => {
  const redirector = createHttpServer((message, response) => {
    const target = new URL(message.url ?? '', 'http://a').searchParams.get('to') ?? '';
    // Raw UTF-8 bytes, as servers send them.
    response.writeHead(302, { location: Buffer.from(target).toString('latin1') }).end();
  });
  let origin: string;

  beforeAll(async () => {
    await new Promise<void>((resolve) => redirector.listen(0, '127.0.0.1', resolve));
    origin = `127.0.0.1:${(redirector.address() as AddressInfo).port}`;
  });
  afterAll(() => redirector.close());

  it.each(hosts.flatMap((host) => [`https://${host}`, `http://${host}`]))(
    'makes no connection for %s',
    async (to) => {
      const target = encodeURIComponent(`${to}:${listener.port}/`);
      await expect(callHttp(`http://${origin}/?to=${target}`, [origin])).rejects.toThrow(InvalidInput);
      expect(listener.connections).toBe(0);
    },
  );
});

describe('a host that answers the check with a public address and the next look-up with a private one', () => {
  function rebinding(): { resolver: Lookup; lookups: () => number } {
    let lookups = 0;
    return {
      lookups: () => lookups,
      resolver: async () => {
        lookups += 1;
        return lookups === 1 ? [decoy] : [loopback];
      },
    };
  }

  it('gets no connection from the HTTP client, which resolves once per connection', async () => {
    const { resolver, lookups } = rebinding();
    await expect(callHttp(`https://rebind.example.com:${listener.port}/`, [], resolver)).rejects.toThrow();
    expect({ connections: listener.connections, lookups: lookups() }).toEqual({ connections: 0, lookups: 1 });
  });

  it.each(['https', 'ssh'])('gets no connection from Git over %s', async (scheme) => {
    const { resolver, lookups } = rebinding();
    const url = `${scheme}://rebind.example.com:${listener.port}/owner/name.git`;
    await expect(clone(url, [], resolver)).rejects.toThrow();
    expect({ connections: listener.connections, lookups: lookups() }).toEqual({ connections: 0, lookups: 1 });
  });

  it('is pinned to the checked address, whatever Git or ssh would resolve themselves', async () => {
    const deps = { dataDir: folder, allowHosts: [], lookup: rebinding().resolver };
    const rules = { allowLocal: false, allowHosts: [] };
    const https = await reachSource(parseSource('https://rebind.example.com/o/n', rules), deps);
    expect(https.config).toContainEqual(['http.curloptResolve', `rebind.example.com:443:[${decoy.address}]`]);
    const again = { ...deps, lookup: rebinding().resolver };
    const ssh = await reachSource(parseSource('git@rebind.example.com:o/n', rules), again);
    expect(ssh.sshCommand).toContain(`HostName=${decoy.address}`);
  });
});
