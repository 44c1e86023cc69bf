import { describe, expect, it } from 'vitest';
import { useTestHttp } from '../../../../test/support/http/http-server.ts';

describe('a token in the URL', async () => {
  const http = await useTestHttp();

  it.each([
    'access_token=x',
    'access_token=',
    'access_token',
    'ACCESS_TOKEN=x',
    'Access-Token=x',
    'access%5Ftoken=x',
    'access_token[]=x',
    'access_token=x&access_token=y',
    'q=a&token=x',
    'api_key=x',
    'accessToken=x',
    'access_token.x=1',
    'access_token%00=x',
    'bearer=x',
    'client_secret=x',
    'refresh_token=x',
    `q=ock_${'a'.repeat(43)}`,
    `x=1;access_token=ock_${'a'.repeat(43)}`,
  ])('is refused before authentication, also with a valid credential: %s', async (query) => {
    for (const url of [`/acme/api/v1/search?${query}`, `/mcp?orgSlug=acme&${query}`]) {
      for (const answer of [await http.server.inject(url), await http.call({ url })]) {
        expect(answer.statusCode).toBe(400);
        expect(answer.json()).toMatchObject({ code: 'token_in_url' });
      }
    }
  });

  it.each(['q=access_token', 'q=a&tokens=1', 'q=ock_'])(
    'is not detected in other queries: %s',
    async (query) => {
      expect((await http.call({ url: `/acme/api/v1/search?${query}` })).statusCode).toBe(200);
    },
  );
});
