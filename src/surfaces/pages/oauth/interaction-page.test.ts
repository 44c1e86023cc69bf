import { describe, expect, it } from 'vitest';
import type { PendingAuthorization, PendingRedirect } from '../../../features/oauth/authorization-server.ts';
import { renderPage } from '../kit/html/layout.ts';
import { type InteractionView, interactionPage } from './interaction-page.ts';

const acme = { slug: 'acme', name: 'Acme Inc' };
const globex = { slug: 'globex', name: 'globex' };

describe('the page that asks for consent', () => {
  it('shows the client as not verified, and its permissions in words', () => {
    const html = page({});
    expect(html).toContain('<strong>Editor</strong> (not verified)');
    expect(html).toContain('Any client can use this name');
    expect(html).toContain('<li>ask questions and search over MCP on your behalf</li>');
    expect(html).toContain('<li>use “other”</li>');
  });

  it.each<[PendingRedirect, string]>([
    [{ kind: 'web', origin: 'https://app.example', host: 'app.example' }, '<strong>app.example</strong>'],
    [
      { kind: 'loopback', origin: 'http://127.0.0.1:1', host: '127.0.0.1:1' },
      'an app on this computer (<strong>127.0.0.1:1</strong>)',
    ],
    [{ kind: 'app', scheme: 'cursor' }, 'the app on this computer that opens <strong>cursor:</strong> links'],
  ])('shows the redirect target: %j', (redirect, words) => {
    expect(page({ redirect })).toContain(words);
  });

  it('shows the code, the address and the program of a device', () => {
    const device = {
      kind: 'device',
      userCode: 'BCDF-GHJK',
      address: '192.0.2.1',
      userAgent: 'curl\u202E/8',
    } as const;
    const html = page({ redirect: device });
    expect(html).toContain('<code>BCDF-GHJK</code>');
    expect(html).toContain('192.0.2.1');
    expect(html).toContain('curl/8');
    expect(html).toContain('on a device that shows the code above');
  });

  it('preselects the organization only if there is one', () => {
    expect(page({})).not.toContain('checked');
    expect(page({}, { chosen: 'globex' })).toMatch(/value="globex" checked/);
    expect(page({}, { organizations: [acme] })).toMatch(/value="acme" checked/);
    expect(page({})).toContain('Acme Inc (acme)');
  });

  it('has Allow as the first button, so that Enter activates it', () => {
    expect(page({})).toMatch(/value="allow".*value="deny"/);
  });

  it('tells a person without an organization what to do, and offers only Deny', () => {
    const html = page({}, { organizations: [] });
    expect(html).toContain('You are not a member of any organization');
    expect(html).not.toContain('value="allow"');
    expect(html).toContain('value="deny"');
  });

  it('shows hostile names as plain text, truncated', () => {
    const name = `<img src=x onerror=alert(1)>\u202E${'A'.repeat(500)}`;
    const html = page({ client: { id: 'x', name } }, { organizations: [{ slug: 'acme', name: '<b>acme' }] });
    expect(html).not.toMatch(/<img|<b>acme/);
    expect(html).toContain('&lt;img src=x');
    expect(html).toContain('A…');
    expect(html).not.toContain('A'.repeat(80));
    expect(page({ client: { id: 'x', name: '\u200B' } })).toContain('Unnamed client');
  });
});

function page(pending: Partial<PendingAuthorization>, view: Partial<InteractionView> = {}): string {
  return renderPage(
    interactionPage({
      action: '/.auth/interaction/1',
      csrf: 'token',
      pending: {
        uid: '1',
        client: { id: 'x', name: 'Editor' },
        redirect: { kind: 'loopback', origin: 'http://127.0.0.1:1', host: '127.0.0.1:1' },
        scopes: ['mcp', 'other'],
        ...pending,
      },
      organizations: [acme, globex],
      person: { email: 'ada@example.com', signOut: { csrf: 'out' } },
      ...view,
    }),
  );
}
