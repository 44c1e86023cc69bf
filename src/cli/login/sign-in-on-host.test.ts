import { expect, it } from 'vitest';
import type { CommandContext } from '../frame/context.ts';
import { signInOnHost } from './sign-in-on-host.ts';

it('allows no sign-in at an address of another machine, which ./orgctx.yaml may name', async () => {
  const allowed: string[] = [];
  const signIn = {
    baseUrl: 'https://elsewhere.example',
    orgSlug: 'acme',
    dataDir: '/nowhere',
    formerBaseUrl: undefined,
    allow: async (code: string) => void allowed.push(code),
  };
  const context = { signal: AbortSignal.timeout(20_000) } as CommandContext;
  await expect(signInOnHost(signIn, context)).rejects.toThrow('not an address of this machine');
  expect(allowed).toEqual([]);
});
