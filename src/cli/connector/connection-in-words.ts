import { stringify } from 'yaml';
import { connectorNameOf } from '../../features/connectors/port.ts';
import { connectors } from '../../features/connectors/registry.ts';
import { visibleLine, visibleText } from '../../foundation/kernel/text/visible-text.ts';
import type { Channel } from '../frame/channel.ts';
import { inWords, type LabelledLine } from '../frame/in-words.ts';
import { ageOfTime, untilTime } from '../frame/lists/age.ts';
import { type RemoteConnection, styleOf } from './remote-connection.ts';

/** Maximum number of failures that are shown; `--json` has all. */
const shownErrors = 3;

/** Describes one connection as text, one line per field. */
export function connectionInWords(connection: RemoteConnection, channel: Channel): string {
  const { id, name, kind, stateLabel, error } = connection;
  const rows: readonly LabelledLine[] = [
    ['id', visibleLine(id)],
    ['kind', visibleLine(connectorNameOf(connectors, kind))],
    ['state', channel.style(styleOf(connection), visibleLine(stateLabel))],
    ...(error ? [['error', channel.style('red', visibleLine(error.message))] as const] : []),
    ...setupRows(connection),
    ...workRows(connection),
    ...failureRows(connection, channel),
  ];
  return inWords(visibleLine(name), rows, channel);
}

function setupRows(connection: RemoteConnection): readonly LabelledLine[] {
  const { account, binding, pullRequest, reauthorizeBy, state, redirectUri, webhookUrl } = connection;
  const isDraft = state === 'draft';
  return [
    ['redirect URI', isDraft && redirectUri ? visibleLine(redirectUri) : undefined],
    ['webhook URL', isDraft && webhookUrl ? visibleLine(webhookUrl) : undefined],
    ['account', account ? visibleLine(account.name) : undefined],
    ['authorize by', reauthorizeBy ? visibleLine(reauthorizeBy.slice(0, 10)) : undefined],
    ['repository', binding ? visibleLine(`${binding.repository} (${binding.branch})`) : undefined],
    ['pull request', pullRequest?.url ? visibleLine(`${pullRequest.url} (${pullRequest.state})`) : undefined],
    ['scope', binding ? scopeInWords(binding.scope) : undefined],
  ];
}

/** Returns the scope as one line of YAML, without what is empty or off. */
function scopeInWords(scope: Readonly<Record<string, unknown>>): string {
  const set = Object.entries(scope).filter(([, value]) => !isUnset(value));
  const text = stringify(Object.fromEntries(set), { collectionStyle: 'flow', lineWidth: 0 }).trim();
  return visibleText(text.replace(/^\{ ?| ?\}$/g, ''));
}

function isUnset(value: unknown): boolean {
  if (value === false || value === null || value === undefined) return true;
  if (Array.isArray(value)) return value.length === 0;
  return typeof value === 'object' && Object.values(value).every(isUnset);
}

function workRows({
  state,
  counts,
  progress,
  lastSyncAt,
  nextCheckAt,
  lastAcceptedAt,
  lastRejectedAt,
}: RemoteConnection): readonly LabelledLine[] {
  if (state === 'draft' || state === 'authorized') return [];
  const { mirrored, pending, failed } = counts;
  return [
    ['mirrored', `${mirrored} records, ${pending} pending, ${failed} failed`],
    [
      'progress',
      progress ? visibleLine(`${progress.phase}: ${progress.done} of ${progress.total} kinds`) : undefined,
    ],
    ['last sync', ageOfTime(lastSyncAt, 'not yet')],
    ['next check', nextCheckAt ? untilTime(nextCheckAt) : undefined],
    [
      'webhooks',
      `last accepted ${ageOfTime(lastAcceptedAt, 'never')}, last rejected ${ageOfTime(lastRejectedAt, 'never')}`,
    ],
  ];
}

/** Returns the newest failures. Equal ones are one line, because a cause often stops many jobs. */
function failureRows({ errors }: RemoteConnection, channel: Channel): readonly LabelledLine[] {
  const groups = [...Map.groupBy(errors, ({ code, message }) => `${code} ${message}`).values()];
  const shown = groups.slice(0, shownErrors).map((group): LabelledLine => {
    const [{ message, at, retryAt } = { message: '', at: null, retryAt: null }] = group;
    const when = retryAt ? `tried again ${untilTime(retryAt)}` : ageOfTime(at, '');
    const times = group.length > 1 ? `, ${group.length} times` : '';
    return ['failure', channel.style('red', visibleLine(`${message} (${when}${times})`))];
  });
  const more = groups.slice(shownErrors).flat().length;
  return more > 0 ? [...shown, ['', `${more} more failures: --json`]] : shown;
}
