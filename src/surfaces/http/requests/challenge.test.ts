import { describe, expect, it } from 'vitest';
import { bearerChallenge } from './challenge.ts';

const baseUrl = 'https://ctx.example';

describe('bearerChallenge', () => {
  it('names the metadata of the resource and the scope it needs', () => {
    expect(bearerChallenge({ baseUrl, resourcePath: '/mcp', scope: ['mcp'] })).toBe(
      'Bearer resource_metadata="https://ctx.example/.well-known/oauth-protected-resource/mcp", scope="mcp"',
    );
  });

  it('describes the error of a credential that was sent', () => {
    expect(
      bearerChallenge({ baseUrl, resourcePath: '', error: 'invalid_token', errorDescription: 'It expired.' }),
    ).toBe(
      'Bearer resource_metadata="https://ctx.example/.well-known/oauth-protected-resource", ' +
        'error="invalid_token", error_description="It expired."',
    );
  });

  it.each([
    ['a quote', 'no "such" token', `error_description="no 'such' token"`],
    ['a line break', 'one\r\nSet-Cookie: a=b', 'error_description="one  Set-Cookie: a=b"'],
    ['a backslash', 'a\\', 'error_description="a "'],
    ['a letter beyond ASCII', 'clé', 'error_description="cl "'],
  ])('prevents %s from ending the string or the header', (_what, errorDescription, written) => {
    expect(bearerChallenge({ baseUrl, resourcePath: '', errorDescription })).toContain(written);
  });
});
