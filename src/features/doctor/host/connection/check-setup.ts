import { OrgctxError, RateLimited } from '../../../../foundation/kernel/errors.ts';
import { isAuthorized, isConnected } from '../../../connectors/connections/connection.ts';
import { findWritableRepository, openContextHost } from '../../../connectors/setup/context-repository.ts';
import { checkAuthorization } from '../../../connectors/setup/fresh-tokens.ts';
import { fail, pass, skipped, warning } from '../check.ts';
import { type ConnectionCheck, resume } from './connection-check.ts';

export const stateCheck: ConnectionCheck = {
  id: 'state',
  title: 'State',
  async run(checked) {
    const { state, error, name } = checked.connection;
    const evidence = { state, error: error?.code ?? null };
    switch (state) {
      case 'connected':
        return pass('The connection is connected.', evidence);
      case 'degraded':
        return fail(error?.message ?? 'The connection has an error.', 'Fix its cause.', evidence);
      case 'disconnected':
        return fail(
          error?.message ?? 'The account is disconnected.',
          `Authorize it again: ${resume(checked)}.`,
          evidence,
        );
      default:
        return warning(
          `The setup of ${name} is not finished (${state}).`,
          `Go on: ${resume(checked)}.`,
          evidence,
        );
    }
  },
};

export const credentialsCheck: ConnectionCheck = {
  id: 'credentials',
  title: 'Credentials',
  async run(checked) {
    const { deps, connector, connection, signal } = checked;
    if (connection.account === undefined) return skipped('No account is authorized yet.');
    try {
      const { name } = await checkAuthorization(deps, connection, signal);
      return pass(`${connector.product} accepts the authorization of ${name}.`);
    } catch (error) {
      if (signal.aborted || !(error instanceof OrgctxError)) throw error;
      if (error instanceof RateLimited)
        return warning(error.message, 'Nothing is to be done: the work goes on by itself.');
      return fail(error.message, `If it stays, authorize the account again: ${resume(checked)}.`);
    }
  },
};

export const writeAccessCheck: ConnectionCheck = {
  id: 'write-access',
  title: 'Write access',
  async run({ deps, connection: { binding, organizationId }, signal }) {
    if (binding === undefined) return skipped('No repository is chosen yet.');
    const { repository, branch } = binding;
    try {
      const opened = await openContextHost(deps, organizationId, binding);
      const found = await findWritableRepository(opened, repository, signal);
      if (found.empty || (await opened.host.headOf(found, branch, signal)) !== undefined) {
        return pass(`${opened.githost.name} can write to ${found.fullName}.`);
      }
      return fail(`${found.fullName} has no branch ${branch}.`, 'Create it again, with its configuration.');
    } catch (error) {
      if (signal.aborted || !(error instanceof OrgctxError)) throw error;
      return fail(error.message, 'Grant the access at the Git host, then run the command again.');
    }
  },
};

export const pullRequestCheck: ConnectionCheck = {
  id: 'pull-request',
  title: 'Pull request',
  async run(checked) {
    const { pull, name } = checked.connection;
    if (pull === undefined) return skipped('No configuration is proposed yet.');
    const where = pull.url ?? pull.branch;
    if (pull.state === 'merged') return pass(`The configuration pull request is merged (${where}).`);
    if (pull.state === 'closed' && !isConnected(checked.connection)) {
      return warning(
        `The configuration pull request was closed (${where}).`,
        `Run "orgctx connector retry ${name}".`,
      );
    }
    if (pull.state === 'closed') return pass(`The last pull request was closed without a merge (${where}).`);
    return warning(`The configuration pull request is open (${where}).`, 'Merge it to apply its scope.');
  },
};

export const scopeCheck: ConnectionCheck = {
  id: 'scope',
  title: 'Scope',
  async run(checked) {
    const { live, binding, counts } = checked.connection;
    if (live !== undefined) {
      const evidence = { mirrored: counts.mirrored, commit: live.commit };
      return pass(`The live scope is ${JSON.stringify(live.configuration['scope'])}.`, evidence);
    }
    if (binding === undefined || !isAuthorized(checked.connection)) return skipped('No scope is chosen yet.');
    return warning(
      `The scope ${JSON.stringify(binding.scope)} is proposed but not merged.`,
      'Merge the configuration pull request.',
    );
  },
};
