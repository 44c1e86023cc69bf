import { describe, expect, it } from 'vitest';
import { renderPage } from '../kit/html/layout.ts';
import { deviceDonePage, devicePage } from './device-page.ts';
import { oauthPages } from './oauth-pages.ts';

const hostile = '"><script>alert(1)</script>';

describe('pages of the authorization server', () => {
  it('ask for the code of a device, and require a click for a prefilled one', () => {
    const html = renderPage(devicePage({ csrf: 'token', userCode: 'BCDF-GHJK' }));
    expect(html).toMatch(/name="user_code"[^>]* required/);
    expect(html).toContain('value="BCDF-GHJK"');
    expect(html).toContain('value="token"');
    expect(html).toContain('Do not enter a code that somebody sent you');
    expect(html).not.toContain('role="alert"');
  });

  it('show the error of a code', () => {
    const html = renderPage(devicePage({ csrf: '', userCode: hostile, error: 'That code is over.' }));
    expect(html).toContain('<a href="#user_code">That code is over.</a>');
    expect(html).not.toContain('<script');
  });

  it('send the person back to their client', () => {
    expect(renderPage(deviceDonePage('orgctx'))).toContain(
      'You can close this window and go back to orgctx.',
    );
    expect(renderPage(deviceDonePage(hostile))).not.toContain('<script');
    expect(renderPage(deviceDonePage(undefined))).toContain('your client');
  });

  it('show an error with the request id', () => {
    const html = oauthPages.error({ title: hostile, message: hostile, requestId: 'r-1' });
    expect(html).toContain('<code>r-1</code>');
    expect(html).not.toContain('<script');
  });
});
