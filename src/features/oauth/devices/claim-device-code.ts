import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Database } from '../../../foundation/db/database.ts';
import type { TypedUserCode } from '../authorization-server.ts';
import { oauthPaths } from '../endpoints.ts';
import { interactionSeconds } from '../lifetimes.ts';
import { setBrowserCookie } from '../provider/browser-cookie.ts';
import {
  claimObject,
  findObject,
  type ObjectDeps,
  objectKey,
  putObject,
  type StoredObject,
} from '../provider/object-store.ts';
import { countDeviceCode } from './device-limits.ts';
import { parseUserCode } from './user-code.ts';

export interface DeviceCodeDeps extends ObjectDeps {
  readonly database: Database;
  readonly baseUrl: string;
  provider(): Provider;
}

/**
 * The code belongs to the browser that it was typed in first: whoever else reads it off the device comes too late.
 * Whatever became of a code that leads nowhere, the answer is the same.
 */
export async function claimDeviceCode(
  deps: DeviceCodeDeps,
  { text, browser, address }: TypedUserCode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | undefined> {
  const { queries } = deps.database;
  await countDeviceCode(deps, browser, { address });
  const userCode = parseUserCode(text);
  const code = userCode === undefined ? undefined : await findObject(queries, deps, { userCode });
  if (code === undefined) return undefined;
  const first = await claimObject(queries, code.key, deps.sealer.mac(`browser:${browser}`));
  return first ? beginInteraction(deps, code, request, response) : undefined;
}

/** As the library begins one for a redirect, with the same cookie. */
async function beginInteraction(
  deps: DeviceCodeDeps,
  { key: deviceCode, payload: { params } }: StoredObject,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  const { baseUrl } = deps;
  const uid = randomBytes(32).toString('base64url');
  const payload = { kind: 'Interaction', params, deviceCode };
  const key = objectKey(deps, 'Interaction', uid);
  await putObject(deps.database.queries, deps, key, payload, interactionSeconds);
  const path = `${oauthPaths.interaction}/${uid}`;
  setBrowserCookie({ provider: deps.provider(), baseUrl }, request, response, {
    name: 'interaction',
    uid,
    path,
  });
  return baseUrl + path;
}
