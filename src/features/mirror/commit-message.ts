import type { ConnectionId } from '../../foundation/kernel/ids.ts';
import { visibleLine } from '../../foundation/kernel/visible-text.ts';

/** What one commit holds of one change. */
export interface CommittedOrigin {
  readonly connectionId: ConnectionId;
  readonly origin: string;
}

const mostConnections = 20;
const mostSources = 100;
const longestLine = 200;

/**
 * The message of a commit: a subject, and who and what it comes from as trailers (contract section 6), each once and in
 * the order of their text. Origins are words of a provider: one line each, without control characters, cut at 200.
 */
export function commitMessage(changes: readonly CommittedOrigin[]): string {
  const connections = distinct(changes.map(({ connectionId }) => connectionId));
  const sources = distinct(changes.map(({ origin }) => origin));
  return [
    subjectOf(sources, changes.length),
    '',
    ...omitted('connections', connections.length, mostConnections),
    ...omitted('sources', sources.length, mostSources),
    ...connections.slice(0, mostConnections).map((id) => `Orgctx-Connection: ${id}`),
    ...sources.slice(0, mostSources).map((source) => `Orgctx-Source: ${source}`),
    '',
  ].join('\n');
}

function subjectOf(sources: readonly string[], files: number): string {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return `Mirror ${only}`;
  return `Mirror ${files} files`;
}

/** A paragraph of its own: trailers are the last one. */
function omitted(what: string, count: number, most: number): readonly string[] {
  return count <= most ? [] : [`${count - most} more ${what} are not named below.`, ''];
}

function distinct(texts: readonly string[]): readonly string[] {
  return [...new Set(texts.map(oneLine))].filter((text) => text !== '').toSorted();
}

function oneLine(text: string): string {
  const line = visibleLine(text).replaceAll(/\s+/gu, ' ').trim();
  return line.slice(0, longestLine).toWellFormed().trim();
}
