import type { VNode } from 'preact';
import type { CheckResult, HostReport } from '../../../features/doctor/host/report.ts';
import { hasSeveralOrganizations } from '../../../features/identity/people/organization-store.ts';
import type { AppPage, AppView, Visit } from '../app/app-page.ts';
import { age } from '../kit/html/age.ts';
import { el } from '../kit/html/element.ts';
import { foreignText } from '../kit/html/foreign-text.ts';
import { badge, pageHeading, type Tone } from '../kit/html/parts.ts';

/**
 * The checks of `orgctx doctor`. For owners only, because the checks concern the host and not the organization alone.
 * Their messages may name repositories and connections of any organization, so they are shown only if there is one.
 */
export const systemPages: readonly AppPage[] = [
  {
    method: 'GET',
    path: '/system',
    role: 'owner',
    section: 'System',
    async handle(visit, { hostChecks, config, identity }) {
      const isShared = await hasSeveralOrganizations(identity.database.queries);
      const { report, at } = await hostChecks.latest();
      return visit.show(systemView(visit, { report, at, baseUrl: config.baseUrl, isShared }));
    },
  },
];

const statusTexts: Readonly<Record<HostReport['status'], string>> = {
  ok: 'Everything that was checked works.',
  warning: 'The service works. Some checks have a warning.',
  failed: 'A check failed. See what to do below.',
};

const tones: Readonly<Record<CheckResult['status'], Tone>> = {
  pass: 'good',
  warning: 'busy',
  fail: 'bad',
  skipped: 'quiet',
};

interface SystemData {
  readonly report: HostReport;
  readonly at: number;
  readonly baseUrl: string;
  /** True if the host serves other organizations, too. */
  readonly isShared: boolean;
}

function systemView(visit: Visit, { report, at, baseUrl, isShared }: SystemData): AppView {
  // The server does not ask itself whether it responds: this page shows that it does.
  const checks = report.checks.filter(({ id, status }) => id !== 'server' || status !== 'skipped');
  return {
    title: 'System',
    content: [
      pageHeading('System'),
      el(
        'p',
        { role: 'status' },
        el('strong', null, statusTexts[report.status]),
        ' Checked ',
        age(at, visit.now),
        '.',
      ),
      el('ul', { class: 'rows card checks' }, ...checks.map((check) => checkItem(check, isShared))),
      el(
        'p',
        { class: 'quiet after' },
        isShared
          ? 'This host serves several organizations, so the messages are shown only on the host: '
          : 'The same checks with their evidence, on the host: ',
        el('code', null, 'orgctx doctor'),
        '. From outside: ',
        el('code', null, `orgctx doctor mcp --url ${baseUrl}/mcp`),
      ),
    ],
  };
}

function checkItem({ title, status, message, hint }: CheckResult, isShared: boolean): VNode {
  return el(
    'li',
    null,
    el(
      'div',
      null,
      el('strong', null, title),
      !isShared && el('p', null, foreignText(message, 500)),
      !isShared &&
        hint !== undefined &&
        status !== 'pass' &&
        el('p', { class: 'quiet' }, foreignText(hint, 500)),
    ),
    badge(status, tones[status]),
  );
}
