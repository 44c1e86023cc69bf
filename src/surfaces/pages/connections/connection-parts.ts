import type { VNode } from 'preact';
import { type ConnectionState, stateLabels } from '../../../features/connectors/connections/connection.ts';
import { el } from '../kit/html/element.ts';
import { badge, type Tone } from '../kit/html/parts.ts';

const tones: Readonly<Record<ConnectionState, Tone>> = {
  draft: 'quiet',
  authorized: 'busy',
  awaiting_merge: 'busy',
  connected: 'good',
  degraded: 'bad',
  disconnected: 'bad',
};

export function connectionState(state: ConnectionState): VNode {
  return badge(stateLabels[state], tones[state]);
}

/** A link to a Git host or provider; plain text if the address is not of the web. */
export function externalLink(url: string, text: string): VNode {
  if (!/^https?:\/\//i.test(url)) return el('span', null, text);
  return el('a', { href: url, rel: 'noreferrer' }, text);
}
