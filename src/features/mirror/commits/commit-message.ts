import { visibleLine } from '../../../foundation/kernel/text/visible-text.ts';
import type { PendingChange } from '../change-store.ts';

/** Author of the commits of this service. The address is reserved and has no mailbox (RFC 2606 section 2). */
export const mirrorAuthor = { name: 'orgctx', email: 'noreply@orgctx.invalid' } as const;

const maxConnections = 20;
const maxSources = 100;
const maxLineLength = 200;

/**
 * Returns the message of a commit: a subject, and connections and sources as trailers (contract section 6), each once
 * and sorted. Origins are text of a provider: one line each, without control characters, truncated to 200 characters.
 */
export function commitMessage(changes: readonly Pick<PendingChange, 'connectionId' | 'origin'>[]): string {
  const connections = distinct(changes.map(({ connectionId }) => connectionId));
  const sources = distinct(changes.map(({ origin }) => origin));
  return [
    subjectOf(sources, changes.length),
    '',
    ...omitted('connections', connections.length, maxConnections),
    ...omitted('sources', sources.length, maxSources),
    ...connections.slice(0, maxConnections).map((id) => `Orgctx-Connection: ${id}`),
    ...sources.slice(0, maxSources).map((source) => `Orgctx-Source: ${source}`),
    '',
  ].join('\n');
}

function subjectOf(sources: readonly string[], files: number): string {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return `Mirror ${only}`;
  return `Mirror ${files} files`;
}

/** Returns a note in its own paragraph, because trailers must be the last paragraph. */
function omitted(what: string, count: number, max: number): readonly string[] {
  return count <= max ? [] : [`${count - max} more ${what} are not named below.`, ''];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(oneLine))].filter((text) => text !== '').toSorted();
}

function oneLine(text: string): string {
  const line = visibleLine(text).replaceAll(/\s+/gu, ' ').trim();
  return line.slice(0, maxLineLength).toWellFormed().trim();
}
