import type { IncomingMessage, ServerResponse } from 'node:http';
import { oauthPaths } from '../endpoints.ts';
import { setBrowserCookie } from '../provider/browser-cookie.ts';
import { findObject } from '../provider/object-store.ts';
import type { Interaction, InteractionDeps } from './find-interaction.ts';
import { resultOf } from './record-result.ts';

/** Returns the URL to redirect the browser to after a decision, whichever of several clicks or tabs made it. */
export async function resume(
  deps: InteractionDeps,
  interaction: Interaction,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string> {
  if (interaction.device !== undefined) return deviceDoneUrl(deps, interaction);
  const { baseUrl } = deps;
  const { uid, stored } = interaction;
  const returnTo = String(stored.payload['returnTo']);
  // The library deletes this cookie once it has resumed, even if the browser never reads that response.
  const cookie = { name: 'resume', uid, path: new URL(returnTo).pathname } as const;
  setBrowserCookie({ provider: deps.provider(), baseUrl }, request, response, cookie);
  return returnTo;
}

/** The result is read again: another tab may have decided first. */
async function deviceDoneUrl(deps: InteractionDeps, { stored, client }: Interaction): Promise<string> {
  const { baseUrl } = deps;
  const decided = await findObject(deps.database.queries, deps, { key: stored.key });
  if (decided && resultOf(decided)?.error !== undefined) return `${baseUrl}${oauthPaths.device}?denied=1`;
  const done = new URL(baseUrl + oauthPaths.deviceDone);
  done.searchParams.set('client', client.clientId);
  return done.href;
}
