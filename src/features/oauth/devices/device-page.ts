import { randomBytes, timingSafeEqual } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Database } from '../../../foundation/db/database.ts';
import { RateLimited } from '../../../foundation/kernel/errors.ts';
import type { OAuthCaller } from '../authorization-server.ts';
import { oauthPaths } from '../endpoints.ts';
import type { OAuthPages } from '../pages.ts';
import { shownUserCode } from '../pending-redirect.ts';
import { isForm } from '../provider/inbound-request.ts';
import { claimObject, findObject, type ObjectDeps, objectKey, putObject } from '../provider/object-store.ts';
import { cleanClientName } from '../registration/client-name.ts';

export interface DevicePageDeps extends ObjectDeps {
  readonly database: Database;
  readonly baseUrl: string;
  readonly pages: OAuthPages;
  provider(): Provider;
  /** Counts a code that somebody typed. @throws RateLimited once that was too many */
  countCode(browser: string, caller: OAuthCaller): Promise<void>;
}

/** An answer of the page: a document, or the place to go on. */
export type DeviceAnswer =
  | { readonly status: number; readonly html: string; readonly retryAfter?: number }
  | { readonly location: string };

/** Seconds in which the question must be answered. */
const interactionTtl = 30 * 60;

const faults = {
  form: 'This form was not sent from the page of this browser, or is too old. Type the code again.',
  unknown: 'This code is not valid: it may be mistyped, expired or used. Look at the device again.',
  limited: 'Too many codes were tried. Wait a while, then type the code again.',
  denied: 'You refused. The device has been told.',
} as const;

/**
 * `/.auth/device` (RFC 8628 section 3.3): a person types the code that a device shows, and goes on to the page that asks
 * about everything else. The code in the address only fills the field (section 3.3.1): nothing is sent by itself.
 */
export async function showDevicePage(
  deps: DevicePageDeps,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<DeviceAnswer> {
  const query = new URL(request.url ?? '/', deps.baseUrl).searchParams;
  const fault = query.get('denied') === null ? undefined : faults.denied;
  const typed = query.getAll('user_code');
  const userCode = typed.length === 1 ? normalized(typed[0] ?? '') : undefined;
  return page(deps, browserOf(deps, request, response), {
    status: 200,
    ...(userCode !== undefined && { userCode: shownUserCode(userCode) }),
    ...(fault !== undefined && { fault }),
  });
}

/** Takes the form. Every fault looks alike, whatever became of the code. */
export async function takeDeviceCode(
  deps: DevicePageDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { form, caller }: { readonly form: URLSearchParams; readonly caller: OAuthCaller },
): Promise<DeviceAnswer> {
  const browser = browserOf(deps, request, response);
  if (!isFromThisPage(deps, request, browser, form))
    return page(deps, browser, { status: 400, fault: faults.form });
  try {
    await deps.countCode(browser.id, caller);
  } catch (error) {
    if (!(error instanceof RateLimited)) throw error;
    return { ...page(deps, browser, { status: 429, fault: faults.limited }), retryAfter: error.retryAfter };
  }
  const typed = form.getAll('user_code');
  const userCode = typed.length === 1 ? normalized(typed[0] ?? '') : undefined;
  const location = userCode && (await beginInteraction(deps, request, response, { userCode, browser }));
  return location ? { location } : page(deps, browser, { status: 400, fault: faults.unknown });
}

/** The page at the end. It names the client by its id, so that nobody can have it say what they like. */
export async function showDeviceDone(deps: DevicePageDeps, request: IncomingMessage): Promise<DeviceAnswer> {
  const clientId = new URL(request.url ?? '/', deps.baseUrl).searchParams.get('client') ?? '';
  const client = clientId.startsWith('https:') ? undefined : await deps.provider().Client.find(clientId);
  const clientName = cleanClientName(client?.clientName ?? '') ?? 'the application';
  return { status: 200, html: deps.pages.deviceDone({ clientName }) };
}

/** Eight letters of the twenty that are hard to mistake, however they are grouped. */
function normalized(typed: string): string | undefined {
  const letters = typed.slice(0, 100).toUpperCase().replaceAll(/[\s-]/g, '');
  return /^[BCDFGHJKLMNPQRSTVWXZ]{8}$/.test(letters) ? letters : undefined;
}

interface Browser {
  /** From the cookie. */
  readonly id: string;
  readonly csrf: string;
}

function browserOf(deps: DevicePageDeps, request: IncomingMessage, response: ServerResponse): Browser {
  const { cookies } = deps.provider().createContext(request, response);
  const name = 'orgctx_device';
  const known = cookies.get(name, { signed: true });
  const id = known ?? randomBytes(32).toString('base64url');
  if (known === undefined) {
    const secure = deps.baseUrl.startsWith('https:');
    cookies.secure = secure;
    cookies.set(name, id, {
      signed: true,
      httpOnly: true,
      sameSite: 'lax',
      secure,
      path: oauthPaths.device,
      maxAge: interactionTtl * 1000,
    });
  }
  return { id, csrf: deps.sealer.mac(`device form:${id}`) };
}

/** The token of the page, and what browsers say of where a form comes from, where they say it. */
function isFromThisPage(
  deps: DevicePageDeps,
  { headers }: IncomingMessage,
  { csrf }: Browser,
  form: URLSearchParams,
): boolean {
  const site = headers['sec-fetch-site'];
  const origin = headers.origin;
  const sameSite =
    site === undefined ? origin === undefined || origin === deps.baseUrl : site === 'same-origin';
  const given = Buffer.from(form.get('csrf') ?? '');
  const expected = Buffer.from(csrf);
  return isForm(headers) && sameSite && given.length === expected.length && timingSafeEqual(given, expected);
}

function page(
  { pages, baseUrl }: DevicePageDeps,
  { csrf }: Browser,
  { status, ...view }: { status: number; userCode?: string; fault?: string },
): { status: number; html: string } {
  return { status, html: pages.device({ action: baseUrl + oauthPaths.device, csrf, ...view }) };
}

/** The code belongs to the browser that it was typed in first: whoever else reads it off the device comes too late. */
async function beginInteraction(
  deps: DevicePageDeps,
  request: IncomingMessage,
  response: ServerResponse,
  { userCode, browser }: { readonly userCode: string; readonly browser: Browser },
): Promise<string | undefined> {
  const { queries } = deps.database;
  const code = await findObject(queries, deps, { userCode });
  if (
    code === undefined ||
    !(await claimObject(queries, code.key, deps.sealer.mac(`browser:${browser.id}`)))
  ) {
    return undefined;
  }
  const uid = randomBytes(32).toString('base64url');
  const payload = { kind: 'Interaction', params: code.payload['params'], deviceCode: code.key };
  await putObject(queries, deps, objectKey(deps, 'Interaction', uid), payload, interactionTtl);
  const path = `${oauthPaths.interaction}/${uid}`;
  const provider = deps.provider();
  const { cookies } = provider.createContext(request, response);
  const secure = deps.baseUrl.startsWith('https:');
  cookies.secure = secure;
  const options = { signed: true, httpOnly: true, sameSite: 'lax', secure, path } as const;
  cookies.set(provider.cookieName('interaction'), uid, { ...options, maxAge: interactionTtl * 1000 });
  return deps.baseUrl + path;
}
