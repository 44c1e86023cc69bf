import {
  type GitHost,
  GitHostError,
  type HostRepository,
  type PullRequest,
} from '../../../backends/git-providers/port.ts';
import type {
  Binding,
  ConfigurationPull,
  Connection,
  ConnectionError,
  LiveConfiguration,
} from '../connections/connection.ts';
import type { Connector } from '../port.ts';
import { type ConfigIssue, configPath, issueText, type ParsedConfig, parseConfig } from './config-file.ts';

/** A bound connection with its open Git host. */
export interface Inspected {
  readonly connector: Connector;
  readonly connection: Connection;
  readonly binding: Binding;
  readonly host: GitHost;
  readonly signal: AbortSignal;
}

/** The same, while its repository can be read. */
interface InspectedRepository extends Inspected {
  readonly repository: HostRepository;
}

/** The state of a connection's configuration at the Git host. */
export interface Inspection {
  /** The repository as it is now; `undefined` if it can no longer be read. */
  readonly repository: HostRepository | undefined;
  /** The tip of the target branch; `undefined` if it could not be read, or there is no such branch. */
  readonly tip: string | undefined;
  readonly live: LiveFile;
  readonly pull: ConfigurationPull | undefined;
}

/** The file on the target branch. */
type LiveFile =
  | { readonly status: 'unchanged' }
  | ({ readonly status: 'valid' } & LiveConfiguration)
  | { readonly status: 'failed'; readonly error: ConnectionError };

/** Reads the configuration of a connection at its Git host, and comments on errors in its pull request. */
export async function inspectConfiguration(inspected: Inspected): Promise<Inspection> {
  const { host, binding, connection, signal } = inspected;
  const { hostRepositoryId: id, repository: fullName } = binding;
  const repository = await host.findRepository({ id, fullName }, signal);
  if (repository === undefined) {
    const message = `The context repository ${binding.repository} can no longer be read: it was deleted, or the access was taken away. Restore it or the access. If it was made anew, choose it again as the repository of the connection.`;
    const live = failure(repositoryGone, message);
    return { repository, tip: undefined, live, pull: connection.pull };
  }
  const tip = await host.headOf(repository, binding.branch, signal);
  const readable = { ...inspected, repository };
  const live = await readLive(readable, tip);
  return { repository, tip, live, pull: await followPull(readable) };
}

async function readLive(inspected: InspectedRepository, commit: string | undefined): Promise<LiveFile> {
  const { connector, connection, binding, repository } = inspected;
  const { branch } = binding;
  const path = configPath(connector);
  if (commit === undefined) {
    const message = `The branch ${branch} of ${repository.fullName} does not exist. Create it again, with ${path}.`;
    return failure('branch_not_found', message);
  }
  const isHealthy = connection.state === 'connected' || connection.error?.code === mirrorRefused;
  if (isHealthy && connection.live?.commit === commit) return { status: 'unchanged' };
  const parsed = await readConfig(inspected, commit);
  if (parsed === undefined) {
    const message = `${path} is not on ${branch} of ${repository.fullName}. Merge the configuration pull request, or retry it.`;
    return failure('config_missing', message);
  }
  return parsed.issues === undefined
    ? { status: 'valid', commit, configuration: parsed.configuration }
    : failure('config_invalid', invalid(path, branch, parsed.issues));
}

/** The code of an error of the repository, with which another one may be chosen. */
export const repositoryGone = 'repository_not_found';

/** The code of an error of the branch itself: it refuses the commits of the mirror. */
export const mirrorRefused = 'mirror_refused';

function failure(code: string, message: string): LiveFile {
  return { status: 'failed', error: { code, message } };
}

function invalid(path: string, branch: string, issues: readonly ConfigIssue[]): string {
  const shown = issues.slice(0, 3).map(issueText).join('; ');
  const more = issues.length > 3 ? ` (and ${issues.length - 3} more)` : '';
  return `${path} on ${branch} is not valid: ${shown}${more}. Correct it there; until then the last valid scope applies.`;
}

/**
 * Reads the configuration at a commit; `undefined` without the file. One that the API does not give out is larger than
 * any configuration.
 */
async function readConfig(
  { connector, connection, host, repository, signal }: InspectedRepository,
  commit: string,
): Promise<ParsedConfig | undefined> {
  try {
    const file = await host.readFile(repository, { path: configPath(connector), commit }, signal);
    return file && parseConfig(file.content, { connector, connectionId: connection.id });
  } catch (error) {
    if (!(error instanceof GitHostError) || error.reason !== 'invalid') throw error;
    return { issues: [{ line: 1, column: 1, message: 'the file is too large' }] };
  }
}

/** Returns the present state of the pull request, and validates a new commit of it. */
async function followPull(inspected: InspectedRepository): Promise<ConfigurationPull | undefined> {
  const { connection, binding, host, repository, signal } = inspected;
  const { pull } = connection;
  if (pull?.number === undefined || pull.state === 'merged') return pull;
  const branches = { head: pull.branch, base: binding.branch };
  const found = await host.findPullRequest(repository, branches, signal);
  if (found === undefined) return { ...pull, state: 'closed' };
  const { number, url, state } = found;
  const present: ConfigurationPull =
    number === pull.number
      ? { ...pull, state }
      : { ...pull, number, url, state, validatedCommit: undefined, commented: false };
  const isNew = state === 'open' && found.headCommit !== present.validatedCommit;
  return isNew ? validatePull(inspected, present, found) : present;
}

/** Comments on the errors of the file in a pull request: one comment, which is updated. */
async function validatePull(
  inspected: InspectedRepository,
  pull: ConfigurationPull,
  { number, headCommit: commit }: PullRequest,
): Promise<ConfigurationPull> {
  const { connector, connection, host, repository, signal } = inspected;
  const missing = { issues: [{ line: 1, column: 1, message: 'the file is missing' }] };
  const { issues = [] } = (await readConfig(inspected, commit)) ?? missing;
  const commented = pull.commented || issues.length > 0;
  if (commented) {
    const marker = `<!-- orgctx:${connection.id} -->`;
    const body = commentOf(configPath(connector), issues);
    await host.comment(repository, number, { marker, body }, signal);
  }
  return { ...pull, validatedCommit: commit, commented };
}

function commentOf(path: string, issues: readonly ConfigIssue[]): string {
  if (issues.length === 0) return `\`${path}\` is valid.`;
  // A file may contain anything; in a code block it can neither mention people nor add links.
  const lines = issues.map((issue) => issueText(issue).replaceAll('`', "'"));
  return [
    `\`${path}\` is not valid. Do not merge it before these are corrected:`,
    '',
    '```',
    ...lines,
    '```',
  ].join('\n');
}
