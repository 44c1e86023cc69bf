import { describe, expect, it } from 'vitest';
import { defaultSettings } from '../../../../../test/support/connectors/test-setup.ts';
import { placeOf } from '../settings.ts';

describe('the region of an oncall account', () => {
  it.each([
    ['https://acme.pagerduty.com/users/P1', 'us', 'acme.pagerduty.com'],
    ['https://acme.eu.pagerduty.com/users/P1', 'eu', 'acme.eu.pagerduty.com'],
    ['https://ACME-2.PagerDuty.com', 'us', 'acme-2.pagerduty.com'],
  ])('is told by %s: %s', (address, region, host) => {
    expect(placeOf(address, defaultSettings)).toMatchObject({ region, host });
  });

  it.each([
    'https://pagerduty.com',
    'https://eu.pagerduty.com',
    'https://a.b.pagerduty.com',
    'https://a.b.eu.pagerduty.com',
    'https://acmepagerduty.com',
    'https://acme.pagerduty.com.evil.example',
    'https://acme.pagerduty.com:8443',
    'https://user@acme.pagerduty.com',
    'http://acme.pagerduty.com',
    'https://127.0.0.1',
    'https://[::1]',
    'javascript:alert(1)',
    'nothing',
    '',
  ])('is not told by %s', (address) => {
    expect(() => placeOf(address, defaultSettings)).toThrow(/no known region/);
  });

  it('follows the suffixes of the settings', () => {
    const values = { ONCALL_WEB_SUFFIX_US: 'oncall.test', ONCALL_WEB_SUFFIX_EU: 'eu.oncall.test' };
    expect(placeOf('https://acme.eu.oncall.test', values).region).toBe('eu');
    expect(() => placeOf('https://acme.pagerduty.com', values)).toThrow(/no known region/);
  });
});
