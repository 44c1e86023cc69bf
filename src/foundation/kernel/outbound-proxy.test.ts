import { describe, expect, it } from 'vitest';
import { proxyFor } from './outbound-proxy.ts';

const proxies = (...noProxy: string[]) => ({
  https: 'http://user:secret@proxy.example:3128',
  http: 'http://other.example:8080',
  noProxy,
});

const isDirect = (url: string, ...noProxy: string[]): boolean =>
  proxyFor(new URL(url), proxies(...noProxy)) === undefined;

describe('proxyFor', () => {
  it('returns the proxy of the protocol', () => {
    expect(proxyFor(new URL('https://a.example/'), proxies())).toMatchObject({
      url: { host: 'proxy.example:3128' },
      setting: 'HTTPS_PROXY',
    });
    expect(proxyFor(new URL('http://a.example/'), proxies())).toMatchObject({
      url: { host: 'other.example:8080' },
      setting: 'HTTP_PROXY',
    });
  });

  it('returns none without a proxy of the protocol', () => {
    expect(proxyFor(new URL('https://a.example/'), undefined)).toBeUndefined();
    const onlyHttp = { ...proxies(), https: undefined };
    expect(proxyFor(new URL('https://a.example/'), onlyHttp)).toBeUndefined();
  });

  it.each(['http://localhost/', 'https://127.0.0.9:1/', 'http://[::1]:3000/', 'http://x.localhost./'])(
    'returns none for the loopback address %s',
    (url) => expect(isDirect(url)).toBe(true),
  );

  it.each([
    ['https://git.example.com/', '*'],
    ['https://example.com/', 'example.com'],
    ['https://git.example.com/', 'example.com'],
    ['https://git.example.com/', '.example.com'],
    ['https://example.com/', '.example.com'],
    ['https://git.example.com/', '*.example.com'],
    ['https://git.example.com./', 'EXAMPLE.com.'],
    ['https://git.example.com/', 'git.example.com:443'],
    ['http://git.example.com:8080/', 'example.com:8080'],
    ['https://10.1.2.3/', '10.0.0.0/8'],
    ['https://10.1.2.3:8443/', '10.1.2.3'],
    ['https://10.1.2.3:8443/', '10.1.2.3:8443'],
    ['https://[fd00::7]/', 'fd00::/8'],
    ['https://[fd00::7]/', 'fd00:0::7'],
    ['https://[fd00::7]/', '[fd00::7]:443'],
  ])('returns none for %s, which NO_PROXY=%s covers', (url, entry) => {
    expect(isDirect(url, 'other.example', entry)).toBe(true);
  });

  it.each([
    ['https://example.com/', 'git.example.com'],
    ['https://notexample.com/', 'example.com'],
    ['https://git.example.com/', 'git.example.com:8443'],
    ['https://11.1.2.3/', '10.0.0.0/8'],
    ['https://10.1.2.3/', '10.0.0.0/99'],
    ['https://110.1.2.3/', '10.1.2.3'],
    ['https://ten.example/', '10.0.0.0/8'],
    ['https://[fe80::7]/', 'fd00::/8'],
    ['https://[fd00::7]/', '[fd00::7]:80'],
    ['https://git.example.com/', '.'],
    ['https://git.example.com/', '*:443x'],
  ])('returns the proxy for %s, which NO_PROXY=%s does not cover', (url, entry) => {
    expect(isDirect(url, entry)).toBe(false);
  });
});
