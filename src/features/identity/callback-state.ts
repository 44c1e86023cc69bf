import { hashToken, newSecretToken } from './secret-token.ts';

/** The prefix of the states that pages issue. Each is bound to a browser session; other states are not. */
const pagePrefix = 'page.';

/**
 * Creates the state of a redirect through another service (contract section 3).
 * @param session hash of the browser session that the state is bound to, if a page issues it
 */
export function newCallbackState(session: string | undefined): string {
  return `${session === undefined ? '' : pagePrefix}${newSecretToken()}`;
}

export function isOfPage(state: string): boolean {
  return state.startsWith(pagePrefix);
}

/** Returns what is stored of a state. That of a page differs for each session, so that no other browser can use it. */
export function hashCallbackState(state: string, session: string | undefined): string {
  return hashToken(isOfPage(state) ? `${state} ${session ?? ''}` : state);
}
