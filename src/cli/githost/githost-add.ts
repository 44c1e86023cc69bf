import { gitProviders } from '../../app/open/git-providers.ts';
import { flagOf } from '../../features/githosts/githost-connection.ts';
import { OrgctxError } from '../../foundation/kernel/errors.ts';
import { registrationPage } from '../../foundation/kernel/registration.ts';
import { flagName } from '../../foundation/kernel/text/flag-name.ts';
import { defineCommand } from '../frame/command.ts';
import { requiredChoice, text } from '../frame/parameters.ts';
import { UsageError } from '../frame/usage-error.ts';
import { withApi } from '../remote/api-client.ts';
import { remoteFlags } from '../remote/remote-target.ts';
import { fieldsOf, hostFlags, readFields, withFlags } from './githost-fields.ts';
import { githostInWords, installStep, nextStepOf, remoteGithost } from './remote-githost.ts';

const exampleValues: Readonly<Record<string, string>> = { url: 'https://git.example.com', user: 'bot' };

const kinds = gitProviders.map(({ kind }) => kind);

export const githostAddCommand = defineCommand({
  description:
    'Connects a Git host to the organization, so that its private repositories can be added. The credentials are checked ' +
    'at the host first and stored encrypted.\n\n' +
    gitProviders
      .map((provider) => {
        const flags = provider.fields.map((field) => flagName(flagOf(field)));
        const page = registrationPage(provider);
        const register = page === undefined ? '' : ` Register it at ${page}`;
        return `${provider.kind}: ${provider.product}. Flags: ${flags.join(', ')}.${register}`;
      })
      .join('\n'),
  args: { kind: requiredChoice(kinds, 'kind of Git host') },
  flags: {
    name: text('name', 'name of the connection; default: the kind'),
    ...remoteFlags,
    ...hostFlags(() => true),
  },
  examples: kinds.map((kind) => exampleOf(kind)),
  run: ({ args, flags }, context) =>
    withApi(context, flags, async (api) => {
      const values = await readFields(args.kind, flags, context, ({ required }) => required);
      const body = { kind: args.kind, name: flags.name, ...values };
      const request = { method: 'POST', path: '/githost/connections', body } as const;
      const added = await api.call(request, remoteGithost).catch((error: unknown) => {
        throw confusedUrls(error, args.kind, flags) ?? withFlags(error, args.kind);
      });
      const { text: next, ...step } =
        added.state === 'pending' ? await installStep(api, added) : nextStepOf(added);
      // The address contains the id of the connection, so it cannot be set at the host before.
      const hook =
        values['appId'] === undefined
          ? []
          : [
              `Set the webhook URL of the App to ${api.target.baseUrl}/api/v1/webhook/githost/${added.id}, so that pushes are reported.`,
            ];
      return {
        json: { ...added, ...step },
        text: [githostInWords(added, context.terminal.out), next, ...hook].join('\n'),
      };
    }),
});

/** Returns a better error if `--url`, the address of the service, seems to name the Git host. */
function confusedUrls(
  error: unknown,
  kind: string,
  flags: Readonly<Record<string, unknown>>,
): UsageError | undefined {
  const takesUrl = fieldsOf(kind).some(({ name }) => name === 'url') && flags['hostUrl'] === undefined;
  if (!takesUrl || flags['url'] === undefined || !(error instanceof OrgctxError)) return undefined;
  return new UsageError(
    error.message,
    '--url is the address of the orgctx service. Name the Git host with --host-url.',
  );
}

function exampleOf(kind: string): string {
  const own = fieldsOf(kind);
  const flags = own
    .filter(({ name, required }) => required || (name === 'url' && own.some((field) => field.required)))
    .map((field) => `${flagName(flagOf(field))} ${exampleValues[field.name] ?? `${field.name}.txt`}`);
  return ['orgctx githost add', kind, ...flags].join(' ');
}
