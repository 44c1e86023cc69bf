import type { ComponentChildren, VNode } from 'preact';
import { type GithostConnection, isReplaceable } from '../../../features/githosts/githost-connection.ts';
import { listGithosts } from '../../../features/githosts/githost-store.ts';
import { requireSshKey, type SshKey } from '../../../features/githosts/ssh-key.ts';
import { NotFound, type OrgctxError } from '../../../foundation/kernel/errors.ts';
import { orUndefined } from '../../../foundation/kernel/or-undefined.ts';
import { registrationPage } from '../../../foundation/kernel/registration.ts';
import { pageLimits } from '../../../foundation/kernel/wire/page.ts';
import type { Visit } from '../app/app-page.ts';
import { textArea } from '../kit/forms/choice-fields.ts';
import { actions, button, type FieldErrors, form, textField } from '../kit/forms/form.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { name, nameText } from '../kit/html/name.ts';
import { badge, copyable, empty, registrationList, section, type Tone, table } from '../kit/html/parts.ts';
import type { PageContext } from '../pages-deps.ts';
import { buttonForm, confirmedForm, type Question } from './settings-view.ts';

export const hostsPath = '/settings/git-hosts';

type Providers = PageContext['githosts']['providers'];
type Provider = Providers extends ReadonlyMap<string, infer Each> ? Each : never;

interface Hosts {
  readonly items: readonly GithostConnection[];
  readonly sshKey: SshKey | undefined;
}

/** Reads all Git hosts of the organization; their number is limited. */
export async function readHosts(visit: Visit, { githosts }: PageContext): Promise<Hosts> {
  const { queries } = githosts.database;
  const { items } = await listGithosts(queries, visit.scope, { limit: pageLimits.max });
  const asked = requireSshKey(queries, visit.scope);
  const sshKey = await asked.catch(orUndefined((error) => error instanceof NotFound));
  return { items, sshKey };
}

/** An App that is not installed, or was perhaps uninstalled. */
function isToInstall(providers: Providers, { kind, state }: GithostConnection): boolean {
  return state !== 'connected' && providers.get(kind)?.can.install === true;
}

const states: Readonly<Record<GithostConnection['state'], readonly [string, Tone]>> = {
  pending: ['App not installed yet', 'busy'],
  connected: ['Connected', 'good'],
  failed: ['Refused by the host', 'bad'],
};

export function hostsContent(
  visit: Visit,
  { githosts }: PageContext,
  { items, sshKey }: Hosts,
  problem: OrgctxError | undefined,
): ComponentChildren {
  return [
    problem !== undefined && el('p', { class: 'summary', role: 'alert' }, problem.message),
    section(
      'hosts',
      'Git hosts',
      items.length === 0
        ? empty(
            el('p', null, 'None. A Git host opens private repositories and takes what connections mirror.'),
          )
        : table({
            caption: 'Git hosts, oldest first',
            columns: ['Name', 'Kind', 'Address', 'Account', 'State', 'Action'],
            rows: items.map((host) => row(visit, githosts.providers, host)),
          }),
    ),
    section(
      'add',
      'Connect a Git host',
      el(
        'p',
        { class: 'actions' },
        ...[...githosts.providers.values()].map(({ kind, product }) =>
          el('a', { class: 'button', href: visit.path(`${hostsPath}/add?kind=${kind}`) }, product),
        ),
      ),
    ),
    sshKeyCard(visit, sshKey),
  ];
}

function row(visit: Visit, providers: Providers, host: GithostConnection): readonly ComponentChildren[] {
  const { id, name: given, kind, url, account, state, error } = host;
  const [text, tone] = states[state];
  const label = nameText(given, 100);
  return [
    name(given),
    providers.get(kind)?.product ?? kind,
    url,
    account === undefined ? 'none' : name(account.name),
    [badge(text, tone), error !== undefined && el('p', { class: 'quiet' }, foreignText(error.message, 500))],
    el(
      'div',
      { class: 'actions' },
      isToInstall(providers, host) &&
        buttonForm(visit, `${hostsPath}/${id}/install`, 'Install the App', `Install the App of ${label}`),
      el(
        'a',
        { class: 'button', href: visit.path(`${hostsPath}/${id}/edit`), 'aria-label': `Change ${label}` },
        'Change',
      ),
      confirmedForm(visit, `${hostsPath}/${id}/remove`, removal(label)),
    ),
  ];
}

function removal(host: string): Question {
  return {
    text: 'Remove',
    label: `Remove ${host}`,
    consequence: 'Its credentials are deleted here. To connect it again, you need them.',
    confirm: 'Remove the Git host',
  };
}

const keyDeletion: Question = {
  text: 'Delete the SSH key',
  label: 'Delete the SSH key',
  consequence:
    'Repositories with an ssh address can no longer be updated. A new key must be added at every Git host again.',
  confirm: 'Delete the key',
};

function sshKeyCard(visit: Visit, key: SshKey | undefined): VNode {
  return section(
    'ssh',
    'SSH key',
    key === undefined
      ? [
          el('p', null, 'None. Repositories with an ssh address need one.'),
          buttonForm(visit, `${hostsPath}/ssh-key`, 'Create the SSH key', 'Create the SSH key'),
        ]
      : [
          el(
            'p',
            null,
            'Add it as a deploy key, with read access, at the Git host. Created ',
            age(key.createdAt, visit.now),
            '.',
          ),
          copyable(key.publicKey, 'Copy the public key'),
          confirmedForm(visit, `${hostsPath}/ssh-key/delete`, keyDeletion),
        ],
  );
}

/** The form of a kind of Git host, with the fields that the kind takes. Secrets are never shown again. */
export function addHostContent(
  visit: Visit,
  { githosts: { deployment } }: PageContext,
  provider: Provider,
  errors: FieldErrors | undefined,
): VNode {
  const url = deployment.kind === provider.kind ? deployment.settings.url : undefined;
  return section(
    'add',
    `Connect ${provider.product}`,
    provider.registration && registrationList(provider.registration, registrationPage(provider, url)),
    form(
      { ...visit.form(`${hostsPath}/add`), hidden: { kind: provider.kind }, errors },
      textField({
        name: 'name',
        label: 'Name',
        hint: 'Distinguishes this Git host from others. If empty, the kind is used as the name.',
        type: 'text',
        autocomplete: 'off',
        optional: true,
        value: visit.fields['name'],
        error: errors?.['name'],
      }),
      ...provider.fields.map((field) => hostField(visit, field, errors)),
      actions(
        button('Check and connect', { primary: true }),
        el('a', { class: 'button', href: visit.path(hostsPath) }, 'Cancel'),
      ),
    ),
  );
}

interface EditedHost {
  readonly host: GithostConnection;
  readonly fields: Provider['fields'];
  /** Origin of this service, to which the host sends webhooks. */
  readonly baseUrl: string;
}

/** The form for a new name and new credentials. An empty secret stays. */
export function editHostContent(
  visit: Visit,
  { host, fields, baseUrl }: EditedHost,
  errors: FieldErrors | undefined,
): VNode {
  const { id, name: given, fields: present } = host;
  const hasOwnApp = present['appId'] !== undefined;
  const isDeploymentApp = !hasOwnApp && fields.some((field) => field.name === 'appId');
  return section(
    'change',
    ['Change ', name(given)],
    hasOwnApp && [
      el('p', null, 'Webhook URL of the App:'),
      copyable(`${baseUrl}/api/v1/webhook/githost/${id}`, 'Copy the webhook URL'),
    ],
    form(
      { ...visit.form(`${hostsPath}/${id}/edit`), errors },
      textField({
        name: 'name',
        label: 'Name',
        type: 'text',
        autocomplete: 'off',
        value: visit.fields['name'] ?? given,
        error: errors?.['name'],
      }),
      ...(isDeploymentApp ? [] : fields)
        .filter((field) => isReplaceable(field.name))
        .map((field) => {
          const { name: key, secret } = field;
          const description = secret
            ? `new ${field.description}; if empty, the present one stays`
            : field.description;
          return hostField(visit, { ...field, required: !secret, description }, errors, present[key]);
        }),
      actions(
        button('Check and save', { primary: true }),
        el('a', { class: 'button', href: visit.path(hostsPath) }, 'Cancel'),
      ),
    ),
  );
}

const labels: Readonly<Record<string, string>> = {
  url: 'Address',
  user: 'User',
  token: 'Token',
  appId: 'App id',
  privateKey: 'Private key of the App',
  webhookSecret: 'Webhook secret of the App',
};

function hostField(
  visit: Visit,
  { name: field, secret, required, description }: Provider['fields'][number],
  errors: FieldErrors | undefined,
  present?: string,
): VNode {
  const common = {
    name: field,
    label: labels[field] ?? field,
    hint: `${description.charAt(0).toUpperCase()}${description.slice(1)}.`,
    optional: !required,
    error: errors?.[field],
  };
  // A key in PEM format has several lines.
  if (field === 'privateKey') return textArea({ ...common, secret });
  if (secret) return textField({ ...common, type: 'password', autocomplete: 'off' });
  return textField({ ...common, type: 'text', autocomplete: 'off', value: visit.fields[field] ?? present });
}
