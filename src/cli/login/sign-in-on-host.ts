import { systemClock } from '../../foundation/kernel/clock.ts';
import { isLoopback } from '../../foundation/kernel/loopback.ts';
import { createHttpClient } from '../../foundation/net/http-client.ts';
import type { CommandContext } from '../frame/context.ts';
import { UsageError } from '../frame/usage-error.ts';
import { sendWith } from '../remote/api-client.ts';
import { fetchCaller } from '../remote/remote-caller.ts';
import { completeLogin } from './complete-login.ts';
import { pollForTokens, requestDeviceCode } from './device-flow.ts';
import { discoverLogin, type LoginService } from './endpoints.ts';
import { loginBearer } from './login-bearer.ts';
import { type LoginStore, openLoginStore } from './stored-login.ts';
import { revokeLogin } from './tokens.ts';

interface HostSignIn {
  readonly baseUrl: string;
  readonly orgSlug: string;
  /** The data folder of the service. The login is used only while its server runs at the address. */
  readonly dataDir: string;
  /** The address of the same service at its last start, whose login is replaced. */
  readonly formerBaseUrl: string | undefined;
  /** Allows the pending sign-in with this code, in the database of the host. */
  readonly allow: (userCode: string) => Promise<void>;
}

/**
 * Signs in as `orgctx login` does; the operator of the host confirms the code instead of a person in a browser. A
 * stored login that still works is kept.
 * @throws UsageError unless the address is a loopback one
 */
export async function signInOnHost(signIn: HostSignIn, context: CommandContext): Promise<void> {
  // A settings file of the current folder may name the address, and whoever answers there learns the code.
  if (!isLoopback(new URL(signIn.baseUrl).hostname)) {
    throw new UsageError(`${signIn.baseUrl} is not an address of this machine.`);
  }
  const { signal } = context;
  const http = createHttpClient({ allowHosts: [] });
  try {
    const service = { http, baseUrl: signIn.baseUrl };
    const store = openLoginStore(context);
    if (await works(service, store, signIn, signal)) return;
    const endpoints = await discoverLogin(service, signal);
    const code = await requestDeviceCode(service, endpoints, systemClock, signal);
    await signIn.allow(code.userCode);
    // The code is allowed already, so there is nothing to wait for.
    const poll = { service, clock: systemClock, signal, pause: async () => undefined };
    await completeLogin(service, store, await pollForTokens(poll, endpoints, code), signal, signIn.dataDir);
    await forgetFormer(signIn, service, store, signal);
  } finally {
    await http.close();
  }
}

/** Returns whether the stored login is one for the organization and data folder, and the service accepts it. */
async function works(
  service: LoginService,
  store: LoginStore,
  { orgSlug, dataDir }: HostSignIn,
  signal: AbortSignal,
): Promise<boolean> {
  const { http, baseUrl } = service;
  const stored = await store.find(baseUrl);
  if (stored?.organization.slug !== orgSlug || stored.dataDir !== dataDir) return false;
  try {
    const bearer = loginBearer(service, store, systemClock);
    await fetchCaller(sendWith(http, { baseUrl, bearer, signal, advice: {} }), { baseUrl, org: undefined });
    return true;
  } catch {
    signal.throwIfAborted();
    return false;
  }
}

async function forgetFormer(
  { formerBaseUrl, baseUrl }: HostSignIn,
  service: LoginService,
  store: LoginStore,
  signal: AbortSignal,
): Promise<void> {
  if (formerBaseUrl === undefined || formerBaseUrl === baseUrl) return;
  const former = await store.find(formerBaseUrl);
  if (former === undefined) return;
  await store.change(formerBaseUrl, async () => undefined);
  await revokeLogin(service, former.refreshToken, signal).catch(() => undefined);
}
