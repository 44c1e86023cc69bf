import { randomBytes } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import type { Provider } from 'oidc-provider';
import type { Database } from '../../../foundation/db/database.ts';
import type { TypedUserCode } from '../authorization-server.ts';
import { oauthPaths } from '../endpoints.ts';
import { interactionSeconds } from '../lifetimes.ts';
import { setBrowserCookie } from '../provider/browser-cookie.ts';
import {
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
 * Starts an interaction for a device's user code. `claimDevice` binds the code to the first person who opens that
 * interaction. The result is the same for every unusable code, whatever the reason.
 */
export async function enterDeviceCode(
  deps: DeviceCodeDeps,
  { text, browser, address }: TypedUserCode,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | undefined> {
  const { queries } = deps.database;
  await countDeviceCode(deps, browser, { address });
  const userCode = parseUserCode(text);
  const code = userCode === undefined ? undefined : await findObject(queries, deps, { userCode });
  return code && beginInteraction(deps, code, request, response);
}

/** Starts an interaction with the same cookie as one that the library starts for a redirect. */
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
