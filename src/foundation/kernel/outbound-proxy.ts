import { BlockList, isIP } from 'node:net';
import { isLoopback } from './loopback.ts';
import { withoutEnd } from './text/cut-text.ts';

/** The proxies for outgoing requests (HTTPS_PROXY, HTTP_PROXY, NO_PROXY). Their URLs may contain a password. */
export interface OutboundProxies {
  /** URL of the proxy for https requests. */
  readonly https: string | undefined;
  /** URL of the proxy for http requests. */
  readonly http: string | undefined;
  /** Hosts that are called directly. */
  readonly noProxy: readonly string[];
}

/** The proxy of one request. */
export interface ProxyRoute {
  /** URL with its credentials. */
  readonly url: URL;
  readonly setting: 'HTTPS_PROXY' | 'HTTP_PROXY';
}

/**
 * Returns the proxy for an http(s) URL; `undefined` if it is called directly. Loopback addresses are always called
 * directly: on the host of the proxy they would be another service.
 */
export function proxyFor(url: URL, proxies: OutboundProxies | undefined): ProxyRoute | undefined {
  const isHttps = url.protocol === 'https:';
  const proxy = isHttps ? proxies?.https : proxies?.http;
  if (proxies === undefined || proxy === undefined) return undefined;
  const host = withoutEnd(url.hostname.replace(/^\[(.*)\]$/, '$1'), '.');
  if (isLoopback(host)) return undefined;
  const port = url.port === '' ? (isHttps ? '443' : '80') : url.port;
  if (proxies.noProxy.some((entry) => covers(entry.toLowerCase(), host, port))) return undefined;
  return { url: new URL(proxy), setting: isHttps ? 'HTTPS_PROXY' : 'HTTP_PROXY' };
}

/**
 * Describes why no connection to a host was made through a proxy: the proxy returned `status`, else it could not be
 * reached, for the reason `code`. The message names only the setting of the proxy, because its address would reveal the
 * operator's network to a tenant; the log has it.
 */
export function proxyProblem(
  { setting }: ProxyRoute,
  host: string,
  { status, code }: { readonly status?: string | undefined; readonly code?: string | undefined },
): { readonly message: string; readonly hint: string } {
  const named = `The outbound proxy (${setting})`;
  if (status === '407') {
    return {
      message: `${named} refused its credentials, or requires some.`,
      hint: `Set user and password in ${setting}.`,
    };
  }
  if (status !== undefined) {
    return {
      message: `${named} did not connect to ${host}: it returned ${status}.`,
      hint: 'Permit the host there, or name it in NO_PROXY to connect directly.',
    };
  }
  const reason = code === undefined ? '' : ` (${code})`;
  return {
    message: `${named} cannot be reached${reason}.`,
    hint: `Check ${setting} and that the proxy runs.`,
  };
}

/**
 * Returns whether an entry of NO_PROXY covers a host: `*`, a name with all names below it (a leading `.` or `*.` makes
 * no difference, as in curl), an address, or a range of addresses (`10.0.0.0/8`). All but `*` and a range may end with
 * a port.
 */
function covers(entry: string, host: string, port: string): boolean {
  if (entry === '*') return true;
  const range = /^\[?([\da-f:.]+)\]?\/(\d{1,3})$/.exec(entry);
  if (range !== null) return isWithin(host, range[1] ?? '', Number(range[2]));
  const [, bracketed, plain, onlyPort] = /^(?:\[([^\]]*)\]|([^:]*))(?::(\d+))?$/.exec(entry) ?? [];
  if (onlyPort !== undefined && onlyPort !== port) return false;
  // An address of IPv6 may be written without brackets; it has no port then.
  const name = withoutEnd((bracketed ?? plain ?? entry).replace(/^\*?\./, ''), '.');
  if (name === '') return false;
  const family = isIP(name);
  if (family !== 0) return isWithin(host, name, family === 4 ? 32 : 128);
  return host === name || host.endsWith(`.${name}`);
}

/** Returns whether a host is an address of a range. A name is never resolved for this. */
function isWithin(host: string, network: string, bits: number): boolean {
  const [family, ofHost] = [isIP(network), isIP(host)];
  if (family === 0 || family !== ofHost || bits > (family === 4 ? 32 : 128)) return false;
  const type = family === 4 ? 'ipv4' : 'ipv6';
  const list = new BlockList();
  list.addSubnet(network, bits, type);
  return list.check(host, type);
}
